/**
 * The bus on NATS: JetStream's key-value buckets as the port {@link Bus}.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Bus, type BusLimits } from "../../ports/Bus.ts"
import type { BusError } from "../../ports/BusError.ts"
import { Seat } from "../../ports/Seat.ts"
import { VerbServer } from "../../ports/VerbServer.ts"
import type { Write } from "../../ports/Write.ts"
import { Advisories } from "./Advisories.ts"
import type { BucketPlan } from "./BucketPlan.ts"
import { connect, type Connection } from "./Connection.ts"
import { Fence, type TermOptions } from "./Fence.ts"
import { follow, type Ground } from "./Follow.ts"
import { followBuckets } from "./FollowBuckets.ts"
import { JetStream } from "./JetStream.ts"
import { get, history } from "./Keys.ts"
import { NatsConnectError } from "./NatsConnectError.ts"
import { apiCode, type Trouble } from "./NatsErrors.ts"
import { makeSeat, type SeatOptions } from "./NatsSeat.ts"
import { verbServerOn } from "./NatsVerbs.ts"
import { Requests } from "./Requests.ts"
import { type NatsSettings, type Settings, settingsOf } from "./Settings.ts"
import { applyPlans, type NatsSetupError, planBuckets, type SetupOptions } from "./Setup.ts"
import { headerBytesMax, messageBytesMax, plainWay, write, type WriteGround } from "./Writing.ts"
import { writeMany } from "./WritingMany.ts"

/** A term: while it lasts, nobody else has written the buckets that it fences. */
export interface Term {
  /**
   * The port, of which the writes into the fenced buckets are stored only while nobody else has written there since the
   * term began. Once another has, or it cannot be known, they fail with `Fenced`, for good.
   */
  readonly bus: Bus["Service"]
  /** Waits until the term is over, and gives the bucket by which it was seen. */
  readonly over: Effect.Effect<string>
}

/**
 * A connection to NATS, as whoever runs it sees it. The provisioner sees the port {@link Bus}.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { NatsBus } from "mesh-provisioner/adapters/nats"
 *
 * const missingBuckets = Effect.gen(function*() {
 *   const nats = yield* NatsBus
 *   const plans = yield* nats.planBuckets()
 *   return plans.filter(({ action }) => action === "make").map(({ bucket }) => bucket)
 * }).pipe(Effect.provide(NatsBus.layer({ servers: ["nats://127.0.0.1:1"] })))
 *
 * const error = await Effect.runPromise(Effect.flip(missingBuckets))
 * error._tag // "NatsConnectError"
 * ```
 */
export class NatsBus extends Context.Service<NatsBus, {
  /** The port, on this connection. */
  readonly bus: Bus["Service"]

  /**
   * Begins a term in buckets that have one writer: leaves `mark` in each, as its key `_epoch` (protocol §9), so that
   * nothing that an earlier term has sent is stored any more. Read the buckets only after that.
   *
   * Fails as a write does.
   */
  readonly beginTerm: (term: TermOptions) => Effect.Effect<Term, BusError>

  /** The seat, as an instance of this name sees it. */
  readonly seat: (options: SeatOptions) => Effect.Effect<Seat["Service"]>

  /** Whoever serves the verbs here, as a micro service. */
  readonly verbServer: VerbServer["Service"]

  /** What is to be done so that the mesh's buckets are there, and as they should be. It changes nothing. */
  readonly planBuckets: (options?: SetupOptions) => Effect.Effect<ReadonlyArray<BucketPlan>, NatsSetupError>

  /** Does what is planned. */
  readonly applyPlans: (plans: ReadonlyArray<BucketPlan>) => Effect.Effect<void, NatsSetupError>

  /** The version of the server that it is connected to. */
  readonly serverVersion: Effect.Effect<string>

  /** Whether there is a connection now, and how often it was made anew. */
  readonly connection: Effect.Effect<{ readonly isUp: boolean; readonly reconnects: number }>
}>()("mesh-provisioner/adapters/nats/NatsBus") {
  /**
   * Connects, until the scope closes.
   *
   * Fails with {@link NatsConnectError} where no connection was made, or the server keeps no buckets.
   */
  static readonly make = Effect.fnUntraced(function*(
    options: NatsSettings = {}
  ): Effect.fn.Return<NatsBus["Service"], NatsConnectError, Scope.Scope> {
    const settings = settingsOf(options)
    const connection = yield* connect(options)
    const requests = yield* Requests.make(connection, settings)
    const jetStream = new JetStream(requests, settings)
    yield* checkJetStream(connection, jetStream, options.connectFor)
    const advisories = yield* Advisories.make(connection)
    const writing = { requests, jetStream, keyPrefix: settings.keyPrefix, limits: limitsOf(connection, settings) }
    const busOf = portOn({ connection, jetStream, advisories, settings }, writing)
    const bus = busOf()
    const beginTerm = (term: TermOptions) =>
      Effect.map(Fence.begin(writing, term), (fence): Term => ({ bus: busOf(fence), over: fence.over }))
    return NatsBus.of({
      bus,
      beginTerm,
      seat: (options) => makeSeat({ bus, jetStream, beginTerm }, options),
      verbServer: verbServerOn(connection, settings),
      planBuckets: (setup) => planBuckets(jetStream, setup),
      applyPlans: (plans) => applyPlans(jetStream, plans),
      serverVersion: Effect.sync(() => connection.client.info?.version ?? "unknown"),
      connection: Effect.sync(() => ({ isUp: connection.isUp, reconnects: connection.reconnects }))
    })
  })

  /** A connection to NATS. */
  static readonly layer = (settings?: NatsSettings): Layer.Layer<NatsBus, NatsConnectError> =>
    Layer.effect(NatsBus, NatsBus.make(settings))

  /** What the daemon stands on beside the bus, on a connection: the seat, as an instance of this name sees it, and the verbs. */
  static readonly ports = (options: SeatOptions): Layer.Layer<Seat | VerbServer, never, NatsBus> =>
    Layer.effectContext(Effect.gen(function*() {
      const nats = yield* NatsBus
      return Context.make(Seat, yield* nats.seat(options)).pipe(Context.add(VerbServer, nats.verbServer))
    }))
}

/**
 * The port {@link Bus} on a connection to NATS.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Provisioner } from "mesh-provisioner"
 * import { layer } from "mesh-provisioner/adapters/nats"
 *
 * const onNats = Provisioner.Provisioner.layer().pipe(Layer.provide(layer({ servers: ["nats://127.0.0.1:1"] })))
 * const health = Effect.flatMap(Provisioner.Provisioner, (provisioner) => provisioner.health)
 *
 * const error = await Effect.runPromise(Effect.flip(health.pipe(Effect.provide(onNats))))
 * error.reason // "unreachable"
 * ```
 */
export const layer = (settings?: NatsSettings): Layer.Layer<Bus, NatsConnectError> =>
  Layer.effect(Bus, Effect.map(NatsBus.make(settings), ({ bus }) => bus))

/** The port, whose writes are fenced where there is a fence. */
const portOn = (ground: Ground, writing: WriteGround) => (fence?: Fence): Bus["Service"] => {
  const plain = plainWay(writing)
  const wayOf = (bucket: string) => fence?.wayOf(bucket) ?? plain
  const put = (toWrite: Write) => write(writing, toWrite, wayOf(toWrite.bucket))
  return Bus.of({
    follow: (bucket) => follow(ground, bucket),
    followBuckets: followBuckets(ground),
    get: (bucket, key) => get(ground.jetStream, bucket, key),
    history: (bucket, key) => history(ground.jetStream, bucket, key),
    create: (bucket, key, value) => put({ operation: "create", bucket, key, value }),
    update: (bucket, key, value, revision) => put({ operation: "update", bucket, key, value, revision }),
    delete: (bucket, key, revision) => put({ operation: "delete", bucket, key, revision }),
    writeMany: (many) => writeMany(writing, wayOf, many),
    limits: writing.limits
  })
}

const limitsOf = (connection: Connection, { valueBytesMax }: Settings): BusLimits => ({
  valueBytesMax: Math.min(valueBytesMax, (connection.client.info?.max_payload ?? messageBytesMax) - headerBytesMax),
  keyBytesMax: 3_072
})

// An account that may not ask, or is asked no answer, may have its buckets all the same: it is seen when they are read.
// Nobody may answer for some seconds while a cluster chooses who leads: whoever has time to connect has time for that.
const checkJetStream = (
  connection: Connection,
  jetStream: JetStream,
  connectFor: Duration.Input = 0
): Effect.Effect<void, NatsConnectError> =>
  jetStream.isThere.pipe(
    Effect.retry({
      while: isOff,
      schedule: Schedule.spaced("1 second").pipe(
        Schedule.upTo({ duration: Math.min(Duration.toMillis(connectFor), leaderlessMillisMax) })
      )
    }),
    Effect.catchIf(
      isOff,
      () => Effect.fail(new NatsConnectError({ reason: "no-jetstream", where: connection.client.getServer() }))
    ),
    Effect.catch((trouble) => trouble._tag === "NatsConnectError" ? Effect.fail(trouble) : Effect.void)
  )

const leaderlessMillisMax = 10_000

const isOff = (trouble: Trouble): boolean =>
  trouble._tag === "Nobody" ||
  (trouble._tag === "Api" && (trouble.code === apiCode.noJetStream || trouble.code === apiCode.noJetStreamForAccount))
