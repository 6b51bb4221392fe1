/**
 * Decisions that another alters (protocol §9): put right when that is heard of, and at the latest by the hourly compare.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import { deafness, slowly } from "./Hearing.ts"
import {
  assertSettled,
  bound,
  databaseKey,
  facts,
  live,
  pass,
  passLong,
  provisions,
  put,
  remove,
  start,
  write
} from "./Running.ts"

describe("a decision that another alters", () => {
  it.effect("is put right when its event comes, without deciding anew", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      running.asked.length = 0
      const before = running.decided()
      yield* write(provisions, databaseKey, { state: "refused" })
      yield* pass()
      yield* remove("mesh-provisioner_plans", "n1.shop")
      yield* pass()
      yield* write(provisions, "n9.planted.bound.x", new Uint8Array([0xff]))
      yield* pass()
      assert.deepStrictEqual(running.asked, [
        { op: "update", bucket: provisions, key: databaseKey, ok: true },
        { op: "create", bucket: "mesh-provisioner_plans", key: "n1.shop", ok: true },
        { op: "delete", bucket: provisions, key: "n9.planted.bound.x", ok: true }
      ])
      assert.strictEqual(running.decided(), before)
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is put right at the hourly compare, where no event of it came", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const deaf = deafness()
      const running = yield* start({ interference: { follow: deaf.follow } })
      yield* pass()
      running.asked.length = 0
      yield* deaf.begin
      yield* write(provisions, databaseKey, { state: "refused" })
      yield* remove("mesh-provisioner_plans", "n1.shop")
      yield* write("mesh-provisioner_needs", "n1.shop.port.unheard", {})
      yield* passLong("59 minutes")
      assert.deepStrictEqual(running.asked, [])
      yield* passLong("1 minute")
      assert.deepStrictEqual(running.asked.map(({ key, op }) => [op, key]), [
        ["update", databaseKey],
        ["create", "n1.shop.port.unheard"],
        ["create", "n1.shop"]
      ])
      yield* assertSettled
      running.asked.length = 0
      yield* passLong("5 hours")
      assert.deepStrictEqual(running.asked, [])
      assert.strictEqual((yield* running.provisioner.health).state, "live")
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is put right upon what was read, though it takes a while: nothing is written meanwhile", () =>
    Effect.gen(function*() {
      const running = yield* live
      yield* running.stop
      const slow = yield* start({
        compareEvery: "1 minute",
        interference: { follow: slowly("500 millis", provisions) }
      })
      yield* passLong("1 second")
      yield* passLong("1 second")
      yield* TestClock.adjust(60_000 - 2_060)
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass(100)
      assert.deepStrictEqual(slow.asked, [])
      assert.strictEqual((yield* slow.provisioner.health).state, "live")
      yield* passLong("2 seconds")
      assert.deepStrictEqual(slow.asked.map(({ bucket, ok }) => [bucket, ok]), [[provisions, true], [
        "mesh-provisioner_plans",
        true
      ]])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is put right as often as the setting says", () =>
    Effect.gen(function*() {
      const deaf = deafness()
      const running = yield* start({
        compareEvery: "1 minute",
        interference: { follow: deaf.follow }
      })
      yield* pass()
      yield* deaf.begin
      yield* write(provisions, databaseKey, { state: "refused" })
      yield* pass()
      running.asked.length = 0
      yield* passLong("1 minute")
      assert.deepStrictEqual(running.asked, [{ op: "delete", bucket: provisions, key: databaseKey, ok: true }])
    }).pipe(Effect.provide(MemoryBus.layer())))
})
