/**
 * One run of a simulated provisioner by the shell's own fibers, on a clock and a scheduler that the mesh's schedule drives: the
 * `Daemon`, where there is a seat, with a `Provisioner` for each of its terms; a `Provisioner` alone where there is none.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import { isJsonObject, type Json } from "../../core/Json.ts"
import { Bus as BusPort } from "../../ports/Bus.ts"
import { Seat as SeatPort } from "../../ports/Seat.ts"
import { type VerbCall, type VerbName, type VerbReply, VerbServer } from "../../ports/VerbServer.ts"
import { Daemon } from "../../provisioner/Daemon.ts"
import type { Health } from "../../provisioner/Health.ts"
import { Provisioner } from "../../provisioner/Provisioner.ts"
import type { ProvisionerOptions } from "../../provisioner/Settings.ts"
import { answerBy } from "../../provisioner/VerbDoor.ts"
import { nameOf } from "../Knowledge.ts"
import { Random } from "../Random.ts"
import { tokensOf } from "../Remembered.ts"
import type { Run, Surroundings } from "../Run.ts"
import { writeUtf8 } from "../Utf8.ts"
import type { Watch } from "../Watch.ts"
import { Watches } from "../Watches.ts"
import { DrawnScheduler } from "./DrawnScheduler.ts"
import { fiberBusOf } from "./FiberBus.ts"
import { fiberSeatOf } from "./FiberSeat.ts"
import { HeapClock } from "./HeapClock.ts"

/** A run by fibers. */
export class FiberRun implements Run {
  readonly #around: Surroundings
  readonly #watches = new Watches()
  readonly #clock: HeapClock
  readonly #fork: <A, E>(effect: Effect.Effect<A, E>) => void
  readonly #writesMany: boolean
  /** How it stands, where it says so. */
  #health: Effect.Effect<Health | undefined> = Effect.undefined
  /** What answers the verbs, while anything does. */
  #answer: ((call: VerbCall) => Effect.Effect<VerbReply>) | undefined

  constructor(around: Surroundings) {
    this.#around = around
    const { after, bus, chair, died, makeDecider, seed, writesInFlightMax } = around
    const random = new Random(seed)
    this.#clock = new HeapClock({ now: () => bus.schedule.now, after, random })
    const context = Context.empty().pipe(
      Context.add(Clock.Clock, this.#clock),
      Context.add(Scheduler.Scheduler, new DrawnScheduler(random, (run) => after(0, run))),
      Context.add(Logger.CurrentLoggers, new Set([this.#logger()]))
    )
    const fork = Effect.runForkWith(context)
    this.#fork = (effect) => {
      fork(effect).addObserver((exit) => {
        if (Exit.isFailure(exit)) {
          died(Cause.squash(exit.cause))
        }
      })
    }
    this.#writesMany = random.chance(50)
    const options = { quiet: random.among([0, 0, 2]), writesInFlightMax, makeDecider }
    this.#fork(Effect.scoped(
      chair === undefined
        ? this.#provisioner(options)
        : Effect.provideService(
          this.#daemon(options),
          SeatPort,
          fiberSeatOf(around, chair, (term) => this.#busOf(term))
        )
    ))
  }

  #busOf(term: number | undefined): BusPort["Service"] {
    return fiberBusOf(this.#around, this.#watches, { term, writesMany: this.#writesMany })
  }

  #daemon(options: ProvisionerOptions): Effect.Effect<never, never, SeatPort | Scope.Scope> {
    return Daemon.make(options).pipe(
      Effect.flatMap(({ ended, provisioner }) => {
        this.#health = Effect.flatMap(provisioner, (held) => held === undefined ? Effect.undefined : held.health)
        return ended
      }),
      Effect.provideService(VerbServer, VerbServer.of({ serve: (answer) => this.#serve(answer) }))
    )
  }

  #provisioner(options: ProvisionerOptions): Effect.Effect<never, never, Scope.Scope> {
    return Provisioner.make(options).pipe(
      Effect.provideService(BusPort, this.#busOf(undefined)),
      Effect.tap(({ verbs }) => this.#serve(answerBy(verbs))),
      Effect.flatMap(({ ended, health }) => {
        this.#health = health
        return ended
      })
    )
  }

  #serve(answer: (call: VerbCall) => Effect.Effect<VerbReply>): Effect.Effect<void, never, Scope.Scope> {
    const served = Effect.acquireRelease(
      Effect.sync(() => {
        this.#answer = answer
      }),
      () =>
        Effect.sync(() => {
          this.#answer = undefined
        })
    )
    return Effect.asVoid(served)
  }

  #logger(): Logger.Logger<unknown, void> {
    return Logger.make<unknown, void>(({ fiber, message }) =>
      this.#around.says(JSON.stringify([message, fiber.getRef(References.CurrentLogAnnotations)]))
    )
  }

  // Who answers an ask looks at those that there are first, and at what would be; all of it at once.
  retire(request: Json): void {
    this.#ask("provisioning", { what: "asks", limit: 20 })
    this.#ask("what-if", { changes: [{ bucket: "mesh-controller_machines", key: "n1", value: { lost: true } }] })
    const [, , node = "", module = ""] = isJsonObject(request) ? tokensOf(String(request["key"])) : []
    this.#ask("explain", { node: nameOf(node), module: nameOf(module) })
    this.#ask("retire", request)
    this.#fork(Effect.map(this.#health, (health) => this.#around.says(JSON.stringify([health]))))
  }

  #ask(verb: VerbName, request: Json): void {
    const payload = writeUtf8(JSON.stringify(request))
    const reply = this.#answer?.({ verb, payload, caller: undefined, replyBytesMax: 1_048_576 })
    if (reply !== undefined) {
      this.#fork(Effect.map(reply, (reply) => this.#around.says(JSON.stringify(reply))))
    }
  }

  clockJumps(millis: number): void {
    this.#clock.jump(millis)
  }

  watchBy(number: number): Watch | undefined {
    return this.#watches.by(number)
  }

  cutOff(): void {
    this.#watches.cutOff(this.#around.bus)
  }

  close(): void {
    this.#watches.closeAll(this.#around.bus)
  }
}
