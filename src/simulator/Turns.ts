/**
 * One run of a simulated provisioner: the loop of `provisioner/Loop`, step by step under the simulator's schedule. What it
 * knows is kept by the provisioner's own parts (the view, what is due, what is put off); here is only when each is asked.
 */
import type { Decisions } from "../core/Decision.ts"
import type { Write } from "../core/Diff.ts"
import { BusError } from "../ports/BusError.ts"
import type { Decider } from "../provisioner/Decider.ts"
import type { Heard, Order } from "../provisioner/Heard.ts"
import { View } from "../provisioner/View.ts"
import { type Bus, unreachable } from "./Bus.ts"
import type { Party } from "./Party.ts"
import { mix } from "./Random.ts"
import { NamesWatch, Watch } from "./Watch.ts"
import { Writes } from "./Writes.ts"

/** What a run stands in. */
export interface Surroundings {
  readonly bus: Bus
  readonly party: Party
  readonly decider: Decider
  /** The term of the seat, where there is one. */
  readonly term: number | undefined
  readonly writesInFlightMax: number
  /** How many things it decides at once at most. */
  readonly thingsMax: number
  /** Has something done later, unless the run is over by then. */
  readonly after: (millis: number, run: () => void) => void
  /** Does something now, or when the process wakes where it is frozen; never where the run is over. */
  readonly whenAwake: (run: () => void) => void
  /** The term is over: another has left its mark. */
  readonly fenced: () => void
}

/** The times of a run, in milliseconds: those of the provisioner's settings. */
const times = { quiet: 2, batchWaitMax: 10, retryFirst: 100, retryMax: 10_000, compareEvery: 3_600_000 }

/** A run. */
export class Turns {
  readonly view: View
  decided: Decisions | undefined
  /** It writes nothing at all: it is known to have come to the end of what it had to do. */
  isBusy = false
  readonly #around: Surroundings
  readonly #writes: Writes
  readonly #inbox: Array<Heard> = []
  readonly #watches = new Map<string | undefined, { readonly close: (bus: Bus) => void }>()
  #isPaused = false
  #failures = 0
  #tries = 0
  #compares = 0

  constructor(around: Surroundings) {
    this.#around = around
    this.view = new View(around.decider)
    this.#writes = new Writes(around, this.view)
    this.#obey()
    this.#compareLater(times.compareEvery)
  }

  // --- hearing -------------------------------------------------------------------------------------------------------

  /** Hears something: at once, or after what it is at. */
  hear(heard: Heard): void {
    this.#inbox.push(heard)
    if (!this.isBusy) {
      this.#takeInbox()
      if (this.#isDue) {
        this.isBusy = true
        this.#settle(times.quiet)
      }
    }
  }

  #takeInbox(): void {
    const { view } = this
    const heard = this.#inbox.splice(0)
    view.hear(heard)
    const isRetry = heard.some(({ _tag }) => _tag === "TryAgain")
    this.#isPaused &&= !isRetry
    view.due.add(this.#writes.retryIn(view.takeReadAnew()))
    view.due.add(isRetry ? this.#writes.retryWaiting() : [])
    this.#obey()
  }

  get #isDue(): boolean {
    const { due, factsChanged, isWhole } = this.view
    return isWhole && !this.#isPaused && (this.decided === undefined || factsChanged > 0 || due.isAny)
  }

  #settle(waited: number): void {
    this.#around.after(times.quiet, () => {
      const more = this.#inbox.length > 0
      this.#takeInbox()
      if (!this.#isDue) {
        this.isBusy = false
      } else if (more && waited < times.batchWaitMax) {
        this.#settle(waited + times.quiet)
      } else {
        this.#readUnknown()
      }
    })
  }

  // --- a turn --------------------------------------------------------------------------------------------------------

  #readUnknown(): void {
    this.#writes.readUnknown((trouble) => {
      if (trouble !== undefined) {
        this.#putOff(trouble)
        this.#endTurn()
      } else if (this.decided === undefined || this.view.factsChanged > 0) {
        this.#decide()
      } else {
        this.#write(this.decided)
      }
    })
  }

  #decide(): void {
    const { view } = this
    view.factsChanged = 0
    const { changed, decisions, isPending } = this.#around.decider.decide(this.#around.thingsMax)
    if (changed === "all") {
      view.due.addAll()
    } else {
      view.due.add(changed)
    }
    if (isPending) {
      this.#around.after(0, () => this.#decide())
    } else {
      this.decided = decisions
      this.#write(decisions)
    }
  }

  #write(decisions: Decisions): void {
    const { due, stored } = this.view
    const isAll = due.isAll
    const writes: Array<Write> = []
    const compared = due.take(stored, decisions, this.#around.decider.isAnswerOver)
    for (let next = compared.next(); next.done !== true; next = compared.next()) {
      if (next.value.write === undefined) {
        this.#writes.forget(next.value)
      } else {
        writes.push(next.value.write)
      }
    }
    if (isAll) {
      this.#writes.keepOnly(writes)
    }
    this.#writes.writeAll(writes, (done, stopped) => {
      due.add(done.flatMap(({ outcome, write }) => outcome === "stopped" || outcome === "overtaken" ? [write] : []))
      const became = (outcome: string) => done.some((one) => one.outcome === outcome)
      if (stopped !== undefined || became("overtaken")) {
        this.#putOff(stopped)
      } else {
        this.#failures = this.#writes.isWaiting ? this.#failures : 0
        this.view.writeTrouble = undefined
        if (became("full")) {
          this.#putOff(undefined)
        }
      }
      this.#endTurn()
    })
  }

  #endTurn(): void {
    this.isBusy = false
    if (this.#inbox.length > 0) {
      this.#takeInbox()
    }
    if (this.#isDue) {
      this.isBusy = true
      this.#settle(times.quiet)
    }
  }

  #putOff(trouble: BusError | undefined): void {
    this.#failures += 1
    this.#isPaused = trouble !== undefined
    this.view.writeTrouble = trouble
    if (trouble?.reason._tag === "Fenced") {
      return this.#around.fenced()
    }
    this.tryAgain(retryDelay(this.#failures))
  }

  /** Has writing tried again after so long; an earlier try is called off. */
  tryAgain(millis: number): void {
    const mine = ++this.#tries
    this.#around.after(millis, () => {
      if (mine === this.#tries) {
        this.hear({ _tag: "TryAgain" })
      }
    })
  }

  /** The clock jumps: what was to be done within that time is done now, or so much later. */
  clockJumps(millis: number): void {
    this.#compareLater(millis > 0 ? 0 : -millis)
    if (this.#isPaused) {
      this.tryAgain(millis > 0 ? 0 : Math.min(-millis, times.retryMax))
    }
  }

  #compareLater(millis: number): void {
    const mine = ++this.#compares
    this.#around.after(millis, () => {
      if (mine === this.#compares) {
        this.hear({ _tag: "Compare" })
        this.#compareLater(times.compareEvery)
      }
    })
  }

  // --- reading -------------------------------------------------------------------------------------------------------

  #obey(): void {
    for (const order of this.view.takeOrders()) {
      this.#watches.get(order.bucket)?.close(this.#around.bus)
      this.#watches.delete(order.bucket)
      if (order._tag === "Start") {
        this.#read(order)
      }
    }
  }

  #read({ attempt, bucket, reader }: Order & { readonly _tag: "Start" }): void {
    const { after, bus, party, whenAwake } = this.#around
    const end = (reason: BusError["reason"]) => {
      const operation = bucket === undefined ? "followBuckets" : "follow"
      const error = new BusError({ operation, ...(bucket === undefined ? {} : { bucket }), reason })
      whenAwake(() => this.hear({ _tag: "Failed", bucket, reader, error }))
    }
    const begin = () => {
      const watch = bucket === undefined
        ? NamesWatch.follow(bus, party, {
          hear: (events) => whenAwake(() => this.hear({ _tag: "Buckets", reader, events })),
          end
        })
        : Watch.follow(bus, { by: party, bucket, isOrdered: true }, {
          hear: (events) => whenAwake(() => this.hear({ _tag: "Bucket", bucket, reader, events })),
          end
        })
      this.#watches.set(bucket, watch)
    }
    // One that is read again before it began is not begun.
    const waiting = { close: () => undefined }
    this.#watches.set(bucket, waiting)
    after(attempt === 0 ? 0 : retryDelay(attempt), () => {
      if (this.#watches.get(bucket) === waiting) {
        begin()
      }
    })
  }

  /** The watches of its buckets, in the order in which they began. */
  get watches(): ReadonlyArray<Watch> {
    return [...this.#watches.values()].filter((watch) => watch instanceof Watch)
  }

  /** The line is cut: all that is followed ends. */
  cutOff(): void {
    for (const watch of this.#watches.values()) {
      if (watch instanceof Watch || watch instanceof NamesWatch) {
        watch.end(this.#around.bus, unreachable)
      }
    }
  }

  /** It is over: nothing is followed any more. */
  close(): void {
    for (const watch of this.#watches.values()) {
      watch.close(this.#around.bus)
    }
  }

  /** One of the watches, by a number. */
  watchBy(number: number): Watch | undefined {
    const { watches } = this
    return watches[mix(number, 0, 0) % Math.max(1, watches.length)]
  }
}

const retryDelay = (failures: number): number =>
  Math.min(times.retryMax, times.retryFirst * 2 ** Math.min(failures - 1, 30))
