/**
 * How the provisioner starts (protocol §9): everything is read to its end first, then what differs is written, and nothing
 * else; a restart remembers nothing and needs nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, PubSub, Stream } from "effect"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import { decide } from "../../src/core/index.ts"
import type { Health } from "../../src/provisioner/Health.ts"
import {
  assertSettled,
  databaseKey,
  facts,
  linesOf,
  needs,
  pass,
  passLong,
  provisions,
  put,
  remove,
  start,
  stored
} from "./Running.ts"

describe("a start", () => {
  it.effect("from an empty bus writes the registry and nothing else (§4)", () =>
    Effect.gen(function*() {
      const running = yield* start()
      yield* pass()
      const registry = decide({ buckets: {} }).registry
      assert.deepStrictEqual(running.asked.map(({ key }) => key).sort(), [...registry.keys()].sort())
      assert.isTrue(
        running.asked.every(({ bucket, ok, op }) => bucket === "mesh-provisioner_registry" && ok && op === "create")
      )
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("decides everything from facts that are there already, with no event to come (report 012)", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      yield* assertSettled
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "provided" })
      assert.strictEqual(running.turns.length, 1)
      assert.strictEqual(running.turns[0]?.before, undefined)
      assert.strictEqual(running.turns[0]?.after.provisions.get(databaseKey)?.state, "provided")
      assert.strictEqual(running.turns[0]?.writes.length, running.asked.length)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("tells the turns to who comes late, too, from the last one on, and to who is slow, but never without the last", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { provisioner } = yield* start()
      yield* pass()
      const late = yield* provisioner.turns
      assert.strictEqual((yield* PubSub.take(late)).after.provisions.get(databaseKey)?.state, "provided")
      for (let round = 0; round < 40; round++) {
        yield* put({ "mesh-provisioner_needs": { [`n1.shop.port.p${round}`]: {} } })
      }
      const told = yield* PubSub.takeAll(late)
      assert.isBelow(told.length, 40)
      assert.isTrue(told.at(-1)?.after.provisions.has("n1.shop.port.p39"))
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("a hundred times over with nothing changed writes nothing (report 046)", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const first = yield* start()
      yield* pass()
      yield* first.stop
      assert.isTrue(first.asked.length > 0)
      for (let round = 0; round < 100; round++) {
        const again = yield* start()
        yield* pass(6)
        assert.strictEqual((yield* again.provisioner.health).state, "live")
        assert.deepStrictEqual(again.asked, [])
        yield* again.stop
      }
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("acts on what was deleted while nobody ran (report 069)", () =>
    Effect.gen(function*() {
      yield* put(facts)
      yield* put({
        "mesh-controller_modules": { "mesh-dns": { answers: { zone: { bucket: "mesh-dns_zones", key: "<name>" } } } }
      })
      const first = yield* start()
      yield* pass()
      yield* first.stop
      assert.isDefined(yield* stored("mesh-provisioner_registry", "zone"))
      yield* remove("mesh-provisioner_needs", databaseKey)
      yield* remove("mesh-controller_modules", "mesh-dns")
      const second = yield* start()
      yield* pass()
      assert.sameDeepMembers(second.asked.filter(({ op }) => op === "delete"), [
        { op: "delete", bucket: "mesh-provisioner_registry", key: "zone", ok: true },
        { op: "delete", bucket: provisions, key: databaseKey, ok: true }
      ])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("puts right decisions that were altered or planted while nobody ran, and passes over the holder's mark", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const first = yield* start()
      yield* pass()
      yield* first.stop
      yield* put({
        [provisions]: { [databaseKey]: { state: "refused" }, "n9.gone.bound.x": {}, _epoch: { term: 7 } },
        "mesh-provisioner_plans": { _epoch: { term: 7 } }
      })
      const second = yield* start()
      yield* pass()
      assert.sameDeepMembers(second.asked, [
        { op: "update", bucket: provisions, key: databaseKey, ok: true },
        { op: "delete", bucket: provisions, key: "n9.gone.bound.x", ok: true }
      ])
      assert.deepStrictEqual(yield* stored(provisions, "_epoch"), { term: 7 })
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a defect of its own", () => {
  it.effect("ends it, and whoever runs it is told", () =>
    Effect.gen(function*() {
      const running = yield* start({
        dies: true,
        decide: () => {
          throw new Error("an impossible state")
        }
      })
      const told = yield* Effect.forkChild(Effect.exit(running.provisioner.ended))
      yield* pass()
      assert.include(String(told.pollUnsafe()), "an impossible state")
      assert.deepStrictEqual(running.asked, [])
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("nothing is written before every bucket has been read to its end", () => {
  for (const slow of [...Object.keys(facts), provisions, "mesh-provisioner_answers", "mesh-config_values"]) {
    it.effect(`while ${slow} is not read`, () =>
      Effect.gen(function*() {
        yield* put(facts)
        const gate = yield* Deferred.make<void>()
        const running = yield* start({
          interference: {
            follow: (bucket, follow) => bucket === slow ? Effect.andThen(Deferred.await(gate), follow) : follow
          }
        })
        yield* pass()
        assert.deepStrictEqual(running.asked, [])
        assert.strictEqual(running.decided(), 0)
        const health = yield* running.provisioner.health
        assert.strictEqual(health.state, "loading")
        assert.deepStrictEqual(health.reading, [{ bucket: slow, keys: 0 }])
        assert.include(health.sentence, slow)
        yield* put({ "mesh-provisioner_needs": { "n1.shop.port.late": {} } })
        assert.deepStrictEqual(running.asked, [])
        yield* Deferred.succeed(gate, undefined)
        yield* pass()
        assert.strictEqual((yield* running.provisioner.health).state, "live")
        yield* assertSettled
      }).pipe(Effect.provide(MemoryBus.layer())))
  }

  it.effect("while it is not known which buckets there are", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const gate = yield* Deferred.make<void>()
      const running = yield* start({
        interference: { followBuckets: (follow) => Effect.andThen(Deferred.await(gate), follow) }
      })
      yield* passLong("1 hour")
      assert.deepStrictEqual(running.asked, [])
      assert.strictEqual((yield* running.provisioner.health).state, "loading")
      yield* Deferred.succeed(gate, undefined)
      yield* pass()
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("and while one is missing that must be there: health says which, and they are taken up when they come", () =>
    Effect.gen(function*() {
      const missing = ["mesh-host_haves", "mesh-provisioner_plans"]
      const memory = yield* MemoryBus
      yield* put(facts)
      yield* Effect.forEach(missing, memory.deleteBucket)
      const running = yield* start()
      yield* pass()
      const health = yield* running.provisioner.health
      assert.strictEqual(health.state, "missing")
      assert.sameMembers([...health.missing], missing)
      assert.deepStrictEqual(linesOf(running, "Warn"), [
        "Nothing is written: there is no bucket mesh-host_haves, mesh-provisioner_plans. Make them, by mesh-provisioner setup."
      ])
      yield* memory.makeBucket("mesh-host_haves")
      yield* pass()
      assert.deepStrictEqual((yield* running.provisioner.health).missing, ["mesh-provisioner_plans"])
      assert.deepStrictEqual(running.asked, [])
      yield* memory.makeBucket("mesh-provisioner_plans")
      yield* pass()
      assert.strictEqual((yield* running.provisioner.health).state, "live")
      yield* assertSettled
      assert.deepStrictEqual(linesOf(running, "Warn").length, 1)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("and the reading can be watched", () =>
    Effect.gen(function*() {
      yield* put(facts)
      yield* put(needs(50))
      const gate = yield* Deferred.make<void>()
      const running = yield* start({
        interference: {
          follow: (bucket, follow) => bucket === provisions ? Effect.andThen(Deferred.await(gate), follow) : follow
        }
      })
      const seen: Array<Health> = []
      yield* Effect.forkScoped(
        Stream.runForEach(running.provisioner.healthChanges, (health) => Effect.sync(() => seen.push(health)))
      )
      yield* pass()
      assert.deepInclude(seen[0], { state: "loading", read: 14, known: 15, reading: [{ bucket: provisions, keys: 0 }] })
      yield* Deferred.succeed(gate, undefined)
      yield* pass()
      assert.strictEqual(seen.at(-1)?.state, "live")
      assert.strictEqual(seen.at(-1)?.read, 15)
      assert.strictEqual(seen.at(-1)?.known, 15)
    }).pipe(Effect.provide(MemoryBus.layer())))
})
