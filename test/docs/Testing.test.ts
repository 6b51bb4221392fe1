/**
 * Goal: the page on testing finds every test folder and every report, and what it names is there.
 *
 * Method: the page's tables are read as text and held against the tests' sources; where `../shared` lies beside the clone, the
 * reports' numbers against its list of them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, normalize, relative } from "node:path"
import { describe, expect, it, test } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const page = read("docs/testing.md")

/** A report's row: its number, the tests that it names, each with its file, and the later part that it waits for. */
interface Row {
  readonly number: string
  readonly tests: ReadonlyArray<{ readonly path: string; readonly name: string }>
  readonly waitsFor: string
}

/** The tests that a cell of a table names, each with its file. */
const testsNamedIn = (cell: string): Row["tests"] =>
  [...cell.matchAll(/\[[^\]]+\]\(\.\.\/([^)]+)\): (.*?)(?=<br>| *$)/g)].map(([, path = "", name = ""]) => ({
    path: normalize(path),
    name
  }))

const rows: ReadonlyArray<Row> = [...page.matchAll(/^\| (\d{3}) \|[^|]+\|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, number = "", tests = "", waitsFor = ""]) => ({
    number,
    tests: testsNamedIn(tests),
    waitsFor: waitsFor.trim()
  })
)

// The testing kit's own laws are tests of this project, too.
const sources = ["test", "src/testing"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts")).map((name) => join(folder, name))
)
  .filter((path) => path !== relative(root, import.meta.filename))

/** The names of a file's tests. */
const testsIn = (path: string): ReadonlyArray<string> =>
  [...read(path).matchAll(/\b(?:it|test|law)(?:\.\w+)*\(\s*(["`])((?:[^"`\\]|\\.)*)\1/g)].map(([, , name = ""]) => name)

/** The tests of a file that say which reports they are of, by the numbers in their name. */
const reportsIn = (path: string): ReadonlyArray<{ readonly name: string; readonly numbers: ReadonlyArray<string> }> =>
  [
    ...read(path).matchAll(
      /\b(?:it|test|describe|law)(?:\.\w+)*\(\s*"((?:[^"\\]|\\.)*\breports? \d{3}(?:[^"\\]|\\.)*)"/g
    )
  ]
    .map(
      ([, name = ""]) => ({
        name,
        numbers: [...name.matchAll(/reports? ((?:\d{3}(?:, )?)+)/g)].flatMap(([, found = ""]) =>
          found.match(/\d{3}/g) ?? []
        )
      })
    )

describe("the reports", () => {
  it("are fifty-five, in their order", () => {
    expect(rows.length).toBe(55)
    expect(rows.map(({ number }) => number)).toEqual([...new Set(rows.map(({ number }) => number))].sort())
  })

  if (existsSync(join(root, "..", "shared", "reports.md"))) {
    it("are those of ../shared", () => {
      const shared = [...read("../shared/reports.md").matchAll(/^\| (\d{3}) \|/gm)].map(([, number]) => number)
      expect(rows.map(({ number }) => number)).toEqual(shared)
    })
  }

  it.each(rows)("$number is tested where the page says, or waits for a later part", ({ number, tests, waitsFor }) => {
    expect(tests.length > 0 || waitsFor !== "").toBe(true)
    expect(waitsFor).toMatch(/^(?:.*: )?(?:NATS|vault and rotation|the node's client)$|^$/)
    const missing = tests.filter(({ name, path }) =>
      !existsSync(join(root, path)) ||
      !reportsIn(path).some((found) =>
        found.numbers.includes(number) && found.name.replace(/^report \d{3}: /, "") === name
      )
    )
    expect(missing).toEqual([])
  })

  it("that a test names are all on the page, with that test", () => {
    const named = sources.flatMap((path) =>
      reportsIn(path).flatMap(({ name, numbers }) =>
        numbers.map((number) => `${number} ${path}: ${name.replace(/^report \d{3}: /, "")}`)
      )
    )
    const listed = rows.flatMap(({ number, tests }) => tests.map(({ name, path }) => `${number} ${path}: ${name}`))
    expect(named.length).toBeGreaterThan(50)
    expect(named.sort()).toEqual(listed.sort())
  })
})

describe("the eight traps", () => {
  const traps = [...page.matchAll(/^\| (\d) \| ([^|]+) \|([^|]*)\|([^|]*)\|$/gm)].map(
    ([, number = "", trap = "", remedies = "", tests = ""]) => ({
      number,
      trap,
      remedies: [...remedies.matchAll(/\(\.\.\/([^)]+)\)/g)].map(([, path = ""]) => path),
      tests: testsNamedIn(tests)
    })
  )

  it("are eight", () => {
    expect(traps.map(({ number }) => number)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"])
  })

  it.each(traps)("$number, $trap, has its remedy and its tests where the page says", ({ remedies, tests }) => {
    expect(remedies.length).toBeGreaterThan(0)
    expect(remedies.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(tests.length).toBeGreaterThan(0)
    expect(tests.filter(({ name, path }) => !existsSync(join(root, path)) || !testsIn(path).includes(name))).toEqual([])
  })
})

test("every folder of tests is on the page", () => {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory() && readdirSync(join(root, "test", entry.name)).length > 0
  ).map(({ name }) => `test/${name}`)
  expect(folders).toContain("test/golden")
  expect(folders.filter((folder) => !page.includes(`\`${folder}\``))).toEqual([])
})
