/**
 * Goal: of each write it is known what became of it, or that nobody knows; and nobody's write is done twice, or later.
 *
 * Method: a server of its own that is frozen, killed, filled and made to refuse.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted, Result, Schedule } from "effect"
import type { NatsSettings } from "../../../src/adapters/nats/index.ts"
import { userOf, usersConfig } from "../../nats/Accounts.ts"
import { bare } from "../../nats/Bare.ts"
import { natsServer } from "../../nats/Server.ts"
import { act, bytes, connected, ground, hear, reasonOf, until } from "./Ground.ts"

const as = (user: string): NatsSettings => ({
  credentials: { _tag: "Password", user, password: Redacted.make(user) }
})

describe("writes whose answer does not come", () => {
  it.live("a frozen server: it is not known whether it was written, and it is when the server thaws", () =>
    Effect.gen(function*() {
      const { admin, nats, server } = yield* ground({ answerWaitMax: "500 millis" })
      server.freeze()
      assert.deepStrictEqual(yield* reasonOf(nats.bus.create("b", "a", bytes("1"))), { _tag: "Unreachable" })
      server.thaw()
      yield* Effect.sleep("500 millis")
      const { state } = yield* act(() => admin.manager.streams.info("KV_b"))
      assert.strictEqual(state.last_seq, 1, "written once, and not tried again")
      assert.isTrue(Option.isSome(yield* nats.bus.get("b", "a")))
    }))

  it.live(
    "a server that is killed under them: they fail at once, and none is sent when it is back",
    () =>
      Effect.gen(function*() {
        const { admin, nats, server } = yield* ground({ answerWaitMax: "10 seconds" })
        server.freeze()
        const writes = yield* Effect.forEach(
          ["a", "b", "c"],
          (key) => Effect.forkChild(Effect.result(nats.bus.create("b", key, bytes("1"))))
        )
        yield* Effect.sleep("100 millis")
        const killed = performance.now()
        yield* act(() => server.stop("SIGKILL"))
        for (const write of writes) {
          const result = yield* Fiber.join(write)
          assert.deepStrictEqual(Result.isFailure(result) ? result.failure.reason : "written", { _tag: "Unreachable" })
        }
        assert.deepStrictEqual(yield* reasonOf(nats.bus.create("b", "d", bytes("1"))), { _tag: "Unreachable" })
        assert.isBelow(performance.now() - killed, 9_000, "well before their time is up")
        yield* act(server.start)
        yield* nats.bus.create("b", "e", bytes("1")).pipe(
          Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "10 seconds" })))
        )
        const { state } = yield* act(() => admin.manager.streams.info("KV_b", { subjects_filter: ">" }))
        assert.deepStrictEqual(Object.keys(state.subjects ?? {}), ["$KV.b.e"])
      }),
    30_000
  )
})

describe("writes that are refused", () => {
  it.live("what this account may not is heard in moments, for each write its own, among others that are taken", () =>
    Effect.gen(function*() {
      const client = { role: "client", node: "n1" } as const
      const server = yield* natsServer({ config: usersConfig([client]) })
      const admin = yield* bare(server)
      yield* act(() => admin.makeBucket("mesh-provisioner_needs"))
      const lines: Array<string> = []
      const nats = yield* connected(server, { ...as(userOf(client)), answerWaitMax: "20 seconds" }, lines)
      const before = performance.now()
      const results = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) =>
          Effect.result(nats.bus.create("mesh-provisioner_needs", `n${1 + index % 4}.m${index >> 2}.a.b`, bytes("1"))),
        { concurrency: 64 }
      )
      assert.isBelow(performance.now() - before, 10_000)
      for (const [index, result] of results.entries()) {
        const reason = Result.isFailure(result) ? result.failure.reason : undefined
        assert.deepStrictEqual(reason, index % 4 === 0 ? undefined : { _tag: "Refused", because: "account" })
      }
      assert.deepStrictEqual(lines, [], "the writes say it themselves")
    }))

  it.live("a bucket that takes less than the server does says how much", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* act(() => admin.makeBucket("small", { max_msg_size: 1_000 }))
      yield* nats.bus.create("small", "a", new Uint8Array(744))
      assert.deepStrictEqual(
        yield* reasonOf(nats.bus.create("small", "b", new Uint8Array(1_000))),
        { _tag: "TooLarge", what: "value", bytes: 1_000, bytesMax: 744 }
      )
    }))

  for (const [name, config] of [["bytes", { max_bytes: 2_000 }], ["messages", { max_msgs: 5 }]] as const) {
    it.live(`a bucket that is full by ${name} says so, and takes again what there is room for`, () =>
      Effect.gen(function*() {
        const { admin, nats } = yield* ground()
        yield* act(() => admin.makeBucket("full", config))
        const results = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => index),
          (index) => Effect.result(nats.bus.create("full", `k${index}`, new Uint8Array(200)))
        )
        const reasons = results.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
        assert.isNotEmpty(reasons)
        assert.deepStrictEqual([...new Set(reasons.map(({ reason }) => reason._tag))], ["Full"])
        assert.include(reasons[0]?.message, "is full. Make room there")
        yield* act(() => admin.manager.streams.purge("KV_full"))
        yield* nats.bus.create("full", "again", new Uint8Array(200))
      }))
  }

  it.live("an account that has used up its share of the store says so", () =>
    Effect.gen(function*() {
      const server = yield* natsServer({
        config: JSON.stringify({
          accounts: { mesh: { jetstream: { max_store: 100_000 }, users: [{ user: "admin", password: "admin" }] } }
        })
      })
      const admin = yield* bare(server)
      yield* act(() => admin.makeBucket("b"))
      const nats = yield* connected(server, as("admin"))
      const results = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => Effect.result(nats.bus.create("b", `k${index}`, new Uint8Array(10_000)))
      )
      const tags = results.flatMap((result) => Result.isFailure(result) ? [result.failure.reason._tag] : [])
      assert.isNotEmpty(tags)
      assert.deepStrictEqual([...new Set(tags)], ["Full"])
    }))
})

describe("reads that are refused", () => {
  const permitted = (publish: ReadonlyArray<string>, subscribe: ReadonlyArray<string>) =>
    JSON.stringify({
      authorization: {
        users: [
          { user: "admin", password: "admin" },
          { user: "ann", password: "ann", permissions: { publish: [...publish], subscribe: [...subscribe] } }
        ]
      }
    })

  const refusals = (config: string) =>
    Effect.gen(function*() {
      const server = yield* natsServer({ config })
      const admin = yield* bare(server)
      yield* act(() => admin.makeBucket("b"))
      const nats = yield* connected(server, { ...as("ann"), answerWaitMax: "20 seconds" })
      const reasons = [
        yield* reasonOf(Effect.scoped(nats.bus.follow("b"))),
        yield* reasonOf(nats.bus.get("b", "a")),
        yield* reasonOf(nats.bus.history("b", "a"))
      ]
      assert.deepStrictEqual(reasons, reasons.map(() => ({ _tag: "Refused", because: "account" }) as const))
    })

  it.live("what this account may not ask is refused in moments", () =>
    refusals(permitted(["$JS.API.INFO"], ["_INBOX.>"])))

  it.live("an account that may look at a bucket, and not have it delivered", () =>
    refusals(permitted(["$JS.API.INFO", "$JS.API.STREAM.INFO.*"], ["_INBOX.>"])))

  it.live("an account that may not hear its own answers", () => refusals(permitted([">"], ["elsewhere.>"])))
})

describe("a bucket of another account", () => {
  /** The mesh's account, and one that reaches it by imports: requests of JetStream, one node's keys, and deliveries. */
  const twoAccounts = JSON.stringify({
    accounts: {
      mesh: {
        jetstream: "enabled",
        users: [{ user: "admin", password: "admin" }],
        exports: [
          { service: "$JS.API.>" },
          { service: "$JS.FC.>" },
          { service: "$KV.b.n1.>" },
          { stream: "deliver.node.>" }
        ]
      },
      node: {
        users: [{ user: "node", password: "node" }],
        imports: [
          { service: { account: "mesh", subject: "$JS.API.>" }, to: "mesh.API.>" },
          { service: { account: "mesh", subject: "$JS.FC.>" } },
          { service: { account: "mesh", subject: "$KV.b.n1.>" }, to: "mesh.$KV.b.n1.>" },
          { stream: { account: "mesh", subject: "deliver.node.>" } }
        ]
      }
    }
  })

  it.live(
    "is read and written by the prefixes that are set; what is not imported is refused",
    () =>
      Effect.gen(function*() {
        const server = yield* natsServer({ config: twoAccounts })
        const admin = yield* bare(server)
        yield* act(() => admin.makeBucket("b"))
        const nats = yield* connected(server, {
          ...as("node"),
          apiPrefix: "mesh.API",
          keyPrefix: "mesh",
          inboxPrefix: "deliver.node"
        })
        const heard = yield* hear(nats)
        yield* until("the start", () => heard.ends === 1)
        const created = yield* nats.bus.create("b", "n1.a", bytes("1"))
        yield* nats.bus.update("b", "n1.a", bytes("2"), created)
        yield* until("both are heard", () => heard.revisions.length === 2)
        assert.deepStrictEqual([...heard.state], [["n1.a", "2"]])
        assert.deepStrictEqual(
          yield* reasonOf(nats.bus.create("b", "n2.a", bytes("1"))),
          { _tag: "Refused", because: "account" }
        )
        assert.deepStrictEqual(
          yield* reasonOf(nats.bus.create("nobody_bound", "n1.a", bytes("1"))),
          { _tag: "Lost", how: "missing" }
        )
        yield* Effect.sleep("3 seconds")
        assert.strictEqual(heard.error, undefined, "the reading goes on")
      }),
    30_000
  )
})
