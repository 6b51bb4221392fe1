/**
 * Goal: `show` lists facts and decisions, narrowed as the verb of protocol §8 narrows them, all of them and each with the names
 * that its key is written for.
 *
 * Method: the bin's answers are held against the core's `query`; tables are pinned.
 */
import { decide, Facts, query } from "mesh-provisioner/core"
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { homelab, run } from "./Bin.ts"
import { asked } from "./Mesh.ts"

const show = async (args: ReadonlyArray<string>, mesh: unknown) => {
  const { exitCode, stderr, stdout } = await run(["show", ...args, "--from", "-"], { input: JSON.stringify(mesh) })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  return stdout
}

describe("show --json", () => {
  const facts = Facts.fromSnapshot(JSON.parse(readFileSync(homelab, "utf8")))
  const source = { facts, decisions: decide(facts) }

  test.each<readonly [args: ReadonlyArray<string>, request: { readonly [name: string]: string }]>([
    [[], {}],
    [["registry", "--module", "cad"], { module: "cad" }],
    [["needs", "--node", "attic"], { what: "needs", node: "attic" }],
    [["applied"], { what: "applied" }],
    [["collect", "--collection", "shell:zsh:normal"], { what: "collect", collection: "shell:zsh:normal" }],
    [["provisions", "--state", "asked"], { what: "provisions", state: "asked" }],
    [["plans", "--node", "cloud1", "--module", "shop"], { what: "plans", node: "cloud1", module: "shop" }],
    [["asks", "--state", "unneeded"], { what: "asks", state: "unneeded" }]
  ])("%j is the verb's reply", async (args, request) => {
    const { exitCode, stderr, stdout } = await run(["show", ...args, "--from", homelab, "--json"])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    const reply = query(source, request)
    expect(JSON.parse(stdout)).toEqual(reply._tag === "Success" ? reply.success : reply.failure)
    expect(JSON.parse(stdout).entries.length).toBeGreaterThan(0)
  })

  test("a value is whole, however large", async () => {
    const item = "x".repeat(1_200_000)
    const mesh = { buckets: { "mesh-provisioner_collect": { "n1.hosts.web": item } } }
    expect(JSON.parse(await show(["collect", "--json"], mesh)).entries[0].value).toBe(item)
  })

  test("all pages are put together, each entry once", async () => {
    const names = Array.from({ length: 2_345 }, (_, index) => `n1.shop.port.p${index}`)
    const mesh = { buckets: { "mesh-provisioner_needs": Object.fromEntries(names.map((name) => [name, {}])) } }
    const { entries, next } = JSON.parse(await show(["needs", "--json"], mesh))
    expect(entries.map(({ key }: { key: string }) => key)).toEqual(names.sort())
    expect(next).toBeUndefined()
  })
})

describe("show, for a person", () => {
  test("is a table, its columns aligned by what a terminal shows", async () => {
    const mesh = {
      buckets: {
        "mesh-provisioner_needs": {
          "n1.shop.bound.database": { provision: "database", contract: "^1.0.0" },
          "=E6=97=A5=E6=9C=AC.shop.shell.zsh=3Anormal": {}
        }
      }
    }
    expect(await show(["needs"], mesh)).toBe(`NODE  MODULE  KIND   NAME        WITH
日本  shop    shell  zsh:normal  {}
n1    shop    bound  database    {"provision":"database","contract":"^1.0.0"}
`)
  })

  test("of a value there is as much as fits", async () => {
    const mesh = { buckets: { "mesh-provisioner_collect": { "n1.hosts.web": "é".repeat(100) } } }
    expect(await show(["collect"], mesh)).toBe(
      `NODE  COLLECTION  CONTRIBUTOR  ITEM\nn1    hosts       web          ${"é".repeat(60)}…\n`
    )
  })

  test("of a kind, where it is found", async () => {
    const lines = (await show([], { buckets: {} })).split("\n")
    expect(lines[0]).toBe("KIND          MODULE             FOUND AT")
    expect(lines).toContain("secret        mesh-vault         verb mesh-vault.secret of seat vault")
    expect(lines).toContain("dir           mesh-controller    mesh-controller_assignments <node>.<module>")
  })

  test("of provisions, plans and asks, the state and what a person asks next", async () => {
    const why = decide(asked).asks.get("n2.postgres.n1.shop.database")?.why
    expect(await show(["provisions"], asked)).toBe(
      "NODE  MODULE  KIND   NAME      STATE  REASON     PROVIDER\nn1    shop    bound  database  asked  not-bound  n2.postgres\n"
    )
    expect(await show(["plans"], asked)).toBe(
      "NODE  MODULE    STATE    BUILD  BLOCKED\nn1    shop      waiting  s1     bound.database\nn2    postgres  ready    p7     \n"
    )
    expect(await show(["asks"], asked)).toBe(
      `KEY                           STATE   WHY\nn2.postgres.n1.shop.database  wanted  ${why}\n`
    )
  })

  test("what was applied, with what a module carries itself", async () => {
    const applied = { "n1.shop": { plan: "0".repeat(32), build: "s1", own: ["cache", "queue.jobs"] } }
    expect(await show(["applied"], { buckets: { "mesh-provisioner_applied": applied } })).toBe(
      `NODE  MODULE  BUILD  INSTANCE  PLAN                              OWN\n` +
        `n1    shop    s1               ${"0".repeat(32)}  cache, queue.jobs\n`
    )
  })

  test("says that there is nothing, and what is out of shape all the same", async () => {
    const mesh = { buckets: { "mesh-provisioner_needs": { "n1.shop": {} } } }
    const [fact] = decide(mesh).outOfShape
    expect(await show(["needs"], mesh)).toBe(
      `There are no needs here.\n\nFacts out of shape\nmesh-provisioner_needs  n1.shop  ${fact?.why}\n`
    )
  })
})
