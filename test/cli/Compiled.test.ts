/**
 * Goal: the daemon reads facts by schemas compiled to code, which is several times faster; and where nobody may make code of
 * text, it reads them as well, only slower.
 *
 * Method: the bin serves a mesh with a fact of every kind that a schema describes, once with what makes code of text looked
 * over, once with that forbidden.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ended, folderWith, start } from "./Bin.ts"

const digest = "0123456789abcdef0123456789abcdef"

const mesh = {
  buckets: {
    "mesh-controller_assignments": { "n1.shop": { build: "s1", pins: { database: { node: "n2" } } } },
    "mesh-controller_machines": { n1: { site: "home" } },
    "mesh-controller_seats": { vault: { node: "n1", module: "mesh-vault" } },
    "mesh-config_values": { "n1.shop.title": { value: "Shop" } },
    "mesh-host_haves": { "n1.shop": { build: "s1", health: "healthy" } },
    "mesh-provisioner_needs": { "n1.shop.bound.database": { optional: true }, "n1.shop.config.title": { default: 1 } },
    "mesh-provisioner_applied": { "n1.shop": { plan: digest } },
    "mesh-provisioner_answers": { "n2.postgres.n1.shop.x": { answer: "keep", entry: digest, by: "ann" } },
    "postgres_bound": { "n1.shop.database": { state: "provided", by: "n2", values: { host: "h" } } }
  }
}

/** A member that the compiled schema of each of these looks for, and no other does. */
const membersRead = ["placement", "site", "module", "value", "health", "own", "default", "plan", "answer", "also"]

/** Writes what code was made of text to a file, when the process ends. */
const spy = `
import { writeFileSync } from "node:fs"
const made = []
globalThis.Function = new Proxy(Function, {
  apply: (target, self, parts) => {
    made.push(parts.at(-1))
    return Reflect.apply(target, self, parts)
  }
})
process.on("exit", () => writeFileSync("made.json", JSON.stringify(made)))
`

const served = async (nodeOptions: string) => {
  const folder = folderWith({ "mesh.json": mesh, "spy.mjs": spy })
  const child = start(["serve", "--load", "mesh.json"], folder, { NODE_OPTIONS: nodeOptions })
  child.stdout.on("data", (text: string) => {
    if (text.includes("put mesh-provisioner_plans n1.shop ")) {
      child.kill("SIGINT")
    }
  })
  const { exitCode, stderr, stdout } = await ended(child)
  const made: ReadonlyArray<string> = JSON.parse(readFileSync(join(folder, "made.json"), "utf8"))
  return { exitCode, stderr, made, lines: stdout.split("\n").map((line) => line.replace(/^\S+ /, "")).sort() }
}

// Code that leaves the members to be interpreted, as that of a schema with a declaration in it does, calls a parser of each.
const reads = (member: string) => (code: string): boolean => code.includes(`"${member}"`) && !code.includes(".parser(")

test("the schema of every kind of fact is compiled, and nothing else is said where that is forbidden", async () => {
  const compiled = await served("--import=./spy.mjs")
  const forbidden = await served("--import=./spy.mjs --disallow-code-generation-from-strings")
  expect(membersRead.filter((member) => !compiled.made.some(reads(member)))).toEqual([])
  expect(forbidden.made.some(reads("health"))).toBe(false)
  for (const { exitCode, stderr } of [compiled, forbidden]) {
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  }
  expect(forbidden.lines).toEqual(compiled.lines)
  expect(compiled.lines.filter((line) => line.includes("put ")).length).toBeGreaterThan(5)
}, 60_000)
