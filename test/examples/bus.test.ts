/**
 * Goal: the bus in `examples/bus` is what a stranger can start from: it compiles, and keeps the contract of every bus.
 *
 * Method: it is run as `Example.ts` says; a law that it breaks is seen to be told by its name.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { busLaws } from "../../src/testing/index.ts"
import { Example } from "./Example.ts"

let example: Example

beforeAll(() => {
  example = new Example("bus")
})

afterAll(() => example.remove())

const laws = busLaws.flatMap(({ laws }) => laws)

test("it compiles", () => {
  expect(example.compile()).toEqual({ status: 0, output: "" })
})

test("it keeps each law of the bus", () => {
  const { output, status } = example.test("test/contract.test.ts")
  expect(status, output).toBe(0)
  expect(output).toMatch(new RegExp(`^# pass ${laws.length}$`, "m"))
  expect(laws.filter(({ name }) => !output.includes(` - ${name}\n`))).toEqual([])
})

test("it is about eighty lines", () => {
  const lines = readFileSync(join(example.folder, "src", "MapBus.ts"), "utf8").split("\n")
  expect(lines.filter((line) => !/^\s*(?:\/\/|\/\*|\*|$)/.test(line)).length).toBeLessThan(90)
})

test("where it breaks a law, the law is named", () => {
  const path = join(example.folder, "src", "MapBus.ts")
  const source = readFileSync(path, "utf8")
  const broken = source.replace("earlier.slice(-9)", "earlier.slice(-8)")
  expect(broken).not.toBe(source)
  writeFileSync(path, broken)
  const { output, status } = example.test("test/contract.test.ts")
  writeFileSync(path, source)
  expect(status).toBe(1)
  expect(output.split("\n").filter((line) => /^ {8}not ok/.test(line))).toEqual([
    "        not ok 1 - a key's history is its last ten changes, deletes among them, the oldest first"
  ])
})

test("it takes the versions that the project itself takes", () => {
  const own = new Map(Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
  const versions = [...example.versions]
  expect(versions).toEqual(versions.map(([name]) => [name, own.get(name)]))
})
