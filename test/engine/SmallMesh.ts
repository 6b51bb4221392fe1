/**
 * A small mesh with a little of everything that one decision can follow from, in two editions that differ in every value.
 */
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { bucket, entryBy, postgres } from "./CostMesh.ts"

/** One of the two editions. */
export const smallMesh = (other: boolean): Snapshot => {
  const pick = <A>(one: A, another: A): A => other ? another : one
  const contract = (version: string): { readonly [name: string]: Json } => ({
    contract: { version, fields: { host: "string", port: "integer", password: "secret" } }
  })
  return {
    buckets: {
      [bucket.modules]: {
        postgres: postgres(pick(contract("1.4.0"), { ...contract("2.0.0"), retire: "free", seat: "db" })),
        mysql: { provides: { database: { credential: "consumer", ...contract("2.1.0") } } },
        dns: { provides: { resolver: { credential: "none", ...pick({}, { seat: "dns" }) } } },
        acme: {
          answers: {
            licence: pick({ bucket: bucket.licences, key: "<node>.<name>" }, { bucket: "acme_other", key: "shared" }),
            board: { seat: pick("dns", "db"), verb: "acme.board" }
          }
        },
        rival: { answers: { licence: { seat: "db", verb: "rival.licence" } } }
      },
      [bucket.seats]: {
        vault: { node: pick("n0", "n1"), module: "mesh-vault" },
        db: { node: pick("n0", "n1"), module: pick("postgres", "mysql") },
        dns: { node: pick("n1", "n2"), module: "dns" }
      },
      [bucket.machines]: {
        n0: { site: pick("home", "away"), lost: other },
        n1: { site: "away" },
        n2: { site: pick("home", "away") },
        n3: { site: pick("away", "home") }
      },
      [bucket.assignments]: {
        "n0.postgres": { build: "p1", draining: other },
        "n1.postgres": { build: "p1", placement: { port: { db: pick(5_432, 5_433) } } },
        "n1.mysql": { build: pick("m1", "m2") },
        "n0.mesh-vault": { build: "v1" },
        "n1.dns": { build: pick("d1", "d2"), placement: { port: { dns: pick(53, 54) } } },
        "n2.dns": { build: "d1", draining: other },
        "n3.dns": { build: "d1" },
        "n2.shop": {
          build: "s1",
          instance: pick("i1", "i2"),
          pins: pick({}, { database: { module: "mysql" }, resolver: { node: "n1" } }),
          placement: { port: { web: pick(80, 81) } }
        },
        "n3.shop": { build: "s1", pins: { "database.archive": { node: pick("n0", "n1") } } }
      },
      [bucket.haves]: {
        "n1.dns": { build: "d1", health: pick("healthy", "unhealthy") },
        "n2.dns": { build: "d1", health: pick("failed", "healthy") },
        "n3.dns": { build: "d1", health: "healthy", words: pick("a", "b") },
        "n1.mysql": { build: "m1", health: "healthy" }
      },
      [bucket.needs]: {
        "n2.shop.bound.database": { contract: pick("^1.0.0", "*"), fields: pick(["host"], ["host", "port"]) },
        "n2.shop.bound.again": { provision: "database", contract: pick("*", ">=1.2.0"), own: other },
        "n2.shop.bound.archive": { provision: "database", local: "archive", optional: other },
        "n2.shop.bound.more": { provision: "database", local: "archive", fields: pick(["port"], ["gone"]) },
        "n2.shop.bound.resolver": { own: true, optional: other },
        "n2.shop.secret.api": {},
        "n2.shop.config.title": pick({}, { default: "none" }),
        "n2.shop.collected.jobs": {},
        "n2.shop.shell.zsh": {},
        "n2.shop.port.web": {},
        "n2.shop.licence.full": pick({ default: 1 }, {}),
        "n2.shop.board.all": {},
        "n2.shop.consumers.all": {},
        "n3.shop.bound.database": {},
        "n3.shop.bound.archive": { provision: "database", local: "archive" },
        "n3.shop.licence.full": {}
      },
      [bucket.applied]: {
        "n2.shop": { plan: "0".repeat(32), own: ["resolver", "database"], ...pick({}, { instance: "i1" }) }
      },
      [bucket.configValues]: { "n2.shop.title": { value: pick("a", "b") } },
      [bucket.collect]: { "n2.jobs.shop": pick(1, 2), "n2.jobs.dns": 1, "n2.shell=3Azsh.shop": pick(1, 2) },
      [bucket.licences]: { "n2.full": pick(1, 2), "n3.full": 3 },
      acme_other: { shared: pick("a", "b") },
      [bucket.answers]: {
        "n0.postgres.n2.shop.database": { answer: pick("keep", "retire"), entry: "0".repeat(32), by: "ann" },
        "n1.postgres.n2.shop.database.archive": { answer: "keep", entry: "0".repeat(32), by: pick("ann", "") },
        "n0.mesh-vault.n2.shop.secret.api": { answer: "keep", entry: "0".repeat(32), by: "ann" }
      },
      [bucket.postgres]: {
        "n2.shop.database": entryBy(pick("n0", "n1"), {
          also: pick(["n1"], []),
          for: "i1",
          values: { host: "h", port: 1 }
        }),
        "n2.shop.database.archive": entryBy("n1", {
          state: pick("provided", "retired"),
          values: { host: "h", port: 1 }
        }),
        "n3.shop.database": entryBy("n1", { state: pick("making", "failed"), why: "disk" })
      },
      mysql_bound: { "n2.shop.database": entryBy("n1", { state: pick("retired", "provided") }) },
      [bucket.vault]: {
        "n2.shop.secret.api": entryBy(pick("n0", "n1"), { values: { version: pick(1, 2) } }),
        "n2.shop.credential.postgres=2Edatabase=2Epassword": entryBy("n0", { values: { version: pick(1, 2) } }),
        "n2.shop.credential.postgres=2Edatabase=2Earchive=2Epassword": entryBy("n0", { also: pick([], ["n1"]) }),
        "n3.shop.credential.mysql=2Edatabase=2Epassword": entryBy("n0", { state: pick("provided", "making") })
      }
    }
  }
}
