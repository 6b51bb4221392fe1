/**
 * Goal: whoever connects finds every flag and variable of the way to the bus in the operating page, as the commands take them.
 *
 * Method: the page's table is held to the table that the flags are made from.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type BusFlag, busFlagTable } from "../../src/cli/command/BusFlags.ts"

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "operating.md"), "utf8")

const [, section = ""] = page.split("\n## The way to the bus\n")

const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `--")).map((line) =>
  line.slice(1, -1).split("|").map((cell) => cell.trim().replaceAll("`", ""))
)

const flags: ReadonlyArray<readonly [string, BusFlag]> = Object.entries(busFlagTable)

test("the way to the bus: each flag has its row, with its variables and what it is where left out, and no row is of another", () => {
  expect(rows.map((row) => row.slice(0, 3))).toEqual(
    flags.map(([name, { byDefault = "", metavar, secretVariable, variable }]) => [
      `--${name} ${metavar}`,
      secretVariable === undefined ? variable : `${variable}, ${secretVariable}`,
      byDefault
    ])
  )
})

test("and the words that help has of it", () => {
  expect(flags.filter(([, { words }], index) => rows[index]?.[3]?.startsWith(words) !== true)).toEqual([])
})
