/**
 * A command at a terminal: util-linux' `script` gives it one, which every Debian has.
 */
import { spawn } from "node:child_process"
import { onTestFinished } from "vitest"
import { bin, type Run, surroundings } from "./Bin.ts"

/** A command that runs at a terminal. */
export interface AtTerminal {
  /** What the terminal was sent so far. */
  readonly screen: () => string
  /** Waits until the terminal was sent such a text. */
  readonly seen: (text: string) => Promise<void>
  /** Presses keys. */
  readonly press: (keys: string) => void
  readonly ended: Promise<Run>
}

/** Starts a command at a terminal of 200 columns. */
export const atTerminal = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: { readonly [name: string]: string } = {}
): AtTerminal => {
  const words = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(" ")
  const child = spawn("script", ["-qec", `stty cols 200 rows 50; exec ${words}`, "/dev/null"], {
    cwd,
    env: { TERM: "xterm-256color", ...surroundings, ...env },
    timeout: 25_000,
    killSignal: "SIGKILL"
  })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  let stdout = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  const ended = new Promise<Run>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (exitCode) => resolve({ exitCode, stdout, stderr: "" }))
  })
  const seen = async (text: string): Promise<void> => {
    for (let tries = 0; tries < 400 && !stdout.includes(text); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    if (!stdout.includes(text)) {
      throw new Error(`the terminal never showed ${JSON.stringify(text)}, but ${JSON.stringify(stdout)}`)
    }
  }
  return { screen: () => stdout, seen, press: (keys) => child.stdin.write(keys), ended }
}
