/**
 * Which keys one bucket holds as far as it was heard, each with its last revision (protocol §9): writes name that revision,
 * and what was heard already, or is this provisioner's own coming back, is told from what is news. What the keys hold is not
 * kept here: the facts are, and of the decisions what is stored.
 */
import type { Revision } from "../ports/Bus.ts"

/** One key and what it holds: its bytes, or none where it is gone. */
export interface Difference {
  readonly key: string
  readonly value: Uint8Array | undefined
}

/** The keys of one bucket. */
export class Contents {
  /** Keys of which nobody knows what they hold: a write was not answered. They are read before they are written again. */
  readonly unknown = new Set<string>()
  /** Below zero where this provisioner deleted the key itself by that revision, and the bus has not said so yet. */
  readonly #revisions = new Map<string, number>()
  /** This provisioner's own puts that have not come back yet, by key: the bus tells of each, in the order of revisions. */
  readonly #unheard = new Map<string, number>()
  #heard = 0

  /** How many keys it holds. */
  get size(): number {
    return this.#revisions.size
  }

  /** The revision that a write of this key follows; none where the key is absent. */
  revisionOf(key: string): number | undefined {
    const revision = this.#revisions.get(key) ?? 0
    return revision > 0 ? revision : undefined
  }

  /**
   * Takes in a change of the bus.
   *
   * @returns whether it is news: not where it was heard already, is this provisioner's own coming back, or deletes what was
   *   not there.
   */
  take(change: Revision): boolean {
    const { key, revision } = change
    if (revision <= this.#heard) {
      return false
    }
    this.#heard = revision
    if ((this.#unheard.get(key) ?? revision + 1) <= revision) {
      this.#unheard.delete(key)
    }
    const held = this.#revisions.get(key)
    if (held !== undefined && revision <= Math.abs(held)) {
      if (held === -revision) {
        this.#revisions.delete(key)
      }
      return false
    }
    this.learn(key, change._tag === "Put" ? revision : undefined)
    return change._tag === "Put" || held !== undefined
  }

  /** Takes in by what revision a key holds something, as it was read; none where it is gone. */
  learn(key: string, revision: number | undefined): void {
    this.unknown.delete(key)
    if (revision === undefined) {
      this.#revisions.delete(key)
    } else {
      this.#revisions.set(key, revision)
    }
  }

  /** Keeps by what revision this provisioner put or deleted a key itself. */
  wrote(key: string, revision: number, op: "put" | "delete"): void {
    this.unknown.delete(key)
    this.#revisions.set(key, op === "put" ? revision : -revision)
    this.#unheard.delete(key)
    if (op === "put" && revision > this.#heard) {
      this.#unheard.set(key, revision)
    }
  }

  /**
   * The keys that this provisioner put and that the bus does not tell of, though it told of what came after: a server that
   * took a message may remove it before it is delivered, to make room. They are to be taken for gone.
   */
  takeRemoved(): ReadonlyArray<string> {
    const removed: Array<string> = []
    for (const [key, revision] of this.#unheard) {
      // They are kept in the order in which they were answered for, which is that of the revisions, but for a few.
      if (revision > this.#heard) {
        break
      }
      this.#unheard.delete(key)
      if (this.#revisions.get(key) === revision) {
        this.#revisions.delete(key)
        removed.push(key)
      }
    }
    return removed
  }

  /** Holds the keys of another as well: a reading of them did not come to its end. */
  add(other: Contents): void {
    for (const [key, revision] of other.#revisions) {
      this.#revisions.set(key, revision)
    }
  }

  /** The keys that are here, and not in another. */
  *keysNotIn(other: Contents): Iterable<string> {
    for (const [key, revision] of this.#revisions) {
      if (revision > 0 && !other.#revisions.has(key)) {
        yield key
      }
    }
  }
}
