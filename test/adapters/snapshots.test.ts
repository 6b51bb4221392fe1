/**
 * Snapshots into a memory bus and out of it again: what a person saves is what is loaded, and an edit changes what
 * differs and nothing else.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import type { BucketEvent } from "../../src/ports/Bus.ts"
import { bytes, holds, takeStart, takeToError, takeUntil } from "../../src/testing/conformance/BusDoor.ts"

const hostile = ["__proto__", "constructor", "toString", "a", "n1.web", "n1.*", "é", "1", "", "\ud800"]
const name = fc.constantFrom(...hostile)
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value))),
  fc.constantFrom<Json>(null, {}, [], "", 0, JSON.parse(`{"__proto__":{"a":1}}`))
)
// A byte that no UTF-8 begins with, so that it is no JSON.
const noJson = fc.uint8Array({ maxLength: 5 }).map((rest) => Buffer.from([0xff, ...rest]).toString("base64"))

const entry = fc.record({
  bucket: name,
  key: name,
  value: fc.oneof(json.map((value) => ({ json: value })), noJson.map((base64) => ({ base64 })))
})

/** Snapshots, as what they hold by bucket and key. */
const holdings = fc.tuple(fc.array(name, { maxLength: 3 }), fc.array(entry, { maxLength: 25 })).map(
  ([empty, entries]) => {
    const held = new Map<string, Map<string, Held>>(empty.map((bucket) => [bucket, new Map()]))
    for (const { bucket, key, value } of entries) {
      held.set(bucket, (held.get(bucket) ?? new Map<string, Held>()).set(key, value))
    }
    return held
  }
)

type Held = { readonly json: Json } | { readonly base64: string }
type Holdings = ReadonlyMap<string, ReadonlyMap<string, Held>>

const snapshotOf = (held: Holdings): Snapshot => ({
  buckets: Object.fromEntries(
    Array.from(held, ([bucket, values]) => [
      bucket,
      Object.fromEntries(Array.from(values).flatMap(([key, value]) => "json" in value ? [[key, value.json]] : []))
    ])
  ),
  raw: Object.fromEntries(
    Array.from(held, ([bucket, values]) => [
      bucket,
      Object.fromEntries(Array.from(values).flatMap(([key, value]) => "base64" in value ? [[key, value.base64]] : []))
    ])
  )
})

/** A snapshot as lines of text: what it holds, in one order. */
const lines = (snapshot: Snapshot): ReadonlyArray<string> =>
  [
    ...Object.keys(snapshot.buckets).map((bucket) => JSON.stringify(bucket)),
    ...Object.entries(snapshot.buckets).flatMap(([bucket, values]) =>
      Object.entries(values).map(([key, value]) => `${JSON.stringify([bucket, key])} ${sortedText(value)}`)
    ),
    ...Object.entries(snapshot.raw ?? {}).flatMap(([bucket, values]) =>
      Object.entries(values).map(([key, base64]) => `${JSON.stringify([bucket, key])} raw ${base64}`)
    )
  ].sort()

const sortedText = (value: Json): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => one < other ? -1 : 1))
      : inner)

const run = <A, E>(effect: Effect.Effect<A, E, MemoryBus>, buckets: ReadonlyArray<string> = []) =>
  Effect.runPromise(Effect.provide(effect, MemoryBus.layer({ buckets })))

describe("snapshots", () => {
  it("what is loaded is what the bus holds", async () => {
    await fc.assert(fc.asyncProperty(holdings, async (held) => {
      const snapshot = snapshotOf(held)
      const out = await run(Effect.gen(function*() {
        const memory = yield* MemoryBus
        yield* memory.load(snapshot)
        return yield* memory.snapshot
      }))
      assert.deepStrictEqual(lines(out), lines(snapshot))
      const again = await run(Effect.gen(function*() {
        const memory = yield* MemoryBus
        yield* memory.load(JSON.parse(JSON.stringify(out)))
        return yield* memory.snapshot
      }))
      assert.deepStrictEqual(JSON.stringify(again), JSON.stringify(out))
    }))
  })

  it("an edit leads from one snapshot to another, and its followers hear of what differs alone", async () => {
    await fc.assert(fc.asyncProperty(holdings, holdings, async (before, after) => {
      const heard = await run(
        Effect.gen(function*() {
          const memory = yield* MemoryBus
          const bus = memory.as({ role: "reader" })
          yield* memory.load(snapshotOf(before))
          const followers = yield* Effect.forEach(
            [...before.keys()],
            (bucket) => Effect.map(Effect.tap(bus.follow(bucket), takeStart), (events) => [bucket, events] as const)
          )
          yield* memory.edit(snapshotOf(before), snapshotOf(after))
          assert.deepStrictEqual(lines(yield* memory.snapshot), lines(snapshotOf(after)))
          const said: Array<string> = []
          for (const [bucket, events] of followers) {
            // One change more, so that there is an end to wait for.
            if (after.has(bucket)) {
              yield* memory.load({ buckets: { [bucket]: { last: 1 } } })
              const changes = yield* takeUntil(
                events,
                (seen) => seen.some((event) => "key" in event && event.key === "last")
              )
              said.push(
                ...changes.slice(0, -1).map((event) => change(bucket, event))
              )
            } else {
              assert.deepStrictEqual((yield* takeToError(events)).reason, { _tag: "Lost", how: "deleted" })
            }
          }
          return said
        }).pipe(Effect.scoped)
      )
      assert.deepStrictEqual([...heard].sort(), [...differences(before, after)].sort())
    }))
  })
})

const change = (bucket: string, event: BucketEvent): string =>
  event._tag === "End" ? "end" : `${event._tag} ${JSON.stringify([bucket, event.key])}`

/** What differs in the buckets that are in both, by a comparison of texts. */
const differences = function*(before: Holdings, after: Holdings): Generator<string> {
  for (const [bucket, was] of before) {
    const is = after.get(bucket)
    for (const key of new Set([...was.keys(), ...is?.keys() ?? []])) {
      const [one, other] = [was.get(key), is?.get(key)].map((held) =>
        held && ("json" in held ? sortedText(held.json) : `raw ${held.base64}`)
      )
      if (is !== undefined && one !== other) {
        yield `${other === undefined ? "Delete" : "Put"} ${JSON.stringify([bucket, key])}`
      }
    }
  }
}

describe("what a snapshot means", () => {
  const admin = Effect.map(MemoryBus, (memory) => memory.as({ role: "admin" }))

  it.effect("bytes of raw that are JSON are JSON, and of a key in both halves the bytes stand", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      yield* memory.load({
        buckets: { b: { both: "json" } },
        raw: { b: { json: Buffer.from(`{ "a": 1 }`).toString("base64"), both: "/w==" } }
      })
      assert.deepStrictEqual(yield* memory.snapshot, {
        buckets: { b: { json: { a: 1 } } },
        raw: { b: { both: "/w==" } }
      })
    }).pipe(Effect.provide(MemoryBus.layer({ buckets: [] }))))

  it.effect("what §3 does not read as JSON goes to raw: a byte order mark, too many containers, 1e400, nothing", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      const bus = yield* admin
      const deep = "[".repeat(65) + "]".repeat(65)
      const values = { mark: "\ufeff1", deep, huge: "1e400", none: "", fine: "[".repeat(64) + "]".repeat(64) }
      yield* Effect.forEach(Object.entries(values), ([key, text]) => bus.create("b", key, bytes(text)))
      const { buckets, raw } = yield* memory.snapshot
      assert.deepStrictEqual(Object.keys(buckets["b"] ?? {}), ["fine"])
      assert.deepStrictEqual(Object.keys(raw?.["b"] ?? {}), ["mark", "deep", "huge", "none"])
      assert.strictEqual(raw?.["b"]?.["none"], "")
    }).pipe(Effect.provide(MemoryBus.layer({ buckets: ["b"] }))))

  it.effect("a value that is too deep or too large a number is loaded as it was written", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      const bus = yield* admin
      const texts = {
        deep: `{"a":`.repeat(20_000) + "1" + "}".repeat(20_000),
        list: "[1,[2,[3,[".repeat(5_000) + "]]]".repeat(5_000) + "]".repeat(5_000),
        huge: `{"a":[1,1e999,-1e999],"b":{"__proto__":"x\\ud800"},"c":[],"d":{},"e":null}`
      }
      const members = Object.entries(texts).map(([key, text]) => `"${key}":${text}`)
      const text = `{"buckets":{"b":{${members.join(",")}}}}`
      yield* memory.load(JSON.parse(text))
      assert.strictEqual(yield* holds(bus, "b", "deep"), texts.deep)
      assert.strictEqual(yield* holds(bus, "b", "list"), texts.list)
      assert.strictEqual(yield* holds(bus, "b", "huge"), texts.huge)
      yield* memory.edit(JSON.parse(text), JSON.parse(text.replace("null", "true")))
      assert.strictEqual(yield* holds(bus, "b", "huge"), texts.huge.replace("null", "true"))
      assert.strictEqual(yield* holds(bus, "b", "deep"), texts.deep)
    }).pipe(Effect.provide(MemoryBus.layer({ buckets: [] }))))

  it.effect("a load with one value too large loads nothing, and says which", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      const error = yield* Effect.flip(memory.load({ buckets: { b: { a: 1, large: "x".repeat(20), z: 2 }, c: {} } }))
      assert.strictEqual(
        error.message,
        `Key "large" of bucket b was not loaded: its value has 22 bytes, and the bus holds 16 at most. Make it smaller.`
      )
      assert.deepStrictEqual(yield* memory.snapshot, { buckets: {} })
    }).pipe(Effect.provide(MemoryBus.layer({ buckets: [], valueBytesMax: 16 }))))

  it.effect("a standing bucket is emptied where a snapshot leaves it out, another is deleted", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      const bus = yield* admin
      const before = { buckets: { standing: { a: 1 }, dns_zones: { a: 1 } } }
      yield* memory.load(before)
      yield* bus.create("standing", "others", bytes("2"))
      yield* memory.edit(before, { buckets: {} })
      assert.deepStrictEqual(yield* memory.snapshot, { buckets: { standing: { others: 2 } } })
    }).pipe(Effect.provide(MemoryBus.layer({ buckets: ["standing"] }))))

  it.effect("a load leaves alone what it does not name, and makes a bucket that was deleted", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      yield* memory.load({ buckets: { standing: { a: 1, b: 1 } } })
      yield* memory.load({ buckets: { standing: { b: 2 } } })
      assert.deepStrictEqual(yield* memory.snapshot, { buckets: { standing: { a: 1, b: 2 } } })
      yield* memory.deleteBucket("standing")
      yield* memory.load({ buckets: { standing: {} } })
      assert.deepStrictEqual(yield* memory.snapshot, { buckets: { standing: {} } })
    }).pipe(Effect.provide(MemoryBus.layer({ buckets: ["standing"] }))))
})
