/**
 * `serve` on NATS: the daemon.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { hostname } from "node:os"
import type { NatsBus } from "../adapters/nats/NatsBus.ts"
import { Seat } from "../ports/Seat.ts"
import { VerbServer } from "../ports/VerbServer.ts"
import { Daemon } from "../provisioner/Daemon.ts"
import { countTurns } from "../provisioner/Metrics.ts"
import type { Status } from "../provisioner/Status.ts"
import { connected } from "./Connect.ts"
import type { Failure } from "./Failure.ts"
import { Operation } from "./Operation.ts"
import { styled } from "./Print.ts"
import type { Screen } from "./Screen.ts"
import type { ServeConfig } from "./Serve.ts"
import { Showing } from "./Showing.ts"

/** Runs it, until it is interrupted: then the writes on their way are waited for, and the seat is given up. */
export const serveNats = Effect.fnUntraced(function*(
  screen: Screen,
  { connection, provisioner: options, settings: { listen, name = hostname() } }: ServeConfig
): Effect.fn.Return<never, Failure, Scope.Scope> {
  const operation = new Operation()
  operation.connection = Effect.succeed({ isUp: false, reconnects: 0 })
  yield* operation.listen(listen)
  const showing = new Showing(screen, footer, false)
  yield* Effect.forkScoped(showStatus(showing, operation.status))
  const nats = yield* connected(connection, Number.POSITIVE_INFINITY)
  operation.connection = nats.connection
  const daemon = yield* Daemon.make(options).pipe(
    Effect.provideService(Seat, yield* nats.seat({ name })),
    Effect.provideService(VerbServer, nats.verbServer)
  )
  operation.seat = daemon.seat
  operation.provisioner = daemon.provisioner
  yield* Effect.forkScoped(countTurns(operation.metrics, daemon.provisioners))
  if (screen.live) {
    yield* Effect.forkScoped(showTurns(showing, daemon.provisioners))
  }
  yield* Effect.forkScoped(Stream.runForEach(
    daemon.provisioners,
    (provisioner) => provisioner === undefined ? Effect.void : sayBuckets(nats)
  ))
  return yield* operation.watched(daemon.ended)
})

/** Says of each bucket that a term begins on what is not as it should be, but for what is the operator's to choose. */
const sayBuckets = (nats: NatsBus["Service"]): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.option(nats.planBuckets()),
    (plans) =>
      Effect.forEach(Option.getOrElse(plans, () => []), ({ bucket, differences }) => {
        const fields = differences.map(({ field }) => field).filter((field) => !chosen.has(field))
        return fields.length === 0 ? Effect.void : Effect.logWarning(
          `Bucket ${bucket} is not as it should be (${
            fields.join(", ")
          }), and what is stored there may be wiped, swallowed or ` +
            "told by others. mesh-provisioner setup says why, and mends it."
        )
      }, { discard: true })
  )

const chosen: ReadonlySet<string> = new Set(["storage", "num_replicas", "max_msg_size"])

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
