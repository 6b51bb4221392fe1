/**
 * What the verb `mesh-provisioner.provisioning` can list (protocol §8).
 */
import { decisionBuckets, factBuckets } from "./Bucket.ts"
import { bucketName } from "./BucketName.ts"
import type { KeyShape } from "./Key.ts"

/**
 * What the verb can list, the default first.
 *
 * @example
 * ```ts
 * import { queryWhat } from "mesh-provisioner/core"
 *
 * queryWhat[0] // "registry"
 * ```
 */
export const queryWhat = ["registry", "needs", "applied", "collect", "provisions", "plans", "asks"] as const

/** What the verb can list. */
export type QueryWhat = typeof queryWhat[number]

/** What can be listed: where it is, the shape of its keys, what narrows it, its states, and the facts that it is made from. */
export interface Listed {
  readonly bucket: string
  readonly shape: KeyShape
  readonly filters: ReadonlyArray<"node" | "module" | "collection">
  readonly states: ReadonlyArray<string>
  /** The buckets whose facts out of shape are said with it; every one where left out. */
  readonly madeFrom?: (bucket: string) => boolean
}

const oneOf = (...buckets: ReadonlyArray<string>) => (bucket: string) => buckets.includes(bucket)

/** Each thing that can be listed. */
export const listed: { readonly [What in QueryWhat]: Listed } = {
  registry: { bucket: bucketName.registry, shape: decisionBuckets.registry, filters: ["module"], states: [] },
  needs: {
    bucket: bucketName.needs,
    shape: factBuckets.needs,
    filters: ["node", "module"],
    states: [],
    madeFrom: oneOf(bucketName.needs)
  },
  applied: {
    bucket: bucketName.applied,
    shape: factBuckets.applied,
    filters: ["node", "module"],
    states: [],
    madeFrom: oneOf(bucketName.applied)
  },
  collect: {
    bucket: bucketName.collect,
    shape: factBuckets.collect,
    filters: ["node", "module", "collection"],
    states: [],
    madeFrom: oneOf(bucketName.collect)
  },
  provisions: {
    bucket: bucketName.provisions,
    shape: decisionBuckets.provisions,
    filters: ["node", "module"],
    states: ["provided", "asked", "failed", "refused"],
    madeFrom: oneOf(bucketName.needs)
  },
  plans: {
    bucket: bucketName.plans,
    shape: decisionBuckets.plans,
    filters: ["node", "module"],
    states: ["ready", "waiting", "failed", "refused", "degraded"],
    madeFrom: oneOf(bucketName.needs, bucketName.assignments, bucketName.applied)
  },
  asks: {
    bucket: bucketName.asks,
    shape: decisionBuckets.asks,
    filters: ["node", "module"],
    states: ["wanted", "held", "unneeded", "kept", "retire"],
    madeFrom: (bucket) => bucket === bucketName.answers || bucket.endsWith("_bound")
  }
}
