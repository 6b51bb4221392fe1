/**
 * Goal: the service in `examples/embed` is what a stranger can start from: it compiles, its own tests pass, and it answers.
 *
 * Method: it is copied to a folder of its own, in which the package is installed as it was built.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { Example } from "./Example.ts"

let example: Example

beforeAll(() => {
  example = new Example("embed")
})

afterAll(() => example.remove())

test("it compiles", () => {
  expect(example.compile()).toEqual({ status: 0, output: "" })
})

test("its own tests pass", () => {
  const { output, status } = example.test("test/rule.test.ts", "test/service.test.ts")
  expect(status, output).toBe(0)
  expect(output).toMatch(/^# pass 7$/m)
})

test("it gives a verdict on each plan of the example mesh", async () => {
  const service = spawn(process.execPath, ["src/main.ts", "0", "fra"], {
    cwd: example.folder,
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const [said]: Array<Buffer> = await once(service.stdout, "data")
    const [address = ""] = /http:\S+verdicts/.exec(said?.toString() ?? "") ?? []
    const response = await fetch(address, {
      method: "POST",
      body: readFileSync(join(import.meta.dirname, "..", "..", "examples", "homelab.json"))
    })
    const { plans }: { plans: { readonly [key: string]: { readonly state: string; readonly why: string } } } = JSON
      .parse(
        await response.text()
      )
    const barred = Object.values(plans).filter(({ state }) => state === "barred")
    expect(barred).not.toEqual([])
    expect(barred.filter(({ why }) => !why.includes("production site"))).toEqual([])
    expect(Object.values(plans).some(({ state }) => state === "ready")).toBe(true)
  } finally {
    service.kill()
  }
})

test("it takes the versions that the project itself takes", () => {
  const own = new Map(Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
  const versions = [...example.versions]
  expect(versions).toEqual(versions.map(([name]) => [name, own.get(name)]))
})
