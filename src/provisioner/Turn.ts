/**
 * One turn of the loop: a settled batch of changes, what was decided from it, and what was written.
 */
import type { Decisions } from "../core/Decision.ts"
import type { Write } from "../core/Diff.ts"

/**
 * What became of a write:
 * - `written`, or `same`: another had written the same meanwhile;
 * - `refused`: it cannot succeed as it is, and is not tried again until it is another write or the bucket is read anew;
 * - `full`: its bucket holds no more; it is tried again later, and stops no other bucket's;
 * - `overtaken`: another kept writing the key; it is compared again;
 * - `stopped`: the bus was lost; it is compared again when the bus is back.
 */
export type WriteOutcome = "written" | "same" | "refused" | "full" | "overtaken" | "stopped"

/** A write and what became of it. */
export interface WriteDone {
  readonly write: Write
  readonly outcome: WriteOutcome
}

/**
 * One turn. `before` is none at the first; it is `after` itself where no fact had changed, and always where the engine
 * decides, whose decisions are seen through: they change as it decides on. `writes` says what was another.
 */
export interface Turn {
  /** How many facts held something else than at the turn before. */
  readonly changes: number
  readonly before: Decisions | undefined
  readonly after: Decisions
  readonly writes: ReadonlyArray<WriteDone>
  /**
   * From the first change being heard of which this turn wrote the last that follows, to the last answer, in milliseconds.
   * None where nothing was written, or something is still to be, and at the first turn, whose facts were there before.
   */
  readonly changeToWriteMillis: number | undefined
}
