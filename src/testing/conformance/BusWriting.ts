/**
 * The laws of writing to a bus (`ports/Bus`: create, update, delete), of what it keeps, and of what its errors say.
 */
import { Cause, Effect, Result } from "effect"
import assert from "node:assert/strict"
import { inspect } from "node:util"
import type { Write } from "../../ports/Write.ts"
import { assertGrowing, type BusLaw, bytes, failedExit, freshBucket, holds, law, reasonOf, told } from "./BusDoor.ts"

/** Compare-and-set. */
export const compareAndSet: ReadonlyArray<BusLaw> = [
  law("create writes what is absent, and conflicts with what is there", function*() {
    const { bucket, bus } = yield* freshBucket
    yield* bus.create(bucket, "a", bytes("1"))
    assert.deepStrictEqual(yield* reasonOf(bus.create(bucket, "a", bytes("2"))), { _tag: "Conflict" })
    assert.strictEqual(yield* holds(bus, bucket, "a"), "1")
  }),

  law("create after a delete succeeds upon its tombstone (report 076)", function*() {
    const { bucket, bus } = yield* freshBucket
    for (let round = 0; round < 3; round++) {
      const created = yield* bus.create(bucket, "a", bytes(`${round}`))
      assert.strictEqual(yield* holds(bus, bucket, "a"), `${round}`)
      const deleted = yield* bus.delete(bucket, "a", created)
      assert.ok(deleted > created)
      assert.strictEqual(yield* holds(bus, bucket, "a"), undefined)
    }
    assert.strictEqual((yield* bus.history(bucket, "a")).length, 6)
  }),

  law("update follows the revision it names, and no other", function*() {
    const { bucket, bus } = yield* freshBucket
    const created = yield* bus.create(bucket, "a", bytes("1"))
    const updated = yield* bus.update(bucket, "a", bytes("2"), created)
    for (const stale of [created, updated + 1]) {
      const reason = yield* reasonOf(bus.update(bucket, "a", bytes("3"), stale))
      assert.deepStrictEqual(reason, { _tag: "Conflict", expected: stale })
    }
    assert.strictEqual(yield* holds(bus, bucket, "a"), "2")
  }),

  law("update and delete of a key that never was conflict", function*() {
    const { bucket, bus } = yield* freshBucket
    const other = yield* bus.create(bucket, "other", bytes("1"))
    assert.strictEqual((yield* reasonOf(bus.update(bucket, "a", bytes("2"), other)))._tag, "Conflict")
    assert.strictEqual((yield* reasonOf(bus.delete(bucket, "a", other)))._tag, "Conflict")
    assert.deepStrictEqual(yield* bus.history(bucket, "a"), [])
  }),

  law("a delete is a change that update and delete can follow", function*() {
    const { bucket, bus } = yield* freshBucket
    const created = yield* bus.create(bucket, "a", bytes("1"))
    const deleted = yield* bus.delete(bucket, "a", created)
    assert.strictEqual((yield* reasonOf(bus.delete(bucket, "a", created)))._tag, "Conflict")
    const twice = yield* bus.delete(bucket, "a", deleted)
    yield* bus.update(bucket, "a", bytes("2"), twice)
    assert.strictEqual(yield* holds(bus, bucket, "a"), "2")
  }),

  law("delete at an overtaken revision conflicts and deletes nothing", function*() {
    const { bucket, bus } = yield* freshBucket
    const created = yield* bus.create(bucket, "a", bytes("1"))
    yield* bus.update(bucket, "a", bytes("2"), created)
    const reason = yield* reasonOf(bus.delete(bucket, "a", created))
    assert.deepStrictEqual(reason, { _tag: "Conflict", expected: created })
    assert.strictEqual(yield* holds(bus, bucket, "a"), "2")
  }),

  law("of many who write at one revision, one succeeds", function*() {
    const { bucket, bus, door } = yield* freshBucket
    const other = yield* door.connect({ role: "admin" })
    const race = <A, E>(write: (by: typeof bus, value: Uint8Array) => Effect.Effect<A, E>) =>
      Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => Effect.result(write(index % 2 === 0 ? bus : other, bytes(`${index}`))),
        { concurrency: "unbounded" }
      )
    const created = yield* race((by, value) => by.create(bucket, "a", value))
    const won = created.filter(Result.isSuccess)
    assert.strictEqual(won.length, 1)
    const updated = yield* race((by, value) => by.update(bucket, "a", value, won[0]?.success ?? 0))
    assert.strictEqual(updated.filter(Result.isSuccess).length, 1)
    assert.ok(updated.filter(Result.isFailure).every(({ failure }) => failure.reason._tag === "Conflict"))
  }),

  law("many writes at once, where it does many, come each to what it comes to by itself", function*() {
    const { bucket, bus } = yield* freshBucket
    const there = yield* bus.create(bucket, "there", bytes("1"))
    const gone = yield* bus.create(bucket, "gone", bytes("1"))
    const writes: ReadonlyArray<Write> = [
      ...Array.from({ length: 50 }, (_, index): Write => ({
        operation: "create",
        bucket,
        key: `new${index}`,
        value: bytes(`${index}`)
      })),
      { operation: "create", bucket, key: "there", value: bytes("2") },
      { operation: "delete", bucket, key: "gone", revision: gone },
      { operation: "update", bucket, key: "nobody", value: bytes("2"), revision: there }
    ]
    const waiting = [...writes]
    const settled = new Map<Write, string>()
    yield* bus.writeMany?.({
      count: writes.length,
      next: () => waiting.shift(),
      settled: (write, outcome) => {
        assert.ok(!settled.has(write))
        settled.set(write, Result.match(outcome, { onSuccess: () => "done", onFailure: ({ reason }) => reason._tag }))
      },
      onTheirWayMax: 8
    }) ?? Effect.void
    if (bus.writeMany !== undefined) {
      const expected = writes.map(({ key }) => key === "there" || key === "nobody" ? "Conflict" : "done")
      assert.deepStrictEqual(writes.map((write) => settled.get(write)), expected)
      assert.deepStrictEqual(
        [yield* holds(bus, bucket, "new49"), yield* holds(bus, bucket, "there"), yield* holds(bus, bucket, "gone")],
        ["49", "1", undefined]
      )
    }
  }),

  law("revisions grow over all keys of a bucket, for every kind of change", function*() {
    const { bucket, bus } = yield* freshBucket
    const revisions: Array<number> = []
    for (const key of ["a", "b"]) {
      revisions.push(yield* bus.create(bucket, key, bytes("1")))
      revisions.push(yield* bus.update(bucket, key, bytes("1"), revisions.at(-1) ?? 0))
      revisions.push(yield* bus.delete(bucket, key, revisions.at(-1) ?? 0))
      revisions.push(yield* bus.create(bucket, key, bytes("1")))
    }
    assert.deepStrictEqual(revisions, [...new Set(revisions)].sort((one, other) => one - other))
  })
]

/** What is kept of a key. */
export const histories: ReadonlyArray<BusLaw> = [
  law("a key's history is its last ten changes, deletes among them, the oldest first", function*() {
    const { bucket, bus } = yield* freshBucket
    const expected: Array<ReadonlyArray<string | number>> = []
    for (let round = 0; round < 5; round++) {
      const created = yield* bus.create(bucket, "a", bytes(`created ${round}`))
      const updated = yield* bus.update(bucket, "a", bytes(`updated ${round}`), created)
      const deleted = yield* bus.delete(bucket, "a", updated)
      expected.push(
        ["put", "a", `created ${round}`, created],
        ["put", "a", `updated ${round}`, updated],
        ["delete", "a", deleted]
      )
      yield* bus.create(bucket, `other${round}`, bytes("1"))
      assert.deepStrictEqual((yield* bus.history(bucket, "a")).map(told), expected.slice(-10))
    }
    const history = yield* bus.history(bucket, "a")
    assertGrowing(history)
    const times = history.map(({ timeMillis }) => timeMillis)
    assert.deepStrictEqual(times, [...times].sort((one, other) => one - other))
    assert.deepStrictEqual(yield* bus.history(bucket, "nobody"), [])
  }),

  law("get gives the last change with its revision, and none where it was a delete", function*() {
    const { bucket, bus } = yield* freshBucket
    const created = yield* bus.create(bucket, "a", bytes("1"))
    const found = yield* bus.get(bucket, "a")
    assert.deepStrictEqual(found._tag === "Some" ? told(found.value) : [], ["put", "a", "1", created])
    yield* bus.delete(bucket, "a", created)
    assert.strictEqual((yield* bus.get(bucket, "a"))._tag, "None")
    assert.strictEqual((yield* bus.get(bucket, "nobody"))._tag, "None")
  })
]

/** What an error shows. */
export const errors: ReadonlyArray<BusLaw> = [
  law("no error shows what was written, however it is rendered (report 054)", function*() {
    const { bucket, bus, door } = yield* freshBucket
    const secret = "p]@/%\"hunter2"
    const value = bytes(JSON.stringify({ values: { password: secret } }))
    const created = yield* bus.create(bucket, "a", value)
    const reader = yield* door.connect({ role: "reader" })
    const large = new Uint8Array(bus.limits.valueBytesMax + 1).fill(0x61)
    large.set(value)
    const exits = yield* Effect.forEach([
      bus.create(bucket, "a", value),
      bus.update(bucket, "a", value, created + 1),
      bus.delete(bucket, "a", created + 1),
      bus.update(bucket, "b", value, created),
      bus.create(bucket, "a b", value),
      bus.create(bucket, "c", large),
      bus.create("nobody_bound", "a", value),
      reader.create("mesh-provisioner_plans", "n1.a", value)
    ], failedExit)
    for (const exit of exits) {
      const cause = exit._tag === "Failure" ? exit.cause : Cause.empty
      const error = Cause.squash(cause)
      const shown = [Cause.pretty(cause), String(error), inspect(exit, { depth: 20 }), JSON.stringify(exit)].join(
        "\n"
      )
      assert.doesNotMatch(shown, /hunter2/)
      assert.ok(!shown.includes(Buffer.from(value).toString("base64").slice(8, 24)))
      assert.ok(!shown.includes([...value.subarray(0, 8)].join(",")))
      assert.doesNotMatch(shown, /Uint8Array/)
    }
  }),

  law("an error says what happened, to which bucket and key, and what to do", function*() {
    const { bucket, bus, door } = yield* freshBucket
    const created = yield* bus.create(bucket, "n1.web", bytes("1"))
    const sentence = <A, E extends Error>(effect: Effect.Effect<A, E>) =>
      Effect.map(Effect.flip(effect), ({ message }) => message)
    assert.strictEqual(
      yield* sentence(bus.create(bucket, "n1.web", bytes("2"))),
      `Key "n1.web" of bucket ${bucket} was not created: it is there already. Read it again and decide anew.`
    )
    assert.strictEqual(
      yield* sentence(bus.update(bucket, "n1.web", bytes("2"), created + 1)),
      `Key "n1.web" of bucket ${bucket} was not updated: its last change is not revision ${created + 1}. ` +
        "Read it again and decide anew."
    )
    assert.strictEqual(
      yield* sentence(bus.delete(bucket, "n1..web", created)),
      `Key "n1..web" of bucket ${bucket} was not deleted: no key is written so. ` +
        "A key is names joined by single dots, each written as its token (protocol §2)."
    )
    const { valueBytesMax } = bus.limits
    assert.strictEqual(
      yield* sentence(bus.create(bucket, "large", new Uint8Array(valueBytesMax + 1))),
      `Key "large" of bucket ${bucket} was not created: its value has ${valueBytesMax + 1} bytes, ` +
        `and the bus holds ${valueBytesMax} at most. Make it smaller.`
    )
    const reader = yield* door.connect({ role: "reader" })
    assert.strictEqual(
      yield* sentence(reader.create("mesh-provisioner_plans", "n1.web", bytes("2"))),
      `Key "n1.web" of bucket mesh-provisioner_plans was not created: this account may not. ` +
        "Use the account that may (protocol §3 says whose each bucket is), or have it granted."
    )
    assert.strictEqual(
      yield* sentence(bus.follow("nobody_bound").pipe(Effect.scoped)),
      "Bucket nobody_bound was not read: there is no such bucket. Make it, or wait until its maker has."
    )
  })
]
