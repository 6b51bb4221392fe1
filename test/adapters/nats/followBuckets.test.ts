/**
 * Goal: buckets that come and go are known, at once where the account may hear of it, and after a while where it may not.
 *
 * Method: users with and without the permission to hear JetStream's notices.
 */
import { assert, describe, it } from "@effect/vitest"
import { StorageType } from "@nats-io/jetstream"
import { Effect, Queue, Redacted } from "effect"
import type { NatsSettings } from "../../../src/adapters/nats/index.ts"
import { bare } from "../../nats/Bare.ts"
import { natsServer } from "../../nats/Server.ts"
import { act, connected } from "./Ground.ts"

const config = JSON.stringify({
  authorization: {
    users: [
      { user: "admin", password: "admin" },
      {
        user: "deaf",
        password: "deaf",
        permissions: { publish: ["$JS.API.INFO", "$JS.API.STREAM.NAMES"], subscribe: ["_INBOX.>"] }
      },
      { user: "blind", password: "blind", permissions: { publish: ["$JS.API.INFO"], subscribe: ["_INBOX.>"] } }
    ]
  }
})

const as = (user: string): NatsSettings => ({
  credentials: { _tag: "Password", user, password: Redacted.make(user) }
})

const onServer = (user: string, settings: NatsSettings) =>
  Effect.gen(function*() {
    const server = yield* natsServer({ config })
    const admin = yield* bare(server)
    yield* act(() => admin.makeBucket("there"))
    const lines: Array<string> = []
    return { server, admin, lines, nats: yield* connected(server, { ...as(user), ...settings }, lines) }
  })

describe("the names of the buckets", () => {
  it.live("by notice: at once, however seldom it is asked", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* onServer("admin", { bucketsEvery: "1 hour" })
      const events = yield* nats.bus.followBuckets
      assert.deepStrictEqual(yield* Queue.takeAll(events), [{ _tag: "Appeared", bucket: "there" }, { _tag: "End" }])
      yield* act(() => admin.makeBucket("postgres_bound"))
      assert.deepStrictEqual(yield* Effect.timeout(Queue.take(events), "2 seconds"), {
        _tag: "Appeared",
        bucket: "postgres_bound"
      })
      yield* act(() => admin.deleteBucket("there"))
      assert.deepStrictEqual(yield* Effect.timeout(Queue.take(events), "2 seconds"), {
        _tag: "Vanished",
        bucket: "there"
      })
    }))

  it.live("without notice: by asking, and nothing is said of what this account may not hear", () =>
    Effect.gen(function*() {
      const { admin, lines, nats } = yield* onServer("deaf", { bucketsEvery: "100 millis" })
      const events = yield* nats.bus.followBuckets
      yield* Queue.takeAll(events)
      yield* act(() => admin.makeBucket("postgres_bound"))
      assert.deepStrictEqual(yield* Effect.timeout(Queue.take(events), "5 seconds"), {
        _tag: "Appeared",
        bucket: "postgres_bound"
      })
      assert.deepStrictEqual(lines, [])
    }))

  it.live(
    "streams that are no buckets are none, and there may be more than a page of them",
    () =>
      Effect.gen(function*() {
        const { admin, nats } = yield* onServer("admin", {})
        yield* act(async () => {
          await admin.manager.streams.add({ name: "ORDERS", subjects: ["orders.>"] })
          for (let index = 0; index < 1_100; index++) {
            await admin.makeBucket(`many${index}`, { storage: StorageType.Memory })
          }
        })
        const events = yield* nats.bus.followBuckets
        const start = yield* Queue.takeAll(events)
        assert.strictEqual(start.length, 1_102)
      }),
    60_000
  )

  it.live("where this account may not ask, it is refused", () =>
    Effect.gen(function*() {
      const { nats } = yield* onServer("blind", {})
      const error = yield* Effect.flip(Effect.scoped(nats.bus.followBuckets))
      assert.deepStrictEqual(error.reason, { _tag: "Refused", because: "account" })
    }))

  it.live("where the bus is gone, the following fails", () =>
    Effect.gen(function*() {
      const { nats, server } = yield* onServer("admin", { bucketsEvery: "100 millis" })
      const events = yield* nats.bus.followBuckets
      yield* Queue.takeAll(events)
      yield* act(() => server.stop("SIGKILL"))
      const error = yield* Effect.flip(Effect.timeout(Queue.take(events), "10 seconds"))
      assert.deepStrictEqual(error._tag === "BusError" ? error.reason : error, { _tag: "Unreachable" })
    }), 20_000)
})
