/**
 * Goal: what becomes of a bucket while it is followed, or while its start is read, is never missed in silence.
 *
 * Method: a server of its own, on which the bare client deletes, makes again, purges and writes. NATS says nothing by
 * itself of most of it.
 */
import { assert, describe, it } from "@effect/vitest"
import { RetentionPolicy, type StreamConfig } from "@nats-io/jetstream"
import { Effect, Fiber } from "effect"
import type { BusError } from "../../../src/ports/BusError.ts"
import { bare } from "../../nats/Bare.ts"
import { natsServer } from "../../nats/Server.ts"
import { act, connected, firstAudit, ground, groundByProxy, hear, reasonOf, until } from "./Ground.ts"

describe("what becomes of a bucket that is followed", () => {
  it.live("deleted: it is lost within moments, though no heartbeat was missed", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground({ silenceMax: "20 seconds" })
      // A server of version 2.9 can end a stream before it has told of it, and then nobody is told: now and then, and not each time.
      let error: BusError | undefined
      for (let times = 0; times < 8 && error === undefined; times++) {
        yield* act(() => times === 0 ? Promise.resolve() : admin.makeBucket("b"))
        const heard = yield* hear(nats)
        yield* until("the start", () => heard.ends === 1)
        yield* firstAudit
        yield* act(() => admin.deleteBucket("b"))
        for (let looks = 0; looks < 200 && heard.error === undefined; looks++) {
          yield* Effect.sleep("10 millis")
        }
        error = heard.error
      }
      assert.deepStrictEqual(error?.reason, { _tag: "Lost", how: "deleted" })
    }))

  it.live("deleted and made again at once: it is lost, though a bucket of its name is there", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* act(() => admin.plant("b", [["a", "1"]]))
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      yield* act(async () => {
        await admin.deleteBucket("b")
        await admin.makeBucket("b")
        await admin.plant("b", [["x", "1"], ["y", "1"]])
      })
      yield* until("it is lost", () => heard.error !== undefined)
      assert.deepStrictEqual(heard.error?.reason, { _tag: "Lost", how: "deleted" })
      assert.deepStrictEqual([...heard.state], [["a", "1"]])
    }))

  it.live("made again while the connection was cut: it is lost", () =>
    Effect.gen(function*() {
      const { admin, nats, way } = yield* groundByProxy
      yield* act(() => admin.plant("b", [["a", "1"]]))
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      way.holdUp()
      yield* act(async () => {
        await admin.deleteBucket("b")
        await admin.makeBucket("b")
        await admin.plant("b", [["x", "1"], ["y", "1"]])
      })
      way.cut()
      yield* until("it is lost", () => heard.error !== undefined)
      assert.deepStrictEqual(heard.error?.reason, { _tag: "Lost", how: "deleted" })
    }))

  for (
    const { filter, left, name } of [
      { name: "all of it", filter: "$KV.b.>", left: [] },
      { name: "one key of it", filter: "$KV.b.a", left: ["b"] }
    ]
  ) {
    it.live(`purged in silence, ${name}: the reading ends, and is whole when it is followed again`, () =>
      Effect.gen(function*() {
        const { admin, nats } = yield* ground({ auditEvery: "200 millis" })
        yield* act(() => admin.plant("b", [["a", "1"], ["b", "1"]]))
        const heard = yield* hear(nats)
        yield* until("the start", () => heard.ends === 1)
        yield* Effect.sleep("1 second")
        assert.strictEqual(heard.error, undefined, "nothing was taken out yet")
        yield* act(() => admin.manager.streams.purge("KV_b", { filter }))
        yield* until("it ends", () => heard.error !== undefined, 5_000)
        assert.deepStrictEqual(heard.error?.reason, { _tag: "Lost", how: "ended" })
        const again = yield* hear(nats)
        yield* until("the start again", () => again.ends === 1)
        assert.deepStrictEqual([...again.state.keys()], left)
      }))
  }

  it.live("a key's last message deleted in the stream, so that an older one counts again: the reading ends", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground({ auditEvery: "200 millis" })
      yield* act(() => admin.makeBucket("soft", { deny_delete: false }))
      yield* act(() => admin.plant("soft", [["a", "1"], ["a", "2"], ["b", "1"]]))
      const heard = yield* hear(nats, "soft")
      yield* until("the start", () => heard.ends === 1)
      yield* Effect.sleep("1 second")
      yield* act(() => admin.manager.streams.deleteMessage("KV_soft", 2))
      yield* until("it ends", () => heard.error !== undefined, 5_000)
      assert.deepStrictEqual(heard.error?.reason, { _tag: "Lost", how: "ended" })
    }))

  it.live("keys that expire in silence: the reading ends", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground({ auditEvery: "200 millis" })
      yield* act(() => admin.makeBucket("short", { max_age: 2_000_000_000 }))
      yield* act(() => admin.plant("short", [["a", "1"]]))
      const heard = yield* hear(nats, "short")
      yield* until("it ends", () => heard.error !== undefined, 10_000)
      assert.deepStrictEqual(heard.error?.reason, { _tag: "Lost", how: "ended" })
    }))

  it.live("a bucket that was purged before it is followed is read to its end, and audits find nothing amiss", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground({ auditEvery: "100 millis" })
      yield* act(() => admin.plant("b", [["a", "1"], ["b", "1"]]))
      yield* act(() => admin.manager.streams.purge("KV_b"))
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1, 1_000)
      yield* Effect.sleep("2 seconds")
      yield* act(() => admin.plant("b", [["c", "1"]]))
      yield* until("what is put", () => heard.revisions.length === 1)
      assert.strictEqual(heard.error, undefined)
    }))
})

describe("a start that is read while others write", () => {
  // A bucket that keeps one message of each key: a key that is written again meanwhile is not where it was.
  it.live(
    "holds every key that was there, though each of them is replaced again and again",
    () =>
      Effect.gen(function*() {
        const { admin, nats } = yield* ground()
        yield* act(() => admin.makeBucket("one", { max_msgs_per_subject: 1 }))
        const keys = Array.from({ length: 3_000 }, (_, index) => `k${index}`)
        yield* act(() => admin.plant("one", keys.map((key) => [key, "0"] as const)))
        const writer = yield* Effect.forkChild(act(async () => {
          for (let round = 1; round <= 10; round++) {
            await admin.plant("one", keys.map((key) => [key, `${round}`] as const))
          }
        }))
        const starts = yield* Effect.forEach([0, 50, 100, 150, 200, 300], (wait) =>
          Effect.delay(
            Effect.scoped(Effect.gen(function*() {
              const heard = yield* hear(nats, "one")
              yield* until("the start", () => heard.ends === 1)
              const end = heard.events.findIndex(({ _tag }) => _tag === "End")
              return new Set(
                heard.events.slice(0, end).flatMap((event) => event._tag === "Put" ? [event.key] : [])
              ).size
            })),
            wait
          ))
        yield* Fiber.join(writer)
        assert.deepStrictEqual(starts, starts.map(() => keys.length))
      }),
    60_000
  )

  it.live("an empty bucket is known to be empty in moments", () =>
    Effect.gen(function*() {
      const { nats } = yield* ground()
      const before = performance.now()
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      assert.isBelow(performance.now() - before, 10_000)
    }))
})

describe("a stream that is called like a bucket", () => {
  const keys = ["$KV.called.>"]
  const follows = (config: Partial<StreamConfig>) =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* act(() => admin.manager.streams.add({ name: "KV_called", ...config }))
      return nats.bus.follow("called")
    })

  const noBuckets: ReadonlyArray<readonly [what: string, config: Partial<StreamConfig>]> = [
    ["a queue of work", { subjects: keys, retention: RetentionPolicy.Workqueue }],
    ["kept for as long as somebody listens", { subjects: keys, retention: RetentionPolicy.Interest }],
    ["of other subjects", { subjects: ["called.>", "$KV.other.>"] }],
    ["a mirror", { mirror: { name: "KV_b" } }],
    ["of what it takes from another alone", { sources: [{ name: "KV_b" }] }]
  ]
  for (const [what, config] of noBuckets) {
    it.live(`and is none is said to be none: ${what}`, () =>
      Effect.gen(function*() {
        const follow = yield* follows(config)
        assert.deepStrictEqual(yield* reasonOf(Effect.scoped(follow)), { _tag: "Lost", how: "no-bucket" })
      }))
  }

  for (const subjects of [["$KV.called.a.*", "$KV.called.b"], ["$KV.*.>"]]) {
    it.live(`and takes keys of it is read: ${subjects.join(" and ")}`, () =>
      Effect.gen(function*() {
        const server = yield* natsServer()
        const admin = yield* bare(server)
        const nats = yield* connected(server)
        yield* act(() => admin.manager.streams.add({ name: "KV_called", subjects }))
        yield* act(() => admin.plant("called", [["b", "1"]]))
        const heard = yield* hear(nats, "called")
        yield* until("the start", () => heard.ends === 1)
        assert.deepStrictEqual([...heard.state], [["b", "1"]])
      }))
  }

  it.live("and lets no more read it is told by the error that JetStream answers with, not as a bus that is silent", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* act(async () => {
        await admin.manager.streams.add({ name: "KV_called", subjects: keys, max_consumers: 1 })
        await admin.manager.consumers.add("KV_called", { durable_name: "another" })
      })
      const error = yield* Effect.flip(Effect.scoped(nats.bus.follow("called")))
      assert.deepStrictEqual(error.reason, { _tag: "Failed", code: 10026 })
      assert.strictEqual(
        error.message,
        "Bucket called was not read: the bus answered by its error 10026. Look what that says of it, and in the log of the bus."
      )
    }))
})
