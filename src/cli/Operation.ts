/**
 * What an operator sees of a running `serve`: how it stands, and what it counts, by HTTP where an address is set.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SeatState } from "../ports/Seat.ts"
import { Metrics } from "../provisioner/Metrics.ts"
import type { Provisioner } from "../provisioner/Provisioner.ts"
import { type Standing, type Status, statusOf } from "../provisioner/Status.ts"
import type { Failure } from "./Failure.ts"
import { readListen, serveHealth } from "./HealthServer.ts"
import { version } from "./Version.ts"

/** What is seen, whatever of it is there yet. */
export class Operation {
  seat: Effect.Effect<SeatState> = Effect.succeed({ _tag: "Looking" })
  connection: Effect.Effect<Standing["connection"]> = Effect.undefined
  provisioner: Effect.Effect<Provisioner["Service"] | undefined> = Effect.undefined
  hasEnded = false
  readonly metrics = new Metrics(version())

  readonly #standing: Effect.Effect<Standing> = Effect.gen({ self: this }, function*() {
    const provisioner = yield* this.provisioner
    return {
      seat: yield* this.seat,
      health: provisioner === undefined ? undefined : yield* provisioner.health,
      connection: yield* this.connection,
      busyMillis: provisioner === undefined ? undefined : yield* provisioner.busyMillis,
      hasEnded: this.hasEnded
    }
  })

  /** How it stands, now. */
  readonly status: Effect.Effect<Status> = Effect.suspend(() => Effect.map(this.#standing, statusOf))

  /** Answers probes and scrapes at an address, until the scope closes; nowhere where none is given. */
  listen(address: string | undefined): Effect.Effect<void, Failure, Scope.Scope> {
    return address === undefined
      ? Effect.void
      : Effect.flatMap(
        readListen(address),
        (listen) => Effect.asVoid(serveHealth({ listen, status: this.status, metrics: this.#metricsText }))
      )
  }

  /** Runs what is to run for ever; where it ends by a defect, that is seen. */
  watched<R>(running: Effect.Effect<never, never, R>): Effect.Effect<never, never, R> {
    return Effect.onError(running, () =>
      Effect.sync(() => {
        this.hasEnded = true
      }))
  }

  get #metricsText(): Effect.Effect<string> {
    return Effect.gen({ self: this }, function*() {
      const provisioner = yield* this.provisioner
      const source = provisioner === undefined ? undefined : yield* provisioner.source
      return this.metrics.text({ standing: yield* this.#standing, source })
    })
  }
}
