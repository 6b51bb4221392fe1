/**
 * Goal: a bucket is followed over servers that go and come and ways that lose messages: nothing lost, nothing said twice.
 *
 * Method: a server of its own, which is killed and frozen, and a way to it that loses messages and is cut. What is heard is
 * compared with what the server acknowledged.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { proxy } from "../../nats/Proxy.ts"
import { act, connected, firstAudit, type Ground, ground, groundByProxy, hear, until } from "./Ground.ts"

/** Puts by the bare client, each answered, one after the other, through whatever befalls the server. */
const putSteadily = (admin: Ground["admin"], count: number, done: Map<string, string>) =>
  Effect.gen(function*() {
    for (let index = 0; index < count; index++) {
      const key = `k${index % 50}`
      const isStored = yield* act(() =>
        admin.client.request(`$KV.b.${key}`, `${index}`, { timeout: 500 }).then((answer) => {
          if (answer.string().includes(`"seq"`)) {
            done.set(key, `${index}`)
            return true
          }
          return false
        }, () => false)
      )
      yield* Effect.sleep(isStored ? 1 : 50)
    }
  })

const isGrowing = (revisions: ReadonlyArray<number>): boolean =>
  revisions.every((revision, index) => index === 0 || revision > (revisions[index - 1] ?? 0))

describe("a server that goes and comes", () => {
  it.live(
    "killed and started again under a writer: nothing is lost, nothing said twice, and there is one end",
    () =>
      Effect.gen(function*() {
        const { admin, nats, server } = yield* ground({ silenceMax: "5 seconds" })
        const heard = yield* hear(nats)
        const done = new Map<string, string>()
        const writer = yield* Effect.forkChild(putSteadily(admin, 1_500, done))
        for (let kill = 0; kill < 3; kill++) {
          yield* Effect.sleep("400 millis")
          yield* act(() => server.stop("SIGKILL"))
          yield* Effect.sleep("100 millis")
          yield* act(server.start)
        }
        yield* Fiber.join(writer)
        const last = yield* act(() => admin.manager.streams.info("KV_b"))
        yield* until("all is heard", () => (heard.revisions.at(-1) ?? 0) === last.state.last_seq)
        assert.strictEqual(heard.error, undefined)
        assert.strictEqual(heard.ends, 1)
        assert.isTrue(isGrowing(heard.revisions))
        assert.strictEqual(heard.revisions.length, last.state.last_seq, "each message is heard once")
        for (const [key, value] of done) {
          assert.isTrue(Number(heard.state.get(key)) >= Number(value), key)
        }
      }),
    60_000
  )

  it.live(
    "frozen for longer than silence may last: the reading fails, and is whole when it is followed again",
    () =>
      Effect.gen(function*() {
        const { admin, nats, server } = yield* ground()
        yield* act(() => admin.plant("b", [["a", "1"]]))
        const heard = yield* hear(nats)
        yield* until("the start", () => heard.ends === 1)
        server.freeze()
        yield* until("it fails", () => heard.error !== undefined)
        assert.deepStrictEqual(heard.error?.reason, { _tag: "Unreachable" })
        server.thaw()
        yield* act(() => admin.plant("b", [["b", "2"]]))
        const again = yield* hear(nats).pipe(Effect.retry({ times: 20 }))
        yield* until("the start again", () => again.ends === 1)
        assert.deepStrictEqual([...again.state], [["a", "1"], ["b", "2"]])
      }),
    30_000
  )

  it.live("gone for good: the reading fails, and says that the bus does not answer", () =>
    Effect.gen(function*() {
      const { nats, server } = yield* ground()
      const heard = yield* hear(nats)
      yield* act(() => server.stop("SIGKILL"))
      yield* until("it fails", () => heard.error !== undefined)
      assert.deepStrictEqual(heard.error?.reason, { _tag: "Unreachable" })
      assert.deepStrictEqual(
        (yield* Effect.flip(Effect.scoped(nats.bus.follow("b")))).reason,
        { _tag: "Unreachable" }
      )
    }), 30_000)
})

describe("messages that do not arrive", () => {
  // A consumer that is deleted on the server delivers nothing more, and an old server does not say so.
  it.live("a consumer that ends in silence is replaced by one that goes on where it ended", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* act(() => admin.plant("b", [["a", "1"]]))
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      const [consumer] = yield* act(() => admin.manager.consumers.list("KV_b").next())
      yield* act(() => admin.manager.consumers.delete("KV_b", consumer?.name ?? ""))
      yield* act(() => admin.plant("b", [["a", "2"], ["b", "1"]]))
      yield* until("what was put meanwhile", () => heard.revisions.length === 3)
      assert.deepStrictEqual(heard.revisions, [1, 2, 3])
      assert.strictEqual(heard.ends, 1)
    }))

  it.live("a consumer of which nothing comes any more is replaced, and what was missed is fetched", () =>
    Effect.gen(function*() {
      const { admin, nats, way } = yield* groundByProxy
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      yield* firstAudit
      const [consumer] = yield* act(() => admin.manager.consumers.list("KV_b").next())
      way.loseAll(consumer?.config.deliver_subject ?? "")
      way.loseNext("$KV.b.a")
      yield* act(() => admin.plant("b", [["a", "1"]]))
      yield* until("what was put", () => heard.revisions.length === 1, 5_000)
      assert.deepStrictEqual([...heard.state], [["a", "1"]])
    }))

  it.live("a message that is lost on the way is missed at the next one, and fetched", () =>
    Effect.gen(function*() {
      const { admin, nats, way } = yield* groundByProxy
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      way.loseNext("$KV.b.a")
      yield* act(() => admin.plant("b", [["a", "1"], ["b", "1"], ["a", "2"]]))
      yield* until("all of it", () => heard.revisions.length === 3, 2_000)
      assert.deepStrictEqual(heard.revisions, [1, 2, 3])
    }))

  it.live("a message that is lost on the way is missed by the consumer's heartbeat where none follows it", () =>
    Effect.gen(function*() {
      const { admin, nats, way } = yield* groundByProxy
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      way.loseNext("$KV.b.a")
      yield* act(() => admin.plant("b", [["a", "1"]]))
      yield* until("it", () => heard.revisions.length === 1, 5_000)
      assert.deepStrictEqual([...heard.state], [["a", "1"]])
    }))

  it.live("a message of the start that is lost on the way is in the start all the same", () =>
    Effect.gen(function*() {
      const { admin, nats, way } = yield* groundByProxy
      yield* act(() =>
        admin.plant("b", Array.from({ length: 1_000 }, (_, index) => [`k${index}`, `${index}`] as const))
      )
      way.loseNext("$KV.b.k500")
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      assert.strictEqual(heard.events.findIndex(({ _tag }) => _tag === "End"), 1_000)
      assert.deepStrictEqual(heard.revisions, Array.from({ length: 1_000 }, (_, index) => index + 1))
    }))

  it.live("a connection that was cut goes on as soon as it is back, and not when silence has lasted", () =>
    Effect.gen(function*() {
      const { server, admin } = yield* ground()
      const way = yield* proxy(server)
      const nats = yield* connected(way, { silenceMax: "1 minute", auditEvery: "1 minute" })
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      yield* firstAudit
      way.cut()
      yield* act(() => admin.plant("b", [["a", "1"]]))
      yield* until("what was put", () => heard.revisions.length === 1, 5_000)
    }))

  it.live(
    "a connection that is cut again and again loses nothing and says nothing twice",
    () =>
      Effect.gen(function*() {
        const { admin, nats, way } = yield* groundByProxy
        const heard = yield* hear(nats)
        const done = new Map<string, string>()
        const writer = yield* Effect.forkChild(putSteadily(admin, 1_000, done))
        for (let cuts = 0; cuts < 5; cuts++) {
          yield* Effect.sleep("200 millis")
          way.cut()
        }
        yield* Fiber.join(writer)
        yield* until("all is heard", () => heard.revisions.at(-1) === 1_000)
        assert.deepStrictEqual(heard.revisions, Array.from({ length: 1_000 }, (_, index) => index + 1))
        assert.strictEqual(heard.ends, 1)
        assert.isAtLeast((yield* nats.connection).reconnects, 3)
      }),
    30_000
  )
})
