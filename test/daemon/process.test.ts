/**
 * Goal: the daemon as a process: it waits for what may come, ends at once with a sentence where nothing will help, ends in time
 * when it is told to, and answers probes.
 *
 * Method: the bin, on servers that are not there, not NATS, not letting it in, frozen; and its health by HTTP.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AddressInfo, createServer } from "node:net"
import { act, until } from "../adapters/nats/Ground.ts"
import { bare } from "../nats/Bare.ts"
import { natsServer } from "../nats/Server.ts"
import { comesTo, daemon, followers, live, mesh, type Running, setHealth } from "./Mesh.ts"

const facts = followers(20, "healthy")

/** The address at which a daemon says that it answers probes. */
const probedAt = (running: Running): Effect.Effect<string> =>
  Effect.gen(function*() {
    const address = () => running.lines.map(({ message }) => /http:\/\/\S+:\d+/.exec(message)?.[0]).find(Boolean)
    yield* until("it says where it is probed", () => address() !== undefined)
    return address() ?? ""
  })

const probe = (url: string) =>
  act(async () => {
    const answer = await fetch(url)
    return { status: answer.status, text: await answer.text() }
  })

describe("serve --bus", () => {
  it.live("without a server waits for it, says so once, and is not ready; then it is", () =>
    Effect.gen(function*() {
      const on = yield* mesh(facts)
      yield* act(() => on.server.stop())
      const one = yield* daemon(on.server.url, "one", ["--listen", "127.0.0.1:0"])
      const url = yield* probedAt(one)
      yield* until("it says so", () => one.says("No NATS server answers"))
      yield* Effect.sleep("2500 millis")
      assert.strictEqual(one.lines.filter(({ message }) => message.includes("No NATS server answers")).length, 1)
      assert.strictEqual((yield* probe(`${url}/healthz`)).status, 200)
      assert.strictEqual((yield* probe(`${url}/readyz`)).status, 503)
      yield* act(() => on.server.start())
      yield* live(one)
      assert.strictEqual((yield* probe(`${url}/readyz`)).status, 200)
      assert.include((yield* probe(`${url}/metrics`)).text, "mesh_provisioner_writes_total")
      yield* comesTo(on, facts)
    }), 60_000)

  it.live(
    "on a server without a bucket says that the seat's is missing, and takes it up when setup has made it",
    () =>
      Effect.gen(function*() {
        const server = yield* natsServer()
        const admin = yield* bare(server)
        const one = yield* daemon(server.url, "one", ["--listen", "127.0.0.1:0"])
        const url = yield* probedAt(one)
        yield* until("it says so", () => one.says("mesh-provisioner_seat"))
        const ready = yield* probe(`${url}/readyz`)
        assert.strictEqual(ready.status, 503)
        assert.include(ready.text, "mesh-provisioner_seat")
        assert.isFalse(admin.client.isClosed())
        yield* Effect.scoped(mesh(facts, {}, server))
        yield* live(one)
      }),
    60_000
  )

  it.live.each(
    [
      ["where no NATS server listens", () => stranger, /no NATS server/],
      ["with a password that is wrong", () => guarded, /did not let this user in/],
      ["without JetStream", () => Effect.map(natsServer({ jetstream: false }), ({ url }) => url), /JetStream is off/]
    ] as const
  )("%s ends with 1 and says it", ([, place, words]) =>
    Effect.gen(function*() {
      const one = yield* daemon(yield* place(), "one")
      assert.strictEqual(yield* one.ended, 1)
      assert.match(one.errors(), words)
    }), 60_000)

  it.live("says of a bucket that somebody made otherwise that it is not as it should be", () =>
    Effect.gen(function*() {
      const on = yield* mesh(facts)
      yield* act(() => on.admin.manager.streams.update("KV_mesh-host_haves", { allow_rollup_hdrs: true }))
      const one = yield* daemon(on.server.url, "one")
      yield* live(one)
      yield* until("it says so", () => one.says("Bucket mesh-host_haves is not as it should be (allow_rollup_hdrs"))
      assert.strictEqual(one.lines.filter(({ message }) => message.includes("not as it should be")).length, 1)
    }), 60_000)

  it.live("told to end before any server has answered ends at once", () =>
    Effect.gen(function*() {
      const one = yield* daemon("nats://127.0.0.1:1", "one")
      yield* until("it says so", () => one.says("No NATS server answers"))
      const from = performance.now()
      one.kill("SIGTERM")
      assert.strictEqual(yield* one.ended, 0)
      assert.isBelow(performance.now() - from, 2_000)
      assert.isFalse(one.says("nobody knows"))
    }), 60_000)

  it.live("told to end where the server is frozen ends with 0 in 5 s", () =>
    Effect.gen(function*() {
      const on = yield* mesh(facts)
      const one = yield* daemon(on.server.url, "one")
      yield* live(one)
      on.server.freeze()
      yield* Effect.forkChild(setHealth(on, "unhealthy"))
      yield* Effect.sleep("100 millis")
      const from = performance.now()
      one.kill("SIGTERM")
      assert.strictEqual(yield* one.ended, 0)
      assert.isBelow(performance.now() - from, 5_500)
      on.server.thaw()
    }), 60_000)
})

/** Somebody who speaks something else. */
const stranger = Effect.map(
  Effect.acquireRelease(
    act(() =>
      new Promise<{ readonly port: number; readonly close: () => void }>((resolve) => {
        const server = createServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-stranger\r\n"))
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resolve({ port: isAddress(address) ? address.port : 0, close: () => server.close() })
        })
      })
    ),
    ({ close }) => Effect.sync(close)
  ),
  ({ port }) => `nats://127.0.0.1:${port}`
)

const isAddress = (address: AddressInfo | string | null): address is AddressInfo =>
  address !== null && typeof address !== "string"

const guarded = Effect.map(
  natsServer({ config: `authorization { user: ann, password: right }` }),
  ({ url }) => url
)
