/**
 * Mutation testing of the core: each piece of `src/core` is altered, one at a time, and some test must fail.
 *
 *     npm run mutate [-- FILE…] [-- --dry-run] [-- --concurrency N]
 *
 * With files, those alone. What was measured before is kept in `.cache/mutate` and measured again only where the file or the
 * tests that reach it are others. It prints the score of each file and every mutant that no test noticed, and exits with 1
 * where the score of all is below 90 %. With `--dry-run` it counts the mutants, and runs the tests once.
 *
 * What is altered, and what is not:
 * - Each mutant is run against the tests that reach it (`vitest.mutate.config.ts`), in memory, until one fails.
 * - Static mutants are left out: what is run once, when a module is loaded (schemas, tables of names), cannot be altered
 *   without loading everything anew for each, which takes ten times as long. Golden cases, and `test/property/Decode.test.ts`
 *   with a schema for each bucket, hold them.
 * - Texts are left out. A sentence is pinned to the letter by the golden stories, which fail where one is in none
 *   (`test/golden/Reached.test.ts`), and of the words that are codes (`"provided"`) the compiler knows each.
 */
import { Stryker } from "@stryker-mutator/core"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

const root = join(import.meta.dirname, "..")

const scoreMin = 90

const { positionals: files, values: asked } = parseArgs({
  allowPositionals: true,
  options: { "concurrency": { type: "string" }, "dry-run": { type: "boolean", default: false } }
})

type Mutant = Awaited<ReturnType<Stryker["runMutationTest"]>>[number]

/** The mutants of a file, or of all: how many a test noticed, and which none did. */
class Tally {
  noticed = 0
  readonly unnoticed: Array<Mutant> = []

  add(mutant: Mutant): void {
    if (mutant.status === "Killed" || mutant.status === "Timeout") {
      this.noticed += 1
    } else if (mutant.status === "Survived" || mutant.status === "NoCoverage") {
      this.unnoticed.push(mutant)
    }
  }

  get all(): number {
    return this.noticed + this.unnoticed.length
  }

  /** Of a hundred mutants, how many were noticed. */
  get score(): number {
    return this.all === 0 ? 100 : 100 * this.noticed / this.all
  }
}

const rowOf = (name: string, tally: Tally): string =>
  `${name.padEnd(40)} ${`${tally.score.toFixed(1)} %`.padStart(8)} ${String(tally.noticed).padStart(6)} of ${tally.all}`

const told = ({ location, mutatorName, replacement = "", status }: Mutant, path: string): string =>
  `  ${path}:${location.start.line}:${location.start.column}-${location.end.line}:${location.end.column} ${mutatorName}${
    status === "NoCoverage" ? ", reached by no test" : ""
  }: ${replacement.replaceAll(/\s+/g, " ").slice(0, 100)}`

process.chdir(root)
// The tests' modules are loaded anew for each mutant, and need not be compiled anew.
process.env["NODE_COMPILE_CACHE"] ??= join(root, ".cache/mutate/compiled")

const mutants = await new Stryker({
  allowConsoleColors: false,
  concurrency: Number(asked.concurrency ?? Math.max(1, availableParallelism() - 1)),
  coverageAnalysis: "perTest",
  dryRunTimeoutMinutes: 30,
  dryRunOnly: asked["dry-run"],
  ignorePatterns: ["/bench", "/deploy", "/dist", "/docs", "/.ci"],
  ignoreStatic: true,
  incremental: true,
  incrementalFile: ".cache/mutate/measured.json",
  jsonReporter: { fileName: ".cache/mutate/report.json" },
  mutate: files.length > 0 ? files : ["src/core/**/*.ts"],
  mutator: { excludedMutations: ["StringLiteral"] },
  packageManager: "npm",
  plugins: ["@stryker-mutator/vitest-runner"],
  reporters: ["progress-append-only", "json"],
  tempDirName: ".cache/mutate/tree",
  testRunner: "vitest",
  // A mutant that loops is found by how often it is hit. A machine that does something else besides must not pass for one.
  timeoutMS: 120_000,
  // There is none of this name, so it is left as it is: the compiler has no interface with which Stryker could rewrite it.
  tsconfigFile: "none",
  vitest: { configFile: "vitest.mutate.config.ts", related: false }
}).runMutationTest()

if (!asked["dry-run"]) {
  const whole = new Tally()
  const byFile = new Map<string, Tally>()
  for (const mutant of mutants) {
    const path = mutant.fileName.replace(`${root}/`, "")
    const tally = byFile.get(path) ?? new Tally()
    byFile.set(path, tally)
    tally.add(mutant)
    whole.add(mutant)
  }
  for (const [path, tally] of [...byFile].toSorted(([one], [other]) => one < other ? -1 : 1)) {
    console.log(rowOf(path, tally))
    tally.unnoticed.forEach((mutant) => console.log(told(mutant, path)))
  }
  console.log(rowOf("all", whole))
  process.exitCode = whole.score >= scoreMin ? 0 : 1
}
