/**
 * Goal: the service is found and counted as NATS' own tools do it, is there through every reconnection, says when it may
 * not be, and when it ends answers what it was asked before.
 *
 * Method: a real server and the micro protocol by the bare client, written out: what `nats micro list`, `info` and `stats`
 * ask and read.
 */
import { assert, describe, it } from "@effect/vitest"
import type { NatsConnection } from "@nats-io/transport-node"
import { Deferred, Effect, Exit, Redacted, Schedule, Scope } from "effect"
import { readFileSync } from "node:fs"
import type { VerbReply } from "../../../src/ports/VerbServer.ts"
import { natsServer } from "../../nats/Server.ts"
import { act, connected, ground, groundByProxy, until } from "./Ground.ts"
import { ask, echo, refused, send, serve } from "./VerbGround.ts"

interface Info {
  readonly id: string
  readonly version: string
  readonly endpoints: ReadonlyArray<{ readonly name: string; readonly subject: string }>
}

interface Stats {
  readonly started: string
  readonly endpoints: ReadonlyArray<{
    readonly name: string
    readonly num_requests: number
    readonly num_errors: number
    readonly last_error: string
    readonly processing_time: number
    readonly average_processing_time: number
  }>
}

const asked = <A>(client: NatsConnection, subject: string): Effect.Effect<A> =>
  Effect.map(send(client, subject), (reply) => reply.json<A>())

const statsOf = (client: NatsConnection, endpoint: string) =>
  Effect.map(
    asked<Stats>(client, "$SRV.STATS.mesh-provisioner"),
    ({ endpoints }) => endpoints.find(({ name }) => name === endpoint)
  )

const nobody = (client: NatsConnection, subject: string): Effect.Effect<boolean> =>
  act(() => client.request(subject, "", { timeout: 1_000 }).then(() => false, () => true))

describe("discovery", () => {
  it.live("answers PING, INFO and STATS to all, to its name and to its name and id", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      yield* serve(nats)
      const { version } = JSON.parse(readFileSync("package.json", "utf8"))
      const info = yield* asked<Info>(client, "$SRV.INFO")
      assert.match(info.id, /^[A-Za-z0-9]+$/)
      assert.strictEqual(info.version, version)
      const identity = { name: "mesh-provisioner", id: info.id, version, metadata: {} }
      for (const subject of ["", ".mesh-provisioner", `.mesh-provisioner.${info.id}`]) {
        assert.deepStrictEqual(yield* asked(client, `$SRV.PING${subject}`), {
          type: "io.nats.micro.v1.ping_response",
          ...identity
        })
        assert.deepInclude(yield* asked<object>(client, `$SRV.INFO${subject}`), {
          type: "io.nats.micro.v1.info_response",
          ...identity
        })
        assert.deepInclude(yield* asked<object>(client, `$SRV.STATS${subject}`), {
          type: "io.nats.micro.v1.stats_response",
          ...identity
        })
      }
      assert.isTrue(yield* nobody(client, "$SRV.PING.mesh-controller"))
      assert.isTrue(yield* nobody(client, "$SRV.PING.mesh-provisioner.other"))
      assert.deepStrictEqual(
        info.endpoints,
        ["provisioning", "explain", "retire", "what-if"].flatMap((verb) =>
          [
            { name: verb, subject: `mesh-provisioner.${verb}` },
            { name: `${verb}-by-account`, subject: `mesh-provisioner.${verb}.*` }
          ].map((endpoint) => ({ ...endpoint, queue_group: "", metadata: {} }))
        )
      )
    }))

  it.live("counts requests, errors and the time they take, and quotes nobody", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const began = Date.now()
      const slow: Effect.Effect<VerbReply> = Effect.delay(
        Effect.succeed({ _tag: "Refusal", code: 404, message: "there is no such plugh" }),
        "40 millis"
      )
      yield* serve(nats, (call) => call.payload.length > 0 ? slow : echo(call))
      yield* ask(client, "explain", new Uint8Array())
      yield* refused(client, "explain", { node: "plugh" })
      const stats = yield* statsOf(client, "explain")
      assert.isDefined(stats)
      assert.strictEqual(stats.num_requests, 2)
      assert.strictEqual(stats.num_errors, 1)
      assert.match(stats.last_error, /^404: /)
      assert.notInclude(stats.last_error, "plugh")
      assert.isTrue(stats.processing_time > 30_000_000 && stats.processing_time < 2_000_000_000)
      assert.approximately(stats.average_processing_time, stats.processing_time / 2, 1)
      assert.deepInclude(yield* statsOf(client, "retire"), {
        num_requests: 0,
        num_errors: 0,
        last_error: "",
        processing_time: 0,
        average_processing_time: 0
      })
      const { started } = yield* asked<Stats>(client, "$SRV.STATS")
      assert.match(started, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
      assert.approximately(Date.parse(started), began, 5_000)
    }))
})

describe("as long as it stands", () => {
  it.live("a request reaches all who serve, so that one who is frozen swallows none", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats, server } = yield* ground()
      yield* serve(yield* connected(server), () => Effect.never)
      yield* serve(nats)
      for (let count = 0; count < 20; count++) {
        yield* ask(client, "explain")
      }
    }))

  it.live(
    "it is there again after the server has been restarted, and after its connection was cut",
    () =>
      Effect.gen(function*() {
        const { admin: { client }, nats, server, way } = yield* groundByProxy
        yield* serve(nats)
        const standsAfter = (name: string, trouble: () => Promise<void> | void) =>
          Effect.gen(function*() {
            const { reconnects } = yield* nats.connection
            yield* act(async () => trouble())
            yield* until(name, () => {
              const now = Effect.runSync(nats.connection)
              return now.isUp && now.reconnects > reconnects
            })
            // The client that asks has lost its connection, too.
            yield* Effect.retry(
              Effect.tryPromise(() => client.request("mesh-provisioner.explain", "", { timeout: 1_000 })),
              { times: 40, schedule: Schedule.spaced("100 millis") }
            )
            const { endpoints } = yield* asked<Info>(client, "$SRV.INFO.mesh-provisioner")
            assert.lengthOf(endpoints, 8)
          })
        yield* standsAfter("it is cut", way.cut)
        yield* standsAfter("it is restarted", async () => {
          await server.stop("SIGKILL")
          await server.start()
        })
      }),
    30_000
  )

  it.live("an id is of one serving alone", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const first = yield* Effect.scoped(Effect.andThen(serve(nats), asked<Info>(client, "$SRV.INFO")))
      yield* serve(nats)
      assert.notStrictEqual((yield* asked<Info>(client, "$SRV.INFO")).id, first.id)
    }))
})

describe("where it may not be", () => {
  const config = (deny: ReadonlyArray<string>, publish: ReadonlyArray<string> = [">"]) =>
    JSON.stringify({
      authorization: {
        users: [
          { user: "admin", password: "admin" },
          {
            user: "mesh",
            password: "mesh",
            permissions: { subscribe: { allow: [">"], deny }, publish: { allow: publish } }
          }
        ]
      }
    })
  const credentials = { _tag: "Password", user: "mesh", password: Redacted.make("mesh") } as const

  for (const subject of ["mesh-provisioner.retire", "mesh-provisioner.explain.*", "$SRV.STATS.mesh-provisioner"]) {
    it.live(`it says that it may not subscribe to ${subject}, and answers nothing`, () =>
      Effect.gen(function*() {
        const { admin: { client }, server } = yield* ground({ credentials }, { config: config([subject]) })
        const nats = yield* connected(server, { credentials })
        const error = yield* Effect.flip(Effect.scoped(nats.verbServer.serve(echo)))
        assert.strictEqual(error.reason, "refused")
        assert.strictEqual(error.subject, subject)
        assert.isTrue(yield* nobody(client, "mesh-provisioner.provisioning"))
      }))
  }

  it.live("it says that there is no connection", () =>
    Effect.gen(function*() {
      const { nats, server } = yield* ground()
      yield* act(() => server.stop())
      yield* until("it is lost", () => !Effect.runSync(nats.connection).isUp)
      const error = yield* Effect.flip(Effect.scoped(nats.verbServer.serve(echo)))
      assert.strictEqual(error.reason, "unreachable")
    }))

  it.live("replies that it may not send are said once, and the others are sent", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const { admin: { client }, server } = yield* ground({ credentials }, {
        config: config([], ["_INBOX.>", "$JS.API.>"])
      })
      const nats = yield* connected(server, { credentials }, lines)
      yield* serve(nats, echo, lines)
      for (let count = 0; count < 5; count++) {
        client.publish("mesh-provisioner.explain", "", { reply: `elsewhere.${count}` })
        client.publish("$SRV.PING", "", { reply: `elsewhere.ping.${count}` })
      }
      yield* ask(client, "explain")
      yield* until("it is said", () => lines.length > 0)
      yield* Effect.sleep("100 millis")
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "whose reply this account may not send")
    }))
})

describe("when it ends", () => {
  it.live("what was asked before is answered, and then nobody is there", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const scope = yield* Scope.make()
      const gate = yield* Deferred.make<void>()
      let asking = 0
      yield* serve(nats, (call) => {
        asking += 1
        return Effect.andThen(Deferred.await(gate), echo(call))
      }).pipe(Scope.provide(scope))
      const answers = Array.from({ length: 100 }, () =>
        client.request("mesh-provisioner.explain", "", { timeout: 5_000 }))
      yield* until("some are at work, the others wait", () =>
        asking === 32)
      const closing = Effect.runFork(Scope.close(scope, Exit.void))
      yield* Effect.sleep("50 millis")
      assert.isUndefined(closing.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      for (const reply of yield* act(() => Promise.all(answers))) {
        assert.isUndefined(reply.headers?.get("Nats-Service-Error"))
      }
      yield* until("it has ended", () => closing.pollUnsafe() !== undefined)
      assert.isTrue(yield* nobody(client, "mesh-provisioner.explain"))
      assert.isTrue(yield* nobody(client, "$SRV.PING"))
    }))

  it.live("it does not wait for ever: what is not answered in time is refused", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const scope = yield* Scope.make()
      yield* serve(nats, () => Effect.never).pipe(Scope.provide(scope))
      const answers = Array.from(
        { length: 50 },
        () => client.request("mesh-provisioner.explain", "", { timeout: 9_000 })
      )
      yield* act(() => client.flush())
      yield* Effect.sleep("100 millis")
      const began = performance.now()
      yield* Scope.close(scope, Exit.void)
      assert.isBelow(performance.now() - began, 4_000)
      for (const reply of yield* act(() => Promise.all(answers))) {
        assert.strictEqual(reply.headers?.get("Nats-Service-Error-Code"), "503")
      }
    }), 20_000)

  it.live("it ends in time while the connection is lost", () =>
    Effect.gen(function*() {
      const server = yield* natsServer()
      const nats = yield* connected(server)
      const scope = yield* Scope.make()
      yield* serve(nats).pipe(Scope.provide(scope))
      yield* act(() => server.stop("SIGKILL"))
      yield* until("it is lost", () => !Effect.runSync(nats.connection).isUp)
      const began = performance.now()
      yield* Scope.close(scope, Exit.void)
      assert.isBelow(performance.now() - began, 3_000)
    }))
})
