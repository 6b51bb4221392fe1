/**
 * What is lost (protocol §9): a bucket, or the bus itself. All writing stops, that is said, and it is taken up again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import { decide } from "../../src/core/index.ts"
import { deafness } from "./Hearing.ts"
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

describe("a fact bucket that is lost", () => {
  for (
    const bucket of ["mesh-provisioner_needs", "mesh-controller_modules", "mesh-provisioner_answers", "postgres_bound"]
  ) {
    it.effect(`stops all writing, says so, and is taken up again with the difference only: ${bucket}`, () =>
      Effect.gen(function*() {
        const running = yield* live
        const memory = yield* MemoryBus
        const held = (yield* memory.snapshot).buckets[bucket] ?? {}
        yield* memory.deleteBucket(bucket)
        yield* pass()
        const health = yield* healthOf(running)
        assert.strictEqual(health.state, "lost")
        assert.deepStrictEqual(health.lost.map(({ bucket }) => bucket), [bucket])
        yield* write("mesh-controller_assignments", "n3.web", { build: "w1" })
        yield* passLong("3 hours")
        assert.deepStrictEqual(running.asked, [])
        assert.strictEqual(linesOf(running, "Warn").length, 1)
        assert.include(linesOf(running, "Warn")[0], `bucket ${bucket} is lost`)
        yield* memory.makeBucket(bucket)
        yield* pass(1)
        yield* memory.load({ buckets: { [bucket]: held } })
        yield* pass()
        assert.strictEqual((yield* healthOf(running)).state, "live")
        assert.include(running.asked.map(({ key }) => key), "n3.web")
        yield* assertSettled
        assert.strictEqual(linesOf(running, "Info").filter((line) => line.startsWith("Every bucket is read")).length, 2)
      }).pipe(Effect.provide(MemoryBus.layer())))
  }

  it.effect("and comes back as it was: only what changed meanwhile is written", () =>
    Effect.gen(function*() {
      const running = yield* live
      const memory = yield* MemoryBus
      const { postgres_bound: held = {} } = facts
      yield* memory.deleteBucket("postgres_bound")
      yield* pass()
      yield* write("mesh-controller_assignments", "n3.web", { build: "w1" })
      // The bucket and all that is in it are there before it is looked for again.
      yield* memory.load({ buckets: { postgres_bound: held } })
      yield* pass()
      assert.deepStrictEqual(running.asked, [
        { op: "create", bucket: "mesh-provisioner_plans", key: "n3.web", ok: true }
      ])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("by the end of its reading is read anew at once (report 065)", () =>
    Effect.gen(function*() {
      const running = yield* live
      const { faults } = yield* MemoryBus
      yield* faults.endReading("mesh-provisioner_needs")
      yield* write("mesh-provisioner_needs", "n1.shop.port.meanwhile", {})
      yield* pass(5)
      assert.deepStrictEqual((yield* healthOf(running)).lost, [{ bucket: "mesh-provisioner_needs", how: "ended" }])
      assert.deepStrictEqual(running.asked, [])
      yield* passLong("200 millis")
      assert.strictEqual((yield* healthOf(running)).state, "live")
      assert.deepStrictEqual(running.asked.map(({ bucket, key }) => [bucket, key]), [
        [provisions, "n1.shop.port.meanwhile"],
        ["mesh-provisioner_plans", "n1.shop"]
      ])
      yield* remove("mesh-provisioner_needs", databaseKey)
      yield* pass()
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("by the end of its reading, with keys deleted before it was read anew, loses those keys", () =>
    Effect.gen(function*() {
      const running = yield* live
      const { faults } = yield* MemoryBus
      yield* faults.endReading("mesh-provisioner_needs")
      yield* remove("mesh-provisioner_needs", databaseKey)
      yield* passLong("1 second")
      assert.include(running.asked.filter(({ op }) => op === "delete").map(({ key }) => key), databaseKey)
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("again and again is read again each time, and said each time it begins", () =>
    Effect.gen(function*() {
      const running = yield* live
      const { faults } = yield* MemoryBus
      for (let round = 0; round < 5; round++) {
        yield* faults.endReading("mesh-host_haves")
        yield* passLong("1 second")
        assert.strictEqual((yield* healthOf(running)).state, "live")
      }
      assert.strictEqual(linesOf(running, "Warn").length, 5)
      assert.deepStrictEqual(running.asked, [])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("because this account may not read it stops all writing until it may", () =>
    Effect.gen(function*() {
      yield* put(facts)
      let mayRead = false
      const running = yield* start({
        interference: {
          follow: (bucket, follow) =>
            bucket === "postgres_bound" && !mayRead
              ? Effect.fail(
                new BusError({ operation: "follow", bucket, reason: { _tag: "Refused", because: "account" } })
              )
              : follow
        }
      })
      yield* passLong("1 minute")
      assert.deepStrictEqual((yield* healthOf(running)).lost, [{ bucket: "postgres_bound", how: "refused" }])
      assert.deepStrictEqual(running.asked, [])
      assert.deepStrictEqual(linesOf(running, "Warn"), [
        "Nothing is written: this account may not use bucket postgres_bound. Grant it."
      ])
      mayRead = true
      yield* passLong("10 seconds")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a decision bucket that is lost", () => {
  it.effect("stops all writing, and is written anew when it is made again", () =>
    Effect.gen(function*() {
      const running = yield* live
      const memory = yield* MemoryBus
      yield* memory.deleteBucket(provisions)
      yield* pass()
      assert.strictEqual((yield* healthOf(running)).state, "lost")
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* passLong("1 hour")
      assert.deepStrictEqual(running.asked, [])
      yield* memory.makeBucket(provisions)
      yield* pass()
      yield* assertSettled
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "asked" })
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a bus that is gone", () => {
  it.effect("stops all writing, is said once, is asked until it is back, and then only the difference is written", () =>
    Effect.gen(function*() {
      const running = yield* live
      const { faults, load } = yield* MemoryBus
      yield* faults.cutOff
      yield* passLong("10 minutes")
      const health = yield* healthOf(running)
      assert.strictEqual(health.state, "lost")
      assert.isTrue(health.lost.every(({ how }) => how === "unreachable"))
      assert.deepStrictEqual(linesOf(running, "Warn"), [
        "Nothing is written: the bus does not answer. It is asked again until it does."
      ])
      yield* load({ buckets: { "mesh-controller_assignments": { "n3.web": { build: "w1" } }, later_bound: {} } })
      yield* faults.restore
      yield* passLong("10 seconds")
      assert.strictEqual((yield* healthOf(running)).state, "live")
      assert.deepStrictEqual(running.asked, [{
        op: "create",
        bucket: "mesh-provisioner_plans",
        key: "n3.web",
        ok: true
      }])
      yield* put({ "mesh-controller_assignments": { "n4.web": { build: "w1" } } })
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("at the start is asked until it answers", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { faults } = yield* MemoryBus
      yield* faults.cutOff
      const running = yield* start()
      yield* passLong("1 minute")
      assert.strictEqual((yield* healthOf(running)).state, "lost")
      yield* faults.restore
      yield* passLong("10 seconds")
      assert.strictEqual((yield* healthOf(running)).state, "live")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("and comes back without a bucket that was there: that one is lost", () =>
    Effect.gen(function*() {
      const running = yield* live
      const { deleteBucket, faults, makeBucket } = yield* MemoryBus
      yield* faults.cutOff
      yield* pass()
      yield* deleteBucket("postgres_bound")
      yield* faults.restore
      yield* passLong("1 minute")
      assert.deepStrictEqual((yield* healthOf(running)).lost, [{ bucket: "postgres_bound", how: "missing" }])
      assert.deepStrictEqual(running.asked, [])
      yield* makeBucket("postgres_bound")
      yield* pass()
      assert.strictEqual((yield* healthOf(running)).state, "live")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is asked less and less often, but at least every ten seconds", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const tries: Array<number> = []
      let now = 0
      yield* start({
        interference: {
          follow: (bucket, follow) =>
            bucket === "mesh-host_haves"
              ? Effect.suspend(() => {
                tries.push(now)
                return Effect.fail(new BusError({ operation: "follow", bucket, reason: { _tag: "Unreachable" } }))
              })
              : follow
        }
      })
      for (now = 0; now < 60_000; now += 50) {
        yield* pass(50)
      }
      const waits = tries.slice(1).map((time, index) => time - (tries[index] ?? 0))
      assert.deepStrictEqual(waits.slice(0, 5).map((wait) => Math.round(wait / 100)), [1, 2, 4, 8, 16])
      assert.isAtMost(Math.max(...waits), 10_100)
      assert.isAtLeast(waits.length, 8)
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a reading that hangs (report 067)", () => {
  it.effect("without failing is begun anew by the hourly compare", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const deaf = deafness()
      const running = yield* start({ interference: { follow: deaf.follow } })
      yield* pass()
      yield* deaf.begin
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* passLong("1 hour")
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "asked" })
      yield* write("postgres_bound", bound, provided)
      yield* pass()
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "provided" })
      assert.strictEqual(
        running.turns.at(-1)?.after.plans.get("n1.shop")?.state,
        decide(yield* (yield* MemoryBus).snapshot).plans.get("n1.shop")?.state
      )
    }).pipe(Effect.provide(MemoryBus.layer())))
})
