/**
 * What one bucket holds as far as it was heard, each key with its last revision (protocol §9): writes name that revision,
 * and a change that says nothing new is told from one that does.
 */
import type { Revision } from "../ports/Bus.ts"

/** What a key holds. Without bytes it was deleted by this provisioner itself, and the bus has not said so yet. */
interface Held {
  readonly revision: number
  readonly value: Uint8Array | undefined
}

/** One key that holds something else than before: its bytes, or none where it is gone. */
export interface Difference {
  readonly key: string
  readonly value: Uint8Array | undefined
}

/** The keys of one bucket. */
export class Contents {
  /** Keys of which nobody knows what they hold: a write was not answered. They are read before they are written again. */
  readonly unknown = new Set<string>()
  readonly #held = new Map<string, Held>()
  #heard = 0

  /** How many keys it holds. */
  get size(): number {
    return this.#held.size
  }

  /** The revision that a write of this key follows; none where the key is absent. */
  revisionOf(key: string): number | undefined {
    const held = this.#held.get(key)
    return held?.value === undefined ? undefined : held.revision
  }

  /**
   * Takes in a change of the bus.
   *
   * @returns whether the key holds other bytes now than before: not where the change was heard already, is this
   *   provisioner's own coming back, or puts what is there.
   */
  take(change: Revision): boolean {
    if (change.revision <= this.#heard) {
      return false
    }
    this.#heard = change.revision
    const held = this.#held.get(change.key)
    if (held !== undefined && change.revision <= held.revision) {
      if (held.value === undefined && change.revision === held.revision) {
        this.#held.delete(change.key)
      }
      return false
    }
    return this.learn(change.key, change._tag === "Put" ? change : undefined)
  }

  /**
   * Takes in what a key holds, as it was read.
   *
   * @returns whether that is something else than before.
   */
  learn(key: string, put: { readonly revision: number; readonly value: Uint8Array } | undefined): boolean {
    this.unknown.delete(key)
    const before = this.#held.get(key)?.value
    if (put === undefined) {
      this.#held.delete(key)
    } else {
      this.#held.set(key, { revision: put.revision, value: put.value })
    }
    return !sameBytes(before, put?.value)
  }

  /** Keeps what this provisioner wrote itself; without a value, that it deleted the key. */
  wrote(key: string, revision: number, value: Uint8Array | undefined): void {
    this.unknown.delete(key)
    this.#held.set(key, { revision, value })
  }

  /** The keys that hold something else here than in `before`. */
  *differences(before: Contents): Iterable<Difference> {
    for (const [key, { value }] of this.#held) {
      if (!sameBytes(before.#held.get(key)?.value, value)) {
        yield { key, value }
      }
    }
    for (const [key, { value }] of before.#held) {
      if (value !== undefined && !this.#held.has(key)) {
        yield { key, value: undefined }
      }
    }
  }
}

const sameBytes = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && one.length === other.length &&
    one.every((byte, index) => byte === other[index]))
