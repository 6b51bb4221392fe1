/**
 * The daemon (protocol §9): one instance of the mesh holds the seat, decides, writes and answers the verbs; the others stand
 * by. It takes the seat, runs a {@link Provisioner} for as long as the term lasts, and begins anew: nothing of one term is
 * kept in the next, so whatever was written meanwhile is read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { bucketName, isDecisionBucket } from "../core/BucketName.ts"
import { Bus } from "../ports/Bus.ts"
import { Seat, type SeatState, type SeatTerm } from "../ports/Seat.ts"
import { type VerbReply, VerbServer, type VerbServerError } from "../ports/VerbServer.ts"
import { Provisioner } from "./Provisioner.ts"
import type { ProvisionerOptions } from "./Settings.ts"
import { tracedVerbs } from "./Traced.ts"
import { answerBy } from "./VerbDoor.ts"
import { escaped } from "./Words.ts"

/**
 * The running daemon, as whatever stands around it sees it.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Daemon } from "mesh-provisioner"
 * import { NatsBus } from "mesh-provisioner/adapters/nats"
 *
 * const onNats = Daemon.Daemon.layer().pipe(
 *   Layer.provide(NatsBus.ports({ name: "n1" })),
 *   Layer.provide(NatsBus.layer({ servers: ["nats://127.0.0.1:1"] }))
 * )
 * const run = Effect.flatMap(Daemon.Daemon, ({ ended }) => ended)
 *
 * const error = await Effect.runPromise(Effect.flip(run.pipe(Effect.provide(onNats))))
 * error.reason // "unreachable"
 * ```
 */
export class Daemon extends Context.Service<Daemon, {
  /** How it stands with the seat, now. */
  readonly seat: Effect.Effect<SeatState>

  /** The provisioner of the term; none while the seat is not held. */
  readonly provisioner: Effect.Effect<Provisioner["Service"] | undefined>

  /** The same, now and whenever a term begins or ends. */
  readonly provisioners: Stream.Stream<Provisioner["Service"] | undefined>

  /** Never ends, but by a defect: then nothing is decided any more. */
  readonly ended: Effect.Effect<never>
}>()("mesh-provisioner/provisioner/Daemon") {
  /** Runs it until the scope closes: then writes that are on their way are waited for, and the seat is given up. */
  static readonly make = Effect.fnUntraced(function*(
    options: ProvisionerOptions = {}
  ): Effect.fn.Return<Daemon["Service"], never, Seat | VerbServer | Scope.Scope> {
    const seat = yield* Seat
    const server = yield* VerbServer
    const current = yield* SubscriptionRef.make<Provisioner["Service"] | undefined>(undefined)
    yield* Effect.forkScoped(Stream.runForEach(seat.changes, saySeat))
    const term = Effect.gen(function*() {
      yield* Effect.addFinalizer(() => SubscriptionRef.set(current, undefined))
      const term = yield* seat.take
      const provisioner = yield* Effect.provideService(Provisioner.make(options), Bus, term.bus)
      yield* SubscriptionRef.set(current, provisioner)
      yield* Effect.forkScoped(serveVerbs(server, term, provisioner))
      const why = yield* Effect.raceAllFirst([term.over, provisioner.ended, lossOf(provisioner)])
      yield* Effect.logWarning(`Writes nothing more, and looks who holds the seat. ${why}`)
    })
    const running = yield* Effect.forkScoped(Effect.forever(Effect.scoped(term)))
    return Daemon.of({
      seat: seat.state,
      provisioner: SubscriptionRef.get(current),
      provisioners: SubscriptionRef.changes(current),
      ended: Fiber.join(running)
    })
  })

  /** The daemon on the ports that are provided, until the layer's scope closes. */
  static readonly layer = (options?: ProvisionerOptions): Layer.Layer<Daemon, never, Seat | VerbServer> =>
    Layer.effect(Daemon, Daemon.make(options))
}

/**
 * Waits until a bucket that the holder alone writes is lost. Made again it is another, which nobody has marked: it is to be
 * written in a term that has.
 */
const lossOf = ({ healthChanges }: Provisioner["Service"]): Effect.Effect<string> =>
  healthChanges.pipe(
    Stream.flatMap(({ lost }) => Stream.fromIterable(lost)),
    Stream.filter(({ bucket, how }) =>
      bucket !== undefined && (isDecisionBucket(bucket) || bucket === bucketName.answers) &&
      (how === "deleted" || how === "missing")
    ),
    Stream.runHead,
    Effect.flatMap(Option.match({
      onNone: () => Effect.never,
      onSome: ({ bucket = "" }) => Effect.succeed(`Bucket ${bucket} is lost: it was there and is not any more.`)
    }))
  )

/** Answers the verbs for as long as the seat is held for certain: what is asked later is another's to answer. */
const serveVerbs = (
  server: VerbServer["Service"],
  { isHeld }: SeatTerm,
  { verbs }: Provisioner["Service"]
): Effect.Effect<never> => {
  const answer = tracedVerbs(answerBy(verbs))
  const serve = server.serve((call) => Effect.suspend(() => isHeld() ? answer(call) : Effect.succeed(notHeld)))
  let said = ""
  const say = ({ message }: VerbServerError) =>
    Effect.suspend(() => {
      const isNew = message !== said
      said = message
      return isNew ? Effect.logWarning(message) : Effect.void
    })
  return Effect.scoped(Effect.andThen(serve, Effect.never)).pipe(
    Effect.tapError(say),
    Effect.retry(Schedule.spaced("5 seconds")),
    Effect.orDie
  )
}

const notHeld: VerbReply = {
  _tag: "Refusal",
  code: 503,
  message: "this instance does not hold the seat any more: ask again, and whoever holds it answers"
}

const saySeat = (state: SeatState): Effect.Effect<void> => {
  switch (state._tag) {
    case "Looking":
      return Effect.void
    case "Held":
      return Effect.logInfo("Holds the seat: reads everything, decides, writes and answers.")
    case "StandingBy":
      return Effect.logInfo(
        `Stands by: ${escaped(state.holder)} holds the seat. It is taken when it is given up or expires.`
      )
    case "Missing":
      return Effect.logWarning(`The seat cannot be taken. ${state.sentence}`)
    case "Unreachable":
      return Effect.logWarning("The seat cannot be taken: the bus does not answer. It is asked again until it does.")
  }
}
