/**
 * The laws of what a bus's keys and values are (`ports/Bus`).
 */
import { Effect } from "effect"
import assert from "node:assert/strict"
import { type BusLaw, bytes, endState, freshBucket, holds, law, reasonOf, takeStart, textOf } from "./BusDoor.ts"

/** What keys and values can be. */
export const keysAndValues: ReadonlyArray<BusLaw> = [
  law("a value is its bytes: none, no JSON, no UTF-8, and not the writer's own array", function*() {
    const { bucket, bus } = yield* freshBucket
    yield* bus.create(bucket, "none", new Uint8Array())
    yield* bus.create(bucket, "bytes", Uint8Array.of(0, 255, 10, 0xc3))
    const own = bytes("mine")
    yield* bus.create(bucket, "own", own)
    own.fill(0)
    const state = endState(yield* takeStart(yield* bus.follow(bucket)))
    assert.deepStrictEqual([...state.get("none")?.value ?? [1]], [])
    assert.deepStrictEqual([...state.get("bytes")?.value ?? []], [0, 255, 10, 0xc3])
    assert.strictEqual(yield* holds(bus, bucket, "own"), "mine")
  }),

  law("names that JavaScript's objects have are keys like any other", function*() {
    const { bucket, bus } = yield* freshBucket
    for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty", "n1.__proto__"]) {
      assert.strictEqual(yield* holds(bus, bucket, key), undefined)
      assert.deepStrictEqual(yield* bus.history(bucket, key), [])
      const created = yield* bus.create(bucket, key, bytes(key))
      assert.strictEqual(yield* holds(bus, bucket, key), key)
      yield* bus.update(bucket, key, bytes("2"), created)
    }
    const state = endState(yield* takeStart(yield* bus.follow(bucket)))
    assert.deepStrictEqual([...state.values()].map(({ value }) => textOf(value)), ["2", "2", "2", "2", "2"])
  }),

  law("keys that differ in case or in one character are different keys (reports 058, 062)", function*() {
    const { bucket, bus } = yield* freshBucket
    const keys = ["Web", "web", "foo.bar", "foo_bar", "foo=2Ebar", "foo-bar", "foo/bar"]
    yield* Effect.forEach(keys, (key) => bus.create(bucket, key, bytes(key)))
    const state = endState(yield* takeStart(yield* bus.follow(bucket)))
    assert.deepStrictEqual([...state].map(([key, put]) => [key, textOf(put.value)]), keys.map((key) => [key, key]))
  }),

  law("what strangers wrote under keys that nobody could write here is read as it is", function*() {
    const { bucket, bus, door } = yield* freshBucket
    const keys = ["n1.*", "é.ü", "n1.web.💥", "__proto__"]
    yield* door.plant(bucket, [["n1.web", bytes("mine")] as const, ...keys.map((key) => [key, bytes(key)] as const)])
    const state = endState(yield* takeStart(yield* bus.follow(bucket)))
    assert.deepStrictEqual([...state.keys()], ["n1.web", ...keys])
    assert.ok(keys.every((key) => textOf(state.get(key)?.value ?? bytes("")) === key))
  }),

  law("a key that reads like a pattern finds nothing of another", function*() {
    const { bucket, bus } = yield* freshBucket
    yield* bus.create(bucket, "n1.web", bytes("1"))
    for (const pattern of ["n1.*", "*.web", ">", "n1.>", "*"]) {
      assert.strictEqual((yield* bus.get(bucket, pattern))._tag, "None", pattern)
      assert.deepStrictEqual(yield* bus.history(bucket, pattern), [], pattern)
    }
  }),

  law("a key that is not tokens joined by single dots is refused on entry (report 060)", function*() {
    const { bucket, bus } = yield* freshBucket
    for (const key of ["", ".", ".a", "a.", "a..b", "a b", "a\r\nb", "é", "n1.*", ">", "a=b%", "\u0000"]) {
      for (
        const write of [
          bus.create(bucket, key, bytes("1")),
          bus.update(bucket, key, bytes("1"), 1),
          bus.delete(bucket, key, 1)
        ]
      ) {
        assert.deepStrictEqual(yield* reasonOf(write), { _tag: "Refused", because: "key" }, JSON.stringify(key))
      }
    }
    assert.deepStrictEqual(yield* takeStart(yield* bus.follow(bucket)), [{ _tag: "End" }])
  }),

  law("a value or key of exactly the limit is taken, and one byte more is too large", function*() {
    const { bucket, bus } = yield* freshBucket
    const { keyBytesMax, valueBytesMax } = bus.limits
    const created = yield* bus.create(bucket, "a", new Uint8Array(valueBytesMax))
    const reason = { _tag: "TooLarge", what: "value", bytes: valueBytesMax + 1, bytesMax: valueBytesMax } as const
    assert.deepStrictEqual(yield* reasonOf(bus.create(bucket, "b", new Uint8Array(valueBytesMax + 1))), reason)
    assert.deepStrictEqual(
      yield* reasonOf(bus.update(bucket, "a", new Uint8Array(valueBytesMax + 1), created)),
      reason
    )
    yield* bus.create(bucket, "k".repeat(keyBytesMax), bytes("1"))
    assert.deepStrictEqual(yield* reasonOf(bus.create(bucket, "k".repeat(keyBytesMax + 1), bytes("1"))), {
      _tag: "TooLarge",
      what: "key",
      bytes: keyBytesMax + 1,
      bytesMax: keyBytesMax
    })
    const state = endState(yield* takeStart(yield* bus.follow(bucket)))
    assert.deepStrictEqual([...state.keys()], ["a", "k".repeat(keyBytesMax)])
  })
]
