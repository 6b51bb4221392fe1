/**
 * The keys that are to be compared: of which what is stored may be another than what is decided.
 */
import { bucketName } from "../core/BucketName.ts"
import type { Decisions } from "../core/Decision.ts"
import { decidedBuckets, type Write } from "../core/Diff.ts"
import type { KeyOf } from "./Decider.ts"
import type { StoredDecisions } from "./StoredDecisions.ts"

/** A key that was compared: the write that is wanted of it, if one is. */
export interface Compared extends KeyOf {
  readonly write: Write | undefined
}

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
   * Takes off all that is due, and compares it as it is asked for: by bucket (registry, provisions, asks, plans, answers), in
   * no order within one.
   */
  take(
    stored: StoredDecisions,
    decisions: Decisions,
    isAnswerOver: (key: string) => boolean
  ): Iterator<Compared, void> {
    const compared = this.#isAll
      ? compareAll(stored, decisions)
      : compareSome(this.#keys, stored, decisions, isAnswerOver)
    this.#isAll = false
    this.#keys = new Map()
    return compared
  }
}

function* compareAll(stored: StoredDecisions, decisions: Decisions): Iterator<Compared, void> {
  for (const [bucket, values] of decidedBuckets(decisions)) {
    for (const [key, value] of values) {
      yield { bucket, key, write: stored.writeOf(bucket, key, value) }
    }
    for (const key of stored.keys(bucket)) {
      if (!values.has(key)) {
        yield { bucket, key, write: stored.writeOf(bucket, key, undefined) }
      }
    }
  }
  for (const key of decisions.answersToDelete) {
    yield { bucket: bucketName.answers, key, write: { op: "delete", bucket: bucketName.answers, key } }
  }
}

function* compareSome(
  due: ReadonlyMap<string, ReadonlySet<string>>,
  stored: StoredDecisions,
  decisions: Decisions,
  isAnswerOver: (key: string) => boolean
): Iterator<Compared, void> {
  for (const [bucket, values] of decidedBuckets(decisions)) {
    for (const key of due.get(bucket) ?? []) {
      yield { bucket, key, write: stored.writeOf(bucket, key, values.get(key)) }
    }
  }
  for (const key of due.get(bucketName.answers) ?? []) {
    const write: Write | undefined = isAnswerOver(key) ? { op: "delete", bucket: bucketName.answers, key } : undefined
    yield { bucket: bucketName.answers, key, write }
  }
}
