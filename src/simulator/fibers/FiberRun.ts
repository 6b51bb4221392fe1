/**
 * One run of a simulated provisioner by the shell's own fibers: `Provisioner`, with its loop, readers and writer, on a clock and
 * a scheduler that the mesh's schedule drives.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"
import type { Json } from "../../core/Json.ts"
import { Bus as BusPort } from "../../ports/Bus.ts"
import { Provisioner } from "../../provisioner/Provisioner.ts"
import { Random } from "../Random.ts"
import type { Run, Surroundings } from "../Run.ts"
import type { Watch } from "../Watch.ts"
import { Watches } from "../Watches.ts"
import { DrawnScheduler } from "./DrawnScheduler.ts"
import { fiberBusOf } from "./FiberBus.ts"
import { HeapClock } from "./HeapClock.ts"

/** A run by fibers. */
export class FiberRun implements Run {
  readonly #around: Surroundings
  readonly #watches = new Watches()
  readonly #clock: HeapClock
  readonly #fork: <A, E>(effect: Effect.Effect<A, E>) => void
  #provisioner: Provisioner["Service"] | undefined

  constructor(around: Surroundings) {
    this.#around = around
    const { after, bus, decider, died, seed, writesInFlightMax } = around
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
          died(exit.cause)
        }
      })
    }
    const quiet = random.among([0, 0, 2])
    this.#fork(
      Effect.scoped(Effect.gen({ self: this }, function*() {
        this.#provisioner = yield* Provisioner.make({ quiet, writesInFlightMax, makeDecider: () => decider })
        return yield* this.#provisioner.ended
      })).pipe(Effect.provideService(BusPort, fiberBusOf(around, this.#watches)))
    )
  }

  #logger(): Logger.Logger<unknown, void> {
    return Logger.make<unknown, void>(({ fiber, message }) =>
      this.#around.says(JSON.stringify([message, fiber.getRef(References.CurrentLogAnnotations)]))
    )
  }

  // Who answers an ask looks at it first, and at what would be.
  retire(request: Json): void {
    const { says } = this.#around
    const verbs = this.#provisioner?.verbs
    if (verbs !== undefined) {
      const shown = Effect.gen(function*() {
        says(JSON.stringify(yield* verbs.provisioning({ what: "asks", limit: 20 })))
        says(JSON.stringify(yield* verbs.retire(request)))
      })
      this.#fork(Effect.ignore(shown))
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
