/**
 * The command line as a person runs it: the bin as it was built, in a process of its own.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

const root = join(import.meta.dirname, "..", "..")

/** The bin. */
export const bin = join(root, "dist", "bin", "mesh-provisioner.js")

/** The example mesh that the package carries. */
export const homelab = join(root, "examples", "homelab.json")

/** How a run ended, and what it said. */
export interface Run {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What surrounds a run: nothing of the tests' own surroundings but where Node's compile cache may be. */
export const surroundings = {
  PATH: process.env["PATH"],
  XDG_CACHE_HOME: join(root, "node_modules", ".cache")
}

/** What a run is given beside its arguments. */
export interface RunOptions {
  readonly cwd?: string
  readonly input?: string | Uint8Array
}

/** Runs a command to its end. */
export const run = async (args: ReadonlyArray<string>, { cwd, input = "" }: RunOptions = {}): Promise<Run> => {
  const child = start(args, cwd)
  // A command that fails before it has read all that it is given is no fault of this.
  child.stdin.on("error", () => undefined)
  child.stdin.end(input)
  return ended(child)
}

/** Starts a command. It is ended with the test where it has not ended by itself. */
export const start = (
  args: ReadonlyArray<string>,
  cwd = root,
  env: { readonly [name: string]: string } = {}
): ChildProcessWithoutNullStreams => {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...surroundings, ...env },
    timeout: 25_000,
    killSignal: "SIGKILL"
  })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  return child
}

/** What a started command has said when it ends. */
export const ended = (child: ChildProcessWithoutNullStreams): Promise<Run> => {
  const said = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text
    })
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (exitCode) => resolve({ exitCode, ...said }))
  })
}

/** Runs a line of a shell, in which `mesh-provisioner` is the bin. */
export const runShell = (line: string, cwd: string, env: { readonly [name: string]: string } = {}): Promise<Run> => {
  const own = `mesh-provisioner() { "${process.execPath}" "${bin}" "$@"; }; export -f mesh-provisioner; ${line}`
  const child = spawn("bash", ["--norc", "-c", own], {
    cwd,
    env: { ...surroundings, ...env },
    timeout: 25_000,
    killSignal: "SIGKILL"
  })
  child.stdin.end()
  return ended(child)
}

/** A folder of a test's own, with files: texts as they are, other values as JSON. */
export const folderWith = (files: { readonly [name: string]: unknown }): string => {
  const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-cli-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, undefined, 2))
  }
  return folder
}
