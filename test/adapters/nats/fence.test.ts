/**
 * Goal: nothing of an old term is stored once a new one has begun; and within a term, writes are many at once, and one that
 * cannot be stored does not stop the others.
 *
 * Method: two adapters on one server. One is cut off by a way that carries nothing while it writes, and is let through when
 * the other has taken over. Without the fence, the same is first seen to store what it should not.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import type { NatsBus, NatsSettings } from "../../../src/adapters/nats/index.ts"
import { proxy } from "../../nats/Proxy.ts"
import { act, bytes, connected, ground, reasonOf } from "./Ground.ts"

const patient: NatsSettings = { answerWaitMax: "10 seconds", silenceMax: "10 seconds" }

/** One adapter on the way that can be held up, another beside it. */
const twoHolders = Effect.gen(function*() {
  const { admin, nats, server } = yield* ground(patient)
  yield* act(() => admin.makeBucket("other"))
  const way = yield* proxy(server)
  return { admin, server, way, first: yield* connected({ ...server, url: way.url }, patient), second: nats }
})

const term = (nats: NatsBus["Service"], name: string) =>
  nats.beginTerm({ buckets: ["b", "other"], mark: bytes(JSON.stringify({ holder: name })) })

const valueOf = (nats: NatsBus["Service"], key: string) =>
  Effect.map(
    nats.bus.get("b", key),
    (found) => Option.match(found, { onNone: () => undefined, onSome: ({ value }) => new TextDecoder().decode(value) })
  )

describe("a holder that was cut off while it wrote", () => {
  it.live("without a fence, what it had sent is stored over its successor", () =>
    Effect.gen(function*() {
      const { first, second, way } = yield* twoHolders
      way.holdUp()
      const late = yield* Effect.forkChild(Effect.result(first.bus.create("b", "stale", bytes("old"))))
      yield* Effect.sleep("50 millis")
      yield* second.bus.create("b", "fresh", bytes("new"))
      way.letThrough()
      assert.isTrue(Result.isSuccess(yield* Fiber.join(late)))
      assert.strictEqual(yield* valueOf(second, "stale"), "old")
    }))

  // The successor's own writes bring the last sequence to where later ones of those that are on their way expect it: marks
  // in number keep it ahead of them.
  it.live("fenced, nothing of all that it had sent is stored, and its term is over", () =>
    Effect.gen(function*() {
      const { first, second, way } = yield* twoHolders
      const old = yield* term(first, "first")
      yield* old.bus.create("b", "before", bytes("1"))
      way.holdUp()
      const late = yield* Effect.forEach(Array.from({ length: 1_000 }, (_, index) => `stale${index}`), (key) =>
        Effect.forkChild(Effect.result(old.bus.create("b", key, bytes("old")))))
      yield* Effect.sleep("50 millis")
      const fresh = yield* term(second, "second")
      const created = yield* fresh.bus.create("b", "fresh", bytes("new"))
      way.letThrough()
      for (const one of late) {
        const result = yield* Fiber.join(one)
        assert.deepStrictEqual(Result.isFailure(result) ? result.failure.reason : "stored", { _tag: "Fenced" })
      }
      assert.strictEqual(yield* Effect.timeout(old.over, "1 second"), "b")
      assert.strictEqual(yield* valueOf(second, "stale0"), undefined)
      assert.deepStrictEqual(yield* reasonOf(old.bus.create("other", "x", bytes("old"))), { _tag: "Fenced" })
      yield* fresh.bus.update("b", "fresh", bytes("newer"), created)
      assert.strictEqual(yield* valueOf(second, "fresh"), "newer")
    }))

  it.live("a successor that has written nothing but its mark is not written over either", () =>
    Effect.gen(function*() {
      const { first, second, way } = yield* twoHolders
      const old = yield* term(first, "first")
      way.holdUp()
      const late = yield* Effect.forkChild(Effect.result(old.bus.create("b", "stale", bytes("old"))))
      yield* Effect.sleep("50 millis")
      yield* term(second, "second")
      way.letThrough()
      assert.isTrue(Result.isFailure(yield* Fiber.join(late)))
      assert.strictEqual(yield* valueOf(second, "stale"), undefined)
    }))

  it.live("a write that was not answered ends the term: nobody knows what became of it", () =>
    Effect.gen(function*() {
      const { server } = yield* ground()
      const way = yield* proxy(server)
      const nats = yield* connected({ ...server, url: way.url }, {
        answerWaitMax: "300 millis",
        silenceMax: "10 seconds"
      })
      const held = yield* nats.beginTerm({ buckets: ["b"], mark: bytes("1") })
      way.holdUp()
      assert.deepStrictEqual(yield* reasonOf(held.bus.create("b", "a", bytes("1"))), { _tag: "Unreachable" })
      way.letThrough()
      assert.deepStrictEqual(yield* reasonOf(held.bus.create("b", "b", bytes("1"))), { _tag: "Fenced" })
    }))
})

describe("a term", () => {
  it.live("stores many writes at once, each once and in its place", () =>
    Effect.gen(function*() {
      const { nats } = yield* ground(patient)
      const held = yield* nats.beginTerm({ buckets: ["b"], mark: bytes("1") })
      const keys = Array.from({ length: 2_000 }, (_, index) => `k${index}`)
      const created = yield* Effect.forEach(keys, (key) => held.bus.create("b", key, bytes(key)), { concurrency: 256 })
      assert.deepStrictEqual(created.map((revision) => revision - (created[0] ?? 0)), keys.map((_, index) => index))
      const updated = yield* Effect.forEach(
        keys,
        (key, index) => held.bus.update("b", key, bytes("2"), created[index] ?? 0),
        { concurrency: 256 }
      )
      assert.strictEqual(new Set(updated).size, keys.length)
    }))

  it.live("a write that the bucket does not take fails for what it is, and all others are stored", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground(patient)
      yield* act(() => admin.makeBucket("small", { max_msg_size: 1_000 }))
      const held = yield* nats.beginTerm({ buckets: ["small"], mark: bytes("1") })
      const results = yield* Effect.forEach(
        Array.from({ length: 300 }, (_, index) => index),
        (index) => Effect.result(held.bus.create("small", `k${index}`, new Uint8Array(index % 100 === 50 ? 990 : 10))),
        { concurrency: 64 }
      )
      const failed = results.flatMap((result, index) =>
        Result.isFailure(result) ? [[index, result.failure.reason]] : []
      )
      const tooLarge = { _tag: "TooLarge", what: "value", bytes: 990, bytesMax: 744 } as const
      assert.deepStrictEqual(failed, [[50, tooLarge], [150, tooLarge], [250, tooLarge]])
    }))

  it.live("a write at an overtaken revision conflicts, and all others are stored", () =>
    Effect.gen(function*() {
      const { nats } = yield* ground(patient)
      const held = yield* nats.beginTerm({ buckets: ["b"], mark: bytes("1") })
      const created = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => index),
        (index) => held.bus.create("b", `k${index}`, bytes("1"))
      )
      yield* held.bus.update("b", "k30", bytes("2"), created[30] ?? 0)
      const results = yield* Effect.forEach(
        created,
        (revision, index) => Effect.result(held.bus.update("b", `k${index}`, bytes("3"), revision)),
        { concurrency: 32 }
      )
      const failed = results.flatMap((result, index) =>
        Result.isFailure(result) ? [[index, result.failure.reason]] : []
      )
      assert.deepStrictEqual(failed, [[30, { _tag: "Conflict", expected: created[30] ?? 0 }]])
    }))

  it.live("a key that was deleted, in this term or before, can be written again", () =>
    Effect.gen(function*() {
      const { nats } = yield* ground(patient)
      const before = yield* nats.bus.create("b", "old", bytes("1"))
      yield* nats.bus.delete("b", "old", before)
      const held = yield* nats.beginTerm({ buckets: ["b"], mark: bytes("1") })
      const created = yield* held.bus.create("b", "new", bytes("1"))
      yield* held.bus.delete("b", "new", created)
      yield* held.bus.create("b", "new", bytes("2"))
      yield* held.bus.create("b", "old", bytes("2"))
      assert.deepStrictEqual([yield* valueOf(nats, "new"), yield* valueOf(nats, "old")], ["2", "2"])
      assert.deepStrictEqual(yield* reasonOf(held.bus.create("b", "new", bytes("3"))), { _tag: "Conflict" })
      yield* held.bus.create("b", "another", bytes("1"))
    }))

  it.live("does not fence the buckets that it does not name", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground(patient)
      yield* act(() => admin.makeBucket("other"))
      const held = yield* nats.beginTerm({ buckets: ["b"], mark: bytes("1") })
      yield* act(() => admin.plant("other", [["x", "1"]]))
      yield* held.bus.create("other", "y", bytes("1"))
    }))

  it.live("its mark is the key _epoch, and is left upon an earlier one", () =>
    Effect.gen(function*() {
      const { nats } = yield* ground(patient)
      yield* nats.beginTerm({ buckets: ["b"], mark: bytes("first") })
      yield* nats.beginTerm({ buckets: ["b"], mark: bytes("second") })
      assert.strictEqual(yield* valueOf(nats, "_epoch"), "second")
    }))
})
