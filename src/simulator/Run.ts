/**
 * What a simulated provisioner does for as long as it holds the seat, as its process sees it: played step by step (`Turns`), or
 * by the shell's own fibers (`fibers/FiberRun`).
 */
import type { Json } from "../core/Json.ts"
import type { Decider } from "../provisioner/Decider.ts"
import type { Bus } from "./Bus.ts"
import type { Party } from "./Party.ts"
import type { Watch } from "./Watch.ts"

/** The seat of a mesh, as a run takes it that outlives its terms. */
export interface Chair {
  /** Waits for the seat: it is held from when `granted` is called, until `over` is. */
  readonly sit: (granted: (term: number) => void, over: (why: string) => void) => void
  /** Gives it up. */
  readonly leave: () => void
  readonly isHeld: () => boolean
}

/** What a run stands in. */
export interface Surroundings {
  readonly bus: Bus
  readonly party: Party
  /** A decider with nothing in it. */
  readonly makeDecider: () => Decider
  /** The term of the seat, where it is run for one. */
  readonly term: number | undefined
  /** The seat, where it takes that by itself. */
  readonly chair: Chair | undefined
  readonly writesInFlightMax: number
  /** How many things it decides at once at most. */
  readonly thingsMax: number
  /** What the order of a run's fibers is drawn by. */
  readonly seed: number
  /** Has something done later, unless the run is over by then. */
  readonly after: (millis: number, run: () => void) => void
  /** Does something now, or when the process wakes where it is frozen; never where the run is over. */
  readonly whenAwake: (run: () => void) => void
  /** The term is over: another has left its mark. */
  readonly fenced: () => void
  /** It says this to whoever reads its log, or answers it to whoever asks. */
  readonly says: (what: string) => void
  /** It is over by a defect. */
  readonly died: (defect: unknown) => void
}

/** A run. */
export interface Run {
  /** Has the verb `retire` (protocol §8) answered, where it can be now. */
  readonly retire: (request: Json) => void
  /** The clock jumps by so many milliseconds. */
  readonly clockJumps: (millis: number) => void
  /** One of the watches of a bucket, by a number. */
  readonly watchBy: (number: number) => Watch | undefined
  /** The line is cut: all that is followed ends. */
  readonly cutOff: () => void
  /** It is over: nothing is followed any more. */
  readonly close: () => void
}
