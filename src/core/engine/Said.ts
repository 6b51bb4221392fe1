/**
 * What there is to say since it was said last: the writes, and what is out of shape and was not, or the other way round.
 */
import { bucketName } from "../BucketName.ts"
import type { Conflict, OutOfShape } from "../Decision.ts"
import type { Write } from "../Diff.ts"
import { type Json, sameJson } from "../Json.ts"

/** How many things were decided anew. */
export interface Computed {
  /** Claims of which it was looked up who serves them. */
  readonly claims: number
  readonly provisions: number
  /** Asks of claims and of credentials. */
  readonly asks: number
  readonly plans: number
}

/** A fact that is out of shape now, or with no `why` is so no more. */
export type OutOfShapeChange = Pick<OutOfShape, "bucket" | "key"> & { readonly why?: string }

/** What has changed in the decisions. */
export interface EngineStep {
  /** In the order of the buckets that `diff` has: registry, provisions, asks, plans, answers. */
  readonly writes: ReadonlyArray<Write>
  readonly outOfShape: ReadonlyArray<OutOfShapeChange>
  /** The conflicts of the registry, where they have changed. */
  readonly conflicts?: ReadonlyArray<Conflict>
  readonly computed: Computed
  /**
   * How many modules on a node are known to be decided anew, and things that many share of which it is still to be looked for
   * whom they are another. What is written is decided from the facts as they stand; of these, nothing is, and their decisions
   * are as a whole those of facts that were.
   */
  readonly pending: number
}

type DecisionBucket = "registry" | "provisions" | "asks" | "plans" | "answers"

/** Collects what is to be said. */
export class Said {
  readonly #writes: { readonly [Bucket in DecisionBucket]: Array<Write> } = {
    registry: [],
    provisions: [],
    asks: [],
    plans: [],
    answers: []
  }
  readonly #outOfShape = new Map<string, OutOfShapeChange>()
  /** The conflicts that were said last, where others may be to be said. */
  conflictsBefore: ReadonlyArray<Conflict> | undefined
  readonly computed = { claims: 0, provisions: 0, asks: 0, plans: 0 }

  /** Has a value put where another was, if it is another; and says whether it is. */
  put(bucket: DecisionBucket, key: string, before: Json | undefined, after: Json): boolean {
    const isOther = !sameJson(before, after)
    if (isOther) {
      this.write(bucket, key, after)
    }
    return isOther
  }

  /** Has a value put. */
  write(bucket: DecisionBucket, key: string, value: Json): void {
    this.#writes[bucket].push({ op: "put", bucket: bucketName[bucket], key, value })
  }

  /** Has a key deleted. */
  delete(bucket: DecisionBucket, key: string): void {
    this.#writes[bucket].push({ op: "delete", bucket: bucketName[bucket], key })
  }

  /** Keeps what was said last of a fact that may be out of shape, where it is another now. */
  outOfShape(id: string, bucket: string, key: string, before: string | undefined): void {
    if (!this.#outOfShape.has(id)) {
      this.#outOfShape.set(id, { bucket, key, ...(before === undefined ? {} : { why: before }) })
    }
  }

  /**
   * Keeps what was said last of whatever another touched, whose own word nobody hears: what it left otherwise, and is only later
   * as it was, is so not said.
   */
  goOnFrom(other: Said): void {
    for (const [id, { bucket, key, why }] of other.#outOfShape) {
      this.outOfShape(id, bucket, key, why)
    }
    this.conflictsBefore ??= other.conflictsBefore
  }

  /** All that is to be said, by what is out of shape and in conflict now. */
  step(
    outOfShape: ReadonlyMap<string, OutOfShape>,
    conflicts: ReadonlyArray<Conflict>,
    pending: number
  ): EngineStep {
    const { answers, asks, plans, provisions, registry } = this.#writes
    const changed = [...this.#outOfShape].flatMap(([id, { bucket, key, why }]): ReadonlyArray<OutOfShapeChange> => {
      const now = outOfShape.get(id)
      return now?.why === why ? [] : [now ?? { bucket, key }]
    })
    const isConflicting = this.conflictsBefore !== undefined && !sameJson(this.conflictsBefore, conflicts)
    return {
      writes: [...registry, ...provisions, ...asks, ...plans, ...answers],
      outOfShape: changed,
      ...(isConflicting ? { conflicts } : {}),
      computed: { ...this.computed },
      pending
    }
  }
}
