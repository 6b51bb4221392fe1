/**
 * How far one bucket is read (protocol §9): from its start to its end, and from there on.
 */
import type { BucketEvent } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import { Contents, type Difference } from "./Contents.ts"
import { type Loss, type LossHow, lossHow } from "./Health.ts"

/** The reading of a bucket: `lost` says why it is not read to its end, where it was once or ought to be. */
export class Reading {
  /** The reader that is listened to; 0 for none. */
  reader = 0
  /** How often in a row it failed. */
  attempts = 0
  read = false
  lost: LossHow | undefined
  /** The number of the error by which the bus answered, where it did. */
  code: number | undefined
  contents = new Contents()
  /** The keys that were read so far of a start that has not come to its end. */
  fresh: Contents | undefined = new Contents()

  /** How it is lost, where it is. */
  get loss(): Omit<Loss, "bucket"> | undefined {
    const { code, lost: how } = this
    return how === undefined ? undefined : { how, ...(code === undefined ? {} : { code }) }
  }

  /** Whether it is read to its end, and its start is not being read again. */
  get isWhole(): boolean {
    return this.read && this.fresh === undefined
  }

  /** Whether what is called so is no bucket, and nothing waits for it. */
  isPassedOver = false

  /** Whether the bucket that was read is not there any more. One that was deleted may have been made again already. */
  get isGone(): boolean {
    return this.lost === "missing" || this.lost === "deleted"
  }

  /** A new reader begins at the start. A key that was known stands until that is heard of, or the start comes to its end. */
  begin(reader: number): void {
    this.reader = reader
    this.#beginAnew()
  }

  // What a start that did not come to its end told of stands as well.
  #beginAnew(): void {
    if (this.fresh !== undefined) {
      this.contents.add(this.fresh)
    }
    this.fresh = new Contents()
  }

  /** The reading failed: what was read stands, and is to be read anew. */
  fail(error: BusError): void {
    this.lose(lossHow(error))
    this.code = error.reason._tag === "Failed" ? error.reason.code : undefined
    this.attempts += 1
  }

  /** It is not read from now on. */
  lose(how: LossHow): void {
    this.reader = 0
    this.read = false
    this.lost = how
    this.code = undefined
    this.#beginAnew()
  }

  /**
   * Passes over what is no bucket where it may go; otherwise it counts.
   *
   * @returns whether it did not before: then it holds nothing any more.
   */
  passOver(mayGo: boolean): boolean {
    const before = this.isPassedOver
    this.isPassedOver = this.lost === "no-bucket" && mayGo
    if (this.isPassedOver) {
      this.contents = new Contents()
    }
    return this.isPassedOver && !before
  }

  /**
   * Takes in events.
   *
   * @returns the keys that may hold something else than before, and whether the start came to its end by them.
   */
  take(
    events: ReadonlyArray<BucketEvent>
  ): { readonly differences: ReadonlyArray<Difference>; readonly ended: boolean } {
    const differences: Array<Difference> = []
    let ended = false
    for (const event of events) {
      if (event._tag === "End") {
        ended = true
        differences.push(...this.#end())
      } else if ((this.fresh ?? this.contents).take(event)) {
        differences.push({ key: event.key, value: event._tag === "Put" ? event.value : undefined })
      }
    }
    for (const key of this.fresh === undefined ? this.contents.takeRemoved() : []) {
      differences.push({ key, value: undefined })
    }
    return { differences, ended }
  }

  // What the start did not tell of is gone.
  #end(): ReadonlyArray<Difference> {
    const fresh = this.fresh ?? new Contents()
    const differences = Array.from(this.contents.keysNotIn(fresh), (key) => ({ key, value: undefined }))
    this.contents = fresh
    this.fresh = undefined
    this.read = true
    this.lost = undefined
    this.attempts = 0
    return differences
  }
}
