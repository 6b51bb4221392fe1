/**
 * The one fiber of the provisioner: takes in all that was heard, decides once it is settled, and writes what differs.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Decisions } from "../core/Decision.ts"
import { diff } from "../core/Diff.ts"
import type { VerbSource } from "../core/Verb.ts"
import type { Bus } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import { type Health, troublesOf } from "./Health.ts"
import type { Heard, Order } from "./Heard.ts"
import { retryDelayMillis, type Settings } from "./Settings.ts"
import type { Turn } from "./Turn.ts"
import { View } from "./View.ts"
import { Writer } from "./Writer.ts"

/** What the loop stands in: where it hears, and whom it tells. */
export interface Surroundings {
  readonly bus: Bus["Service"]
  readonly settings: Settings
  readonly inbox: Queue.Queue<Heard>
  /** Has a bucket read from now on, or no more. */
  readonly obey: (order: Order) => Effect.Effect<void>
  /** Has `TryAgain` heard after so long; an earlier one is called off. */
  readonly tryAgainAfter: (millis: number) => Effect.Effect<void>
  readonly publish: (turn: Turn) => Effect.Effect<void>
}

/** The loop, as it is run and asked. */
export interface Loop {
  readonly run: Effect.Effect<never>
  readonly health: SubscriptionRef.SubscriptionRef<Health>
  readonly source: Effect.Effect<VerbSource | undefined>
}

/** The loop in its surroundings, before it runs. */
export const makeLoop = Effect.fnUntraced(function*(
  { bus, inbox, obey, publish, settings, tryAgainAfter }: Surroundings
): Effect.fn.Return<Loop> {
  const view = new View()
  const writer = new Writer(bus, view, settings)
  const health = yield* SubscriptionRef.make(view.health())
  const sayHealth = speaker(view, health)
  let decided: Decisions | undefined
  let wasWhole = false
  let paused = false
  let failures = 0

  const isDue = () =>
    view.isWhole && !paused && (decided === undefined || view.factsChanged > 0 || view.storedChanged)

  const hear = (heard: ReadonlyArray<Heard>) =>
    Effect.suspend(() => {
      view.hear(heard)
      view.storedChanged = writer.retryRefused(view.takeReadAnew()) || view.storedChanged
      if (heard.some(({ _tag }) => _tag === "TryAgain") || (view.isWhole && !wasWhole)) {
        paused = false
        view.storedChanged = writer.retryOvertaken() || view.storedChanged
      }
      wasWhole = view.isWhole
      return Effect.andThen(Effect.forEach(view.takeOrders(), obey, { discard: true }), sayHealth)
    })

  // A batch is settled when nothing more came for a moment, and waits for no more than a bounded time.
  const settle = Effect.gen(function*() {
    for (let waited = 0; isDue() && waited < settings.batchWaitMillisMax; waited += settings.quietMillis) {
      yield* Effect.sleep(settings.quietMillis)
      const more = yield* Queue.clear(inbox)
      if (more.length === 0) {
        return
      }
      yield* hear(more)
    }
  })

  const putOff = (trouble: BusError | undefined) => {
    failures += 1
    paused = trouble !== undefined
    view.writeTrouble = trouble
    view.storedChanged ||= paused
    return tryAgainAfter(retryDelayMillis(settings, failures))
  }

  const turn = Effect.gen(function*() {
    const known = yield* Effect.result(writer.readUnknown)
    if (Result.isFailure(known)) {
      return yield* putOff(known.failure)
    }
    const changes = view.factsChanged
    const before = decided
    const after = before === undefined || changes > 0 ? settings.decide(view.facts) : before
    decided = after
    view.factsChanged = 0
    view.storedChanged = false
    const { stopped, writes } = yield* writer.writeAll(diff(view.stored, after))
    if (stopped !== undefined || writes.some(({ outcome }) => outcome === "overtaken")) {
      yield* putOff(stopped)
    } else {
      failures = writer.isOvertaken ? failures : 0
      view.writeTrouble = undefined
    }
    if (before === undefined || changes > 0 || writes.length > 0) {
      yield* publish({ changes, before, after, writes })
    }
  })

  const run = Effect.gen(function*() {
    yield* hear([])
    while (true) {
      yield* hear(yield* Queue.takeAll(inbox))
      yield* settle
      while (isDue()) {
        yield* turn
        yield* sayHealth
        yield* settle
      }
    }
  })

  return {
    run,
    health,
    source: Effect.sync(() => decided === undefined ? undefined : { facts: view.facts, decisions: decided })
  }
})

/** Keeps the health that is shown, and says a trouble once: when it begins, and when nothing is in trouble any more. */
const speaker = (view: View, shown: SubscriptionRef.SubscriptionRef<Health>): Effect.Effect<void> => {
  let told = ""
  let troubles: ReadonlySet<string> = new Set()
  let isSaidLive = false
  return Effect.suspend(() => {
    const health = view.health()
    const tells = JSON.stringify(health)
    if (tells === told) {
      return Effect.void
    }
    told = tells
    const now = troublesOf(health)
    const isWorse = [...now].some((trouble) => !troubles.has(trouble))
    const isLive = health.state === "live" && !isSaidLive
    troubles = now
    isSaidLive = isWorse ? false : isSaidLive || isLive
    const line = isWorse ? Effect.logWarning(health.sentence) : isLive ? Effect.logInfo(health.sentence) : Effect.void
    return Effect.andThen(SubscriptionRef.set(shown, health), Effect.annotateLogs(line, { health: health.state }))
  })
}
