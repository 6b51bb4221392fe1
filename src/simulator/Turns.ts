/**
 * One run of a simulated provisioner: the loop of `provisioner/Loop`, step by step under the simulator's schedule. What it
 * knows is kept by the provisioner's own parts (the view, what is due, what is put off); here is only when each is asked.
 */
import * as Result from "effect/Result"
import type { Decisions } from "../core/Decision.ts"
import type { Write } from "../core/Diff.ts"
import type { Json } from "../core/Json.ts"
import { retire } from "../core/Retire.ts"
import { BusError } from "../ports/BusError.ts"
import type { Decider } from "../provisioner/Decider.ts"
import type { Heard, Order } from "../provisioner/Heard.ts"
import { View } from "../provisioner/View.ts"
import type { Run, Surroundings } from "./Run.ts"
import { NamesWatch, Watch } from "./Watch.ts"
import { Watches } from "./Watches.ts"
import { Writes } from "./Writes.ts"

/** The times of a run, in milliseconds: those of the provisioner's settings. */
const times = { quiet: 2, batchWaitMax: 10, retryFirst: 100, retryMax: 10_000, compareEvery: 3_600_000 }

/** A run. */
export class Turns implements Run {
  readonly #view: View
  #decided: Decisions | undefined
  #isBusy = false
  readonly #around: Surroundings
  readonly #decider: Decider
  readonly #writes: Writes
  readonly #inbox: Array<Heard> = []
  readonly #watches = new Watches()
  /** Who reads a bucket now; one that waits to begin is not begun where it is another by then. */
  readonly #readers = new Map<string | undefined, Reader>()
  #isPaused = false
  #failures = 0
  #tries = 0
  #compares = 0

  constructor(around: Surroundings) {
    this.#around = around
    this.#decider = around.makeDecider()
    this.#view = new View(this.#decider)
    this.#writes = new Writes(around, this.#view)
    this.#obey()
    this.#compareLater(times.compareEvery)
  }

  // --- hearing -------------------------------------------------------------------------------------------------------

  /** Hears something: at once, or after what it is at. */
  #hear(heard: Heard): void {
    this.#inbox.push(heard)
    if (!this.#isBusy) {
      this.#takeInbox()
      if (this.#isDue) {
        this.#isBusy = true
        this.#settle(times.quiet)
      }
    }
  }

  #takeInbox(): void {
    const view = this.#view
    const heard = this.#inbox.splice(0)
    view.hear(heard)
    const isRetry = heard.some(({ _tag }) => _tag === "TryAgain")
    this.#isPaused &&= !isRetry
    view.due.add(this.#writes.retryIn(view.takeReadAnew()))
    view.due.add(isRetry ? this.#writes.retryWaiting() : [])
    this.#obey()
  }

  get #isDue(): boolean {
    const { due, factsChanged, isWhole } = this.#view
    return isWhole && !this.#isPaused && (this.#decided === undefined || factsChanged > 0 || due.isAny)
  }

  #settle(waited: number): void {
    this.#around.after(times.quiet, () => {
      const more = this.#inbox.length > 0
      this.#takeInbox()
      if (!this.#isDue) {
        this.#isBusy = false
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
      } else if (this.#decided === undefined || this.#view.factsChanged > 0) {
        this.#decide()
      } else {
        this.#write(this.#decided)
      }
    })
  }

  #decide(): void {
    const view = this.#view
    view.factsChanged = 0
    const { changed, decisions, isPending } = this.#decider.decide(this.#around.thingsMax)
    if (changed === "all") {
      view.due.addAll()
    } else {
      view.due.add(changed)
    }
    if (isPending) {
      this.#around.after(0, () => this.#decide())
    } else {
      this.#decided = decisions
      this.#write(decisions)
    }
  }

  #write(decisions: Decisions): void {
    const { due, stored } = this.#view
    const isAll = due.isAll
    const writes: Array<Write> = []
    const compared = due.take(stored, decisions, this.#decider.isAnswerOver)
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
        this.#view.writeTrouble = undefined
        if (became("full")) {
          this.#putOff(undefined)
        }
      }
      this.#endTurn()
    })
  }

  #endTurn(): void {
    this.#isBusy = false
    if (this.#inbox.length > 0) {
      this.#takeInbox()
    }
    if (this.#isDue) {
      this.#isBusy = true
      this.#settle(times.quiet)
    }
  }

  #putOff(trouble: BusError | undefined): void {
    this.#failures += 1
    this.#isPaused = trouble !== undefined
    this.#view.writeTrouble = trouble
    if (trouble?.reason._tag === "Fenced") {
      return this.#around.fenced()
    }
    this.#tryAgain(retryDelay(this.#failures))
  }

  /** Has writing tried again after so long; an earlier try is called off. */
  #tryAgain(millis: number): void {
    const mine = ++this.#tries
    this.#around.after(millis, () => {
      if (mine === this.#tries) {
        this.#hear({ _tag: "TryAgain" })
      }
    })
  }

  // What was to be done within that time is done now, or so much later.
  clockJumps(millis: number): void {
    this.#compareLater(millis > 0 ? 0 : -millis)
    if (this.#isPaused) {
      this.#tryAgain(millis > 0 ? 0 : Math.min(-millis, times.retryMax))
    }
  }

  #compareLater(millis: number): void {
    const mine = ++this.#compares
    this.#around.after(millis, () => {
      if (mine === this.#compares) {
        this.#hear({ _tag: "Compare" })
        this.#compareLater(times.compareEvery)
      }
    })
  }

  // --- reading -------------------------------------------------------------------------------------------------------

  #obey(): void {
    for (const order of this.#view.takeOrders()) {
      const { watch } = this.#readers.get(order.bucket) ?? {}
      if (watch !== undefined) {
        this.#watches.close(this.#around.bus, watch)
      }
      this.#readers.delete(order.bucket)
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
      whenAwake(() => this.#hear({ _tag: "Failed", bucket, reader, error }))
    }
    const begin = () => {
      const watch = bucket === undefined
        ? NamesWatch.follow(bus, party, {
          hear: (events) => whenAwake(() => this.#hear({ _tag: "Buckets", reader, events })),
          end
        })
        : Watch.follow(bus, { by: party, bucket, isOrdered: true }, {
          hear: (events) => whenAwake(() => this.#hear({ _tag: "Bucket", bucket, reader, events })),
          end
        })
      reading.watch = watch
      this.#watches.add(watch)
    }
    const reading: Reader = { watch: undefined }
    this.#readers.set(bucket, reading)
    after(attempt === 0 ? 0 : retryDelay(attempt), () => {
      if (this.#readers.get(bucket) === reading) {
        begin()
      }
    })
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

  // --- the verb --------------------------------------------------------------------------------------------------------

  // Writes the answer upon what the bus holds.
  retire(request: Json): void {
    const view = this.#view
    if (this.#decided === undefined || !view.isWhole || this.#isBusy) {
      return
    }
    const reply = Result.getOrUndefined(retire({ facts: view.facts, decisions: this.#decided }, request))
    if (reply !== undefined) {
      const { bus, party } = this.#around
      const { bucket, key, value } = reply.write
      bus.get(party, bucket, key, (found) => {
        if (found === undefined || found._tag === "Put" || found._tag === "Delete") {
          const follows = found?._tag === "Put" ? found.revision : undefined
          bus.send({ by: party, bucket, key, text: JSON.stringify(value), follows }, () => undefined)
        }
      })
    }
  }
}

interface Reader {
  watch: Watch | NamesWatch | undefined
}

const retryDelay = (failures: number): number =>
  Math.min(times.retryMax, times.retryFirst * 2 ** Math.min(failures - 1, 30))
