/**
 * How long the command line takes to start, beside Node by itself: processes in pairs, one after the other.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Benchmark, row, type Run } from "./Row.ts"

const root = join(import.meta.dirname, "..")
const bin = join(root, "dist", "bin", "mesh-provisioner.js")

/** A snapshot as people decide one by hand. */
const smallFile = join(root, "examples", "homelab.json")

/** How many milliseconds a process takes from its start to its end. */
const processMillis = (home: string, words: ReadonlyArray<string>): number => {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, words, { env: { HOME: home }, encoding: "utf8" })
  const millis = performance.now() - start
  if (status !== 0) {
    throw new Error(`node ${words.join(" ")} ended with ${status}: ${stderr}`)
  }
  return millis
}

const commands = [
  { name: "start.version", what: "--version", words: [bin, "--version"], excessMillisMax: 80 },
  { name: "start.decide", what: "decide of a small file", words: [bin, "decide", smallFile], excessMillisMax: 150 }
]

const rows = function*({ isAsked, isQuick }: Run) {
  const pairs = isQuick ? 7 : 21
  const home = mkdtempSync(join(tmpdir(), "mesh-provisioner-bench-"))
  try {
    for (const { excessMillisMax, name, what, words } of commands.filter((one) => isAsked(one.name))) {
      const ours: Array<number> = []
      const bare: Array<number> = []
      // The first start compiles, and keeps what it compiled.
      processMillis(home, words)
      for (let pair = 0; pair < pairs; pair++) {
        bare.push(processMillis(home, ["-e", "0"]))
        ours.push(processMillis(home, words))
      }
      yield row({
        name,
        what,
        unit: "ms",
        rounds: ours,
        limit: { what: "node -e 0", rounds: bare },
        targets: [{ of: "excess", atMost: excessMillisMax }]
      })
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** The rows `start.version` and `start.decide`. */
export const commandLine: Benchmark = { name: "start", rows }
