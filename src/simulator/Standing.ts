/**
 * What an engine has said that stands: each write of it is to change that (protocol §9).
 */
import { bucketName } from "../core/BucketName.ts"
import type { Write } from "../core/Diff.ts"
import { type Json, sameJson } from "../core/Json.ts"

/** The decisions as they were said. */
export class Standing {
  readonly #values = new Map<string, Json>()

  /** Takes a write in. Gives whether it changes anything; an answer that is deleted is not the engine's own. */
  take(write: Write): boolean {
    const { bucket, key, op } = write
    const id = `${bucket} ${key}`
    const before = this.#values.get(id)
    if (bucket === bucketName.answers) {
      return true
    }
    if (op === "delete") {
      return this.#values.delete(id)
    }
    this.#values.set(id, write.value)
    return !sameJson(before, write.value)
  }
}
