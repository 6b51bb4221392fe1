/**
 * Checks all that the tests do not: `node scripts/check.ts` runs every part and prints a line for each; with names of parts
 * it runs those alone. It exits with 1 when any part failed, after having run them all.
 */
import { spawn } from "node:child_process"
import { delimiter, join } from "node:path"
import { compilerCommand } from "./compiler.ts"

const root = join(import.meta.dirname, "..")

const binFolder = join(root, "node_modules", ".bin")
const bin = (name: string): string => join(binFolder, name)
const script = (name: string): ReadonlyArray<string> => [process.execPath, join("scripts", name)]

/** The parts in the order they are run in: the later ones look at what the first has built. */
const parts = new Map<string, ReadonlyArray<string>>([
  ["types", [...compilerCommand(), "--build"]],
  ["lint", [bin("oxlint"), "--deny-warnings", "--format", "unix"]],
  ["format", [bin("dprint"), "check", "--list-different"]],
  ["unused", [bin("knip"), "--no-progress"]],
  ["package", script("checkPackage.ts")],
  ["size", script("checkSize.ts")],
  ["docs", [bin("vitest"), "run", "test/docs", "--reporter", "default"]],
  ["start", script("checkStart.ts")]
])

interface Outcome {
  readonly passed: boolean
  readonly output: string
}

const run = ([command = "", ...options]: ReadonlyArray<string>): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = spawn(command, options, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        // Node is the project's own, also where this is not run by npm.
        PATH: `${binFolder}${delimiter}${process.env["PATH"] ?? ""}`,
        // The formatter keeps its compiled plugins in the project, and not in a home that may be read-only.
        DPRINT_CACHE_DIR: join(root, "node_modules", ".cache", "dprint")
      }
    })
    let output = ""
    const take = (text: Buffer) => output += text.toString()
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    child.on("error", (error) => resolve({ passed: false, output: error.message }))
    child.on("close", (code) => resolve({ passed: code === 0, output }))
  })

const check = async (name: string, command: ReadonlyArray<string>): Promise<boolean> => {
  const started = performance.now()
  const { output, passed } = await run(command)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${passed ? "ok    " : "failed"}  ${name.padEnd(8)} ${seconds.padStart(5)} s`)
  if (!passed) console.log(output.trimEnd())
  return passed
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !parts.has(name))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")} to check: the parts are ${[...parts.keys()].join(", ")}.`)
  process.exit(2)
}

for (const [name, command] of parts) {
  if (asked.length > 0 && !asked.includes(name)) continue
  if (!await check(name, command)) process.exitCode = 1
}
