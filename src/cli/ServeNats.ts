/**
 * `serve` on NATS: the daemon, with what an operator sees of it.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { hostname } from "node:os"
import type { NatsBus } from "../adapters/nats/NatsBus.ts"
import { Seat } from "../ports/Seat.ts"
import { VerbServer } from "../ports/VerbServer.ts"
import { Daemon } from "../provisioner/Daemon.ts"
import { countTurns, Metrics } from "../provisioner/Metrics.ts"
import type { Provisioner } from "../provisioner/Provisioner.ts"
import { type Standing, type Status, statusOf } from "../provisioner/Status.ts"
import { connected } from "./Connect.ts"
import type { Failure } from "./Failure.ts"
import { readListen, serveHealth } from "./HealthServer.ts"
import { styled } from "./Print.ts"
import type { Screen } from "./Screen.ts"
import type { ServeConfig } from "./Serve.ts"
import { Showing } from "./Showing.ts"
import { version } from "./Version.ts"

/** Runs it, until it is interrupted: then the writes on their way are waited for, and the seat is given up. */
export const serveNats = Effect.fnUntraced(function*(
  screen: Screen,
  { connection, provisioner: options, settings: { listen, name = hostname() } }: ServeConfig
): Effect.fn.Return<never, Failure, Scope.Scope> {
  const operation = new Operation()
  const listenAt = listen === undefined ? undefined : yield* readListen(listen)
  if (listenAt !== undefined) {
    yield* serveHealth({ listen: listenAt, status: operation.status, metrics: operation.metricsText })
  }
  const showing = new Showing(screen, footer, false)
  yield* Effect.forkScoped(showStatus(showing, operation.status))
  const nats = yield* connected(connection, Number.POSITIVE_INFINITY)
  operation.nats = nats
  const daemon = yield* Daemon.make(options).pipe(
    Effect.provideService(Seat, yield* nats.seat({ name })),
    Effect.provideService(VerbServer, nats.verbServer)
  )
  operation.daemon = daemon
  yield* Effect.forkScoped(countTurns(operation.metrics, daemon.provisioners))
  yield* Effect.forkScoped(showTurns(showing, daemon.provisioners))
  return yield* Effect.onError(daemon.ended, () =>
    Effect.sync(() => {
      operation.hasEnded = true
    }))
})

/** What an operator sees of the daemon, whatever of it is there yet. */
class Operation {
  nats: NatsBus["Service"] | undefined
  daemon: Daemon["Service"] | undefined
  hasEnded = false
  readonly metrics = new Metrics(version())

  readonly #standing: Effect.Effect<Standing> = Effect.gen({ self: this }, function*() {
    const provisioner = yield* this.#provisioner
    return {
      seat: this.daemon === undefined ? { _tag: "Unreachable" } : yield* this.daemon.seat,
      health: provisioner === undefined ? undefined : yield* provisioner.health,
      connection: this.nats === undefined ? { isUp: false, reconnects: 0 } : yield* this.nats.connection,
      busyMillis: provisioner === undefined ? undefined : yield* provisioner.busyMillis,
      hasEnded: this.hasEnded
    }
  })

  readonly status: Effect.Effect<Status> = Effect.suspend(() => Effect.map(this.#standing, statusOf))

  readonly metricsText: Effect.Effect<string> = Effect.gen({ self: this }, function*() {
    const provisioner = yield* this.#provisioner
    const source = provisioner === undefined ? undefined : yield* provisioner.source
    return this.metrics.text({ standing: yield* this.#standing, source })
  })

  get #provisioner(): Effect.Effect<Provisioner["Service"] | undefined> {
    return Effect.suspend(() => this.daemon === undefined ? Effect.undefined : this.daemon.provisioner)
  }
}

/** Shows what is decided, in one term after the other. */
const showTurns = (showing: Showing, provisioners: Daemon["Service"]["provisioners"]): Effect.Effect<void> =>
  provisioners.pipe(
    Stream.switchMap((provisioner) =>
      provisioner === undefined
        ? Stream.make(undefined)
        : Stream.unwrap(Effect.map(provisioner.turns, Stream.fromSubscription))
    ),
    Stream.runForEach((turn) => Effect.sync(() => showing.decided(turn?.after)))
  )

const showStatus = (showing: Showing, status: Effect.Effect<Status>): Effect.Effect<never> =>
  Effect.map(status, ({ isReady, sentence }) => showing.stands(sentence, isReady)).pipe(
    Effect.andThen(Effect.sleep("500 millis")),
    Effect.forever
  )

const footer = [
  styled(
    "dim",
    "Ctrl-C ends this. What is not well, and why: mesh-provisioner show plans, mesh-provisioner explain KEY"
  )
]
