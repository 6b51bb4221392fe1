/**
 * What the tests of the NATS adapter stand on: a server of their own, the bare client beside, and the adapter.
 */
import { assert } from "@effect/vitest"
import { Effect, Logger, Queue, type Scope } from "effect"
import { NatsBus, type NatsSettings } from "../../../src/adapters/nats/index.ts"
import type { BucketEvent } from "../../../src/ports/Bus.ts"
import type { BusError, BusErrorReason } from "../../../src/ports/BusError.ts"
import { type Bare, bare } from "../../nats/Bare.ts"
import { proxy } from "../../nats/Proxy.ts"
import { type NatsServer, natsServer, type ServerOptions } from "../../nats/Server.ts"

export interface Ground {
  readonly server: NatsServer
  readonly admin: Bare
  readonly nats: NatsBus["Service"]
}

/** A server, with the bucket `b` on it, and the adapter that looks and gives up faster than it does by itself. */
export const ground = Effect.fnUntraced(function*(
  settings: NatsSettings = {},
  options: ServerOptions = {}
): Effect.fn.Return<Ground, never, Scope.Scope> {
  const server = yield* natsServer(options)
  const admin = yield* bare(server)
  yield* Effect.promise(() => admin.makeBucket("b"))
  return { server, admin, nats: yield* connected(server, settings) }
})

/** The adapter, on a server. What it logs goes to `lines`, and is not shown. */
export const connected = (
  server: Pick<NatsServer, "url">,
  settings: NatsSettings = {},
  lines: Array<string> = []
): Effect.Effect<NatsBus["Service"], never, Scope.Scope> =>
  NatsBus.make({ servers: [server.url], silenceMax: "1 second", answerWaitMax: "1 second", ...settings }).pipe(
    Effect.orDie,
    Effect.provideService(Logger.CurrentLoggers, new Set([keeping(lines)]))
  )

/** A logger that keeps lines, and shows none. */
export const keeping = (lines: Array<string>) =>
  Logger.make<unknown, void>(({ logLevel, message }) => {
    lines.push(`${logLevel} ${Array.isArray(message) ? message.join(" ") : String(message)}`)
  })

/** The adapter reaches the server by a way that goes wrong. It hears of nothing but what is delivered. */
export const groundByProxy = Effect.gen(function*() {
  const { admin, server } = yield* ground()
  const way = yield* proxy(server)
  return { admin, server, way, nats: yield* connected({ ...server, url: way.url }, { auditEvery: "1 minute" }) }
})

/** A reading is compared with the stream soon after its start: time for that, where it is not to be what notices. */
export const firstAudit: Effect.Effect<void> = Effect.sleep("1500 millis")

/** Runs an act of the bare client's. */
export const act = <A>(run: () => Promise<A>): Effect.Effect<A> => Effect.promise(run)

/** What a follower heard, as it hears it, and the error that ended it. */
class Heard {
  readonly events: Array<BucketEvent> = []
  error: BusError | undefined

  /** The keys and values that were heard, as they stand. */
  get state(): ReadonlyMap<string, string> {
    const state = new Map<string, string>()
    for (const event of this.events) {
      if (event._tag === "Put") {
        state.set(event.key, new TextDecoder().decode(event.value))
      } else if (event._tag === "Delete") {
        state.delete(event.key)
      }
    }
    return state
  }

  get ends(): number {
    return this.events.filter(({ _tag }) => _tag === "End").length
  }

  get revisions(): ReadonlyArray<number> {
    return this.events.flatMap((event) => event._tag === "End" ? [] : [event.revision])
  }
}

/** Follows a bucket, and hears all of it, until the scope closes. */
export const hear = Effect.fnUntraced(function*(nats: NatsBus["Service"], bucket = "b") {
  const queue = yield* nats.bus.follow(bucket)
  const heard = new Heard()
  yield* Queue.takeAll(queue).pipe(
    Effect.map((events) => heard.events.push(...events)),
    Effect.forever,
    Effect.catch((error) =>
      Effect.sync(() => {
        heard.error = error
      })
    ),
    Effect.forkScoped
  )
  return heard
})

/** Waits until something is so; fails with its name where it does not become so. */
export const until = (name: string, isSo: () => boolean, millisMax = 15_000): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (const end = performance.now() + millisMax; !isSo();) {
      if (performance.now() > end) {
        return assert.fail(`it did not come to this in ${millisMax} ms: ${name}`)
      }
      yield* Effect.sleep("5 millis")
    }
  })

/** The reason that an effect fails with. */
export const reasonOf = <A, R>(effect: Effect.Effect<A, BusError, R>): Effect.Effect<BusErrorReason, A, R> =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

/** A text as bytes. */
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
