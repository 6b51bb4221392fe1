/**
 * Goal: the service in `examples/embed` is what a stranger can start from: it compiles, its own tests pass, and it answers.
 *
 * Method: it is copied to a folder of its own, in which the package is installed as it was built.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import example from "../../examples/embed/package.json" with { type: "json" }
import manifest from "../../package.json" with { type: "json" }
import { compilerCommand } from "../../scripts/compiler.ts"

const root = join(import.meta.dirname, "..", "..")

let folder = ""

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-embed-"))
  cpSync(join(root, "examples", "embed"), folder, {
    recursive: true,
    filter: (path) => !path.includes("node_modules")
  })
  link("mesh-provisioner", root)
  for (const name of Object.keys(example.devDependencies)) {
    link(name, join(root, "node_modules", name))
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const link = (name: string, target: string): void => {
  const path = join(folder, "node_modules", name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

const run = (
  [command, ...options]: readonly [string, ...Array<string>]
): { readonly status: number | null; readonly output: string } => {
  const { status, stderr, stdout } = spawnSync(command, options, { cwd: folder, encoding: "utf8", timeout: 25_000 })
  return { status, output: `${stdout}${stderr}` }
}

test("it compiles", () => {
  expect(run([...compilerCommand(), "--project", folder])).toEqual({ status: 0, output: "" })
})

test("its own tests pass", () => {
  const { output, status } = run([
    process.execPath,
    "--test",
    "--test-reporter",
    "tap",
    "test/rule.test.ts",
    "test/service.test.ts"
  ])
  expect(status, output).toBe(0)
  expect(output).toMatch(/^# pass 7$/m)
})

test("it gives a verdict on each plan of the example mesh", async () => {
  const service = spawn(process.execPath, ["src/main.ts", "0", "fra"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const [said]: Array<Buffer> = await once(service.stdout, "data")
    const [address = ""] = /http:\S+verdicts/.exec(said?.toString() ?? "") ?? []
    const response = await fetch(address, {
      method: "POST",
      body: readFileSync(join(root, "examples", "homelab.json"))
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
  const versions = Object.entries(example.devDependencies)
  expect(versions).toEqual(versions.map(([name]) => [name, { ...manifest.devDependencies }[name]]))
})
