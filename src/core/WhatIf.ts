/**
 * What a change of facts would change in the decisions, before anyone makes it: the pure half of a verb beside the three of the
 * protocol (§8), `mesh-provisioner.what-if`. It reads as `provisioning` does, and writes nothing.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bucketName, isDecisionBucket } from "./BucketName.ts"
import type { Caller } from "./Caller.ts"
import type { Conflict, Decisions, OutOfShape } from "./Decision.ts"
import { decidedBuckets, listsOf, type WouldList } from "./Diff.ts"
import type { EngineChange, EngineStep } from "./Engine.ts"
import { AnyJson } from "./fact/Common.ts"
import type { FactsView } from "./Facts.ts"
import { type Json, sameJson } from "./Json.ts"
import { whatIfChangesMax, whatIfThingsMax } from "./Limits.ts"
import { textBytes } from "./Page.ts"
import { refuse, requestOf, type VerbError } from "./Verb.ts"
import { verbWhy } from "./Words.ts"

const readRequest = requestOf(Schema.Struct({ changes: Schema.Array(AnyJson) }))

const readFields = requestOf(Schema.Struct({
  bucket: Schema.String,
  key: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(AnyJson),
  isThere: Schema.optionalKey(Schema.Boolean)
}))

/** A decision as it is and as it would be: without `before` it would appear, without `after` go. */
export interface WouldChange {
  readonly bucket: string
  readonly key: string
  readonly before?: Json
  readonly after?: Json
}

/** What would change: all of it, but for what a reply has no room for. */
export interface WhatIfReply {
  /** By bucket (registry, provisions, asks, plans) and then by key. */
  readonly decisions: ReadonlyArray<WouldChange>
  /** The keys of answers that would count no more, and be deleted. */
  readonly answersToDelete: ReadonlyArray<string>
  readonly outOfShape: WouldList<OutOfShape>
  readonly conflicts: WouldList<Conflict>
  /** How many more of all these there are that the reply had no room for. */
  readonly more?: number
}

/** Who asks. */
export interface WhatIfOptions {
  readonly caller?: Caller
}

/**
 * Reads a request of the verb: `{ "changes": [{ "bucket", "key", "value"? } | { "bucket", "isThere" }, …] }`. A key without
 * a value is gone; `isThere` has a bucket appear, or vanish with all that it held. Later ones stand over earlier ones.
 *
 * @returns the changes, or 400: no changes or too many, of a decision bucket, or asked by a node or a provider, who would
 *   learn of others by it.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { readWhatIf } from "mesh-provisioner/core"
 *
 * const change = { bucket: "mesh-controller_machines", key: "n1", value: { lost: true } }
 * Result.getOrThrow(readWhatIf({ changes: [change] })).length // 1
 * readWhatIf({ changes: [{ ...change, bucket: "mesh-provisioner_plans" }] })._tag // "Failure"
 * ```
 */
export const readWhatIf = (
  request: unknown,
  { caller }: WhatIfOptions = {}
): Result.Result<ReadonlyArray<EngineChange>, VerbError> => {
  if (caller !== undefined && "node" in caller) {
    return refuse(400, verbWhy.notWhatIf())
  }
  return Result.flatMap(readRequest(request), ({ changes }) => {
    if (changes.length === 0 || changes.length > whatIfChangesMax) {
      return refuse(400, verbWhy.changes(whatIfChangesMax))
    }
    return Result.all(changes.map(readChange))
  })
}

/**
 * Reads one change of facts, as the verb takes it.
 *
 * @returns the change, or 400: it is no object of these fields, is of a decision bucket, or neither of a key nor of a bucket.
 */
export const readChange = (change: unknown): Result.Result<EngineChange, VerbError> =>
  Result.flatMap(readFields(change), ({ bucket, isThere, key, value }): Result.Result<EngineChange, VerbError> => {
    if (isDecisionBucket(bucket)) {
      return refuse(400, verbWhy.noFacts(bucket))
    }
    if (key !== undefined && isThere === undefined) {
      return Result.succeed(value === undefined ? { bucket, key } : { bucket, key, value })
    }
    return key === undefined && isThere !== undefined && value === undefined
      ? Result.succeed({ bucket, isThere })
      : refuse(400, verbWhy.keyOrBucket())
  })

/** An engine, of which it is asked what would be. */
interface Tried {
  readonly facts: Pick<FactsView, "strangers" | "table">
  readonly decisions: Decisions
  readonly isAnswerOver: (key: string) => boolean
  readonly whatIf: (changes: Iterable<EngineChange>, thingsMax: number) => EngineStep
}

/** What an engine says would change, or 409 where that is more than it decides at once. */
export const whatIfOf = (
  engine: Tried,
  changes: ReadonlyArray<EngineChange>
): Result.Result<WhatIfReply, VerbError> => {
  const much = () => refuse(409, verbWhy.muchWouldChange(whatIfThingsMax))
  if (factsThatVanish(engine.facts, changes) > whatIfThingsMax) {
    return much()
  }
  const { conflicts, outOfShape, pending, writes } = engine.whatIf(changes, whatIfThingsMax)
  if (pending > 0) {
    return much()
  }
  const before = decidedBuckets(engine.decisions)
  const placeOf = ({ bucket, key }: { readonly bucket: string; readonly key: string }) => `${bucket} ${key}`
  const changed = new Set(outOfShape.map(placeOf))
  const was = changed.size === 0 ? [] : engine.decisions.outOfShape.filter((fact) => changed.has(placeOf(fact)))
  return Result.succeed({
    decisions: writes.filter(({ bucket }) => bucket !== bucketName.answers).map((write) => {
      const old = before.get(write.bucket)?.get(write.key)
      return would(write.bucket, write.key, old, write.op === "put" ? write.value : undefined)
    }).sort(byPlace),
    answersToDelete: writes.filter(({ bucket, key }) => bucket === bucketName.answers && !engine.isAnswerOver(key))
      .map(({ key }) => key).sort(),
    outOfShape: {
      appears: outOfShape.flatMap(({ bucket, key, why }) => why === undefined ? [] : [{ bucket, key, why }]),
      goes: was
    },
    conflicts: conflicts === undefined ? { appears: [], goes: [] } : listsOf(engine.decisions.conflicts, conflicts)
  })
}

/** How many facts the buckets hold that vanish: to take them all away for a moment costs as many things would. */
const factsThatVanish = (facts: Tried["facts"], changes: ReadonlyArray<EngineChange>): number =>
  changes.reduce(
    (count, change) =>
      "isThere" in change && !change.isThere
        ? count + (facts.table(change.bucket)?.size ?? facts.strangers(change.bucket).length)
        : count,
    0
  )

/** What differs between what is decided of the facts as they are, and as they would be. */
export const whatIfBetween = (is: Decisions, wouldBe: Decisions): WhatIfReply => {
  const after = decidedBuckets(wouldBe)
  const answers = new Set(is.answersToDelete)
  return {
    decisions: [...decidedBuckets(is)].flatMap(([bucket, old]) => {
      const now = after.get(bucket) ?? new Map<string, Json>()
      return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((key) =>
        sameJson(old.get(key), now.get(key)) ? [] : [would(bucket, key, old.get(key), now.get(key))]
      )
    }),
    answersToDelete: wouldBe.answersToDelete.filter((key) => !answers.has(key)),
    outOfShape: listsOf(is.outOfShape, wouldBe.outOfShape),
    conflicts: listsOf(is.conflicts, wouldBe.conflicts)
  }
}

const would = (bucket: string, key: string, before: Json | undefined, after: Json | undefined): WouldChange => ({
  bucket,
  key,
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after })
})

const order = [bucketName.registry, bucketName.provisions, bucketName.asks, bucketName.plans] as ReadonlyArray<string>

const byPlace = (one: WouldChange, other: WouldChange): number =>
  order.indexOf(one.bucket) - order.indexOf(other.bucket) || (one.key < other.key ? -1 : 1)

/** As much of what would change as a reply has room for, from the first on; what is left out is counted. */
export const fitted = (reply: WhatIfReply, bytesMax: number): WhatIfReply => {
  let left = bytesMax - textBytes(nothing)
  let more = 0
  const taken = <A extends object | string>(list: ReadonlyArray<A>): ReadonlyArray<A> =>
    list.filter((one) => {
      const bytes = more === 0 ? textBytes(one) + 1 : Number.POSITIVE_INFINITY
      const hasRoom = bytes <= left
      left -= hasRoom ? bytes : 0
      more += hasRoom ? 0 : 1
      return hasRoom
    })
  const bothOf = <A extends object>({ appears, goes }: WouldList<A>) => ({ appears: taken(appears), goes: taken(goes) })
  const { answersToDelete, conflicts, decisions, outOfShape } = reply
  const found = {
    decisions: taken(decisions),
    answersToDelete: taken(answersToDelete),
    outOfShape: bothOf(outOfShape),
    conflicts: bothOf(conflicts)
  }
  return more === 0 ? found : { ...found, more }
}

const nothing: WhatIfReply = {
  decisions: [],
  answersToDelete: [],
  outOfShape: { appears: [], goes: [] },
  conflicts: { appears: [], goes: [] },
  more: Number.MAX_SAFE_INTEGER
}
