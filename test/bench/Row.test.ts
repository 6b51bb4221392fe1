/**
 * Goal: a row says what was measured, beside what, and whether it is enough; people and programs can read it.
 *
 * Method: rows of figures that are made up, and one short run of the command.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { coloured, linesOf, numberText, plain } from "../../bench/Print.ts"
import { isAskedBy, row } from "../../bench/Row.ts"

const root = join(import.meta.dirname, "..", "..")

const measured = {
  name: "change.need",
  what: "need deleted, or put",
  needs: 10_000,
  unit: "µs",
  rounds: [30, 10, 20],
  limit: { what: "the toy", rounds: [3, 2, 1] },
  targets: [{ of: "figure", atMost: 20 }],
  notes: ["decided anew 1.50"]
} as const

describe("a row", () => {
  test("has the median and the spread of its rounds, and the ratio of each round to its limit", () => {
    const { figure, limit, ratio } = row(measured)
    expect(figure).toEqual({ median: 20, least: 10, largest: 30, runs: 3, unit: "µs" })
    expect(limit?.figure).toEqual({ median: 2, least: 1, largest: 3, runs: 3, unit: "µs" })
    expect(ratio).toEqual({ median: 10, least: 5, largest: 20, runs: 3, unit: "×" })
  })

  test("compares medians where there are not as many rounds of the limit", () => {
    expect(row({ ...measured, limit: { what: "once", rounds: [4] } }).ratio).toMatchObject({ median: 5, runs: 1 })
  })

  test.each(
    [
      [{ of: "figure", atMost: 20 }, true],
      [{ of: "figure", atMost: 19 }, false],
      [{ of: "figure", atLeast: 21 }, false],
      [{ of: "ratio", atMost: 10 }, true],
      [{ of: "ratio", atLeast: 11 }, false],
      [{ of: "excess", atMost: 19 }, true],
      [{ of: "excess", atMost: 18 }, false]
    ] as const
  )("with the target %j holds: %s", (target, holds) => {
    expect(row({ ...measured, targets: [target] }).holds).toBe(holds)
  })

  test("holds only where each of its targets does, and where nothing was measured, not", () => {
    const targets = [{ of: "figure", atMost: 20 }, { of: "figure", atMost: 1 }] as const
    expect(row({ ...measured, targets }).holds).toBe(false)
    expect(row({ ...measured, rounds: [] }).holds).toBe(false)
    expect(row({ ...measured, targets: [] })).not.toHaveProperty("holds")
  })

  test("is printed in aligned lines: the figure and the target, the limit, the notes", () => {
    expect(linesOf(row(measured), plain).map((line) => line.replaceAll(/ {3,}/gu, " | "))).toEqual([
      "change.need | need deleted, or put, 10,000 needs | 20.0 µs (10.0 to 30.0, 3 runs)  ≤ 20 µs: holds",
      " | limit: the toy | 2.00 µs (1.00 to 3.00, 3 runs)  ratio 10.0 × (5.00 to 20.0, 3 runs)",
      " | decided anew 1.50"
    ])
    const [first = "", second = ""] = linesOf(row(measured), plain)
    expect(first.indexOf("20.0 µs")).toBe(second.indexOf("2.00 µs"))
  })

  test("is coloured where it is asked for", () => {
    expect(linesOf(row(measured), coloured)[0]).toContain("\u001B[32mholds\u001B[0m")
    expect(linesOf(row({ ...measured, rounds: [21] }), coloured)[0]).toContain("\u001B[31mmissed\u001B[0m")
  })

  test.each([[0.01234, "0.0123"], [1.5, "1.50"], [12.345, "12.3"], [1_234.5, "1,235"], [Number.NaN, "none"], [
    0,
    "0.0000"
  ]])(
    "prints %d as %s",
    (value, text) => expect(numberText(value)).toBe(text)
  )
})

describe("npm run bench", () => {
  const bench = (...words: ReadonlyArray<string>) =>
    spawnSync(process.execPath, ["--expose-gc", join(root, "bench", "index.ts"), ...words], { encoding: "utf8" })

  test("--only takes a row, its parts, and what it is a part of", () => {
    const isAsked = isAskedBy(["change.need"])
    expect(["change", "change.need", "change.need.p99", "change.have", "build"].filter(isAsked)).toEqual([
      "change",
      "change.need",
      "change.need.p99"
    ])
    expect(isAskedBy([])("build")).toBe(true)
  })

  test("--quick measures the core on small meshes, and --json prints one document", () => {
    const { status, stdout } = bench(
      "--quick",
      "--needs",
      "1000",
      "--only",
      "change",
      "--only",
      "build",
      "--json"
    )
    expect(status).toBe(0)
    const { isQuick, rows }: {
      readonly isQuick: boolean
      readonly rows: ReadonlyArray<{ readonly name: string; readonly figure: { readonly median: number | null } }>
    } = JSON.parse(stdout)
    expect(isQuick).toBe(true)
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([
      "change.need",
      "change.need.p99",
      "change.need.growth",
      "change.have",
      "change.assignment",
      "change.whatIf",
      "change.turning",
      "change.turningMany.slice",
      "change.decide",
      "build.decoded",
      "build.text",
      "build.heap"
    ]))
    expect(rows.filter(({ figure }) => typeof figure.median !== "number")).toEqual([])
  })

  test("prints rows one by one", () => {
    const { status, stdout } = bench("--quick", "--needs", "1000", "--only", "build.heap")
    expect(status).toBe(0)
    expect(stdout).toMatch(/^build\.heap .*1,000 needs .* B \(.*, 5 runs\) {2}≤ 1,200 B: (holds|missed)\n/u)
  })

  test.each([[["--only", "nothing"], "there is no such row"], [["--needs", "many"], "--needs many"], [
    ["--fast"],
    "--fast"
  ]])(
    "%j is asked wrongly",
    (words, why) => {
      const { status, stderr } = bench(...words)
      expect(status).toBe(2)
      expect(stderr).toContain(why)
      expect(stderr).toContain("npm run bench -- [--quick]")
    }
  )
})
