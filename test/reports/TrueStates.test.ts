/**
 * Reports 001 to 012: state that tells a lie, and failing without a usable why.
 */
import * as Result from "effect/Result"
import { decide, Facts, query } from "mesh-provisioner/core"
import { expect, it } from "vitest"
import { applied, assignments, haves, makes, modules, needs, runs, Turns, webWithDatabase } from "./Turns.ts"

it("report 001: a module is ready once, when everything it declared is there, and not before", () => {
  const mesh = new Turns().put(
    [modules, "pg", makes("database")],
    [assignments, "n3.pg", { build: "p1" }],
    [assignments, "n1.web", { build: "w1" }],
    [needs, "n1.web.dir.data", {}],
    [needs, "n1.web.bound.database", {}]
  )
  const states = [mesh.plan("n1.web").state]
  mesh.put([assignments, "n1.web", { build: "w1", placement: { dir: { data: "/data" } } }])
  states.push(mesh.plan("n1.web").state)
  mesh.put(["pg_bound", "n1.web.database", { state: "making", by: "n3" }])
  states.push(mesh.plan("n1.web").state)
  mesh.put(["pg_bound", "n1.web.database", { state: "provided", by: "n3" }])
  states.push(mesh.plan("n1.web").state)
  expect(states).toEqual(["waiting", "waiting", "waiting", "ready"])
})

it("report 003: health that was measured on the build before never counts for the wanted one", () => {
  const mesh = new Turns().put(
    [modules, "dns", runs("resolver")],
    [assignments, "n2.dns", { build: "b1" }],
    [haves, "n2.dns", { build: "b1", health: "healthy" }],
    [assignments, "n1.web", { build: "w1" }],
    [needs, "n1.web.bound.resolver", {}]
  )
  expect(mesh.provision("n1.web.bound.resolver").state).toBe("provided")

  mesh.put([assignments, "n2.dns", { build: "b2" }])
  for (const have of [{ build: "b1", health: "healthy" }, { build: "b1", health: "healthy" }]) {
    mesh.put([haves, "n2.dns", have])
    const { reason, state, why } = mesh.provision("n1.web.bound.resolver")
    expect({ reason, state }).toEqual({ reason: "other-build", state: "asked" })
    expect(why).toContain("runs build b1 and is to run b2")
  }
  mesh.put([haves, "n2.dns", { build: "b2", health: "starting" }])
  expect(mesh.provision("n1.web.bound.resolver").state).toBe("asked")
  mesh.put([haves, "n2.dns", { build: "b2", health: "healthy" }])
  expect(mesh.provision("n1.web.bound.resolver").state).toBe("provided")
})

it("report 005: what is being undone is never provided, and what goes takes nobody new", () => {
  const mesh = webWithDatabase()
  const entry = { by: "n3", for: "i1", values: { host: "10.0.0.3" } }
  mesh.put(["pg_bound", "n1.web.database", { ...entry, state: "undoing", why: "dropping" }])
  expect(mesh.provision("n1.web.bound.database")).toMatchObject({ state: "asked", reason: "making" })
  expect(mesh.provision("n1.web.bound.database").why).toContain("dropping")

  mesh.put(
    [assignments, "n3.pg", { build: "p1", draining: true }],
    [assignments, "n2.api", { build: "a1" }],
    [needs, "n2.api.bound.database", {}]
  )
  const { candidates, state, why } = mesh.provision("n2.api.bound.database")
  expect(state).toBe("refused")
  expect(candidates).toMatchObject([{ node: "n3", module: "pg", reason: "draining" }])
  expect(why).toContain("pg on n3 (it is draining")
  expect(Object.keys(mesh.asks())).toEqual(["n3.pg.n1.web.database"])
})

it("report 008: a plan that is not ready says which of its needs block it, each with its provider and its provider's why", () => {
  const mesh = new Turns().put(
    [modules, "pg", makes("database")],
    [assignments, "n3.pg", { build: "p1" }],
    [assignments, "n1.web", { build: "w1" }]
  )
  for (let index = 21; index >= 10; index -= 1) {
    mesh.put(
      [needs, `n1.web.bound.db${index}`, { provision: "database", local: `db${index}` }],
      ["pg_bound", `n1.web.database.db${index}`, { state: "provided", by: "n3" }]
    )
  }
  mesh.put(
    ["pg_bound", "n1.web.database.db12", { state: "making", by: "n3", why: "copying" }],
    ["pg_bound", "n1.web.database.db20", { state: "failed", by: "n3", why: "no space left on device" }],
    ["pg_bound", "n1.web.database.db15", { state: "making", by: "n3", why: "queued" }]
  )
  const plan = mesh.plan("n1.web")
  expect(plan.blocked).toEqual(["bound.db20", "bound.db12", "bound.db15"])
  const lines = plan.why.split("\n")
  expect(lines.map((line) => line.slice(0, line.indexOf(":")))).toEqual(
    ["bound.db20 (pg on n3)", "bound.db12 (pg on n3)", "bound.db15 (pg on n3)"]
  )
  expect(lines[0]).toContain("no space left on device")
  expect(lines[1]).toContain("copying")
  expect(lines[2]).toContain("queued")

  for (const name of ["db12", "db15", "db20"]) {
    mesh.put(["pg_bound", `n1.web.database.${name}`, { state: "provided", by: "n3" }])
  }
  expect(mesh.plan("n1.web")).toMatchObject({ state: "ready", why: "" })
  expect(mesh.plan("n1.web")).not.toHaveProperty("blocked")
})

it("report 010: the last failure is still there to be read while its provider tries again", () => {
  const mesh = webWithDatabase().put([
    "pg_bound",
    "n1.web.database",
    { state: "failed", by: "n3", why: "x509: unknown authority" }
  ])
  const failed = mesh.provision("n1.web.bound.database")
  mesh.put(["pg_bound", "n1.web.database", { state: "retrying", by: "n3", why: "try 2 after x509: unknown authority" }])
  const now = mesh.provision("n1.web.bound.database")
  expect(now.state).toBe("asked")
  expect(now.why).toContain("x509: unknown authority")

  const reply = query({ facts: mesh.facts, decisions: mesh.now }, { what: "provisions", history: true }, {
    history: (bucket, key) =>
      bucket === "mesh-provisioner_provisions" && key === "n1.web.bound.database"
        ? [{ value: failed, time: "2026-01-01T00:00:00.000Z" }]
        : []
  })
  expect(Result.getOrThrow(reply).entries).toMatchObject([
    {
      value: { state: "asked" },
      history: [{ time: "2026-01-01T00:00:00.000Z", value: { state: "failed", why: "x509: unknown authority" } }]
    }
  ])
})

it("report 012: what is stored is enough: no event is waited for", () => {
  const stored = {
    buckets: {
      [modules]: { dns: runs("resolver"), pg: makes("database") },
      [assignments]: { "n2.dns": { build: "b1" }, "n3.pg": { build: "p1" }, "n1.web": { build: "w1" } },
      [haves]: { "n2.dns": { build: "b1", health: "healthy" } },
      [needs]: { "n1.web.bound.resolver": {}, "n1.web.bound.database": {} },
      pg_bound: { "n1.web.database": { state: "provided", by: "n3" } },
      [applied]: { "n1.web": { plan: "0".repeat(32) } }
    }
  }
  expect([...decide(Facts.fromSnapshot(stored)).provisions.values()].map(({ state }) => state)).toEqual([
    "provided",
    "provided"
  ])
})
