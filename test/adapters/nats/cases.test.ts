/**
 * Goal: every golden case of the protocol comes to the same decisions on NATS as it does offline.
 *
 * Method: one server. For each case its buckets are made anew, its facts are put there by NATS' own key-value client, and
 * what a provisioner writes is read out by that client, and held against `decide` of the file and what the file expects.
 * Then facts that no such client could put: published as they are.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Context from "effect/Context"
import { join } from "node:path"
import { bucketName } from "../../../src/core/BucketName.ts"
import { decide } from "../../../src/core/Decide.ts"
import type { Decisions } from "../../../src/core/Decision.ts"
import { Facts } from "../../../src/core/Facts.ts"
import type { Provisioner } from "../../../src/provisioner/Provisioner.ts"
import { casesIn, decidedList, expectedList, faultsOf, listNames } from "../../golden/Case.ts"
import { bare } from "../../nats/Bare.ts"
import { natsServer } from "../../nats/Server.ts"
import { act, bytes, connected } from "./Ground.ts"
import { comesToDecisions, factsOf, fillAll, provisionerOn, type Standing, storedOn } from "./Mesh.ts"

class Place extends Context.Service<Place, Standing>()("test/adapters/nats/cases/Place") {}

const place = Layer.effect(
  Place,
  Effect.gen(function*() {
    const server = yield* natsServer()
    return { server, admin: yield* bare(server), nats: yield* connected(server) }
  })
)

/** The server, with no bucket on it. */
const empty = Effect.gen(function*() {
  const on = yield* Place
  yield* act(async () => {
    for await (const stream of on.admin.manager.streams.names()) {
      await on.admin.manager.streams.delete(stream)
    }
  })
  return on
})

/** What the provisioner itself says that it decided. */
const decidedBy = (provisioner: Provisioner["Service"]): Effect.Effect<Decisions> =>
  Effect.flatMap(
    provisioner.source,
    (source) => source === undefined ? Effect.die("it has decided nothing") : Effect.succeed(source.decisions)
  )

layer(place, { excludeTestServices: true })("on NATS", (it) => {
  for (const golden of casesIn(join(import.meta.dirname, "..", "..", "golden", "cases"))) {
    it.effect(`${golden.name}: ${golden.what}`, () =>
      Effect.gen(function*() {
        const on = yield* empty
        yield* fillAll(on, factsOf(golden))
        const provisioner = yield* provisionerOn(on.server)
        const decisions = decide(golden)
        yield* comesToDecisions(on, decisions)
        assert.deepStrictEqual(faultsOf(golden, yield* decidedBy(provisioner)), [])
        for (const name of listNames) {
          if (name !== "deletes") {
            const list = decidedList(yield* decidedBy(provisioner), name)
            assert.deepStrictEqual(list, expectedList(golden, name), name)
          }
        }
        const answers = Object.keys(golden.buckets[bucketName.answers] ?? {})
          .filter((key) => !decisions.answersToDelete.includes(key))
        const answersLeft = [...(yield* storedOn(on, [bucketName.answers])).keys()]
        assert.deepStrictEqual(answersLeft, answers.map((key) => `${bucketName.answers} ${key}`))
      }))
  }

  it.effect("facts that no client of NATS could put are decided as they are offline, and stop nothing else", () =>
    Effect.gen(function*() {
      const on = yield* empty
      yield* fillAll(on, factsOf(wild.base))
      for (const [bucket, values] of wild.raw) {
        yield* act(() => on.admin.plant(bucket, values))
      }
      const facts = Facts.fromSnapshot(wild.base)
      for (const [bucket, values] of wild.raw) {
        for (const [key, value] of values) {
          facts.apply({ bucket, key, value })
        }
      }
      const provisioner = yield* provisionerOn(on.server)
      const decisions = decide(facts)
      yield* comesToDecisions(on, decisions)
      const decided = yield* decidedBy(provisioner)
      assert.deepStrictEqual(decided.outOfShape, decisions.outOfShape)
      const said = decided.outOfShape.map(({ bucket, key }) => `${bucket} ${key}`)
      assert.isAtLeast(said.length, wild.raw.flatMap(([, values]) => values).length)
      assert.strictEqual(decided.plans.get("n1.shop")?.state, "refused", "a need out of shape is not passed over")
      assert.strictEqual(decided.plans.get("n1.blog")?.state, "ready")
    }))
})

/** A mesh in shape, and what strangers publish beside it. */
const wild = {
  base: {
    buckets: {
      [bucketName.modules]: { shop: {}, blog: {} },
      [bucketName.assignments]: { "n1.shop": { build: "s1" }, "n1.blog": { build: "b1" } },
      [bucketName.configValues]: { "n1.blog.title": { value: "hello" } },
      [bucketName.needs]: { "n1.blog.config.title": {} }
    }
  },
  raw: [
    [bucketName.needs, [
      ["n1.*", bytes("{}")],
      ["n1.shop.bound.*", bytes("{}")],
      ["n1.é.config.title", bytes("{}")],
      ["n1.shop.config", bytes("{}")],
      [`n1.shop.config.${"x".repeat(2_000)}`, bytes("{}")],
      ["n1.shop.config.title", bytes("{ half")],
      ["n1.shop.config.bom", bytes("\uFEFF{}")],
      ["n1.shop.config.bytes", Uint8Array.of(0xff, 0xfe)],
      ["n1.shop.config.deep", bytes(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)]
    ]],
    [bucketName.haves, [["n1.shop", bytes("null")], ["__proto__.constructor", bytes("{}")]]],
    [bucketName.assignments, [["n1.__proto__", bytes(`{ "__proto__": { "build": "x" } }`)]]]
  ]
} satisfies {
  readonly base: Parameters<typeof factsOf>[0]
  readonly raw: ReadonlyArray<readonly [string, ReadonlyArray<readonly [string, Uint8Array]>]>
}
