/**
 * The core that decides, for anyone to embed: plain data in and out, no runtime needed.
 *
 * @example
 * ```ts
 * import { decide } from "mesh-provisioner/core"
 *
 * decide({ buckets: { "mesh-provisioner_needs": { "n1.shop.bound.database": {} } } }).provisions.size // 1
 * ```
 */
export { decisionBuckets, factBuckets, type Writer } from "./Bucket.ts"
export { boundBucket, bucketName } from "./BucketName.ts"
export { type Caller, readAccountName, writeAccountName } from "./Caller.ts"
export { checkDefinition, type DefinitionFault } from "./Check.ts"
export { decide } from "./Decide.ts"
export * from "./Decision.ts"
export { diff, type Stored, storedIn, type WouldList, type Write } from "./Diff.ts"
export { canonicalJson, digest } from "./Digest.ts"
export {
  type Computed,
  Engine,
  type EngineChange,
  type EngineOptions,
  type EngineStep,
  type OutOfShapeChange
} from "./Engine.ts"
export { explain, type ExplainOptions, type ExplainReply, type Step } from "./Explain.ts"
export { type BucketChange, type Change, Facts, type FactsView } from "./Facts.ts"
export { isJsonObject, type Json, type JsonObject } from "./Json.ts"
export { readKey, writeKey } from "./Key.ts"
export { isModuleName, isName, readToken, writeToken } from "./Name.ts"
export { type Earlier, query, type QueryEntry, type QueryOptions, type QueryReply } from "./Query.ts"
export { type QueryWhat, queryWhat } from "./QueryWhat.ts"
export { retire, type RetireOptions, type RetireReply } from "./Retire.ts"
export { changesBetween, parseSnapshot, type Snapshot, type SnapshotChanges, type SnapshotFault } from "./Snapshot.ts"
export type { TableView } from "./Table.ts"
export type { VerbError, VerbSource } from "./Verb.ts"
export { inRange } from "./Version.ts"
export { readWhatIf, type WhatIfOptions, type WhatIfReply, type WouldChange } from "./WhatIf.ts"
