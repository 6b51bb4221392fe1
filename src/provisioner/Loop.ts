/**
 * The one fiber of the provisioner: takes in all that was heard, decides once it is settled, and writes what differs.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type { Decisions } from "../core/Decision.ts"
import type { Write } from "../core/Diff.ts"
import type { EngineChange } from "../core/Engine.ts"
import type { VerbSource } from "../core/Verb.ts"
import type { Bus } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import type { Decider } from "./Decider.ts"
import { firstTurn, type Health } from "./Health.ts"
import type { Heard, Order } from "./Heard.ts"
import { retryDelayMillis, type Settings } from "./Settings.ts"
import { inSlices, thingsDecidedAtOnceMin, thingsMaxAfter } from "./Slices.ts"
import type { Turn, WriteDone } from "./Turn.ts"
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
  /** Says how it stands, whenever something was heard or written. */
  readonly tell: (health: Health) => Effect.Effect<void>
  readonly publish: (turn: Turn) => Effect.Effect<void>
}

/** The loop. What it knows is its own: nothing else may change it while it runs. */
export class Loop {
  readonly #around: Surroundings
  readonly #decider: Decider
  readonly #view: View
  readonly #writer: Writer
  #decided: Decisions | undefined
  /** Nothing is written until it is tried again: the bus did not take the last write. */
  #isPaused = false
  /** How many things are decided in a slice: as many as lately were within its time. */
  #thingsMax = thingsDecidedAtOnceMin
  /** How often in a row writing had to be put off. */
  #failures = 0
  /** Whether what was decided first is written. */
  #hasWritten = false
  /** How it stood when it last said so, by what that follows from. */
  #told: ReadonlyArray<unknown> = []
  /** When the first change was heard of which not all is written that follows, and when anything was last heard. */
  #changedAtNanos: bigint | undefined
  #busySinceNanos: bigint | undefined

  constructor(around: Surroundings) {
    this.#around = around
    this.#decider = around.settings.makeDecider()
    this.#view = new View(this.#decider)
    this.#writer = new Writer(around.bus, this.#view, around.settings)
  }

  /** How it stands: `live` only once what follows from all that was read is written. */
  get health(): Health {
    const health = this.#view.health(this.#writer.unwritten)
    return health.state === "live" && !this.#hasWritten ? firstTurn(health) : health
  }

  /** The facts, and what was decided from them last. */
  get source(): VerbSource | undefined {
    const { order } = this.#decider
    return this.#decided === undefined
      ? undefined
      : { facts: this.#view.facts, decisions: this.#decided, ...(order === undefined ? {} : { order }) }
  }

  /** What a change of the facts would change; "busy" while it cannot be told. */
  whatIf(changes: ReadonlyArray<EngineChange>): ReturnType<Decider["whatIf"]> {
    // What is read in part is nothing to decide of.
    const tried = this.#view.isWhole ? this.#decider.whatIf(changes) : "busy"
    if (tried !== "busy" && Result.isFailure(tried)) {
      // What was looked for in vain is to be worked off.
      this.#view.factsChanged += 1
      Queue.offerUnsafe(this.#around.inbox, { _tag: "TryAgain" })
    }
    return tried
  }

  /** For how long, in milliseconds, it has been at what it heard last; none where it waits to hear more. */
  readonly busyMillis: Effect.Effect<number | undefined> = Effect.map(
    Clock.monotonicTimeNanos,
    (now) => this.#busySinceNanos === undefined ? undefined : millisBetween(this.#busySinceNanos, now)
  )

  /** Runs it. */
  readonly run: Effect.Effect<never> = Effect.gen({ self: this }, function*() {
    yield* this.#hear([])
    while (true) {
      this.#busySinceNanos = undefined
      yield* this.#hear(yield* Queue.takeAll(this.#around.inbox))
      yield* this.#settle()
      while (this.#isDue) {
        yield* Effect.withSpan(this.#turn(), "turn", spanOptions)
        yield* this.#tell
        yield* this.#settle()
      }
    }
  })

  get #isDue(): boolean {
    const { due, factsChanged, isWhole } = this.#view
    return isWhole && !this.#isPaused && (this.#decided === undefined || factsChanged > 0 || due.isAny)
  }

  /** Says how it stands, where that may be another than it said last: mostly only what keys hold is. */
  readonly #tell: Effect.Effect<void> = Effect.suspend(() => {
    const { isWhole, standing, writeTrouble } = this.#view
    const told = [standing, this.#writer.unwrittenChanges, writeTrouble, this.#hasWritten]
    const isSame = isWhole && told.every((one, place) => one === this.#told[place])
    this.#told = told
    return isSame ? Effect.void : this.#around.tell(this.health)
  })

  #hear(heard: ReadonlyArray<Heard>): Effect.Effect<void> {
    return Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
      const view = this.#view
      this.#busySinceNanos = now
      let next = 0
      const takenIn = inSlices(() => {
        view.hear(heard.slice(next, next + 1))
        next += 1
        return next < heard.length
      })
      return Effect.flatMap(takenIn, () => {
        this.#changedAtNanos ??= view.factsChanged > 0 ? now : undefined
        const isRetry = heard.some(({ _tag }) => _tag === "TryAgain")
        this.#isPaused &&= !isRetry
        view.due.add(this.#writer.retryIn(view.takeReadAnew()))
        view.due.add(isRetry ? this.#writer.retryWaiting() : [])
        const orders = view.takeOrders()
        return orders.length === 0
          ? this.#tell
          : Effect.andThen(Effect.forEach(orders, this.#around.obey, { discard: true }), this.#tell)
      })
    })
  }

  // A batch is settled when nothing more came for a moment, and waits for no more than a bounded time. Without a moment to
  // wait, a change that comes alone is decided at once; where more than one came, all goes with them that has come by now.
  #settle(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { batchWaitMillisMax, quietMillis } = this.#around.settings
      const begun = yield* Clock.monotonicTimeNanos
      while (this.#isDue && !this.#isAlone) {
        yield* quietMillis === 0 ? Effect.yieldNow : Effect.sleep(quietMillis)
        const more = yield* Queue.clear(this.#around.inbox)
        if (more.length === 0) {
          return
        }
        yield* this.#hear(more)
        if (millisBetween(begun, yield* Clock.monotonicTimeNanos) >= batchWaitMillisMax) {
          return
        }
      }
    })
  }

  get #isAlone(): boolean {
    return this.#around.settings.quietMillis === 0 && this.#decided !== undefined && this.#view.factsChanged === 1
  }

  #turn(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const known = yield* Effect.result(this.#writer.readUnknown)
      if (Result.isFailure(known)) {
        return yield* this.#putOff(known.failure)
      }
      const view = this.#view
      const changes = view.factsChanged
      const before = this.#decided
      const after = before === undefined || changes > 0 ? yield* this.#decide() : before
      this.#decided = after
      const { stopped, writes } = yield* this.#write(after)
      yield* Effect.annotateCurrentSpan({ changes, writes: writes.length, stopped: stopped !== undefined })
      const became = (outcome: WriteDone["outcome"]) => writes.some((done) => done.outcome === outcome)
      let changeToWriteMillis: number | undefined
      if (stopped !== undefined || became("overtaken")) {
        yield* this.#putOff(stopped)
      } else {
        this.#failures = this.#writer.isWaiting ? this.#failures : 0
        view.writeTrouble = undefined
        // A bucket that is full is tried again; what is to be written elsewhere is written.
        changeToWriteMillis = became("full")
          ? yield* Effect.as(this.#putOff(undefined), undefined)
          : yield* this.#sinceChange(writes)
        this.#hasWritten = true
      }
      if (before === undefined || changes > 0 || writes.length > 0) {
        yield* this.#around.publish({ changes, before, after, writes, changeToWriteMillis })
      }
    })
  }

  /** Decides all that is to be decided, a slice at a time, so that others are heard and answered meanwhile. */
  #decide(): Effect.Effect<Decisions> {
    const { due } = this.#view
    const slice = Effect.gen({ self: this }, function*() {
      const begun = yield* Clock.monotonicTimeNanos
      this.#view.factsChanged = 0
      const decided = this.#decider.decide(this.#thingsMax)
      this.#thingsMax = thingsMaxAfter(this.#thingsMax, millisBetween(begun, yield* Clock.monotonicTimeNanos))
      if (decided.changed === "all") {
        due.addAll()
      } else {
        due.add(decided.changed)
      }
      return decided
    })
    const all = Effect.gen(function*() {
      let decided = yield* slice
      while (decided.isPending) {
        yield* Effect.yieldNow
        decided = yield* slice
      }
      return decided.decisions
    })
    return Effect.withSpan(all, "decide", spanOptions)
  }

  /** Writes what of that which is due is another than is stored. What was not come to stays due. */
  #write(decisions: Decisions): ReturnType<Writer["writeAll"]> {
    const { due } = this.#view
    const write = this.#compare(decisions).pipe(
      Effect.flatMap((writes) => this.#writer.writeAll(writes)),
      Effect.tap((done) =>
        Effect.sync(() =>
          due.add(
            done.writes.flatMap(({ outcome, write }) => outcome === "stopped" || outcome === "overtaken" ? [write] : [])
          )
        )
      )
    )
    return Effect.withSpan(write, "write", spanOptions)
  }

  /** Compares what is due with what is stored, a slice at a time; gives the writes that are wanted of it. */
  #compare(decisions: Decisions): Effect.Effect<ReadonlyArray<Write>> {
    return Effect.suspend(() => {
      const { due, stored } = this.#view
      const isAll = due.isAll
      const all = due.take(stored, decisions, this.#decider.isAnswerOver)
      const writes: Array<Write> = []
      const compareNext = (): boolean => {
        const next = all.next()
        if (next.done === true) {
          return false
        }
        if (next.value.write === undefined) {
          this.#writer.forget(next.value)
        } else {
          writes.push(next.value.write)
        }
        return true
      }
      return Effect.map(inSlices(compareNext), () => {
        if (isAll) {
          this.#writer.keepOnly(writes)
        }
        return writes
      })
    })
  }

  /** All is written now that follows from what changed: gives how long that took, where it was the change that it took. */
  #sinceChange(writes: ReadonlyArray<WriteDone>): Effect.Effect<number | undefined> {
    const changedAt = this.#changedAtNanos
    this.#changedAtNanos = undefined
    return changedAt !== undefined && this.#hasWritten && writes.some(({ outcome }) => outcome === "written")
      ? Effect.map(Clock.monotonicTimeNanos, (now) => millisBetween(changedAt, now))
      : Effect.undefined
  }

  /** Tries again later, the later the more often it was put off; with a trouble of the bus, nothing is written till then. */
  #putOff(trouble: BusError | undefined): Effect.Effect<void> {
    this.#failures += 1
    this.#isPaused = trouble !== undefined
    this.#view.writeTrouble = trouble
    return this.#around.tryAgainAfter(retryDelayMillis(this.#around.settings, this.#failures))
  }
}

const millisBetween = (fromNanos: bigint, toNanos: bigint): number => Number(toNanos - fromNanos) / 1e6

/** A span says what was done and how long it took, and holds nothing of the stack. */
const spanOptions = { captureStackTrace: false } as const
