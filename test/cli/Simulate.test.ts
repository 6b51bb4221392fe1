/**
 * Goal: `simulate` plays the same mesh from the same seed, says what came of it to a person and to a program, and says what is
 * wrong with what it is asked.
 *
 * Method: the bin is run. What it says of a broken law is seen where one is planted (`test/simulator/planted.test.ts`).
 */
import { describe, expect, test } from "vitest"
import { run } from "./Bin.ts"

const simulated = (...flags: ReadonlyArray<string>) => run(["simulate", ...flags])

describe("simulate", () => {
  test("says in two lines that all laws hold, and the same each time", async () => {
    const first = await simulated("--seed", "7", "--steps", "2000")
    expect(first).toMatchObject({ exitCode: 0, stderr: "" })
    expect(first.stdout).toMatch(
      /^All laws hold in [\d,]+ steps of 1 seed: [\d,]+ things were held to them, \d+\.\d % of the steps .*\nThe hash of the last run is [0-9a-f]{8}\.\n$/
    )
    expect(await simulated("--seed", "7", "--steps", "2000")).toEqual(first)
  })

  test("--json has the same for programs, of as many seeds as are asked for", async () => {
    const { exitCode, stdout } = await simulated("--seed", "1", "--seeds", "3", "--steps", "1000", "--json")
    expect(exitCode).toBe(0)
    const told: unknown = JSON.parse(stdout)
    expect(told).toEqual({
      seeds: 3,
      steps: expect.any(Number),
      faults: expect.any(Number),
      checked: expect.any(Number),
      virtualMillis: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{8}$/)
    })
  })

  test("--watch shows all that happens, and --until stops there", async () => {
    const { stdout } = await simulated("--seed", "7", "--faults", "none", "--until", "400", "--watch")
    const lines = stdout.trimEnd().split("\n")
    expect(lines[0]).toMatch(/^ +step +time {4}what$/)
    expect(lines[1]).toMatch(/^ +\d+ +\d+\.\d{3} s {2}> the controller defines postgres /)
    expect(lines.filter((line) => line.includes("  ! "))).toEqual([])
    expect(lines.at(-2)).toContain("in 400 steps of 1 seed")
    const last = (await simulated("--seed", "7", "--faults", "none", "--until", "400")).stdout.trimEnd().split("\n")
    expect(last).toEqual([lines[0], ...lines.slice(-22)])
  })

  test("--fibers plays the provisioner's own fibers: another run, and the same each time", async () => {
    const steps = await simulated("--seed", "7", "--steps", "2000")
    const fibers = await simulated("--seed", "7", "--steps", "2000", "--fibers")
    expect(fibers.exitCode).toBe(0)
    expect(fibers.stdout).toMatch(/^All laws hold in /)
    expect(fibers.stdout).not.toBe(steps.stdout)
    expect(await simulated("--seed", "7", "--steps", "2000", "--fibers")).toEqual(fibers)
  })

  test.each([
    [["--seed", "-1"], "--seed cannot be -1. Give a number from 0 to 4294967295."],
    [["--seed", "1", "--steps", "0"], "--steps cannot be 0. Give a number from 1 to 100000000."],
    [["--seed", "1", "--nodes", "51"], "--nodes cannot be 51. Give a number from 1 to 50."],
    [
      ["--seed", "1", "--faults", "writes,floods"],
      "--faults: floods is no kind of fault. They are messages, watches, writes, buckets, processes, parties; none is " +
      "for none of them."
    ]
  ])("%j is written wrong", async (flags, sentence) => {
    expect(await simulated(...flags)).toEqual({ exitCode: 2, stdout: "", stderr: `mesh-provisioner: ${sentence}\n` })
  })
})
