/**
 * What the buckets of decisions hold, as it was read or written (protocol §9).
 *
 * A value is kept as its bytes until it is compared. One that is what is decided is then that same object, so that a mesh at
 * rest has its decisions once.
 */
import * as Result from "effect/Result"
import { readJson } from "../core/Decode.ts"
import type { Write } from "../core/Diff.ts"
import { type Json, sameJson } from "../core/Json.ts"
import { readUtf8 } from "../core/Utf8.ts"

/** What is stored at a key: bytes that were not compared yet or are no JSON, or JSON. */
type StoredValue = Uint8Array | Json

/** The stored decisions, by bucket and key. */
export class StoredDecisions {
  readonly #buckets = new Map<string, Map<string, StoredValue>>()

  /** The keys of a bucket. */
  keys(bucket: string): Iterable<string> {
    return this.#in(bucket).keys()
  }

  /**
   * Keeps what was read; without bytes, that the key is gone.
   *
   * @returns whether it may be another value than was there.
   */
  read(bucket: string, key: string, bytes: Uint8Array | undefined): boolean {
    const values = this.#in(bucket)
    if (bytes === undefined) {
      return values.delete(key)
    }
    const before = values.get(key)
    if (before !== undefined && !(before instanceof Uint8Array) && sameJson(jsonOf(bytes), before)) {
      return false
    }
    values.set(key, bytes)
    return true
  }

  /** Keeps what was written; without a value, that the key was deleted. */
  wrote(bucket: string, key: string, value: Json | undefined): void {
    if (value === undefined) {
      this.#in(bucket).delete(key)
    } else {
      this.#in(bucket).set(key, value)
    }
  }

  /** The write that makes a key hold what is wanted, which is nothing where it is left out; none where it does already. */
  writeOf(bucket: string, key: string, wanted: Json | undefined): Write | undefined {
    const values = this.#in(bucket)
    const there = values.get(key)
    if (wanted === undefined) {
      return there === undefined ? undefined : { op: "delete", bucket, key }
    }
    if (there === wanted) {
      return undefined
    }
    if (there !== undefined && isSame(there, wanted)) {
      values.set(key, wanted)
      return undefined
    }
    return { op: "put", bucket, key, value: wanted }
  }

  #in(bucket: string): Map<string, StoredValue> {
    const known = this.#buckets.get(bucket)
    if (known !== undefined) {
      return known
    }
    const values = new Map<string, StoredValue>()
    this.#buckets.set(bucket, values)
    return values
  }
}

// Mostly it is written as this wrote it: then it is the same text, and need not be taken apart.
const isSame = (there: StoredValue, wanted: Json): boolean =>
  (there instanceof Uint8Array && readUtf8(there) === JSON.stringify(wanted)) || sameJson(jsonOf(there), wanted)

const jsonOf = (value: StoredValue): Json | undefined =>
  value instanceof Uint8Array ? Result.getOrUndefined(readJson(value)) : value
