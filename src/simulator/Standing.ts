/**
 * What an engine has said that stands: each write of it is to change that (protocol §9).
 */
import { bucketName } from "../core/BucketName.ts"
import type { Write } from "../core/Diff.ts"
import { type Json, sameJson } from "../core/Json.ts"

/** The decisions as they were said. */
export class Standing {
  readonly #buckets = new Map<string, Map<string, Json>>()

  /** Takes a write in. Gives whether it changes anything; an answer that is deleted is not the engine's own. */
  take(write: Write): boolean {
    const { bucket, key, op } = write
    if (bucket === bucketName.answers) {
      return true
    }
    const values = this.#buckets.get(bucket) ?? new Map<string, Json>()
    this.#buckets.set(bucket, values)
    if (op === "delete") {
      return values.delete(key)
    }
    const before = values.get(key)
    values.set(key, write.value)
    return !sameJson(before, write.value)
  }
}
