/**
 * A provisioner of a simulated mesh, as a process: it is started, waits for the seat, runs, and may be killed at any step,
 * frozen and woken, cut off from the bus, or told another time. All that it knows is lost with it.
 */
import { epochKey } from "../core/Bucket.ts"
import { bucketName } from "../core/BucketName.ts"
import type { Json } from "../core/Json.ts"
import type { Decider } from "../provisioner/Decider.ts"
import type { Bus } from "./Bus.ts"
import { Party } from "./Party.ts"
import { mix } from "./Random.ts"
import type { Chair, Run, Surroundings } from "./Run.ts"
import type { Seat } from "./Seat.ts"

/** What a process stands in. */
export interface Ground {
  readonly bus: Bus
  /** None where nobody keeps a seat: then all write at once, and agree. */
  readonly seat: Seat | undefined
  readonly writesInFlightMax: number
  readonly thingsMax: number
  /** A decider with nothing in it, for a run that begins. */
  readonly makeDecider: (process: string) => Decider
  /** Whether a run takes the seat by itself, term after term. */
  readonly takesSeat: boolean
  /** Begins a run. */
  readonly makeRun: (surroundings: Surroundings) => Run
  readonly says: (process: string, what: string) => void
  readonly died: (defect: unknown) => void
}

interface Sitting {
  readonly granted: (term: number) => void
  readonly over: (why: string) => void
  isGranted: boolean
}

/** The buckets that a holder leaves its mark in. */
const marked = [bucketName.registry, bucketName.provisions, bucketName.asks, bucketName.plans, bucketName.answers]

/** So long, at most, is on its way what it sends before it has heard what it missed. */
const wakingMillis = 1_000

/** A provisioner. */
export class Process {
  readonly name: string
  readonly party: Party
  readonly #ground: Ground
  #run: Run | undefined
  /** Who waits for the seat or holds it, where the run takes it by itself. */
  #sitting: Sitting | undefined
  /** Counts the runs: what was begun by an earlier one is never done. */
  #runs = 0
  #isRunning = false
  #isFrozen = false
  readonly #untilAwake: Array<() => void> = []

  constructor(name: string, ground: Ground) {
    this.name = name
    this.party = new Party(name)
    this.#ground = ground
  }

  /** The run, where it holds the seat. */
  get run(): Run | undefined {
    return this.#run
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  isHeardOf(): boolean {
    return this.#isRunning && !this.#isFrozen && !this.party.isCutOff
  }

  // --- coming and going ------------------------------------------------------------------------------------------------

  /** Starts it, where it does not run. */
  start(): void {
    if (!this.#isRunning) {
      this.#isRunning = true
      this.#standBy()
    }
  }

  /** Kills it: what it sent may still arrive, and nobody hears of it. */
  kill(): void {
    this.#endRun()
    this.#isRunning = false
    this.#isFrozen = false
    this.#untilAwake.length = 0
    this.#ground.seat?.leave(this)
  }

  /** It does nothing from now on, and does not know it. */
  freeze(): void {
    this.#isFrozen = true
    this.#ground.seat?.doubt()
  }

  /** It goes on where it was. */
  wake(): void {
    this.#isFrozen = false
    this.party.lateUntil = Math.max(this.party.lateUntil, this.#ground.bus.schedule.now + wakingMillis)
    // In the order in which it came, and before anything that comes now.
    for (const run of this.#untilAwake.splice(0)) {
      run()
    }
    this.#ground.seat?.look()
  }

  /** Its line is cut. */
  cutOff(): void {
    this.party.cutOff()
    this.#run?.cutOff()
    this.#ground.seat?.doubt()
  }

  /** Nothing is wrong with it or its line any more, and it runs. */
  heal(): void {
    this.restore()
    this.party.heal()
    if (this.#isFrozen) {
      this.wake()
    }
    this.start()
  }

  /** Its line is there again. */
  restore(): void {
    for (const hear of this.party.restore()) {
      hear()
    }
    this.#ground.seat?.look()
  }

  // --- the seat --------------------------------------------------------------------------------------------------------

  #standBy(): void {
    const { seat, takesSeat } = this.#ground
    if (seat === undefined || takesSeat) {
      this.#begin(undefined)
    } else {
      seat.want(this)
    }
  }

  granted(term: number): void {
    this.#mark(term, marked, this.#runs)
  }

  expired(term: number): void {
    // Where it is frozen or cut off it hears of that some time later, and may write before.
    this.#later(50, this.#runs, () => {
      if (this.#run !== undefined && term > 0) {
        this.#endTerm()
      }
    })
  }

  #mark(term: number, [bucket, ...rest]: ReadonlyArray<string>, run: number): void {
    if (bucket === undefined) {
      return this.#hold(term)
    }
    const text = bucket === bucketName.answers ? undefined : JSON.stringify({ term })
    const sent = { by: this.party, bucket, key: epochKey, text, follows: "any" as const, term }
    this.#ground.bus.send(sent, (reply) =>
      this.#whenAwake(run, () => {
        if (!("wrong" in reply)) {
          return this.#mark(term, rest, run)
        }
        if (reply.wrong._tag === "Fenced") {
          return this.#loseTerm()
        }
        this.#later(100, run, () => this.#mark(term, [bucket, ...rest], run))
      }))
  }

  // --- a run -----------------------------------------------------------------------------------------------------------

  #begin(term: number | undefined): void {
    const { bus, died, makeDecider, makeRun, says, takesSeat, thingsMax, writesInFlightMax } = this.#ground
    const run = ++this.#runs
    this.#run = makeRun({
      bus,
      party: this.party,
      makeDecider: () => makeDecider(this.name),
      chair: takesSeat ? this.#chair : undefined,
      term,
      writesInFlightMax,
      thingsMax,
      seed: mix(bus.seed, this.party.hash, run),
      says: (what) => says(this.name, what),
      died,
      after: (millis, then) => this.#later(millis, run, then),
      whenAwake: (then) => this.#whenAwake(run, then),
      fenced: () => this.#loseTerm()
    })
  }

  readonly #chair: Chair = {
    sit: (granted, over) => {
      this.#sitting = { granted, over, isGranted: false }
      this.#ground.seat?.want(this)
    },
    leave: () => {
      this.#sitting = undefined
      this.#ground.seat?.leave(this)
    },
    isHeld: () => this.#ground.seat?.isHeldBy(this) === true
  }

  #hold(term: number): void {
    if (this.#sitting === undefined) {
      return this.#begin(term)
    }
    this.#sitting.isGranted = true
    this.#sitting.granted(term)
  }

  /** Another left its mark over this one's. */
  #loseTerm(): void {
    if (this.#sitting === undefined) {
      this.#ground.seat?.leave(this)
    } else if (!this.#sitting.isGranted) {
      // It still waits for the seat.
      this.#ground.seat?.leave(this)
      this.#ground.seat?.want(this)
      return
    }
    this.#endTerm()
  }

  #endTerm(): void {
    if (this.#sitting === undefined) {
      this.#endRun()
      return this.#standBy()
    }
    if (this.#sitting.isGranted) {
      this.#sitting.over("Another has the seat.")
    }
  }

  #endRun(): void {
    this.#run?.close()
    this.#run = undefined
    this.#sitting = undefined
    this.#runs += 1
  }

  #later(millis: number, run: number, then: () => void): void {
    this.#ground.bus.schedule.after(millis, () => this.#whenAwake(run, then))
  }

  #whenAwake(run: number, then: () => void): void {
    if (run !== this.#runs) {
      return
    }
    if (this.#isFrozen) {
      this.#ground.bus.faulted(undefined)
      this.#untilAwake.push(() => this.#whenAwake(run, then))
      return
    }
    then()
  }

  /** The verb `retire` (protocol §8), where anyone here can answer it. */
  retire(request: Json): void {
    this.#run?.retire(request)
  }
}
