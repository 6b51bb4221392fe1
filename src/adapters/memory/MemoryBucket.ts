/**
 * One bucket of the memory bus: its keys, the last changes of each, and who follows it.
 */
import type { BucketEvent, Put, Revision } from "../../ports/Bus.ts"
import type { Follower } from "./Follower.ts"

/** A key's last changes that are kept (protocol §8). */
const historyMax = 10

/** A change before it is numbered: a value, or none where the key is deleted. */
export interface Unnumbered {
  readonly key: string
  readonly value: Uint8Array | undefined
  readonly timeMillis: number
}

/** A bucket. Keys stand in the order of their last change, so that its start can be read as it lies. */
export class MemoryBucket {
  readonly followers = new Set<Follower<BucketEvent>>()
  readonly #histories = new Map<string, ReadonlyArray<Revision>>()
  #revision = 0

  /** A key's last changes, the oldest first. */
  history(key: string): ReadonlyArray<Revision> {
    return this.#histories.get(key) ?? []
  }

  /** A key's last change, be it a delete. */
  last(key: string): Revision | undefined {
    return this.#histories.get(key)?.at(-1)
  }

  /** What is there, in the order of revisions. */
  *puts(): Iterable<Put> {
    for (const history of this.#histories.values()) {
      const last = history.at(-1)
      if (last?._tag === "Put") {
        yield last
      }
    }
  }

  /** Takes a change: numbers it, keeps it, and tells every follower. */
  take({ key, value, timeMillis }: Unnumbered): number {
    const revision = ++this.#revision
    const change: Revision = value === undefined
      ? { _tag: "Delete", key, revision, timeMillis }
      : { _tag: "Put", key, value, revision, timeMillis }
    const history = this.history(key)
    this.#histories.delete(key)
    this.#histories.set(key, [...history.slice(1 - historyMax), change])
    for (const follower of this.followers) {
      follower.tell(change)
    }
    return revision
  }
}
