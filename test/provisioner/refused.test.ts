/**
 * Writes that cannot succeed (protocol §9): each is said once with its bucket and key, and stops no other.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import {
  assertSettled,
  bound,
  databaseKey,
  facts,
  linesOf,
  needs,
  pass,
  passLong,
  plans,
  provisions,
  put,
  settled,
  start,
  stored,
  write
} from "./Running.ts"

describe("a write that cannot succeed", () => {
  it.effect("because it is too large is said once with bucket and key, and does not stop the others", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      running.asked.length = 0
      // A `why` of the provider's words, as long as they may be, is over what this bus holds.
      yield* write("postgres_bound", bound, { state: "failed", why: "e".repeat(1_000), by: "n2" })
      yield* write("mesh-controller_assignments", "n3.web", { build: "w1" })
      yield* pass()
      assert.deepInclude(yield* stored(plans, "n3.web"), { state: "ready" })
      const warnings = linesOf(running, "Warn")
      assert.strictEqual(warnings.length, 2)
      assert.match(
        warnings[0] ?? "",
        /^Key "n1\.shop\.bound\.database" of bucket mesh-provisioner_provisions was not updated: its value has \d+ bytes/
      )
      assert.strictEqual((yield* running.provisioner.health).state, "live")
      const tries = () => running.asked.filter(({ key }) => key === databaseKey).length
      assert.strictEqual(tries(), 1)
      yield* write("mesh-controller_assignments", "n4.web", { build: "w1" })
      yield* pass()
      assert.strictEqual(tries(), 1)
      yield* write("postgres_bound", bound, { state: "failed", why: "disk full", by: "n2" })
      yield* pass()
      assert.strictEqual(tries(), 2)
      yield* assertSettled
      assert.strictEqual(linesOf(running, "Warn").length, 2)
    }).pipe(Effect.provide(MemoryBus.layer({ valueBytesMax: 1_150 }))))

  it.effect("because it is refused is said once with bucket and key, and tried again only when its bucket is read anew", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, ...needs(5) })
      let mayWrite = false
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key, op }) =>
            bucket === plans && !mayWrite
              ? Effect.fail(
                new BusError({ operation: op, bucket, key, reason: { _tag: "Refused", because: "account" } })
              )
              : Effect.void
        }
      })
      yield* pass()
      const tries = () => running.asked.filter(({ bucket, key }) => bucket === plans && key === "n1.shop").length
      assert.strictEqual(tries(), 1)
      assert.isDefined(yield* stored(provisions, "n1.shop.port.p4"))
      yield* write("mesh-provisioner_needs", "n1.shop.port.p5", {})
      yield* pass()
      // What is to be written is another plan now.
      assert.strictEqual(tries(), 2)
      yield* write("mesh-provisioner_needs", "n1.other.port.x", {})
      yield* pass()
      const before = tries()
      assert.strictEqual(before, 2)
      yield* (yield* MemoryBus).faults.endReading("mesh-provisioner_needs")
      yield* passLong("10 minutes")
      assert.strictEqual(tries(), before)
      assert.strictEqual(
        linesOf(running, "Warn").filter((line) => line.includes(`"n1.shop" of bucket ${plans}`)).length,
        2
      )
      yield* passLong("1 hour")
      assert.isAbove(tries(), before)
      assert.strictEqual(
        linesOf(running, "Warn").filter((line) => line.includes(`"n1.shop" of bucket ${plans}`)).length,
        2
      )
      mayWrite = true
      yield* (yield* MemoryBus).faults.endReading(plans)
      yield* passLong("1 second")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("because a stranger's key cannot be written is said, escaped, and stops nothing", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, [provisions]: { "n1.*": {}, "n1.\u001b[2J\u202e": {} } })
      const running = yield* start()
      yield* pass()
      assert.isDefined(yield* stored(plans, "n1.shop"))
      const warnings = linesOf(running, "Warn")
      assert.strictEqual(warnings.length, 2)
      assert.isTrue(warnings.some((line) => line.includes("n1.*")))
      assert.isTrue(warnings.some((line) => line.includes("\\u001b[2J\\u202e")))
      yield* passLong("30 minutes")
      assert.strictEqual(linesOf(running, "Warn").length, 2)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("into a bucket that is gone stops writing until it is back", () =>
    Effect.gen(function*() {
      yield* settled
      let lost = true
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key, op }) =>
            lost
              ? Effect.fail(new BusError({ operation: op, bucket, key, reason: { _tag: "Lost", how: "missing" } }))
              : Effect.void
        }
      })
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* passLong("1 minute")
      assert.strictEqual((yield* running.provisioner.health).state, "lost")
      assert.deepStrictEqual((yield* running.provisioner.health).lost, [{ bucket: provisions, how: "missing" }])
      assert.strictEqual(linesOf(running, "Warn").length, 1)
      assert.isAtMost(running.asked.length, 20)
      lost = false
      yield* passLong("10 seconds")
      assert.strictEqual((yield* running.provisioner.health).state, "live")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})
