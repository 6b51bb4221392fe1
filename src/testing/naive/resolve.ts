/**
 * The twin's resolving of a claim (protocol §5.2).
 */
import semver from "semver"
import type { CandidateReason, ModuleOn, Waits } from "../../core/Decision.ts"
import type { Facts, NeedValue, Provided } from "./facts.ts"
import {
  asked,
  assignmentOf,
  type Claim,
  definitionOf,
  entryAt,
  fieldsOf,
  holderOf,
  isSame,
  keyOf,
  type Need,
  needsOfClaim,
  type Outcome,
  ownMember,
  providedOf,
  valueAt
} from "./mesh.ts"
import { join, write } from "./name.ts"
import { naiveScore } from "./score.ts"

export interface Rejected extends ModuleOn {
  readonly reason: CandidateReason
}

export type Resolution =
  | { readonly is: "all"; readonly outcome: Outcome; readonly candidates?: ReadonlyArray<Rejected> }
  | { readonly is: "own" }
  | { readonly is: "nobody" }
  | { readonly is: "gone"; readonly provider: ModuleOn; readonly waits: Waits }
  | { readonly is: "served"; readonly provider: ModuleOn; readonly provided: Provided }

type ClaimNeed = Need & { readonly value: NeedValue }

export const resolve = (facts: Facts, claim: Claim): Resolution =>
  held(facts, claim) ?? own(facts, claim) ?? fromCandidates(facts, claim)

const pinOf = (facts: Facts, claim: Claim) =>
  ownMember(assignmentOf(facts, claim.consumer)?.pins, join(claim.provision, claim.local))

const pinExcludes = (facts: Facts, claim: Claim, one: ModuleOn): boolean => {
  const pin = pinOf(facts, claim)
  return (pin?.node !== undefined && pin.node !== one.node) || (pin?.module !== undefined && pin.module !== one.module)
}

const mayStillProvide = (facts: Facts, module: string, provision: string): boolean => {
  const definition = definitionOf(facts, module)
  return definition === undefined || definition.provides.has(provision) || definition.misshapen.includes(provision) ||
    definition.couldProvideAny
}

/** The modules whose bound entry holds the claim. */
const holdersOf = (facts: Facts, claim: Claim): ReadonlyArray<string> => {
  const pinned = pinOf(facts, claim)?.module
  return [...facts.bound.keys()].filter((module) => {
    const entry = entryAt(facts, module, claim.key)
    if (entry === undefined || !mayStillProvide(facts, module, claim.provision)) {
      return false
    }
    if (entry.value === undefined) {
      return pinned === undefined || pinned === module
    }
    return entry.value.state !== "retired" && !pinExcludes(facts, claim, { node: entry.value.by, module })
  })
}

const held = (facts: Facts, claim: Claim): Resolution | undefined => {
  const [module, another] = holdersOf(facts, claim)
  if (module === undefined) {
    return undefined
  }
  if (another !== undefined) {
    return { is: "all", outcome: asked("two-holders", "mesh-controller_assignments", keyOf(claim.consumer)) }
  }
  const entry = entryAt(facts, module, claim.key)
  if (entry?.value === undefined) {
    return { is: "all", outcome: asked("bound-shape", `${module}_bound`, claim.key) }
  }
  const provided = providedOf(facts, module, claim.provision)
  const holder = provided?.seat === undefined ? undefined : holderOf(facts, provided.seat)
  const takesOver = holder !== undefined && holder.module === module && !pinExcludes(facts, claim, holder)
  const provider = takesOver ? holder : { node: entry.value.by, module }
  if (provided === undefined) {
    return { is: "gone", provider, waits: { bucket: "mesh-controller_modules", key: module } }
  }
  if (assignmentOf(facts, provider) === undefined) {
    return { is: "gone", provider, waits: { bucket: "mesh-controller_assignments", key: keyOf(provider) } }
  }
  if (provided.seat !== undefined && !takesOver) {
    return { is: "gone", provider, waits: { bucket: "mesh-controller_seats", key: write(provided.seat) } }
  }
  return { is: "served", provider, provided }
}

const own = (facts: Facts, claim: Claim): Resolution | undefined => {
  const applied = valueAt(facts.applied, keyOf(claim.consumer))
  const instance = assignmentOf(facts, claim.consumer)?.instance
  const isOfInstance = applied?.instance === undefined || instance === undefined || applied.instance === instance
  const lists = applied?.own?.includes(join(claim.provision, claim.local)) === true
  const areOwn = needsOfClaim(facts, claim.key).every(({ value }) => value.own === true)
  return isOfInstance && lists && areOwn && pinOf(facts, claim) === undefined ? { is: "own" } : undefined
}

/** What of a need the provider's contract does not meet, if anything. */
export const unmet = (need: ClaimNeed, provided: Provided): "contract" | "field" | undefined => {
  const { contract, fields } = need.value
  if (contract !== undefined && !semver.satisfies(provided.contract?.version ?? "0.0.0", contract)) {
    return "contract"
  }
  const names = fieldsOf(provided).map(([field]) => field)
  return fields?.some((field) => !names.includes(field)) === true ? "field" : undefined
}

const rejection = (
  facts: Facts,
  claim: Claim,
  candidate: ModuleOn,
  provided: Provided
): CandidateReason | undefined => {
  if (provided.seat !== undefined) {
    const holder = holderOf(facts, provided.seat)
    if (holder === undefined || !isSame(holder, candidate)) {
      return "seat"
    }
  }
  if (pinExcludes(facts, claim, candidate)) {
    return "pin"
  }
  const all = needsOfClaim(facts, claim.key)
  const firm = all.filter(({ value }) => value.optional !== true)
  const misses = (firm.length === 0 ? all : firm).map((need) => unmet(need, provided))
  if (misses.includes("contract")) {
    return "contract"
  }
  if (misses.includes("field")) {
    return "field"
  }
  return assignmentOf(facts, candidate)?.draining === true && provided.credential === "consumer"
    ? "draining"
    : undefined
}

const byKey = (one: ModuleOn, other: ModuleOn): number => keyOf(one) < keyOf(other) ? -1 : 1

const fromCandidates = (facts: Facts, claim: Claim): Resolution => {
  const candidates: Array<ModuleOn & { provided: Provided; reason: CandidateReason | undefined }> = []
  for (const { names: [node = "", module = ""], value } of facts.assignments) {
    const provided = providedOf(facts, module, claim.provision)
    if (value !== undefined && provided !== undefined && !isSame({ node, module }, claim.consumer)) {
      candidates.push({ node, module, provided, reason: rejection(facts, claim, { node, module }, provided) })
    }
  }
  const [best] = candidates.filter(({ reason }) => reason === undefined).sort(byRank(facts, claim))
  if (best !== undefined) {
    return { is: "served", provider: { node: best.node, module: best.module }, provided: best.provided }
  }
  if (candidates.length === 0) {
    return { is: "nobody" }
  }
  candidates.sort(byKey)
  const seats = candidates.map(({ provided, reason }) =>
    reason === "seat" && provided.seat !== undefined && holderOf(facts, provided.seat) === undefined
      ? provided.seat
      : undefined
  )
  const [seat] = seats
  if (seat !== undefined && !seats.includes(undefined)) {
    return { is: "all", outcome: asked("no-holder", "mesh-controller_seats", write(seat)) }
  }
  const rejected = candidates.flatMap(({ module, node, reason }) =>
    reason === undefined ? [] : [{ node, module, reason }]
  )
  return { is: "all", outcome: { state: "refused", reason: "no-candidate" }, candidates: rejected.slice(0, 20) }
}

/** The first by rank first: each preference in turn, then the score, then the key. */
const byRank = (facts: Facts, claim: Claim) => (one: ModuleOn, other: ModuleOn): number => {
  const siteOf = (node: string) => valueAt(facts.machines, join(node))?.site
  const site = siteOf(claim.consumer.node)
  const score = (it: ModuleOn) => naiveScore(claim.key, keyOf(it))
  const preferences = [
    (it: ModuleOn) => valueAt(facts.machines, join(it.node))?.lost !== true,
    (it: ModuleOn) => assignmentOf(facts, it)?.draining !== true,
    (it: ModuleOn) => it.node === claim.consumer.node,
    (it: ModuleOn) => site !== undefined && siteOf(it.node) === site
  ]
  for (const isPreferred of preferences) {
    if (isPreferred(one) !== isPreferred(other)) {
      return isPreferred(one) ? -1 : 1
    }
  }
  return score(other) - score(one) || byKey(one, other)
}
