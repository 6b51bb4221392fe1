/**
 * What a step of an explanation follows from (protocol §8): the fact that settled a provision, and the module on a node
 * whose doing a fact is.
 */
import { boundBucket, bucketName, moduleOfBoundBucket } from "./BucketName.ts"
import type { ModuleOn, Plan, Provision, Waits } from "./Decision.ts"
import { isSound } from "./Decode.ts"
import type { FactsView } from "./Facts.ts"
import { assignmentKeyOf, writeKey } from "./Key.ts"
import { claimKeyOf, type LookUp, vaultModule } from "./Mesh.ts"

/** What an explanation looks at, key by key: it never walks what there is. */
export interface Explained {
  readonly facts: FactsView
  readonly plans: LookUp<Plan>
  readonly provisions: LookUp<Provision>
}

/** The fact that made a provision provided, failed or out of shape, where it is one fact. */
export const settledBy = (
  { facts }: Explained,
  key: string,
  { find, provider, reason }: Provision
): Waits | undefined => {
  if (reason === "shape") {
    return { bucket: bucketName.needs, key }
  }
  if (reason === "own") {
    return appliesItsOwn(facts, key)
      ? { bucket: bucketName.applied, key: assignmentKeyOf(key) }
      : { bucket: bucketName.needs, key }
  }
  if (find === undefined) {
    return undefined
  }
  const claims = "seat" in find
    ? [find.request?.["claim"]]
    : Object.values(find.credentials ?? {}).map(({ request }) => request?.["claim"])
  const opens = claims.find((claim) =>
    "seat" in find || facts.bound.get(vaultModule)?.value(claim ?? "")?.state === "failed"
  )
  if (opens !== undefined && ("seat" in find || reason === "credential-failed")) {
    return { bucket: boundBucket(vaultModule), key: opens }
  }
  if (provider !== undefined && ("seat" in find || find.at !== undefined)) {
    return { bucket: bucketName.haves, key: writeKey(provider.node, provider.module) }
  }
  return "seat" in find || find.key.endsWith(".*") ? undefined : { bucket: find.bucket, key: find.key }
}

/** Whether the consumer has applied that it answers the claim of a need by itself, rather than that nobody else can. */
const appliesItsOwn = (facts: FactsView, needKey: string): boolean => {
  const need = facts.needs.fact(needKey)
  const claim = need !== undefined && isSound(need) ? claimKeyOf(need) : undefined
  const own = facts.applied.value(assignmentKeyOf(needKey))?.own ?? []
  return claim !== undefined && own.includes(claim.slice(assignmentKeyOf(needKey).length + 1))
}

/** The module on a node whose doing a fact is, where its plan is not as it should be. */
export const troubledWriter = (source: Explained, fact: Waits, provider: ModuleOn | undefined): string | undefined => {
  const writer = writerOf(source, fact, provider)
  const plan = writer === undefined ? undefined : source.plans.get(writer)
  return plan === undefined || plan.state === "ready" ? undefined : writer
}

/** The module on a node whose doing a fact is: the provider of a bound entry, what a have is about. */
const writerOf = (
  { facts }: Explained,
  { bucket, key }: Waits,
  provider: ModuleOn | undefined
): string | undefined => {
  if (bucket === bucketName.haves) {
    return key
  }
  const module = moduleOfBoundBucket(bucket)
  const holder = module === vaultModule ? facts.seats.value("vault") : undefined
  const writer = module === undefined ? undefined : provider?.module === module ? provider : holder
  return writer === undefined ? undefined : writeKey(writer.node, writer.module)
}
