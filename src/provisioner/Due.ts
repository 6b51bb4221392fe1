/**
 * The keys that are to be compared: of which what is stored may be another than what is decided.
 */
import { bucketName } from "../core/BucketName.ts"
import type { Decisions } from "../core/Decision.ts"
import { decidedBuckets, diff, type Stored, type Write, writeOf } from "../core/Diff.ts"
import type { KeyOf } from "./Decider.ts"

/** The keys that are to be compared; at first, and whenever the whole is compared, every one. */
export class Due {
  #isAll = true
  #keys = new Map<string, Set<string>>()

  /** Whether there is anything to be compared. */
  get isAny(): boolean {
    return this.#isAll || this.#keys.size > 0
  }

  /** Whether every key is to be compared. */
  get isAll(): boolean {
    return this.#isAll
  }

  add(keys: Iterable<KeyOf>): void {
    if (!this.#isAll) {
      for (const { bucket, key } of keys) {
        const known = this.#keys.get(bucket) ?? new Set()
        this.#keys.set(bucket, known.add(key))
      }
    }
  }

  addAll(): void {
    this.#isAll = true
    this.#keys = new Map()
  }

  /**
   * Compares what is due, and takes it off.
   *
   * @returns the writes that are wanted of it, in the order of `diff`; and the keys of which none is.
   */
  take(
    stored: Stored,
    decisions: Decisions,
    isAnswerOver: (key: string) => boolean
  ): { readonly writes: ReadonlyArray<Write>; readonly unwanted: ReadonlyArray<KeyOf> } {
    const keys = this.#keys
    const isAll = this.#isAll
    this.#isAll = false
    this.#keys = new Map()
    if (isAll) {
      return { writes: diff(stored, decisions), unwanted: [] }
    }
    const writes: Array<Write> = []
    const unwanted: Array<KeyOf> = []
    const compare = (bucket: string, wanted: (key: string) => Write | undefined) => {
      for (const key of keys.get(bucket) ?? []) {
        const write = wanted(key)
        if (write === undefined) {
          unwanted.push({ bucket, key })
        } else {
          writes.push(write)
        }
      }
    }
    for (const [bucket, values] of decidedBuckets(decisions)) {
      compare(bucket, (key) => writeOf(bucket, key, stored.get(bucket), values.get(key)))
    }
    compare(
      bucketName.answers,
      (key) => isAnswerOver(key) ? { op: "delete", bucket: bucketName.answers, key } : undefined
    )
    return { writes, unwanted }
  }
}
