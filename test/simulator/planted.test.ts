/**
 * Goal: the laws that simulated meshes are held to bite: whatever is wrong in the rules, the engine, the comparison or the
 * loop breaks one of them, and the simulator finds it.
 *
 * Method: faults are planted in a copy of the sources, one at a time, by text; the copy is run by Node as it is, seed after
 * seed, until a law is broken: one of those that the fault is known to break, by so many steps at most. The seed that found it
 * last is tried first. `PLANTED_REPORT=1 npx vitest run test/simulator/planted.test.ts` looks from seed 1 on, prints how many
 * steps each took, and keeps which seed it was.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { corePlants } from "./CorePlants.ts"
import { shellPlants } from "./ShellPlants.ts"

const root = join(import.meta.dirname, "..", "..")

/** So many steps are played at most to find a fault. */
const stepsMax = 3_000_000

const search = `
import { simulate } from "./src/simulator/index.ts"
const [shell, first] = process.argv.slice(2)
let steps = 0
let found
const play = (seed) => {
  const simulated = simulate({ seed, steps: 10_000, shell })
  steps += simulated.steps
  found = simulated.failure && { seed, law: simulated.failure.law }
}
play(Number(first))
for (let seed = 1; found === undefined && steps < ${stepsMax}; seed++) {
  if (seed !== Number(first)) play(seed)
}
console.log(JSON.stringify({ steps, ...found }))
`

let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planted-"))
  for (const part of ["adapters", "cli", "core", "ports", "provisioner", "simulator", "main.ts"]) {
    await cp(join(root, "src", part), join(folder, "src", part), { recursive: true })
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  await writeFile(join(folder, "search.ts"), search)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** The seed that found each fault last, by its name. */
const foundByPath = join(import.meta.dirname, "foundBy.json")
const foundBy: { [name: string]: number } = JSON.parse(readFileSync(foundByPath, "utf8"))
const isReport = process.env["PLANTED_REPORT"] === "1"
const found: Array<string> = []

const plants = [...corePlants, ...shellPlants]

test.each(plants)("$name is found", async ({ broken, file, laws, name, shell, sound }) => {
  const path = join(folder, "src", file)
  const before = await readFile(path, "utf8")
  expect(before.split(sound).length - 1, `where ${file} has it`).toBe(1)
  await writeFile(path, before.split(sound).join(broken))
  try {
    const search = [join(folder, "search.ts"), shell, String(isReport ? 1 : foundBy[name] ?? 1)]
    const { stdout } = await promisify(execFile)(process.execPath, search, { cwd: folder })
    const { law, seed, steps } = JSON.parse(stdout)
    expect(laws, `found after ${steps} steps`).toContain(law)
    foundBy[name] = seed
    found.push(`${String(steps).padStart(9)} ${name}: ${law}`)
  } finally {
    await writeFile(path, before)
  }
})

test("the command tells the story of a broken law, fails with 1, and says how to play it again", async () => {
  const path = join(folder, "src", "core", "Outcome.ts")
  const before = await readFile(path, "utf8")
  await writeFile(path, before.replace("have.build !== assignment.build", "false"))
  try {
    const seed = ["simulate", "--seed", "1", "--seeds", "20", "--steps", "10000"]
    const run = promisify(execFile)(process.execPath, [join(folder, "src", "main.ts"), ...seed], { cwd: folder })
    const { code, stdout } = await run.then(() => ({ code: 0, stdout: "" }), (failed) => failed)
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^Seed \d+: a law is broken\.\nAt step \d+ a law is broken \(protocol §5\): Nothing is provided without/
    )
    expect(stdout.split("\n").filter((line: string) => / {2}> the controller /.test(line)).length).toBeLessThan(12)
    expect(stdout).toMatch(/\nTo play it again: mesh-provisioner simulate --seed \d+ --steps 10000 --until \d+\n$/)
  } finally {
    await writeFile(path, before)
  }
})

test("there are many", async () => {
  expect(plants.length).toBeGreaterThanOrEqual(25)
  if (isReport) {
    await writeFile(foundByPath, `${JSON.stringify(foundBy, undefined, 2)}\n`)
    console.log(found.sort().join("\n"))
  }
})
