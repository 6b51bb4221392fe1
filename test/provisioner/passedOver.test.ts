/**
 * What the bus answers for and that cannot be read (protocol §9): what is called like a provider's bucket and is none, which
 * nothing waits for where no definition is of its module; and a bucket that is read with an error of the bus.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type BucketEvent, BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import { bucketName } from "../../src/core/index.ts"
import { Readings } from "../../src/provisioner/Readings.ts"
import {
  assertSettled,
  bound,
  databaseKey,
  facts,
  healthOf,
  linesOf,
  pass,
  passLong,
  put,
  remove,
  start,
  write
} from "./Running.ts"

const end = { _tag: "End" } as const
const value = new TextEncoder().encode(`{"state":"provided","by":"n2"}`)
const putInOld: BucketEvent = { _tag: "Put", key: bound, value, revision: 1, timeMillis: 0 }

describe("what is called like a provider's bucket and is none", () => {
  const noBucket = (bucket: string) =>
    new BusError({ operation: "follow", bucket, reason: { _tag: "Lost", how: "no-bucket" } })

  it("holds nothing any more of what it held as a bucket, and is looked at again", () => {
    const readings = new Readings()
    const readers = new Map<string | undefined, number>()
    const gone: Array<string> = []
    const settle = () => {
      gone.push(
        ...readings.follow({ counts: (bucket) => bucket === "old_bound", mayGo: (bucket) => bucket === "old_bound" })
      )
      for (const order of readings.takeOrders()) {
        readers.set(order.bucket, order._tag === "Start" ? order.reader : 0)
      }
    }
    const reader = (bucket?: string) => readers.get(bucket) ?? 0
    const buckets = [...Object.values(bucketName), "old_bound"]
    settle()
    readings.hearNames(reader(), [...buckets.map((bucket) => ({ _tag: "Appeared", bucket } as const)), end])
    settle()
    for (const bucket of buckets) {
      readings.hearBucket(bucket, reader(bucket), bucket === "old_bound" ? [putInOld, end] : [end])
    }
    settle()
    assert.isTrue(readings.isWhole)
    assert.strictEqual(readings.progress().read, 15)
    const first = reader("old_bound")
    readings.hearFailure({ _tag: "Failed", bucket: "old_bound", reader: first, error: noBucket("old_bound") })
    settle()
    assert.isTrue(readings.isWhole)
    assert.deepStrictEqual(gone, ["old_bound"])
    const { known, lost, passedOver, read } = readings.progress()
    assert.deepStrictEqual({ known, lost, passedOver, read }, {
      known: 14,
      lost: [],
      passedOver: ["old_bound"],
      read: 14
    })
    assert.isAbove(reader("old_bound"), first)
    settle()
    assert.deepStrictEqual(gone, ["old_bound"])
    const { differences } = readings.hearBucket("old_bound", reader("old_bound"), [putInOld, end])
    settle()
    assert.deepStrictEqual(differences.map(({ key }) => key), [bound])
    assert.deepStrictEqual(readings.progress().passedOver, [])
  })

  it.effect("is passed over and said once where there is no such module, lost where there is, and read once it is one", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, junk_bound: {} })
      let isBucket = false
      const running = yield* start({
        interference: {
          follow: (bucket, follow) => bucket === "junk_bound" && !isBucket ? Effect.fail(noBucket(bucket)) : follow
        }
      })
      const lost = Effect.map(healthOf(running), ({ lost }) => lost)
      yield* passLong("1 hour")
      assert.strictEqual((yield* healthOf(running)).state, "live")
      assert.deepStrictEqual((yield* healthOf(running)).passedOver, ["junk_bound"])
      assert.deepStrictEqual(linesOf(running, "Warn"), [
        "junk_bound is called like a provider's bucket and is none, and there is no such module: it is passed over. " +
        "Take it away, or call it otherwise."
      ])
      assert.include(running.asked.map(({ key }) => key), databaseKey)
      yield* write("mesh-controller_modules", "junk", {})
      yield* pass()
      assert.deepStrictEqual(yield* lost, [{ bucket: "junk_bound", how: "no-bucket" }])
      assert.include(linesOf(running, "Warn").at(-1), "bucket junk_bound is none")
      running.asked.length = 0
      yield* write("mesh-controller_assignments", "n3.web", { build: "w1" })
      yield* passLong("1 hour")
      assert.deepStrictEqual(running.asked, [])
      yield* remove("mesh-controller_modules", "junk")
      yield* pass()
      assert.deepStrictEqual(yield* lost, [])
      isBucket = true
      yield* passLong("1 minute")
      assert.deepStrictEqual((yield* healthOf(running)).passedOver, [])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a bucket that the bus answers for by an error of its own", () => {
  it.effect("is named, and lost, until it can be read: there may be more in it than was known", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, junk_bound: {} })
      let fails = true
      const running = yield* start({
        interference: {
          follow: (bucket, follow) =>
            bucket === "junk_bound" && fails
              ? Effect.fail(new BusError({ operation: "follow", bucket, reason: { _tag: "Failed", code: 10084 } }))
              : follow
        }
      })
      yield* passLong("1 minute")
      assert.deepStrictEqual((yield* healthOf(running)).lost, [{ bucket: "junk_bound", how: "failed", code: 10084 }])
      assert.deepStrictEqual(linesOf(running, "Warn"), [
        "Nothing is written: the bus answers by its error 10084 when bucket junk_bound is read. Look what that says of it, " +
        "and in the log of the bus; it is asked again."
      ])
      assert.deepStrictEqual(running.asked, [])
      fails = false
      yield* passLong("1 minute")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})
