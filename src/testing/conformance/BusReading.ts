/**
 * The laws of reading a bus (`ports/Bus`: follow, followBuckets, get, history).
 */
import { Effect, Fiber, Queue } from "effect"
import assert from "node:assert/strict"
import type { Revision } from "../../ports/Bus.ts"
import {
  assertGrowing,
  type BusLaw,
  bytes,
  endState,
  freshBucket,
  holds,
  law,
  reasonOf,
  takeCount,
  takeStart,
  takeToError,
  takeUntil,
  textOf,
  told
} from "./BusDoor.ts"

const isChange = (event: { readonly _tag: string }): event is Revision => event._tag !== "End"

/** A bucket's start, and its end. */
export const followStart: ReadonlyArray<BusLaw> = [
  law("an empty bucket ends at once", function*() {
    const { bucket, bus } = yield* freshBucket
    const events = yield* bus.follow(bucket)
    assert.deepStrictEqual(yield* takeStart(events), [{ _tag: "End" }])
  }),

  law("a bucket of which everything was deleted ends at once", function*() {
    const { bucket, bus } = yield* freshBucket
    yield* bus.delete(bucket, "a", yield* bus.create(bucket, "a", bytes("1")))
    assert.deepStrictEqual(yield* takeStart(yield* bus.follow(bucket)), [{ _tag: "End" }])
  }),

  law("the start is each key once, with its latest value, in the order of revisions, and one end", function*() {
    const { bucket, bus } = yield* freshBucket
    const first = yield* bus.create(bucket, "a", bytes("a1"))
    const second = yield* bus.create(bucket, "b", bytes("b1"))
    const third = yield* bus.create(bucket, "c", bytes("c1"))
    yield* bus.delete(bucket, "c", third)
    const latest = yield* bus.update(bucket, "a", bytes("a2"), first)
    const events = yield* takeStart(yield* bus.follow(bucket))
    assert.deepStrictEqual(events.map(told), [["put", "b", "b1", second], ["put", "a", "a2", latest], ["end"]])
  }),

  law("a start of 100,000 keys is read to its end", function*() {
    const { bucket, bus, door } = yield* freshBucket
    const value = bytes(`{"build":"b1"}`)
    yield* door.plant(bucket, Array.from({ length: 100_000 }, (_, index) => [`n1.m${index}`, value] as const))
    const start = yield* takeStart(yield* bus.follow(bucket))
    assert.strictEqual(start.length, 100_001)
    assert.strictEqual(endState(start).size, 100_000)
    assert.strictEqual(start.at(-1)?._tag, "End")
    assertGrowing(start.filter(isChange))
  })
]

/** What comes after the end of the start. */
export const followLive: ReadonlyArray<BusLaw> = [
  law("after the end, each change comes in the order of revisions, and no other end", function*() {
    const { bucket, bus } = yield* freshBucket
    const events = yield* bus.follow(bucket)
    yield* takeStart(events)
    const created = yield* bus.create(bucket, "a", bytes("1"))
    const updated = yield* bus.update(bucket, "a", bytes("1"), created)
    const deleted = yield* bus.delete(bucket, "a", updated)
    const again = yield* bus.create(bucket, "a", bytes("2"))
    assert.deepStrictEqual((yield* takeCount(events, 4)).map(told), [
      ["put", "a", "1", created],
      ["put", "a", "1", updated],
      ["delete", "a", deleted],
      ["put", "a", "2", again]
    ])
  }),

  law("a change says when it was made", function*() {
    const { bucket, bus } = yield* freshBucket
    const events = yield* bus.follow(bucket)
    const before = Date.now()
    yield* bus.create(bucket, "a", bytes("1"))
    const [put] = (yield* takeCount(events, 2)).filter(isChange)
    assert.ok(put !== undefined && Math.abs(put.timeMillis - before) < 10_000)
  }),

  law("nothing is lost or said twice while others write", function*() {
    const { bucket, bus } = yield* freshBucket
    const written = new Map<number, string>()
    const write = Effect.gen(function*() {
      for (let round = 0; round < 60; round++) {
        for (let key = 0; key < 20; key++) {
          const last = (yield* bus.history(bucket, `k${key}`)).at(-1)
          const value = `${key} in ${round}`
          const revision = last === undefined
            ? yield* bus.create(bucket, `k${key}`, bytes(value))
            : yield* bus.update(bucket, `k${key}`, bytes(value), last.revision)
          written.set(revision, value)
        }
        yield* Effect.yieldNow
      }
    })
    const read = (pauseMillis: number) =>
      Effect.gen(function*() {
        yield* Effect.sleep(pauseMillis)
        const events = yield* bus.follow(bucket)
        return yield* takeUntil(events, (seen) => {
          const state = endState(seen)
          return state.size === 20 && [...state.values()].every(({ value }) => textOf(value).endsWith(" in 59"))
        })
      })
    const readers = yield* Effect.forEach([0, 1, 3, 7, 15], (pause) => Effect.forkChild(read(pause)))
    yield* write
    for (const reader of readers) {
      const events = yield* Fiber.join(reader)
      assert.strictEqual(events.filter((event) => event._tag === "End").length, 1)
      const changes = events.filter(isChange)
      assertGrowing(changes)
      for (const change of changes) {
        assert.strictEqual(change._tag === "Put" ? textOf(change.value) : "", written.get(change.revision))
      }
    }
  }),

  law("a reader that falls behind still hears the latest of every key, and its start before the end", function*() {
    const { bucket, bus } = yield* freshBucket
    let kept = yield* bus.create(bucket, "kept", bytes("0"))
    const gone = yield* bus.create(bucket, "gone", bytes("0"))
    const events = yield* bus.follow(bucket)
    for (let round = 1; round <= 4_000; round++) {
      kept = yield* bus.update(bucket, "kept", bytes(`${round}`), kept)
    }
    yield* bus.delete(bucket, "gone", gone)
    const heard = yield* takeUntil(events, (seen) => seen.some((event) => event._tag === "Delete"))
    assert.deepStrictEqual([...endState(heard)].map(([key, put]) => [key, textOf(put.value)]), [["kept", "4000"]])
    assertGrowing(heard.filter(isChange))
    const end = heard.findIndex((event) => event._tag === "End")
    assert.ok(heard.slice(0, end).some((event) => isChange(event) && event.key === "kept"))
    assert.ok(heard.slice(0, end).some((event) => isChange(event) && event.key === "gone"))
  }),

  law("a queue of which the scope has closed is told nothing more", function*() {
    const { bucket, bus } = yield* freshBucket
    const events = yield* Effect.scoped(bus.follow(bucket))
    yield* bus.create(bucket, "a", bytes("1"))
    assert.strictEqual(Queue.sizeUnsafe(events), 0)
  })
]

/** Buckets that come and go. */
export const bucketsComeAndGo: ReadonlyArray<BusLaw> = [
  law("a bucket that is not there is lost, whatever its name", function*() {
    const { bus } = yield* freshBucket
    for (const bucket of ["nobody_bound", "__proto__", "constructor"]) {
      const error = yield* Effect.flip(bus.follow(bucket))
      assert.deepStrictEqual(error.reason, { _tag: "Lost", how: "missing" })
      assert.match(error.message, /there is no such bucket/)
      assert.strictEqual((yield* reasonOf(bus.get(bucket, "a")))._tag, "Lost")
      assert.strictEqual((yield* reasonOf(bus.history(bucket, "a")))._tag, "Lost")
      assert.strictEqual((yield* reasonOf(bus.create(bucket, "a", bytes("1"))))._tag, "Lost")
    }
  }),

  law("a bucket deleted under its reader: what was said before, and then it is lost", function*() {
    const { bucket, bus, door } = yield* freshBucket
    yield* bus.create(bucket, "a", bytes("1"))
    const events = yield* bus.follow(bucket)
    yield* takeStart(events)
    yield* door.deleteBucket(bucket)
    const error = yield* takeToError(events)
    assert.strictEqual(error.reason._tag, "Lost")
    assert.strictEqual(error.bucket, bucket)
    assert.strictEqual((yield* reasonOf(bus.get(bucket, "a")))._tag, "Lost")
  }),

  law("a bucket made again is another one, and its old reader hears nothing of it", function*() {
    const { bucket, bus, door } = yield* freshBucket
    yield* bus.create(bucket, "old", bytes("1"))
    const old = yield* bus.follow(bucket)
    yield* takeStart(old)
    yield* door.deleteBucket(bucket)
    yield* door.makeBucket(bucket)
    assert.strictEqual((yield* takeToError(old)).reason._tag, "Lost")
    const created = yield* bus.create(bucket, "new", bytes("2"))
    const events = yield* takeStart(yield* bus.follow(bucket))
    assert.deepStrictEqual(events.map(told), [["put", "new", "2", created], ["end"]])
    assert.strictEqual(yield* holds(bus, bucket, "old"), undefined)
    assert.deepStrictEqual(yield* bus.history(bucket, "old"), [])
  }),

  law("the names of the buckets are followed the same way", function*() {
    const { bucket, bus, door } = yield* freshBucket
    const events = yield* bus.followBuckets
    const start = yield* takeStart(events)
    assert.deepStrictEqual(start.filter((event) => event._tag === "Appeared" && event.bucket === bucket).length, 1)
    assert.ok(start.some((event) => event._tag === "Appeared" && event.bucket === "mesh-provisioner_needs"))
    assert.strictEqual(start.filter((event) => event._tag === "End").length, 1)
    yield* door.makeBucket(`${bucket}2`)
    yield* door.makeBucket(`${bucket}2`)
    assert.deepStrictEqual(yield* takeCount(events, 1), [{ _tag: "Appeared", bucket: `${bucket}2` }])
    yield* door.deleteBucket(bucket)
    yield* door.deleteBucket(`${bucket}2`)
    assert.deepStrictEqual(yield* takeCount(events, 2), [
      { _tag: "Vanished", bucket },
      { _tag: "Vanished", bucket: `${bucket}2` }
    ])
  })
]
