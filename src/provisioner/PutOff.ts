/**
 * The writes that are put off: wanted, and not to be had for now. Each is kept by its bucket and key, with why, so that it
 * is said once, counted, and tried again when that may help.
 */
import type { Write } from "../core/Diff.ts"
import { type Json, sameJson } from "../core/Json.ts"
import type { KeyOf } from "./Decider.ts"

/** Why a write is put off: the bus would not, it is too large, its bucket is full, or another keeps writing there. */
export type PutOffHow = "refused" | "too-large" | "full" | "overtaken"

/** A write that is put off. */
export interface PutOff {
  readonly write: Write
  readonly how: PutOffHow
  /** It may be tried once more. */
  again: boolean
}

/** How many writes of a bucket are put off, and why. */
export interface Unwritten {
  readonly bucket: string
  readonly how: PutOffHow
  readonly count: number
}

/** The writes that are put off. */
export class PutOffs {
  readonly #byId = new Map<string, PutOff>()
  readonly #counts = new Map<string, Unwritten>()
  /** How often that changed. */
  changes = 0

  /** How many of each bucket there are, and why. */
  get unwritten(): ReadonlyArray<Unwritten> {
    return [...this.#counts.values()].filter(({ count }) => count > 0)
  }

  get isEmpty(): boolean {
    return this.#byId.size === 0
  }

  /** Whether any is to be tried again by itself, some time later. */
  get isAnyWaiting(): boolean {
    return this.unwritten.some(({ how }) => isPassing(how))
  }

  /** Whether a write is to be tried now: it never was put off, or may be tried again, or is another than was. */
  isDue(write: Write): boolean {
    const before = this.#byId.get(idOf(write))
    return before === undefined || before.again || !isSameWrite(before.write, write)
  }

  /** Puts a write off. Gives whether that is new: the same was not put off for the same before. */
  add(write: Write, how: PutOffHow): boolean {
    const id = idOf(write)
    const before = this.#byId.get(id)
    this.#count(before, -1)
    const now = { write, how, again: false }
    this.#byId.set(id, now)
    this.#count(now, 1)
    return before?.how !== how || !isSameWrite(before.write, write)
  }

  /** A write is put off no more: it was done, or is not wanted. */
  remove(id: string): void {
    this.#count(this.#byId.get(id), -1)
    this.#byId.delete(id)
  }

  /** Keeps those alone that are still wanted. */
  keepOnly(wanted: ReadonlyArray<Write>): void {
    if (this.#byId.size > 0) {
      const ids = new Set(wanted.map(idOf))
      for (const id of this.#byId.keys()) {
        if (!ids.has(id)) {
          this.remove(id)
        }
      }
    }
  }

  /** Lets those of these buckets be tried once more. Gives them. */
  retryIn(buckets: ReadonlySet<string>): ReadonlyArray<Write> {
    return this.#retry(({ write }) => buckets.has(write.bucket))
  }

  /** Lets those be tried once more of which the reason may have passed. Gives them. */
  retryPassing(): ReadonlyArray<Write> {
    return this.#retry(({ how }) => isPassing(how))
  }

  #retry(isMeant: (putOff: PutOff) => boolean): ReadonlyArray<Write> {
    const meant = [...this.#byId.values()].filter(isMeant)
    for (const putOff of meant) {
      putOff.again = true
    }
    return meant.map(({ write }) => write)
  }

  #count(putOff: PutOff | undefined, by: number): void {
    if (putOff !== undefined) {
      const { how, write: { bucket } } = putOff
      const id = `${bucket} ${how}`
      this.changes += 1
      this.#counts.set(id, { bucket, how, count: (this.#counts.get(id)?.count ?? 0) + by })
    }
  }
}

/** A write's bucket and key, as one text. */
export const idOf = ({ bucket, key }: KeyOf): string => `${bucket} ${key}`

const isPassing = (how: PutOffHow): boolean => how === "full" || how === "overtaken"

const isSameWrite = (one: Write, other: Write): boolean => one.op === other.op && sameJson(valueOf(one), valueOf(other))

const valueOf = (write: Write): Json | undefined => write.op === "put" ? write.value : undefined
