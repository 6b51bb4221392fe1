/**
 * What of the mesh is a caller's to see, where the bus says who asks (protocol §8): an operator and a reader see all of
 * it, a node what is the node's, a provider what is the module's on its node, and its bucket's. All see the registry.
 */
import { decisionBuckets, factBuckets } from "./Bucket.ts"
import { boundBucket, bucketName } from "./BucketName.ts"
import type { Caller } from "./Caller.ts"
import type { Part } from "./Key.ts"
import { readToken } from "./Name.ts"

/**
 * Whether what stands at a key of a bucket is for a caller to see; all of it is for one that the bus does not name. Of a
 * key out of shape its tokens count, and what does not read is nobody's own.
 */
export const isSeenBy = (caller: Caller | undefined, bucket: string, key: string): boolean => {
  if (caller === undefined || !("node" in caller) || seenByAll.has(bucket)) {
    return true
  }
  if (caller.role === "provider" && isOf(caller.module, bucket)) {
    return true
  }
  const { module, node } = ownerOf(bucket, key)
  return node === caller.node && (caller.role === "node" || module === caller.module)
}

/** The registry, and what it is made of. */
const seenByAll: ReadonlySet<string> = new Set([bucketName.registry, bucketName.modules])

/** Whether a bucket is a module's own: its bound entries, or what its definition's answers may speak of. */
const isOf = (module: string, bucket: string): boolean =>
  bucket.endsWith("_bound") ? bucket === boundBucket(module) : bucket.startsWith(`${module}_`) && !owned.has(bucket)

interface Places {
  readonly node: number
  readonly module: number
}

const placesIn = (parts: ReadonlyArray<Part>): Places => ({
  node: parts.findIndex((part) => part === "providerNode" || part === "node"),
  module: parts.findIndex((part) => part === "providerModule" || part === "module" || part === "contributor")
})

/** Where the keys of the mesh's own buckets name the node and the module that they are about. */
const owned: ReadonlyMap<string, Places> = new Map(
  [...Object.values(factBuckets), ...Object.values(decisionBuckets)].map(({ name, parts }) => [name, placesIn(parts)])
)

const ofBound: Places = placesIn(factBuckets.bound.parts)

/** The node and the module that a key is about: of asks and answers the provider's. */
const ownerOf = (bucket: string, key: string): { readonly node?: string; readonly module?: string } => {
  const places = owned.get(bucket) ?? (bucket.endsWith("_bound") ? ofBound : undefined)
  const tokens = key.split(".")
  const named = (place: number | undefined) => readToken(place === undefined ? "" : tokens[place] ?? "")
  const [node, module] = [named(places?.node), named(places?.module)]
  return { ...(node === undefined ? {} : { node }), ...(module === undefined ? {} : { module }) }
}
