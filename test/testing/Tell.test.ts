/**
 * Facts in words: what a broken law is told in.
 */
import { tellMesh } from "mesh-provisioner/testing"
import { expect, test } from "vitest"
import { sayProvision, tellChanges, tellTurn } from "../../src/testing/laws/Tell.ts"

test("a fact of each bucket is a sentence, in the order in which a mesh comes about", () => {
  expect(tellMesh({
    buckets: {
      "postgres_bound": {
        "n1.shop.database.main": { state: "provided", by: "n2", also: ["n3"], values: { host: "h" } },
        "n1.shop.cache": { state: "failed", by: "n2", why: "no room" }
      },
      "mesh-provisioner_answers": { "n2.postgres.n1.shop.database": { answer: "retire", entry: "0", by: "ann" } },
      "mesh-provisioner_collect": { "n1.shell=3Azsh.shop": { lines: ["ls"] } },
      "mesh-provisioner_applied": { "n1.shop": { plan: "0", own: ["cache"] } },
      "mesh-provisioner_needs": {
        "n1.shop.bound.database": { local: "main" },
        "n1.shop.secret.api": {},
        "n1.shop.port.__proto__": { default: 80 }
      },
      "mesh-host_haves": { "n2.postgres": { build: "b1", health: "healthy" } },
      "mesh-config_values": { "n1.shop.theme": { value: "dark" } },
      "mesh-controller_seats": { vault: { node: "n3", module: "mesh-vault" } },
      "mesh-controller_machines": { n1: { site: "home" }, "hut=20=C3=A9": { lost: true } },
      "mesh-controller_assignments": { "n1.shop": { build: "b1", draining: true } },
      "mesh-controller_modules": {
        postgres: { provides: { database: { credential: "consumer" }, cache: {} }, title: "Postgres" },
        dns: {}
      },
      "acme_licences": { "n1.seat": 7 }
    }
  })).toEqual([
    "postgres provides database { credential: \"consumer\" } and cache {} { title: \"Postgres\" }.",
    "dns is a module.",
    "shop is assigned to n1 { draining: true }.",
    "n1 is a machine { site: \"home\" }.",
    "hut é is lost.",
    "the seat vault is held by mesh-vault on n3.",
    "theme is set for shop on n1 { value: \"dark\" }.",
    "postgres on n2 is healthy, of build b1.",
    "shop on n1 needs database { local: \"main\" }.",
    "shop on n1 needs secret api.",
    "shop on n1 needs port __proto__ { default: 80 }.",
    "shop on n1 runs by a plan { own: [\"cache\"] }.",
    "shop contributes to shell:zsh on n1 { lines: [\"ls\"] }.",
    "postgres on n2 says provided of database \"main\" for shop on n1, and has it on n3 too { values: { host: \"h\" } }.",
    "postgres on n2 says failed of cache for shop on n1 { why: \"no room\" }.",
    "ann answers retire about database of shop on n1 at postgres on n2 { entry: \"0\" }.",
    "acme_licences \"n1.seat\" holds 7."
  ])
})

test("what nobody can read is told as it stands there, and a bucket that is empty is there", () => {
  expect(tellMesh({
    buckets: { "mesh-provisioner_needs": { "a..b": {}, "n1.shop.bound.database": null }, "dns_bound": {} },
    raw: { "mesh-host_haves": { "n1.shop": "/w==" } }
  })).toEqual([
    "mesh-host_haves \"n1.shop\" holds bytes that are no JSON.",
    "mesh-provisioner_needs \"a..b\" holds {}.",
    "mesh-provisioner_needs \"n1.shop.bound.database\" holds null.",
    "the bucket dns_bound is there, and empty."
  ])
})

test("what was is told first, and then what changes", () => {
  const before = { buckets: { "mesh-controller_machines": { n1: {}, n2: {} }, "dns_bound": {} } }
  const after = { buckets: { "mesh-controller_machines": { n1: { lost: true }, n3: {} } } }
  expect(tellTurn({ before, after })).toEqual([
    "n1 is a machine.",
    "n2 is a machine.",
    "the bucket dns_bound is there, and empty.",
    "then n1 is lost.",
    "then it is gone that n2 is a machine.",
    "then n3 is a machine.",
    "then the bucket dns_bound is gone."
  ])
})

test("changes are told as they came", () => {
  expect(tellChanges([
    { bucket: "dns_bound", isThere: true },
    { bucket: "mesh-controller_machines", key: "n1", value: {} },
    { bucket: "mesh-controller_machines", key: "n1" },
    { bucket: "mesh-controller_machines", key: "n2", value: Uint8Array.of(255) },
    { bucket: "dns_bound", isThere: false }
  ])).toEqual([
    "the bucket dns_bound is there.",
    "n1 is a machine.",
    "mesh-controller_machines \"n1\" is gone.",
    "mesh-controller_machines \"n2\" holds bytes that are no JSON.",
    "the bucket dns_bound is gone."
  ])
})

test("a provision is a sentence, with its own words", () => {
  const decided = { kind: "bound", state: "failed", reason: "provider-failed" } as const
  expect(
    sayProvision("n1.shop.bound.database", { ...decided, provider: { node: "n2", module: "postgres" }, why: "no room" })
  )
    .toBe("n1.shop.bound.database is failed, by postgres on n2 (provider-failed): no room.")
  expect(sayProvision("n1.shop.bound.database", { ...decided, why: "w".repeat(400) }))
    .toBe(`n1.shop.bound.database is failed (provider-failed): ${"w".repeat(300)}….`)
})
