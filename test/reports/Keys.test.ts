/**
 * Reports 056 to 064: keys, names that collide, and two that answer one thing.
 */
import * as Result from "effect/Result"
import fc from "fast-check"
import { decide, Facts, query, readKey, readToken, writeKey, writeToken } from "mesh-provisioner/core"
import { expect, it } from "vitest"
import { factBuckets } from "../../src/core/Bucket.ts"
import { assignments, configValues, makes, modules, needs, Turns, webWithDatabase } from "./Turns.ts"

const unicode = fc.string({ unit: "binary", minLength: 1, maxLength: 20 })

it("report 056: a name with dots is one name, in the key and in every list", () => {
  const mesh = new Turns().put([assignments, "n1.web", { build: "w1" }], [needs, "n1.web.config.a=2Eb=2Ec", {}])
  const reply = Result.getOrThrow(query({ facts: mesh.facts, decisions: mesh.now }, { what: "provisions" }))
  expect(reply.entries).toMatchObject([{ node: "n1", module: "web", kind: "config", name: "a.b.c" }])
  fc.assert(
    fc.property(unicode, fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), unicode, unicode, (node, module, kind, name) => {
      const key = writeKey(node, module, kind, name)
      expect(key.split(".").length).toBe(4)
      expect(Result.getOrThrow(readKey(factBuckets.needs, key))).toEqual({ node, module, kind, name })
    })
  )
})

it("report 058: names that differ by a dot and an underscore are two", () => {
  const mesh = new Turns().put(
    [assignments, "n1.web", { build: "w1" }],
    [needs, "n1.web.config.foo=2Ebar", {}],
    [needs, "n1.web.config.foo_bar", {}],
    [configValues, "n1.web.foo=2Ebar", { value: "dot" }]
  )
  expect(mesh.provision("n1.web.config.foo=2Ebar").state).toBe("provided")
  expect(mesh.provision("n1.web.config.foo_bar")).toMatchObject({ state: "asked", reason: "no-entry" })
})

it("report 060: a key with an empty part, or one too long, is said to be out of shape, and nothing is made of it", () => {
  const keys = [
    "n1.web.config.",
    ".web.config.a",
    "n1.web..a",
    "n1.web.config.a.",
    `n1.web.config.${"a".repeat(1_024)}`,
    ""
  ]
  const mesh = new Turns().put([assignments, "n1.web", { build: "w1" }])
  const before = mesh.now
  for (const key of keys) {
    mesh.put([needs, key, {}])
  }
  expect(mesh.now.outOfShape.map(({ key }) => key)).toEqual([...keys].sort())
  expect(
    mesh.now.outOfShape.every(({ why }) => /^(?:the key|token \d of the key \((?:node|module|kind|name)\)) /.test(why))
  ).toBe(true)
  expect({ ...mesh.now, outOfShape: [] }).toEqual({ ...before, outOfShape: [] })
  expect([writeToken(""), readToken("")]).toEqual(["", undefined])

  // A name that fits a need's key but no ask's is refused before anything is asked.
  const long = "a".repeat(950)
  const served = webWithDatabase().put(
    [modules, "pg", makes(long)],
    [assignments, `${"n".repeat(100)}.pg`, { build: "p1" }],
    [assignments, "n3.pg", { build: "p1", draining: true }],
    [needs, `n1.web.bound.${long}`, {}]
  )
  expect(served.provision(`n1.web.bound.${long}`)).toMatchObject({ state: "refused", reason: "too-long" })
  expect(Object.keys(served.asks())).toEqual(["n3.pg.n1.web.database"])
})

it("report 062: names that differ in case are two, whichever comes first", () => {
  const facts = [
    [modules, "Web", makes("site")],
    [modules, "web", makes("page")],
    [assignments, "n1.Web", { build: "b1" }],
    [assignments, "n1.web", { build: "b2" }],
    [needs, "n1.Web.bound.page", {}],
    [needs, "n1.web.bound.site", {}]
  ] as const
  const decided = new Turns().put(...facts).now
  expect(new Turns().put(...facts.toReversed()).now.provisions).toEqual(decided.provisions)
  expect(decided.provisions.get("n1.Web.bound.page")?.provider).toEqual({ node: "n1", module: "web" })
  expect(decided.provisions.get("n1.web.bound.site")?.provider).toEqual({ node: "n1", module: "Web" })
  expect([...decided.plans.keys()].sort()).toEqual(["n1.Web", "n1.web"])
  expect([...decided.asks.keys()].sort()).toEqual(["n1.Web.n1.web.site", "n1.web.n1.Web.page"])
})

it("report 064: where two answer one thing, neither does silently, whoever wrote last", () => {
  const answer = (module: string) => ({ answers: { licence: { bucket: `${module}_licences`, key: "<name>" } } })
  const kinds = [[modules, "acme", answer("acme")], [modules, "cad", answer("cad")]] as const
  const rest = [
    [assignments, "n1.web", { build: "w1" }],
    [needs, "n1.web.licence.a", {}],
    ["acme_licences", "a", 1],
    ["cad_licences", "a", 2]
  ] as const
  for (const order of [kinds, kinds.toReversed()]) {
    const { conflicts, provisions, registry } = new Turns().put(...order, ...rest).now
    expect(conflicts.map(({ kind, module }) => `${kind} ${module}`)).toEqual(["licence acme", "licence cad"])
    expect(conflicts.every(({ why }) => why.includes("acme") && why.includes("cad"))).toBe(true)
    expect(registry.has("licence")).toBe(false)
    expect(provisions.get("n1.web.licence.a")).toMatchObject({ state: "refused", reason: "conflict" })
  }

  const holders = [
    ["pg_bound", "n1.web.database", { state: "provided", by: "n3", values: { host: "a" } }],
    ["my_bound", "n1.web.database", { state: "provided", by: "n5", values: { host: "b" } }]
  ] as const
  for (const order of [holders, holders.toReversed()]) {
    const mesh = webWithDatabase().put(
      [modules, "my", makes("database")],
      [assignments, "n5.my", { build: "m1" }],
      ...order
    )
    const provision = mesh.provision("n1.web.bound.database")
    expect(provision).toMatchObject({ state: "asked", reason: "two-holders" })
    expect(provision).not.toHaveProperty("find")
    expect(provision.why).toMatch(/my and pg/)
    expect(Object.values(mesh.asks())).toEqual(["held", "held"])
  }
  expect(decide(new Facts()).conflicts).toEqual([])
})
