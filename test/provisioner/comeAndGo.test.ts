/**
 * Buckets that come and go with their modules (protocol §9): what nobody has made yet is empty, and is followed when it
 * appears, whether before its definition or after.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import {
  assertSettled,
  bound,
  databaseKey,
  facts,
  healthOf,
  linesOf,
  live,
  pass,
  passLong,
  provided,
  provisions,
  put,
  remove,
  start,
  stored,
  write
} from "./Running.ts"

describe("a provider's bucket", () => {
  const { postgres_bound: entries = {}, "mesh-controller_modules": modules = {}, ...others } = facts

  it.effect("that nobody has made yet is empty, and is followed when it appears", () =>
    Effect.gen(function*() {
      yield* put({ ...others, "mesh-controller_modules": modules })
      const running = yield* start()
      yield* pass()
      assert.strictEqual((yield* healthOf(running)).state, "live")
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "asked", reason: "not-bound" })
      yield* put({ postgres_bound: entries })
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "provided" })
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "asked", reason: "making" })
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("that is there before its module's definition is followed as well", () =>
    Effect.gen(function*() {
      yield* put({ ...others, postgres_bound: entries })
      const running = yield* start()
      yield* pass()
      yield* assertSettled
      yield* put({ "mesh-controller_modules": modules })
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "provided" })
      yield* remove("postgres_bound", bound)
      yield* pass()
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "asked", reason: "not-bound" })
      assert.isTrue(running.asked.length > 0)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("that appears empty is another fact than none, which is decided (§6.1)", () =>
    Effect.gen(function*() {
      yield* put({ ...others, "mesh-controller_modules": modules })
      const running = yield* start()
      yield* pass()
      const before = running.decided()
      yield* (yield* MemoryBus).makeBucket("postgres_bound")
      yield* pass()
      assert.strictEqual(running.decided(), before + 1)
      assert.isTrue((yield* running.provisioner.source)?.facts.bound.has("postgres"))
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("goes with its module's definition, in either order, and stops nothing then", () =>
    Effect.gen(function*() {
      for (const order of ["definition first", "bucket first"]) {
        const running = yield* live
        const memory = yield* MemoryBus
        if (order === "definition first") {
          yield* remove("mesh-controller_modules", "postgres")
          yield* pass()
          yield* memory.deleteBucket("postgres_bound")
          yield* pass()
          assert.deepStrictEqual(linesOf(running, "Warn"), [])
        } else {
          yield* memory.deleteBucket("postgres_bound")
          yield* pass()
          assert.strictEqual((yield* healthOf(running)).state, "lost")
          assert.deepStrictEqual(running.asked, [])
          yield* remove("mesh-controller_modules", "postgres")
          yield* pass()
        }
        assert.strictEqual((yield* healthOf(running)).state, "live")
        assert.deepInclude(yield* stored(provisions, databaseKey), { state: "refused", reason: "nobody" })
        yield* assertSettled
        yield* running.stop
      }
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("lost while the definitions are not read yet stays lost: nothing is moved to another provider (§9)", () =>
    Effect.gen(function*() {
      yield* put({
        ...facts,
        "mesh-controller_modules": { ...modules, other: modules["postgres"] ?? {} },
        "mesh-controller_assignments": { ...facts["mesh-controller_assignments"], "n1.other": { build: "o1" } }
      })
      const gate = yield* Deferred.make<void>()
      const running = yield* start({
        interference: {
          follow: (bucket, follow) =>
            bucket === "mesh-controller_modules" ? Effect.andThen(Deferred.await(gate), follow) : follow
        }
      })
      yield* pass()
      yield* (yield* MemoryBus).deleteBucket("postgres_bound")
      yield* pass()
      yield* Deferred.succeed(gate, undefined)
      yield* pass()
      const health = yield* healthOf(running)
      assert.strictEqual(health.state, "lost")
      assert.include(health.sentence, "postgres_bound")
      assert.deepStrictEqual(running.asked, [])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("deleted and made again at once is read anew, and is the new one", () =>
    Effect.gen(function*() {
      const running = yield* live
      const memory = yield* MemoryBus
      yield* memory.deleteBucket("postgres_bound")
      yield* memory.load({ buckets: { postgres_bound: { [bound]: { state: "failed", why: "disk full", by: "n2" } } } })
      yield* passLong("1 second")
      assert.strictEqual((yield* healthOf(running)).state, "live")
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "failed" })
      yield* write("postgres_bound", bound, provided)
      yield* pass()
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "provided" })
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("of no module's name (out of shape) is none", () =>
    Effect.gen(function*() {
      yield* put(facts)
      yield* put({ "a.b_bound": { [bound]: provided }, _bound: {}, strangers: {} })
      const followed: Array<string> = []
      yield* start({
        interference: {
          follow: (bucket, follow) => {
            followed.push(bucket)
            return follow
          }
        }
      })
      yield* pass()
      assert.include(followed, "postgres_bound")
      assert.deepStrictEqual(followed.filter((bucket) => ["a.b_bound", "_bound", "strangers"].includes(bucket)), [])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a bucket of a definition's answers", () => {
  const dns = { "mesh-controller_modules": { dns: { answers: { zone: { bucket: "dns_zones", key: "<name>" } } } } }
  const zone = "n1.shop.zone.home"
  const need = {
    "mesh-provisioner_needs": { [zone]: {} },
    "mesh-controller_assignments": { "n1.shop": { build: "s1" } }
  }

  it.effect("is empty while it is missing, and followed when it appears, in either order with the definition", () =>
    Effect.gen(function*() {
      for (const order of ["definition first", "bucket first"]) {
        const memory = yield* MemoryBus.make()
        yield* Effect.gen(function*() {
          yield* put(need)
          const running = yield* start()
          yield* pass()
          yield* put(order === "definition first" ? dns : { dns_zones: { home: "10.0.0.0" } })
          assert.deepInclude(
            yield* stored(provisions, zone),
            order === "definition first" ? { reason: "no-entry" } : { reason: "no-domain" }
          )
          yield* put(order === "definition first" ? { dns_zones: { home: "10.0.0.0" } } : dns)
          assert.deepInclude(yield* stored(provisions, zone), { state: "provided", reason: "entry" })
          yield* remove("dns_zones", "home")
          yield* pass()
          assert.deepInclude(yield* stored(provisions, zone), { state: "asked", reason: "no-entry" })
          yield* assertSettled
          yield* running.stop
        }).pipe(Effect.scoped, Effect.provideService(MemoryBus, memory))
      }
    }))

  it.effect("that is lost while a definition names it stops all writing; it may go when none does", () =>
    Effect.gen(function*() {
      yield* put({ ...need, ...dns, dns_zones: { home: "10.0.0.0" } })
      const running = yield* start()
      yield* pass()
      running.asked.length = 0
      yield* (yield* MemoryBus).deleteBucket("dns_zones")
      yield* pass()
      assert.deepStrictEqual((yield* healthOf(running)).lost.map(({ bucket }) => bucket), ["dns_zones"])
      assert.include((yield* healthOf(running)).sentence, "take it out of the `answers`")
      assert.deepStrictEqual(running.asked, [])
      yield* write("mesh-controller_modules", "dns", {})
      yield* pass()
      assert.strictEqual((yield* healthOf(running)).state, "live")
      assert.deepInclude(yield* stored(provisions, zone), { reason: "no-domain" })
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is let go when no definition names it any more, and taken up again when one does", () =>
    Effect.gen(function*() {
      yield* put({ ...need, ...dns, dns_zones: { home: "10.0.0.0" } })
      yield* start()
      yield* pass()
      yield* write("mesh-controller_modules", "dns", {})
      yield* pass()
      assert.deepInclude(yield* stored(provisions, zone), { reason: "no-domain" })
      yield* remove("dns_zones", "home")
      yield* put(dns)
      assert.deepInclude(yield* stored(provisions, zone), { state: "asked", reason: "no-entry" })
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})
