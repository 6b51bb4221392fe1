/**
 * Stored against wanted: the writes that lead from one to the other, and no more (protocol §4, §9).
 */
import * as Result from "effect/Result"
import { epochKey } from "./Bucket.ts"
import { bucketName, isDecisionBucket } from "./BucketName.ts"
import type { Conflict, DecidedValues, Decisions, OutOfShape } from "./Decision.ts"
import { readJson } from "./Decode.ts"
import { type Json, sameJson } from "./Json.ts"
import { indexOf, type Snapshot } from "./Snapshot.ts"

/** One write of the provisioner. */
export type Write =
  | { readonly op: "put"; readonly bucket: string; readonly key: string; readonly value: Json }
  | { readonly op: "delete"; readonly bucket: string; readonly key: string }

/** What decision buckets hold, by bucket and key: `undefined` for bytes that are no JSON. */
export type Stored = ReadonlyMap<string, ReadonlyMap<string, Json | undefined>>

/** The decided values by bucket: the four buckets of decisions. */
export const decidedBuckets = (decisions: Decisions): ReadonlyMap<string, DecidedValues> =>
  new Map<string, DecidedValues>([
    [bucketName.registry, decisions.registry],
    [bucketName.provisions, decisions.provisions],
    [bucketName.asks, decisions.asks],
    [bucketName.plans, decisions.plans]
  ])

/**
 * The writes that make the stored decisions the wanted ones: a put of what differs or is missing, a delete of what is not
 * wanted, and the deletes of answers that no longer count. Applied, they give exactly what is wanted; a mark of the
 * seat's holder (`_epoch`) is passed over (protocol §9).
 *
 * @returns the writes, by bucket (registry, provisions, asks, plans, answers) and then by key in code-unit order.
 *
 * @example
 * ```ts
 * import { decide, diff, storedIn } from "mesh-provisioner/core"
 *
 * const snapshot = { buckets: { "mesh-controller_assignments": { "n1.shop": { build: "s1" } } } }
 * diff(storedIn(snapshot), decide(snapshot)).at(-1)?.key // "n1.shop"
 * ```
 */
export const diff = (stored: Stored, wanted: Decisions): ReadonlyArray<Write> => {
  const writes: Array<Write> = []
  for (const [bucket, values] of decidedBuckets(wanted)) {
    const there = stored.get(bucket) ?? new Map<string, Json | undefined>()
    const keys = [...new Set([...there.keys(), ...values.keys()])].filter((key) => key !== epochKey).sort()
    for (const key of keys) {
      const write = writeOf(bucket, key, there, values.get(key))
      if (write !== undefined) {
        writes.push(write)
      }
    }
  }
  for (const key of wanted.answersToDelete) {
    writes.push({ op: "delete", bucket: bucketName.answers, key })
  }
  return writes
}

/** The write of one key that makes what its bucket holds the wanted value, where it is not. */
const writeOf = (
  bucket: string,
  key: string,
  there: ReadonlyMap<string, Json | undefined> | undefined,
  wanted: Json | undefined
): Write | undefined => {
  if (wanted === undefined) {
    return there?.has(key) === true ? { op: "delete", bucket, key } : undefined
  }
  return sameJson(there?.get(key), wanted) ? undefined : { op: "put", bucket, key, value: wanted }
}

/**
 * The decisions that a snapshot holds, as `diff` takes them.
 *
 * @example
 * ```ts
 * import { storedIn } from "mesh-provisioner/core"
 *
 * const stored = storedIn({ buckets: { "mesh-provisioner_plans": { "n1.shop": {} }, "mesh-host_haves": {} } })
 * stored.size // 1
 * ```
 */
export const storedIn = (snapshot: Snapshot): Stored =>
  new Map(
    [...indexOf(snapshot)].filter(([bucket]) => isDecisionBucket(bucket)).map(([bucket, values]) => [
      bucket,
      new Map([...values].map(([key, value]) => [key, Result.getOrUndefined(readJson(value))]))
    ])
  )

/** What a list has, or would have, more and less than before. */
export interface WouldList<A> {
  readonly appears: ReadonlyArray<A>
  readonly goes: ReadonlyArray<A>
}

/** What a list has more and less than before. */
export const listsOf = <A extends OutOfShape | Conflict>(
  before: ReadonlyArray<A>,
  after: ReadonlyArray<A>
): WouldList<A> => {
  const [old, now] = [before, after].map((list) => new Set(list.map((one) => JSON.stringify(one))))
  return {
    appears: after.filter((one) => old?.has(JSON.stringify(one)) !== true),
    goes: before.filter((one) => now?.has(JSON.stringify(one)) !== true)
  }
}
