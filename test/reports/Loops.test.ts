/**
 * Reports 069 to 092: what was missed, what is empty, and loops that feed themselves.
 */
import { decide, diff, storedIn } from "mesh-provisioner/core"
import { expect, it } from "vitest"
import { decidedBuckets } from "../../src/core/Diff.ts"
import {
  applied,
  assignments,
  configValues,
  lineOf,
  machines,
  modules,
  needs,
  Turns,
  webWithDatabase
} from "./Turns.ts"

it("report 069: what was deleted while nobody looked is found by comparing, and goes", () => {
  const mesh = webWithDatabase().put([modules, "acme", {
    answers: { licence: { bucket: "acme_licences", key: "<name>" } }
  }])
  const stored = decidedBuckets(mesh.now)
  mesh.remove([needs, "n1.web.bound.database"], [modules, "acme"], [assignments, "n1.web"])
  expect(diff(stored, mesh.now).map(lineOf)).toEqual([
    "delete registry licence",
    "delete provisions n1.web.bound.database",
    "put asks n3.pg.n1.web.database",
    "delete plans n1.web"
  ])
})

it("report 071: a need that is gone is in no later plan, and no later turn brings it back", () => {
  const mesh = webWithDatabase()
  mesh.turn()
  mesh.remove([needs, "n1.web.bound.database"])
  mesh.turn()
  expect(mesh.plan("n1.web").needs).toEqual({})
  for (
    const [bucket, key, value] of [
      [machines, "n1", { site: "home" }],
      [assignments, "n3.pg", { build: "p2" }],
      ["pg_bound", "n1.web.database", { state: "provided", by: "n3", values: { host: "10.0.0.9" } }]
    ] as const
  ) {
    mesh.put([bucket, key, value])
    expect(mesh.turn().filter(({ key }) => key.startsWith("n1.web"))).toEqual([])
    expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded" })
  }
})

it("report 074: an entry without a byte in it is none that provides, and takes nothing from its consumer", () => {
  const mesh = webWithDatabase().apply({ bucket: "pg_bound", key: "n1.web.database", value: new Uint8Array() })
  expect(mesh.provision("n1.web.bound.database")).toMatchObject({ state: "asked", reason: "bound-shape" })
  expect(mesh.now.outOfShape).toMatchObject([{ bucket: "pg_bound", key: "n1.web.database" }])
  const empty = webWithDatabase().apply({ bucket: configValues, key: "n1.web.motto", value: new Uint8Array() })
    .put([needs, "n1.web.config.motto", {}])
  expect(empty.provision("n1.web.config.motto").state).toBe("asked")
})

it("report 076: a need that goes and comes within one turn leaves everything as it was", () => {
  const mesh = webWithDatabase()
  mesh.turn()
  mesh.remove([needs, "n1.web.bound.database"]).put([needs, "n1.web.bound.database", {}])
  expect(mesh.turn()).toEqual([])
})

it("report 078: a provider that comes back and writes nothing where values were is not there yet, and nobody restarts for it", () => {
  const mesh = webWithDatabase().put([applied, "n1.web", { plan: "0".repeat(32), instance: "i1" }])
  expect(mesh.plan("n1.web").state).toBe("ready")
  for (const values of [{}, { host: null }, { host: 7 }]) {
    mesh.put(["pg_bound", "n1.web.database", { state: "provided", by: "n3", for: "i1", values }])
    expect(mesh.provision("n1.web.bound.database")).toMatchObject({ state: "asked", reason: "field-missing" })
    expect(mesh.provision("n1.web.bound.database").why).toContain("host")
    expect(mesh.plan("n1.web").state).toBe("degraded")
  }
})

it("report 080: a value that is missing is never let through, and one that is empty is a value", () => {
  const mesh = new Turns().put(
    [assignments, "n1.web", { build: "w1", placement: { port: { http: 0 }, dir: { state: "" } } }],
    [needs, "n1.web.port.http", {}],
    [needs, "n1.web.dir.state", {}],
    [needs, "n1.web.config.motto", {}]
  )
  expect(mesh.plan("n1.web")).toMatchObject({ state: "waiting", blocked: ["config.motto"] })
  const versions = ["", null, 0, false].map((value) => {
    mesh.put([configValues, "n1.web.motto", { value }])
    expect(mesh.plan("n1.web").state).toBe("ready")
    return mesh.provision("n1.web.config.motto").version
  })
  expect(new Set(versions).size).toBe(4)
  for (const value of [{}, [], "", null]) {
    mesh.put([configValues, "n1.web.motto", value])
    expect(mesh.plan("n1.web").state).toBe("waiting")
  }
  // A contract's text that is empty is a text.
  const web = webWithDatabase().put(["pg_bound", "n1.web.database", {
    state: "provided",
    by: "n3",
    values: { host: "" }
  }])
  expect(web.provision("n1.web.bound.database").state).toBe("provided")
})

it("report 082: an entry that is taken away from outside is waited for, and heals when it is written again", () => {
  const mesh = webWithDatabase()
  const before = mesh.now
  const entry = { state: "provided", by: "n3", for: "i1", values: { host: "10.0.0.3" } }
  mesh.remove(["pg_bound", "n1.web.database"])
  expect(mesh.provision("n1.web.bound.database")).toMatchObject({
    state: "asked",
    reason: "not-bound",
    waits: { bucket: "pg_bound", key: "n1.web.database" }
  })
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "wanted" })
  mesh.put(["pg_bound", "n1.web.database", entry])
  expect(mesh.now).toEqual(before)
})

it("report 088: what is decided is no fact: fed back, it changes nothing", () => {
  const mesh = webWithDatabase()
  const writes = mesh.turn()
  expect(writes.length).toBeGreaterThan(0)
  mesh.apply(...writes)
  expect(mesh.turn()).toEqual([])
  expect(diff(decidedBuckets(mesh.now), decide(mesh.facts))).toEqual([])
})

it("report 090: an outcome that is said again and again, with another time each, writes nothing", () => {
  const mesh = webWithDatabase()
  mesh.turn()
  for (let time = 1; time <= 50; time += 1) {
    mesh.put(["pg_bound", "n1.web.database", {
      state: "provided",
      by: "n3",
      for: "i1",
      values: { host: "10.0.0.3" },
      time
    }])
    expect(mesh.turn()).toEqual([])
  }
})

it("report 092: however often it failed, a need or a provider that is another is looked at in that very turn", () => {
  const mesh = webWithDatabase()
  for (let time = 1; time <= 10; time += 1) {
    mesh.put(["pg_bound", "n1.web.database", {
      state: "failed",
      by: "n3",
      why: `try ${time}: no space left on device`
    }])
    mesh.turn()
  }
  mesh.put([needs, "n1.web.bound.database", { fields: ["host"] }])
  expect(mesh.now.asks.get("n3.pg.n1.web.database")?.fields).toEqual(["host"])
  expect(mesh.turn().map(lineOf)).toEqual(["put asks n3.pg.n1.web.database"])
  mesh.put([assignments, "n5.pg", { build: "p1" }])
    .put([assignments, "n1.web", { build: "w1", instance: "i1", pins: { database: { node: "n5" } } }])
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "held", "n5.pg.n1.web.database": "wanted" })
})

it("report 046: the decisions that a snapshot holds are taken for stored, and not for facts", () => {
  const { registry } = decide(new Turns().facts)
  const snapshot = { buckets: { "mesh-provisioner_registry": Object.fromEntries(registry) } }
  expect(diff(storedIn(snapshot), decide(snapshot))).toEqual([])
})
