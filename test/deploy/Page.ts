/**
 * A page that a person follows in one shell: its `sh` blocks are run in the order in which they stand, and the `text` block
 * behind one is what it prints.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** A block of commands, and what it is said to print, where that is said. */
export interface Step {
  readonly commands: string
  readonly printed: string | undefined
}

const stepPattern = /^```sh\n([^]*?)^```\n(?:\n```text\n([^]*?)^```\n)?/gm

/** The steps of a page. */
export const stepsIn = (page: string): ReadonlyArray<Step> =>
  [...page.matchAll(stepPattern)].map(([, commands = "", printed]) => ({ commands, printed }))

/** The page with what its steps print in place of what it says they print. */
export const withPrinted = (page: string, printed: ReadonlyArray<string>): string => {
  let index = 0
  return page.replaceAll(stepPattern, (step, commands: string, said: string | undefined) => {
    const now = printed[index++] ?? ""
    return said === undefined ? step : `\`\`\`sh\n${commands}\`\`\`\n\n\`\`\`text\n${now}\`\`\`\n`
  })
}

/** A shell that lives from one step to the next. */
export class Shell {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #folder: string
  #said = ""
  #count = 0

  /** Begins in a folder; files of its own go to `scratch`. */
  constructor(folder: string, scratch: string, environment: { readonly [name: string]: string }) {
    this.#folder = scratch
    // A group of its own: whatever it starts can be ended with it.
    this.#child = spawn("bash", ["--norc"], { cwd: folder, env: environment, detached: true })
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text
    })
    this.#child.stdin.on("error", () => undefined)
    this.#child.stdin.write("shopt -s expand_aliases\nexec 2>&1\n")
  }

  /** Runs commands to their end; gives what they print, without spaces at the end of lines, and the exit code of the last where it is not 0. */
  async run(commands: string): Promise<string> {
    const number = this.#count++
    const end = `end of step ${number}, exit code `
    const file = join(this.#folder, `step-${number}`)
    writeFileSync(file, commands)
    const from = this.#said.length
    this.#child.stdin.write(`. '${file}' < /dev/null\nprintf '${end}%s\\n' "$?"\n`)
    const until = Date.now() + stepMillisMax
    for (; Date.now() < until && !this.#said.slice(from).includes(end); await sleep(10));
    const [printed = "", code = `none in ${stepMillisMax / 1000} s\n`] = this.#said.slice(from).split(end)
    const shown = printed.replaceAll(killedPattern, "").replaceAll(/ +$/gm, "")
    return shown + (code === "0\n" ? "" : `(exit code ${code.trim()})\n`)
  }

  /** Ends it, with all that it has started. */
  end(): void {
    if (this.#child.pid !== undefined) {
      process.kill(-this.#child.pid, "SIGKILL")
    }
  }
}

const stepMillisMax = 40_000

/** What bash says when a job that was killed is gone. */
const killedPattern = /^.*: line \d+: +\d+ Killed .*\n/gm
