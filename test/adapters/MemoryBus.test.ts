/**
 * What the memory bus has beyond the contract of every bus (`test/contract`): snapshots in and out, time, and faults.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Bus, type BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import {
  bytes,
  endState,
  holds,
  reasonOf,
  takeCount,
  takeStart,
  takeToError,
  textOf,
  told
} from "../../src/testing/conformance/BusDoor.ts"

const plans = "mesh-provisioner_plans"
const admin = Effect.map(MemoryBus, (memory) => memory.as({ role: "admin" }))

describe("a memory bus as it is made", () => {
  it.effect("has the buckets that the protocol names, and no others", () =>
    Effect.gen(function*() {
      const events = yield* takeStart(yield* (yield* admin).followBuckets)
      assert.deepStrictEqual(events.flatMap((event) => event._tag === "Appeared" ? [event.bucket] : []).sort(), [
        "mesh-config_values",
        "mesh-controller_assignments",
        "mesh-controller_machines",
        "mesh-controller_modules",
        "mesh-controller_seats",
        "mesh-host_haves",
        "mesh-provisioner_answers",
        "mesh-provisioner_applied",
        "mesh-provisioner_asks",
        "mesh-provisioner_collect",
        "mesh-provisioner_needs",
        "mesh-provisioner_plans",
        "mesh-provisioner_provisions",
        "mesh-provisioner_registry"
      ])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("takes other buckets and limits", () =>
    Effect.gen(function*() {
      const bus = yield* admin
      assert.deepStrictEqual(bus.limits, { valueBytesMax: 4, keyBytesMax: 2 })
      yield* bus.create("b", "ab", bytes("1234"))
      assert.strictEqual((yield* reasonOf(bus.create("b", "abc", bytes("1"))))._tag, "TooLarge")
      assert.strictEqual((yield* reasonOf(bus.create("b", "a", bytes("12345"))))._tag, "TooLarge")
      assert.strictEqual((yield* reasonOf(bus.create(plans, "a", bytes("1"))))._tag, "Lost")
    }).pipe(Effect.provide(MemoryBus.layer({ buckets: ["b"], valueBytesMax: 4, keyBytesMax: 2 }))))

  it.effect("holds 1 MiB a value where nothing else is said", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* admin).limits.valueBytesMax, 1_048_576)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is the port, as an account, by a layer", () =>
    Effect.gen(function*() {
      const bus = yield* Bus
      yield* bus.create(plans, "n1.web", bytes("{}"))
      assert.deepStrictEqual(yield* reasonOf(bus.create("mesh-host_haves", "n1.web", bytes("{}"))), {
        _tag: "Refused",
        because: "account"
      })
      assert.strictEqual(yield* holds(yield* admin, plans, "n1.web"), "{}")
    }).pipe(Effect.provide(MemoryBus.layerAs({ role: "provisioner" }).pipe(Layer.provideMerge(MemoryBus.layer())))))

  it.effect("takes its time from the clock", () =>
    Effect.gen(function*() {
      const bus = yield* admin
      yield* TestClock.setTime(1_700_000_000_000)
      const created = yield* bus.create(plans, "a", bytes("1"))
      yield* TestClock.adjust("90 seconds")
      yield* bus.delete(plans, "a", created)
      yield* TestClock.adjust("1 hour")
      yield* (yield* MemoryBus).load({ buckets: { [plans]: { a: 2 } } })
      assert.deepStrictEqual((yield* bus.history(plans, "a")).map(({ timeMillis }) => timeMillis), [
        1_700_000_000_000,
        1_700_000_090_000,
        1_700_003_690_000
      ])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("two of them share nothing", () =>
    Effect.gen(function*() {
      const one = (yield* MemoryBus.make()).as({ role: "admin" })
      const other = (yield* MemoryBus.make()).as({ role: "admin" })
      yield* one.create(plans, "a", bytes("1"))
      assert.strictEqual(yield* holds(other, plans, "a"), undefined)
    }))
})

describe("faults on purpose", () => {
  it.effect("the reading of a bucket ends while the bucket stays, and never in silence (report 065)", () =>
    Effect.gen(function*() {
      const { faults } = yield* MemoryBus
      const bus = yield* admin
      const events = yield* bus.follow(plans)
      const others = yield* bus.follow("mesh-provisioner_asks")
      yield* bus.create(plans, "a", bytes("1"))
      yield* faults.endReading(plans)
      yield* bus.create(plans, "b", bytes("2"))
      assert.deepStrictEqual((yield* takeCount(events, 2)).map(told), [["end"], ["put", "a", "1", 1]])
      const error = yield* takeToError(events)
      assert.deepStrictEqual(error.reason, { _tag: "Lost", how: "ended" })
      assert.strictEqual(
        error.message,
        "Bucket mesh-provisioner_plans was not read: the reading of it was ended. " +
          "Follow it again: it is then read anew from the start."
      )
      assert.deepStrictEqual((yield* takeStart(yield* bus.follow(plans))).length, 3)
      yield* bus.create("mesh-provisioner_asks", "c", bytes("3"))
      assert.strictEqual((yield* takeCount(others, 2)).length, 2)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("the bus is gone for everybody, and comes back with all that it held", () =>
    Effect.gen(function*() {
      const { as, faults } = yield* MemoryBus
      const bus = as({ role: "provisioner" })
      const created = yield* bus.create(plans, "a", bytes("1"))
      const events = yield* bus.follow(plans)
      const names = yield* bus.followBuckets
      yield* takeStart(events)
      yield* takeStart(names)
      yield* faults.cutOff
      assert.strictEqual((yield* takeToError(events)).reason._tag, "Unreachable")
      assert.strictEqual((yield* takeToError(names)).reason._tag, "Unreachable")
      const calls: ReadonlyArray<Effect.Effect<unknown, BusError>> = [
        bus.get(plans, "a"),
        bus.history(plans, "a"),
        bus.create(plans, "b", bytes("2")),
        bus.update(plans, "a", bytes("2"), created),
        bus.delete(plans, "a", created),
        Effect.scoped(bus.follow(plans)),
        Effect.scoped(bus.followBuckets)
      ]
      for (const call of calls) {
        assert.deepStrictEqual((yield* Effect.flip(call)).reason, { _tag: "Unreachable" })
      }
      yield* faults.restore
      assert.deepStrictEqual((yield* takeStart(yield* bus.follow(plans))).map(told), [["put", "a", "1", created], [
        "end"
      ]])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("a write whose answer is lost was done, one that is lost was not, and its writer cannot tell", () =>
    Effect.gen(function*() {
      const { as, faults } = yield* MemoryBus
      const bus = as({ role: "provisioner" })
      yield* faults.loseNextAnswer
      yield* faults.loseNextWrite
      assert.strictEqual((yield* reasonOf(bus.create("mesh-host_haves", "a", bytes("1"))))._tag, "Refused")
      const done = yield* Effect.flip(bus.create(plans, "a", bytes("1")))
      const undone = yield* Effect.flip(bus.create(plans, "b", bytes("1")))
      assert.strictEqual(yield* holds(bus, plans, "a"), "1")
      assert.strictEqual(yield* holds(bus, plans, "b"), undefined)
      assert.deepStrictEqual(done.reason, undone.reason)
      assert.strictEqual(
        done.message,
        `Key "a" of bucket ${plans} was not created: the bus did not answer, and it may have been done all the same. ` +
          "Read it again before it is written again."
      )
      yield* bus.create(plans, "b", bytes("1"))
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a reader that takes nothing", () => {
  it.effect("costs memory by the keys, not by their changes", () =>
    Effect.gen(function*() {
      const bus = yield* admin
      const events = yield* bus.follow(plans)
      const revisions = new Map<string, number>()
      let most = 0
      for (let change = 0; change < 30_000; change++) {
        const key = `k${change * 7 % 300}`
        const last = revisions.get(key)
        const value = bytes(`${change}`)
        revisions.set(
          key,
          last === undefined
            ? yield* bus.create(plans, key, value)
            : yield* bus.update(plans, key, value, last)
        )
        most = Math.max(most, Queue.sizeUnsafe(events))
      }
      assert.isAtMost(most, 1_024 + 1)
      const heard = yield* takeCount(events, 1)
      assert.strictEqual(heard.filter((event) => event._tag === "End").length, 1)
      const state = endState(heard)
      assert.deepStrictEqual(
        [...state].map(([key, put]) => [key, put.revision]).sort(),
        [...revisions].sort()
      )
      assert.strictEqual(Math.max(...[...state.values()].map(({ value }) => Number(textOf(value)))), 29_999)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is forgotten when its scope closes", () =>
    Effect.gen(function*() {
      const bus = yield* admin
      const events = yield* Effect.scoped(bus.follow(plans))
      const names = yield* Effect.scoped(bus.followBuckets)
      yield* bus.create(plans, "a", bytes("1"))
      yield* (yield* MemoryBus).makeBucket("postgres_bound")
      assert.strictEqual(events.state._tag, "Done")
      assert.strictEqual(names.state._tag, "Done")
    }).pipe(Effect.provide(MemoryBus.layer())))
})
