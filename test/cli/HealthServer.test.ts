/**
 * Goal: whoever probes the daemon is answered, whatever else is asked of that address, and by however many and however slowly.
 *
 * Method: a provisioner on the memory bus behind a real server on a free port of the loopback, asked by plain HTTP and by sockets
 * that misbehave.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Logger, Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { Bus, MemoryBus } from "../../src/adapters/memory/index.ts"
import { type Listen, readListen, serveHealth } from "../../src/cli/HealthServer.ts"
import { Metrics } from "../../src/provisioner/Metrics.ts"
import { Provisioner } from "../../src/provisioner/Provisioner.ts"
import { type Standing, statusOf } from "../../src/provisioner/Status.ts"
import { facts } from "../provisioner/Running.ts"
import { parseScrape, sampled } from "../provisioner/Scrape.ts"

const anyPort: Listen = { host: "127.0.0.1", port: 0 }

const standing: Standing = {
  seat: { _tag: "Held" },
  health: undefined,
  connection: undefined,
  busyMillis: undefined,
  hasEnded: false
}

/** A server that says how this stands, at the time it is asked. */
const serving = (now: { standing: Standing }, listen = anyPort) =>
  serveHealth({
    listen,
    status: Effect.sync(() => statusOf(now.standing)),
    metrics: Effect.sync(() => new Metrics("1.2.3").text({ standing: now.standing, source: undefined }))
  })

const ask = (port: number, path: string, method = "GET") =>
  Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    return { code: response.status, headers: response.headers, body: await response.text() }
  })

/** What a socket is told after it has sent this, or nothing where it is closed without a word. */
const sent = (port: number, text: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    let said = ""
    socket.on("data", (data) => said += data.toString())
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(said)))
  })

/** So many sockets that say nothing. */
const silent = (port: number, count: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Array.from({ length: count }, (): Socket => connect(port, "127.0.0.1").on("error", () => undefined))
    ),
    (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
  )

const quiet = Effect.provide(Logger.layer([]))

describe("a probe", () => {
  it.live("of a provisioner on a bus is told that it is ready, and what it counts", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      yield* memory.load({ buckets: facts })
      const provisioner = yield* Effect.provideService(Provisioner.make(), Bus, memory.as({ role: "provisioner" }))
      const now = Effect.map(provisioner.health, (health): Standing => ({ ...standing, health }))
      const metrics = new Metrics("1.2.3")
      const { port } = yield* serveHealth({
        listen: anyPort,
        status: Effect.map(now, statusOf),
        metrics: Effect.map(
          Effect.all([now, provisioner.source]),
          ([standing, source]) => metrics.text({ standing, source })
        )
      })
      let ready = yield* ask(port, "/readyz")
      for (let tries = 0; tries < 100 && ready.code !== 200; tries++) {
        yield* Effect.sleep(20)
        ready = yield* ask(port, "/readyz")
      }
      assert.include(JSON.parse(ready.body), { ready: true, alive: true, seat: "held", state: "live" })
      const { body, code, headers } = yield* ask(port, "/metrics")
      assert.deepStrictEqual([code, headers.get("content-type")], [200, "text/plain; version=0.0.4; charset=utf-8"])
      const bucket = "mesh-provisioner_plans"
      assert.strictEqual(sampled(parseScrape(body), "mesh_provisioner_decisions", { bucket, state: "ready" }), 1)
    }).pipe(quiet, Effect.provide(MemoryBus.layer())))

  it.live("is told 503 and why, and as it stands when it is asked", () =>
    Effect.gen(function*() {
      const now: { standing: Standing } = {
        standing: { ...standing, seat: { _tag: "Missing", missing: ["b"], sentence: "Make it." } }
      }
      const { port } = yield* serving(now)
      const missing = yield* ask(port, "/readyz")
      assert.strictEqual(missing.code, 503)
      assert.include(JSON.parse(missing.body), { ready: false, seat: "missing", sentence: "Make it." })
      assert.deepStrictEqual(JSON.parse(missing.body).missing, ["b"])
      assert.strictEqual((yield* ask(port, "/healthz")).code, 200)
      now.standing = { ...standing, seat: { _tag: "StandingBy", holder: "n2" } }
      assert.strictEqual((yield* ask(port, "/readyz")).code, 200)
      now.standing = { ...standing, hasEnded: true }
      assert.strictEqual((yield* ask(port, "/readyz")).code, 503)
      assert.strictEqual((yield* ask(port, "/healthz")).code, 503)
    }).pipe(quiet))

  it.live("by HEAD is told the same without the body", () =>
    Effect.gen(function*() {
      const { port } = yield* serving({ standing })
      const [get, head] = yield* Effect.all([ask(port, "/readyz"), ask(port, "/readyz", "HEAD")])
      assert.deepStrictEqual([head.code, head.body], [get.code, ""])
      assert.strictEqual(head.headers.get("content-length"), String(get.body.length))
    }).pipe(quiet))

  it.live("that cannot be answered is told so, without a word of why, and the log tells the place alone", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const { port } = yield* serveHealth({
        listen: anyPort,
        status: Effect.sync(() => statusOf(standing)),
        metrics: Effect.die(new TypeError("xyzzy"))
      }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])))
      const { body, code } = yield* ask(port, "/metrics")
      assert.deepStrictEqual([code, body], [500, "This could not be answered.\n"])
      assert.isTrue(lines.some((line) => line.includes("A probe could not be answered.")))
      assert.strictEqual((yield* ask(port, "/healthz")).code, 200)
    }))
})

describe("whatever else is asked", () => {
  it.live("is refused: other paths, other methods, and what is no request", () =>
    Effect.gen(function*() {
      const { port } = yield* serving({ standing })
      for (const path of ["/", "/metrics/", "/healthz/../metrics", "/__proto__", "/%2e"]) {
        assert.strictEqual((yield* ask(port, path.replace("/..", "/%2e%2e%2f"))).code, 404, path)
      }
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const { code, headers } = yield* ask(port, "/metrics", method)
        assert.deepStrictEqual([code, headers.get("allow")], [405, "GET, HEAD"])
      }
      assert.match(yield* sent(port, "nonsense\r\n\r\n"), /^HTTP\/1\.1 400 /)
      assert.match(yield* sent(port, `GET /healthz HTTP/1.1\r\nx: ${"x".repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
      assert.strictEqual((yield* ask(port, "/healthz?verbose")).code, 200)
    }).pipe(quiet))

  it.live("slowly, or by many who say nothing, holds nobody up, and is ended", () =>
    Effect.gen(function*() {
      const { port } = yield* serving({ standing })
      const alone = yield* serving({ standing })
      const began = performance.now()
      const slow = yield* Effect.forkScoped(sent(alone.port, "GET /healthz HTTP/1.1\r\n"))
      yield* silent(port, 200)
      yield* Effect.sleep(100)
      const asked = performance.now()
      assert.strictEqual((yield* ask(port, "/healthz")).code, 200)
      assert.isBelow(performance.now() - asked, 1_000)
      assert.match(yield* Fiber.join(slow), /^(?:HTTP\/1\.1 408 |$)/)
      assert.isBelow(performance.now() - began, 8_000)
    }).pipe(quiet), 20_000)
})

describe("where it listens", () => {
  it.live("is given up with its scope, though somebody is connected", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { port } = yield* Scope.provide(serving({ standing }), scope)
      yield* silent(port, 3)
      yield* Effect.sleep(50)
      yield* Scope.close(scope, Exit.void)
      const again = yield* serving({ standing }, { host: "127.0.0.1", port })
      assert.strictEqual(again.port, port)
    }).pipe(quiet))

  it.live("is said where another listens there", () =>
    Effect.gen(function*() {
      const other = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = other.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const failure = yield* Effect.flip(serving({ standing }, { host: "127.0.0.1", port }))
      assert.deepStrictEqual([failure.exitCode, failure.sentence], [
        1,
        `Another program listens at 127.0.0.1:${port}. Give --listen another port, or end that program.`
      ])
    }).pipe(quiet))

  it.live("is said where this machine has no such address", () =>
    Effect.gen(function*() {
      const failure = yield* Effect.flip(serving({ standing }, { host: "192.0.2.1", port: 0 }))
      assert.include(failure.sentence ?? "", "no address 192.0.2.1")
    }).pipe(quiet))

  it.effect("is read as HOST:PORT, with an IPv6 address in brackets", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* readListen("127.0.0.1:9464"), { host: "127.0.0.1", port: 9464 })
      assert.deepStrictEqual(yield* readListen("[::1]:0"), { host: "::1", port: 0 })
      assert.deepStrictEqual(yield* readListen("mesh-1.home:65535"), { host: "mesh-1.home", port: 65_535 })
      for (const wrong of ["", "9464", ":9464", "::1:9464", "a:65536", "a:b", "[a:1", "http://a:1", "a b:1", "a:1\n"]) {
        assert.strictEqual((yield* Effect.flip(readListen(wrong))).exitCode, 2, wrong)
      }
    }))
})
