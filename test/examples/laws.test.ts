/**
 * Goal: the rules in `examples/laws` are what a stranger can start from: they compile, the careful one keeps every law in its own
 * vitest, and of the hasty one it is told which it breaks, in a few lines, as its page says.
 *
 * Method: they are run as `Example.ts` says.
 */
import { decide } from "mesh-provisioner/core"
import { laws } from "mesh-provisioner/testing"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { Example } from "./Example.ts"

let example: Example

beforeAll(() => {
  example = new Example("laws")
})

afterAll(() => example.remove())

test("it compiles", () => {
  expect(example.compile()).toEqual({ status: 0, output: "" })
})

test("the careful rule keeps every law, in a vitest of its own", () => {
  const { output, status } = example.run([
    process.execPath,
    join("node_modules", "vitest", "vitest.mjs"),
    "run",
    "--reporter",
    "tap-flat"
  ])
  expect(status, output).toBe(0)
  expect(output.split("\n").filter((line) => line.startsWith("ok ")).length).toBe(laws(decide).length)
})

test("of the hasty rule it is told what its page says: the law, and a story of few lines", () => {
  const { output, status } = example.run([process.execPath, "--no-warnings", "src/main.ts"])
  const [, told] = /```text\n([^]*?)```/.exec(readFileSync(join(example.folder, "README.md"), "utf8")) ?? []
  expect(status, output).toBe(0)
  expect(output).toBe(told)
  expect(output).toMatch(/^Not so: nothing becomes retire without an answer/)
  expect(output).toContain("Nobody agreed to it.")
  expect(output.trim().split("\n").length).toBeLessThan(10)
})

test("it takes the versions that the project itself takes", () => {
  const own = new Map(Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
  const versions = [...example.versions]
  expect(versions).toEqual(versions.map(([name]) => [name, own.get(name)]))
})
