/**
 * Goal: what walks seldom come by: turns in which a fact that is far away, or a part of one, is all that a decision changes by.
 *
 * Method: each is a handful of changes by hand, the engine beside its naive twin after each; and what is to come of the last
 * change is named, so that a turn in which nothing turns is noticed.
 */
import { expect, test } from "vitest"
import type { EngineChange } from "../../src/core/Engine.ts"
import { bucket, entryBy, gone, put } from "./CostMesh.ts"
import { Twin } from "./Twin.ts"

/** Takes changes in one by one, and gives what the last had written. */
const writtenBy = (changes: ReadonlyArray<EngineChange>): ReadonlyArray<string> => {
  const twin = new Twin()
  for (const change of changes.slice(0, -1)) {
    expect(twin.step([change])).toBeUndefined()
  }
  const last = changes.slice(-1)
  const { outOfShape, writes } = twin.engine.whatIf(last)
  expect(twin.step(last)).toBeUndefined()
  return [
    ...writes.map(({ bucket, key }) => `${bucket.replace("mesh-provisioner_", "")} ${key}`),
    ...outOfShape.map(({ bucket, key, why }) => `${why === undefined ? "in" : "out of"} shape: ${bucket} ${key}`)
  ].sort()
}

const shop = (also: object = {}) => put(bucket.assignments, "n1.shop", { build: "s1", ...also })
const licence = [
  put(bucket.modules, "acme", { answers: { licence: { bucket: bucket.licences, key: "<name>" } } }),
  shop(),
  put(bucket.needs, "n1.shop.licence.full", {})
]
const garbled: EngineChange = { bucket: bucket.licences, key: "full", value: Uint8Array.of(0xff) }
const needAndPlan = ["plans n1.shop", "provisions n1.shop.licence.full"]

test("an entry that a need addresses is garbled, and listed", () => {
  expect(writtenBy([...licence, put(bucket.licences, "full", 1), garbled]))
    .toEqual(["out of shape: acme_licences full", ...needAndPlan])
})

test("an entry that is garbled is listed once a need addresses it, and no more once none does", () => {
  expect(writtenBy([garbled, ...licence])).toEqual(["out of shape: acme_licences full", ...needAndPlan])
  expect(writtenBy([garbled, ...licence, gone(bucket.needs, "n1.shop.licence.full")]))
    .toEqual(["in shape: acme_licences full", ...needAndPlan])
})

test("a definition has its kind answered by another bucket", () => {
  const other = put(bucket.modules, "acme", { answers: { licence: { bucket: "acme_other", key: "<name>" } } })
  expect(writtenBy([garbled, ...licence, put("acme_other", "full", 1), other]))
    .toEqual(["in shape: acme_licences full", ...needAndPlan, "registry licence"])
})

test("a seat's holder answers a kind, and runs otherwise", () => {
  const setting = [
    put(bucket.modules, "acme", { answers: { licence: { seat: "licences", verb: "acme.licence" } } }),
    ...licence.slice(1),
    put(bucket.seats, "licences", { node: "n2", module: "acme" }),
    put(bucket.assignments, "n2.acme", { build: "a1" })
  ]
  expect(writtenBy([...setting, put(bucket.haves, "n2.acme", { build: "a1", health: "healthy" })])).toEqual(needAndPlan)
  expect(writtenBy([...setting, put(bucket.machines, "n2", { lost: true })])).toEqual(needAndPlan)
  expect(writtenBy([...setting, put(bucket.seats, "licences", { node: "n3", module: "acme" })])).toEqual(needAndPlan)
})

const postgres = [
  put(bucket.modules, "postgres", { provides: { database: { credential: "consumer" } } }),
  put(bucket.assignments, "n2.postgres", { build: "p1" }),
  put(bucket.needs, "n1.shop.bound.database", { own: true })
]

test("the consumer is another instance, and what it applied or was answered is of the one before", () => {
  const degraded = [...licence, put(bucket.applied, "n1.shop", { plan: "0".repeat(32), instance: "i1" })]
  expect(writtenBy([...degraded, shop({ instance: "i1" }), shop({ instance: "i2" })])).toEqual(["plans n1.shop"])
  const entry = put(bucket.postgres, "n1.shop.database", entryBy("n2", { for: "i1" }))
  expect(writtenBy([...postgres, shop({ instance: "i1" }), entry, shop({ instance: "i2" })])).toEqual([
    "asks n2.postgres.n1.shop.database",
    "plans n1.shop",
    "provisions n1.shop.bound.database"
  ])
  const own = put(bucket.applied, "n1.shop", { plan: "0".repeat(32), instance: "i1", own: ["database"] })
  expect(writtenBy([...postgres, own, shop({ instance: "i1" }), shop({ instance: "i2" })])).toEqual([
    "asks n2.postgres.n1.shop.database",
    "plans n1.shop",
    "provisions n1.shop.bound.database"
  ])
})

test("a need of a claim that nobody answered yet has another range", () => {
  const range = put(bucket.needs, "n1.shop.bound.database", { contract: ">=0.0.0" })
  expect(writtenBy([...postgres, shop(), range])).toEqual(["asks n2.postgres.n1.shop.database"])
})

test("a provider that is judged by its have is placed elsewhere, and is assigned anew with it", () => {
  const dns = [
    put(bucket.modules, "dns", { provides: { resolver: { credential: "none" } } }),
    put(bucket.assignments, "n2.dns", { build: "d1" }),
    put(bucket.haves, "n2.dns", { build: "d1", health: "healthy" }),
    shop(),
    put(bucket.needs, "n1.shop.bound.resolver", {})
  ]
  const placed = put(bucket.assignments, "n2.dns", { build: "d1", placement: { port: { dns: 53 } } })
  expect(writtenBy([...dns, placed])).toEqual(["plans n1.shop", "provisions n1.shop.bound.resolver"])
  expect(writtenBy([...dns, gone(bucket.assignments, "n2.dns"), placed]))
    .toEqual(["plans n1.shop", "plans n2.dns", "provisions n1.shop.bound.resolver"])
})

test("the seat that a provision is held by moves, and with it those whom nobody holds and those whom its module holds", () => {
  const seated = (module: string, node: string) => put(bucket.seats, "db", { node, module })
  const database = { provides: { database: { credential: "consumer", seat: "db" } } }
  const held = [
    put(bucket.modules, "postgres", database),
    put(bucket.assignments, "n2.postgres", { build: "p1" }),
    put(bucket.assignments, "n3.postgres", { build: "p1" }),
    put(bucket.needs, "n1.shop.bound.database", {}),
    shop(),
    seated("postgres", "n2")
  ]
  const turned = ["plans n1.shop", "provisions n1.shop.bound.database"]
  expect(writtenBy([...held, seated("postgres", "n3")])).toEqual([
    "asks n2.postgres.n1.shop.database",
    "asks n3.postgres.n1.shop.database",
    ...turned
  ])
  const entry = put(bucket.postgres, "n1.shop.database", entryBy("n2"))
  expect(writtenBy([...held, entry, seated("postgres", "n3")])).toEqual([
    "asks n2.postgres.n1.shop.database",
    "asks n3.postgres.n1.shop.database",
    ...turned
  ])
  // Of two holders that are of other modules, nobody is served by either; but the candidate is told whose the seat is.
  expect(writtenBy([...held, seated("mysql", "n2"), seated("mysql", "n3")])).toEqual(turned)
})

test("seat vault loses its holder while a definition is out for a moment: what was asked of the vault for it is asked no more", () => {
  const vaulted = put(bucket.modules, "postgres", {
    provides: { database: { credential: "consumer", contract: { version: "1.0.0", fields: { password: "secret" } } } }
  })
  const twin = new Twin()
  const setting = [
    vaulted,
    ...postgres.slice(1),
    shop(),
    put(bucket.seats, "vault", { node: "n3", module: "mesh-vault" })
  ]
  expect(twin.step(setting)).toBeUndefined()
  const key = "n3.mesh-vault.n1.shop.credential.postgres=2Edatabase=2Epassword"
  expect(twin.engine.decisions.asks.get(key)?.state).toBe("wanted")
  const out = put(bucket.modules, "postgres", {})
  expect(twin.step([out, gone(bucket.seats, "vault"), vaulted])).toBeUndefined()
  expect(twin.engine.decisions.asks.get(key)).toBeUndefined()
})

test("a what-if that is given up has nothing said again of an entry that is out of shape", () => {
  const twin = new Twin()
  const setting = [...licence, put(bucket.needs, "n2.shop.licence.full", {}), garbled]
  expect(twin.step(setting)).toBeUndefined()
  const { isGivenUp, wrong } = twin.boundedWhatIf([gone(bucket.modules, "acme")], 1)
  expect({ isGivenUp, wrong }).toEqual({ isGivenUp: true, wrong: undefined })
})
