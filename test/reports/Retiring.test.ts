/**
 * Reports 014 to 030: retiring what is still used, what is left behind, and consumers that come again under their old name.
 */
import { digest as digestOf } from "mesh-provisioner/core"
import { expect, it } from "vitest"
import { answers, assignments, lineOf, makes, modules, needs, seats, Turns, webWithDatabase } from "./Turns.ts"

it("report 014: of two that share a provider, one goes: only what was made for it is asked about", () => {
  const mesh = webWithDatabase().put(
    [assignments, "n2.api", { build: "a1" }],
    [needs, "n2.api.bound.database", {}],
    ["pg_bound", "n2.api.database", { state: "provided", by: "n3", values: { host: "10.0.0.3" } }]
  )
  mesh.turn()
  const api = mesh.provision("n2.api.bound.database")
  const plan = mesh.plan("n2.api")
  for (const [bucket, key] of [[needs, "n1.web.bound.database"], [assignments, "n1.web"], [modules, "web"]] as const) {
    mesh.remove([bucket, key])
    expect(mesh.provision("n2.api.bound.database")).toEqual(api)
    expect(mesh.plan("n2.api")).toEqual(plan)
    expect(mesh.turn().filter(({ key }) => key.includes("api"))).toEqual([])
    expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded", "n3.pg.n2.api.database": "wanted" })
  }
})

it("report 016: deleting the whole definition that protects a thing undoes nothing", () => {
  const mesh = webWithDatabase().remove([needs, "n1.web.bound.database"])
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded" })
  mesh.remove([modules, "pg"])
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "held" })
  mesh.remove([assignments, "n3.pg"])
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded" })
})

it("report 018: two that need each other go together, whichever is agreed to first", () => {
  const both = [["n1.a.b-port", "n2.b"], ["n2.b.a-config", "n1.a"]] as const
  const gone = () =>
    new Turns().put(
      [modules, "a", makes("a-config")],
      [modules, "b", makes("b-port")],
      ["b_bound", "n1.a.b-port", { state: "provided", by: "n2" }],
      ["a_bound", "n2.b.a-config", { state: "provided", by: "n1" }]
    )
  expect(gone().asks()).toEqual({ "n2.b.n1.a.b-port": "unneeded", "n1.a.n2.b.a-config": "unneeded" })

  for (const order of [both, [both[1], both[0]]] as const) {
    const mesh = gone()
    for (const [claim, maker] of order) {
      const [node = "", module = ""] = maker.split(".")
      const ask = `${maker}.${claim}`
      mesh.put([answers, ask, { answer: "retire", entry: digestOf({ by: node }), by: "ann" }])
      expect(mesh.asks()[ask]).toBe("retire")
      mesh.put([`${module}_bound`, claim, { state: "retired", by: node }])
      expect(mesh.asks()).not.toHaveProperty([ask])
    }
    expect(mesh.asks()).toEqual({})
  }
})

it("report 020: a version that needs a thing no more asks about it once, and goes on running", () => {
  const mesh = webWithDatabase()
  mesh.turn()
  mesh.put([assignments, "n1.web", { build: "w2", instance: "i1" }]).remove([needs, "n1.web.bound.database"])
  expect(mesh.turn().map(lineOf)).toEqual([
    "delete provisions n1.web.bound.database",
    "put asks n3.pg.n1.web.database",
    "put plans n1.web"
  ])
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded" })
  expect(mesh.plan("n1.web").state).toBe("ready")
  expect(mesh.turn()).toEqual([])
})

it("report 022: a late word about the consumer that was there before does not touch the one of the same name", () => {
  const mesh = webWithDatabase().put(
    [assignments, "n1.web", { build: "w1", instance: "i2" }],
    ["pg_bound", "n1.web.database", { state: "provided", by: "n3", for: "i2", values: { host: "10.0.0.3" } }]
  )
  const before = mesh.now
  mesh.put([
    answers,
    "n3.pg.n1.web.database",
    { answer: "retire", entry: digestOf({ by: "n3", for: "i1", values: { host: "10.0.0.3" } }), by: "ann" }
  ])
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "wanted" })
  expect(mesh.now.provisions).toEqual(before.provisions)

  // Even where the new one needs it no more, the answer was about something else.
  mesh.remove([needs, "n1.web.bound.database"])
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded" })
  expect(mesh.now.answersToDelete).toEqual(["n3.pg.n1.web.database"])
})

it("report 024: what could not be undone stays to be undone, and a consumer that comes again does not get the leftover", () => {
  const mesh = webWithDatabase().remove([needs, "n1.web.bound.database"], [assignments, "n1.web"])
  const made = { by: "n3", for: "i1", values: { host: "10.0.0.3" } }
  mesh.put(
    [answers, "n3.pg.n1.web.database", { answer: "retire", entry: digestOf(made), by: "ann" }],
    ["pg_bound", "n1.web.database", { ...made, state: "failed", why: "role has open sessions" }]
  )
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "retire" })
  expect(mesh.now.answersToDelete).toEqual([])

  mesh.put([assignments, "n1.web", { build: "w1", instance: "i2" }], [needs, "n1.web.bound.database", {}])
  expect(mesh.provision("n1.web.bound.database")).toMatchObject({ state: "asked", reason: "earlier-instance" })
  expect(mesh.now.asks.get("n3.pg.n1.web.database")).toMatchObject({ state: "wanted", for: "i2" })
})

it("report 026: until it is answered, a claim is asked for by one and the same ask", () => {
  const mesh = webWithDatabase().remove(["pg_bound", "n1.web.database"])
  mesh.turn()
  const ask = mesh.now.asks
  for (const state of ["making", "failed", "making"]) {
    mesh.put(["pg_bound", "n1.web.database", { state, by: "n3" }])
    expect(mesh.now.asks).toEqual(ask)
    expect(mesh.turn().filter(({ bucket }) => bucket === "mesh-provisioner_asks")).toEqual([])
  }
})

it("report 028: a module that moves is asked for where it is, and what it had where it was is not forgotten", () => {
  const credential = "credential.pg=2Edatabase=2Epassword"
  const mesh = webWithDatabase().put(
    [modules, "pg", makes("database", { host: "string", password: "secret" })],
    [seats, "vault", { node: "n4", module: "mesh-vault" }],
    ["mesh-vault_bound", `n1.web.${credential}`, { state: "provided", by: "n4" }]
  )
  mesh.remove([needs, "n1.web.bound.database"], [assignments, "n1.web"])
    .put([assignments, "n2.web", { build: "w1" }], [needs, "n2.web.bound.database", {}])
  expect(mesh.asks()).toEqual({
    "n3.pg.n1.web.database": "unneeded",
    "n3.pg.n2.web.database": "wanted",
    [`n4.mesh-vault.n1.web.${credential}`]: "wanted",
    [`n4.mesh-vault.n2.web.${credential}`]: "wanted"
  })
  // Once the database of the earlier place is undone, so is what opened it.
  mesh.put(["pg_bound", "n1.web.database", { state: "retired", by: "n3" }])
  expect(mesh.asks()[`n4.mesh-vault.n1.web.${credential}`]).toBe("retire")
})

it("report 030: what was made before is remembered until its maker says that it is gone", () => {
  const mesh = webWithDatabase().put(
    [assignments, "n5.pg", { build: "p1" }],
    [assignments, "n1.web", { build: "w1", instance: "i1", pins: { database: { node: "n5" } } }],
    ["pg_bound", "n1.web.database", { state: "provided", by: "n5", also: ["n3"], values: { host: "10.0.0.5" } }]
  )
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded", "n5.pg.n1.web.database": "wanted" })
  mesh.put(["pg_bound", "n1.web.database", { state: "provided", by: "n5", values: { host: "10.0.0.5" } }])
  expect(mesh.asks()).toEqual({ "n5.pg.n1.web.database": "wanted" })
})
