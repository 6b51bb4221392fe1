/**
 * What keeps a need from being provided (protocol §5.1 to §5.3), read off the facts alone, and by none of the core's rules.
 */
import * as Result from "effect/Result"
import { factBuckets } from "../../core/Bucket.ts"
import type { Provision, Waits } from "../../core/Decision.ts"
import { readKey } from "../../core/Key.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { isThere } from "../arbitrary/Snapshots.ts"
import type { Facts } from "../naive/facts.ts"
import {
  answersTo,
  assignmentOf,
  claimOf,
  entryAt,
  holderOf,
  type Need,
  ownMember,
  providedOf,
  valueAt
} from "../naive/mesh.ts"
import { join, read } from "../naive/name.ts"

/** Whether a place is one that a fact can have: a bucket of facts, and a key in its shape. */
export const canHoldAFact = (facts: Facts, { bucket, key }: Waits): boolean => {
  const row = Object.values(factBuckets).find(({ name }) => name === bucket) ??
    (bucket.endsWith("_bound") ? factBuckets.bound : undefined)
  const isAnswering = facts.definitions.some(({ answers }) =>
    [...answers.values()].some((answering) => "bucket" in answering && answering.bucket === bucket)
  )
  return row === undefined
    ? isAnswering && key.split(".").every((token) => read(token) !== undefined)
    : Result.isSuccess(readKey<typeof row.parts[number]>(row, key))
}

const entryIn = (facts: Facts, { bucket, key }: Waits) => entryAt(facts, bucket.slice(0, -"_bound".length), key)

/** What is amiss with the fact that is waited for, by the reason that is given (§5.1 to §5.3). */
export const isAmiss = (
  snapshot: Snapshot,
  facts: Facts,
  need: Need,
  { provider, reason }: Provision,
  waits: Waits
): boolean => {
  const entry = waits.bucket.endsWith("_bound") ? entryIn(facts, waits) : undefined
  const have = valueAt(facts.haves, waits.key)
  switch (reason) {
    case "unassigned":
      return waits.bucket === "mesh-controller_assignments" && valueAt(facts.assignments, waits.key) === undefined
    case "no-entry":
      return (waits.bucket === "mesh-config_values"
        ? valueAt(facts.config, waits.key)
        : facts.look(waits.bucket, waits.key)) ===
        undefined
    case "not-placed":
      return ownMember(ownMember(assignmentOf(facts, need.consumer)?.placement, need.kind), need.name) === undefined
    case "no-holder":
      return waits.bucket === "mesh-controller_seats" && holderOf(facts, read(waits.key) ?? "") === undefined
    case "two-holders":
      return waits.key === join(need.consumer.node, need.consumer.module) &&
        waits.bucket === "mesh-controller_assignments"
    case "bound-shape":
      return isThere(snapshot, waits) && entry?.value === undefined
    case "holder-gone":
      return isMissing(facts, need, waits, provider?.module ?? "")
    case "not-bound":
      return !isThere(snapshot, waits)
    case "bound-elsewhere":
      return entry?.value !== undefined && entry.value.by !== provider?.node
    case "earlier-instance":
      return isOfAnotherInstance(facts, need, entry?.value?.for)
    case "making":
      return entry?.value !== undefined && !["provided", "failed"].includes(entry.value.state)
    case "field-missing":
      return entry?.value?.state === "provided"
    case "credential":
      return waits.bucket === "mesh-vault_bound" &&
        (entry?.value?.state !== "provided" || entry.value.by !== holderOf(facts, "vault")?.node ||
          isOfAnotherInstance(facts, need, entry.value.for))
    case "lost":
      return valueAt(facts.machines, waits.key)?.lost === true
    case "no-have":
      return have === undefined
    case "other-build":
      return have !== undefined && have.build !== valueAt(facts.assignments, waits.key)?.build
    case "unhealthy":
      return have !== undefined && !["healthy", "failed"].includes(have.health)
    default:
      return false
  }
}

const isOfAnotherInstance = (facts: Facts, need: Need, answered: string | undefined): boolean => {
  const instance = assignmentOf(facts, need.consumer)?.instance
  return answered !== undefined && instance !== undefined && answered !== instance
}

/** Whether what holds a claim lacks what it would serve by: its definition, its assignment, or its seat (§5.2). */
const isMissing = (facts: Facts, need: Need, { bucket, key }: Waits, module: string): boolean => {
  const claim = claimOf(need)
  switch (bucket) {
    case "mesh-controller_modules":
      return key === module && providedOf(facts, module, claim?.provision ?? "") === undefined
    case "mesh-controller_assignments":
      return valueAt(facts.assignments, key) === undefined
    case "mesh-controller_seats": {
      const holder = holderOf(facts, read(key) ?? "")
      const pin = ownMember(assignmentOf(facts, need.consumer)?.pins, join(claim?.provision, claim?.local))
      return holder?.module !== module || (pin?.node ?? holder.node) !== holder.node
    }
    default:
      return false
  }
}

export const isRefusedRightly = (facts: Facts, need: Need, provision: Provision): boolean => {
  const { candidates = [], provider, reason, why } = provision
  const namesAll = candidates.every((candidate) =>
    candidate.why !== "" && why.includes(candidate.why) && why.includes(candidate.module) &&
    why.includes(candidate.node)
  )
  const tried = triedFor(facts, need)
  switch (reason) {
    case "shape":
      return need.value === undefined
    case "no-domain":
      return answersTo(facts, need.kind).length === 0
    case "conflict":
      return answersTo(facts, need.kind).every(([module]) => why.includes(module))
    case "too-long":
      return JSON.stringify(Object.keys(provision).sort()) === JSON.stringify(["kind", "reason", "state", "why"])
    case "nobody":
      return tried.length === 0 && why.includes(need.consumer.module)
    case "no-candidate":
      return namesAll && candidates.length > 0 &&
        JSON.stringify(candidates.map(({ module, node }) => join(node, module))) === JSON.stringify(tried.slice(0, 20))
    case "unmet":
      return namesAll && candidates.length === 1 && candidates[0]?.node === provider?.node &&
        candidates[0]?.module === provider?.module
    default:
      return false
  }
}

/** Whoever is assigned and provides what a need asks for, but the consumer itself, in order. */
const triedFor = (facts: Facts, need: Need): ReadonlyArray<string> => {
  const provision = claimOf(need)?.provision ?? ""
  return facts.assignments
    .filter(({ names: [, module = ""], value }) =>
      value !== undefined && providedOf(facts, module, provision) !== undefined
    )
    .map(({ key }) => key)
    .filter((key) => key !== join(need.consumer.node, need.consumer.module))
    .sort()
}
