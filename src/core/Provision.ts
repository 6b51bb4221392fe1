/**
 * Provisions (protocol §5): the decision on one need. Provided only on its provider's own outcome; failed with the
 * outcome's own words; everything else asked, with what it waits for, or refused, with why nobody can answer.
 */
import * as Result from "effect/Result"
import { bucketName } from "./BucketName.ts"
import type { Find, ModuleOn, Provision, RegistryEntry, SeatFind, Waits } from "./Decision.ts"
import type { Assignment } from "./fact/Assignment.ts"
import { fillPattern } from "./fact/Definition.ts"
import { isJsonObject, type Json, member } from "./Json.ts"
import { assignmentKeyOf, writeKey } from "./Key.ts"
import { assignmentAt, holderOf, type Mesh, type NeedFact, type SoundNeed } from "./Mesh.ts"
import { outcomeOfHave } from "./Outcome.ts"
import { entry, found, noHolder, versionOf } from "./ProvisionEntry.ts"
import { namedCollectionKinds, placementKinds } from "./Registry.ts"
import type { SettledClaim } from "./Settle.ts"
import { needWhy } from "./Words.ts"

/**
 * The decision on one need: the first row of protocol §5.1 that holds.
 *
 * @param claim how the need's claim was settled, where it is one that a provider answers per claim.
 * @param consumer the key of its consumer's assignment.
 */
export const provisionOf = (
  mesh: Mesh,
  claim: SettledClaim | undefined,
  need: NeedFact,
  consumer = assignmentKeyOf(need.key)
): Provision => {
  const { kind, module, node } = need.names
  const who = { node, module }
  if (!isSoundNeed(need)) {
    return entry(kind, { state: "refused", reason: "shape", why: needWhy.shape(who, need.why ?? "") })
  }
  const assignment = mesh.facts.assignments.fact(consumer)
  if (assignment?.value === undefined) {
    const why = needWhy.unassigned(who, assignment?.why)
    return entry(kind, { state: "asked", reason: "unassigned", why, waits: assignmentAt(who) })
  }
  const contested = mesh.registry.contested.get(kind)
  if (contested !== undefined) {
    return entry(kind, { state: "refused", reason: "conflict", why: needWhy.conflict(who, kind, contested) })
  }
  const domain = mesh.registry.entries.get(kind)
  if (domain === undefined) {
    return entry(kind, { state: "refused", reason: "no-domain", why: needWhy.noDomain(who, kind) })
  }
  if (claim !== undefined) {
    return claim.provision(need)
  }
  return otherNeed(mesh, need, who, consumer, domain, assignment.value)
}

/** Whether a need is in shape. */
export const isSoundNeed = (need: NeedFact): need is SoundNeed => need.value !== undefined

const otherNeed = (
  mesh: Mesh,
  need: SoundNeed,
  who: ModuleOn,
  consumer: string,
  { find }: RegistryEntry,
  assignment: Assignment
): Provision => {
  const { kind, name } = need.names
  if (kind === "collected" || namedCollectionKinds.has(kind)) {
    return collectedNeed(mesh, kind, kind === "collected" ? name : `${kind}:${name}`, who)
  }
  if (placementKinds.has(kind)) {
    return placedNeed(mesh, kind, name, who, consumer, assignment)
  }
  return "seat" in find ? seatNeed(mesh, need, who, find) : entryNeed(mesh, need, who, find)
}

const collectedNeed = (mesh: Mesh, kind: string, collection: string, who: ModuleOn): Provision => {
  const key = writeKey(who.node, collection)
  const { count, items } = mesh.collections.get(key) ?? { items: {}, count: 0 }
  const why = needWhy.collection(collection, who, count)
  const find = { bucket: bucketName.collect, key: `${key}.*` }
  return entry(
    kind,
    { state: "provided", reason: "collection", why },
    found(undefined, find, versionOf(mesh, items))
  )
}

const placedNeed = (
  mesh: Mesh,
  kind: string,
  name: string,
  who: ModuleOn,
  key: string,
  assignment: Assignment
): Provision => {
  const bucket = bucketName.assignments
  const places = member(assignment.placement ?? {}, kind)
  const placed = isJsonObject(places) ? member(places, name) : undefined
  const where = found(undefined, { bucket, key, at: ["placement", kind, name] }, versionOf(mesh, placed))
  return entry(
    kind,
    placed === undefined
      ? { state: "asked", reason: "not-placed", why: needWhy.notPlaced(who, kind, name), waits: { bucket, key } }
      : { state: "provided", reason: "placed", why: needWhy.placed(who, kind, name) },
    where
  )
}

const entryNeed = (mesh: Mesh, need: SoundNeed, who: ModuleOn, pattern: BucketFind): Provision => {
  const at = addressed(need, pattern)
  if (need.names.kind === "config") {
    const fact = mesh.facts.configValues.fact(at.key)
    return answeredByEntry(mesh, need, who, at, fact?.value?.value, fact?.why)
  }
  const value = mesh.facts.stranger(at.bucket, at.key) ?? Result.succeed(undefined)
  return Result.match(value, {
    onSuccess: (there) => answeredByEntry(mesh, need, who, at, there, undefined),
    onFailure: (wrong) => answeredByEntry(mesh, need, who, at, undefined, wrong)
  })
}

/** The entry that a need addresses in the bucket that answers its kind (protocol §3, §5.1). */
export const addressed = (need: SoundNeed, { bucket, key }: BucketFind): Waits => {
  const [node = "", module = "", kind = "", name = ""] = need.key.split(".")
  return { bucket, key: fillPattern(key, { node, module, kind, name }) }
}

type BucketFind = Extract<Find, { readonly bucket: string }>

const answeredByEntry = (
  mesh: Mesh,
  need: SoundNeed,
  who: ModuleOn,
  at: Waits,
  value: Json | undefined,
  wrong: string | undefined
): Provision => {
  const { kind } = need.names
  if (value !== undefined) {
    return entry(
      kind,
      { state: "provided", reason: "entry", why: needWhy.entry(who, at) },
      found(undefined, at, versionOf(mesh, value))
    )
  }
  const fallback = need.value.default
  return entry(
    kind,
    fallback === undefined
      ? { state: "asked", reason: "no-entry", why: needWhy.noEntry(who, at, wrong), waits: at }
      : { state: "provided", reason: "default", why: needWhy.default(who, at) },
    found(undefined, at, versionOf(mesh, fallback))
  )
}

const seatNeed = (
  mesh: Mesh,
  need: SoundNeed,
  who: ModuleOn,
  { seat, verb }: SeatFind
): Provision => {
  const { kind, module, name, node } = need.names
  const { holder, key } = holderOf(mesh, seat)
  const where = found(holder, { seat, verb, request: { node, module, name } }, undefined)
  return entry(kind, holder === undefined ? noHolder(mesh, who, seat) : outcomeOfHave(mesh, holder, key), where)
}
