/**
 * Reports 036 to 054: versions of values, needless restarts, and values where they do not belong.
 */
import { decide, diff, Facts, storedIn } from "mesh-provisioner/core"
import { expect, it } from "vitest"
import { decidedBuckets } from "../../src/core/Diff.ts"
import {
  assignments,
  configValues,
  lineOf,
  makes,
  modules,
  needs,
  runs,
  seats,
  Turns,
  webWithDatabase
} from "./Turns.ts"

const credential = "credential.pg=2Edatabase=2Epassword"

/** Three consumers of one database server, each with a password of its own, all provided. */
const threeConsumers = (): Turns => {
  const mesh = new Turns().put(
    [modules, "pg", makes("database", { password: "secret" })],
    [assignments, "n3.pg", { build: "p1" }],
    [assignments, "n4.mesh-vault", { build: "v1" }],
    [seats, "vault", { node: "n4", module: "mesh-vault" }]
  )
  for (const consumer of ["n1.web", "n2.api", "n5.job"]) {
    mesh.put(
      [assignments, consumer, { build: "b1" }],
      [needs, `${consumer}.bound.database`, {}],
      ["pg_bound", `${consumer}.database`, { state: "provided", by: "n3" }],
      ["mesh-vault_bound", `${consumer}.${credential}`, { state: "provided", by: "n4", values: { version: 1 } }]
    )
  }
  return mesh
}

it("report 036: whoever starts anew on the same facts writes nothing", () => {
  const mesh = threeConsumers()
  for (const consumer of ["n1.web", "n2.api", "n5.job"]) {
    mesh.put(["mesh-vault_bound", `${consumer}.${credential}`, { state: "provided", by: "n4", values: { version: 2 } }])
  }
  expect(diff(decidedBuckets(mesh.now), decide(mesh.facts))).toEqual([])
})

it("report 040: a value that is another is told from its version, whatever made it so, and every consumer is told", () => {
  const mesh = threeConsumers()
  mesh.turn()
  const before = mesh.now
  for (const consumer of ["n1.web", "n2.api", "n5.job"]) {
    mesh.put(["mesh-vault_bound", `${consumer}.${credential}`, { state: "provided", by: "n4", values: { version: 2 } }])
    expect(mesh.plan(consumer).digest).not.toBe(before.plans.get(consumer)?.digest)
    expect(mesh.turn().map(lineOf)).toEqual([`put provisions ${consumer}.bound.database`, `put plans ${consumer}`])
  }
})

it("report 042: a need that comes back before the question is answered finds what it had, and nothing is made", () => {
  const mesh = webWithDatabase()
  const before = mesh.now
  mesh.remove([needs, "n1.web.bound.database"])
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded" })
  mesh.put([needs, "n1.web.bound.database", {}])
  expect(mesh.now).toEqual(before)
})

it("report 046: two hundred plans are stored: a start writes nothing", () => {
  const buckets = {
    [modules]: { pg: makes("database", { host: "string" }), dns: runs("resolver") },
    [assignments]: {
      "n0.pg": { build: "p1" },
      ...Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`n${index}.web`, { build: "w1" }]))
    },
    [needs]: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`n${index}.web.bound.database`, {}])),
    pg_bound: Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `n${index}.web.database`,
        { state: "provided", by: "n0", values: { host: "10.0.0.1" } }
      ])
    )
  }
  const stored = Object.fromEntries(
    [...decidedBuckets(decide({ buckets }))].map(([bucket, values]) => [bucket, Object.fromEntries(values)])
  )
  const snapshot = { buckets: { ...buckets, ...stored } }
  expect(Object.keys(stored["mesh-provisioner_plans"] ?? {}).length).toBe(201)
  expect(diff(storedIn(snapshot), decide(Facts.fromSnapshot(snapshot)))).toEqual([])
})

it("report 048: a module more on a node leaves the plans of the others on it as they are", () => {
  const mesh = webWithDatabase()
  for (let index = 1; index <= 8; index += 1) {
    mesh.put([assignments, `n1.m${index}`, { build: "b1" }], [needs, `n1.m${index}.collected.logs`, {}])
  }
  mesh.turn()
  mesh.put([assignments, "n1.x", { build: "x1" }], [needs, "n1.x.bound.database", {}])
  expect(mesh.turn().map(lineOf)).toEqual([
    "put provisions n1.x.bound.database",
    "put asks n3.pg.n1.x.database",
    "put plans n1.x"
  ])
})

it("report 050: a secret that stands where it should not is named by its field alone, in no form by its value", () => {
  const secret = "p]@/%\"\n"
  const mesh = webWithDatabase().put(
    [modules, "pg", makes("database", { host: "string", password: "secret" })],
    ["pg_bound", "n1.web.database", { state: "provided", by: "n3", values: { host: "10.0.0.3", password: secret } }],
    [needs, "n1.web.bound.other", { contract: secret, provision: "database" }],
    [configValues, "n1.web.dsn", secret],
    [needs, "n1.web.config.dsn", {}],
    [modules, "text", secret]
  )
  expect(mesh.provision("n1.web.bound.database")).toMatchObject({ state: "failed", reason: "secret-in-bucket" })
  expect(mesh.provision("n1.web.bound.database").why).toContain("password")
  const written = [
    ...mesh.turn().map((write) => JSON.stringify(write)),
    ...mesh.now.outOfShape.map((fault) => JSON.stringify(fault))
  ].join("\n")
  for (const form of [secret, encodeURIComponent(secret), btoa(secret), JSON.stringify(secret).slice(1, -1)]) {
    expect(written).not.toContain(form)
    expect(written).not.toContain(JSON.stringify(form).slice(1, -1))
  }
  expect(mesh.now.outOfShape.length).toBe(3)
})

it("report 052: a plan says where a value is and that it is another, and never what it is", () => {
  const mesh = new Turns().put(
    [assignments, "n1.web", { build: "w1", placement: { dir: { data: "/srv/k3y" } } }],
    [needs, "n1.web.config.dsn", {}],
    [needs, "n1.web.config.other", { default: "fallback-k3y" }],
    [needs, "n1.web.dir.data", {}],
    [needs, "n1.web.collected.parts", {}],
    ["mesh-provisioner_collect", "n1.parts.git", { template: "postgres://u:k3y@h/db" }],
    [configValues, "n1.web.dsn", { value: "postgres://u:k3y@h/db" }]
  )
  expect(mesh.plan("n1.web").state).toBe("ready")
  expect(JSON.stringify([...mesh.now.plans, ...mesh.now.provisions, ...mesh.now.asks])).not.toContain("k3y")
  const { digest } = mesh.plan("n1.web")
  mesh.put([configValues, "n1.web.dsn", { value: "postgres://u:other@h/db" }])
  expect(mesh.plan("n1.web").digest).not.toBe(digest)
})
