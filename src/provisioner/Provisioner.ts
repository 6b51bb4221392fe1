/**
 * The provisioner (protocol §9): the only loop. It reads every fact to its end, decides, compares what is decided with what
 * is stored, and writes what differs; then it lives on change events, and compares the whole every hour.
 *
 * What is heard comes to one fiber by one queue; that fiber takes all there is, decides in one step, and writes many at
 * once. All that it knows is read off the bus again when it starts: there is no other memory.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { VerbSource } from "../core/Verb.ts"
import { Bus } from "../ports/Bus.ts"
import { type Health, healthAtFirst } from "./Health.ts"
import type { Heard } from "./Heard.ts"
import { Loop } from "./Loop.ts"
import { read } from "./Reader.ts"
import { type ProvisionerOptions, settingsOf } from "./Settings.ts"
import { speaker } from "./Speaker.ts"
import type { Turn } from "./Turn.ts"
import { type Verbs, verbsOf } from "./Verbs.ts"

/**
 * The running provisioner, as whatever stands around it sees it.
 *
 * @example
 * ```ts
 * import { Effect, PubSub } from "effect"
 * import { Provisioner } from "mesh-provisioner"
 * import { MemoryBus } from "mesh-provisioner/adapters/memory"
 *
 * const program = Effect.gen(function*() {
 *   const provisioner = yield* Provisioner.Provisioner.make()
 *   const turns = yield* provisioner.turns
 *   const { after } = yield* PubSub.take(turns)
 *   return after.registry.size
 * }).pipe(Effect.scoped, Effect.provide(MemoryBus.layerAs({ role: "provisioner" })), Effect.provide(MemoryBus.layer()))
 *
 * await Effect.runPromise(program) // 13
 * ```
 */
export class Provisioner extends Context.Service<Provisioner, {
  /** How it stands now. Nothing is written unless it is `live`. */
  readonly health: Effect.Effect<Health>

  /** How it stands, now and whenever that changes: how far the reading is, too. */
  readonly healthChanges: Stream.Stream<Health>

  /** The facts and the decisions as they were decided last; none before everything was read once. */
  readonly source: Effect.Effect<VerbSource | undefined>

  /**
   * The last turn, if there was one, and those from now on. A subscriber that falls far behind misses turns, never the last:
   * compare `after` with what you saw last, and not with `before`.
   */
  readonly turns: Effect.Effect<PubSub.Subscription<Turn>, never, Scope.Scope>

  /** The three verbs of protocol §8, answered from the last decisions. */
  readonly verbs: Verbs

  /** For how long, in milliseconds, it has been at what it heard last; none where it waits to hear more. */
  readonly busyMillis: Effect.Effect<number | undefined>

  /** Never ends, but by a defect of the provisioner itself: then nothing is decided any more. */
  readonly ended: Effect.Effect<never>
}>()("mesh-provisioner/provisioner/Provisioner") {
  /** Starts the provisioner on a bus. It runs until the scope closes; writes that are on their way then are waited for. */
  static readonly make = Effect.fnUntraced(function*(
    options: ProvisionerOptions = {}
  ): Effect.fn.Return<Provisioner["Service"], never, Bus | Scope.Scope> {
    const bus = yield* Bus
    const settings = settingsOf(options)
    const inbox = yield* Effect.acquireRelease(Queue.bounded<Heard>(heardMax), Queue.shutdown)
    const turns = yield* Effect.acquireRelease(
      PubSub.sliding<Turn>({ capacity: turnsKeptMax, replay: 1 }),
      PubSub.shutdown
    )
    const readers = yield* FiberMap.make<string | undefined, void, never>()
    const timer = yield* FiberHandle.make()
    const health = yield* SubscriptionRef.make(healthAtFirst)
    const loop = new Loop({
      bus,
      settings,
      inbox,
      obey: (order) =>
        order._tag === "Stop"
          ? FiberMap.remove(readers, order.bucket)
          : Effect.asVoid(FiberMap.run(readers, order.bucket, read(bus, settings, order, inbox))),
      tryAgainAfter: (millis) =>
        Effect.asVoid(FiberHandle.run(timer, Effect.delay(Queue.offer(inbox, { _tag: "TryAgain" }), millis))),
      tell: speaker(health),
      publish: (turn) => Effect.asVoid(PubSub.publish(turns, turn))
    })
    const compare = Effect.delay(Queue.offer(inbox, { _tag: "Compare" }), settings.compareEveryMillis)
    const running = yield* Effect.forkScoped(
      Effect.raceAllFirst([loop.run, Effect.forever(compare), Effect.andThen(FiberMap.join(readers), Effect.never)])
    )
    return Provisioner.of({
      health: SubscriptionRef.get(health),
      healthChanges: SubscriptionRef.changes(health),
      source: Effect.sync(() => loop.source),
      turns: PubSub.subscribe(turns),
      verbs: verbsOf(bus, loop, settings.conflictTriesMax),
      busyMillis: loop.busyMillis,
      ended: Fiber.join(running)
    })
  })

  /** The provisioner on the bus that is provided, until the layer's scope closes. */
  static readonly layer = (options?: ProvisionerOptions): Layer.Layer<Provisioner, never, Bus> =>
    Layer.effect(Provisioner, Provisioner.make(options))
}

/** Batches that may wait to be heard; whoever has more to tell waits with it. */
const heardMax = 256

/** Turns that are kept for a subscriber that falls behind. */
const turnsKeptMax = 16
