/**
 * Provisions (protocol §5): the decision on one need. Provided only on its provider's own outcome; failed with the
 * outcome's own words; everything else asked, with what it waits for, or refused, with why nobody can answer.
 */
import * as Result from "effect/Result"
import { boundBucket, bucketName } from "./BucketName.ts"
import { credentialClaim, secretFieldsOf } from "./Credential.ts"
import type { Find, ModuleOn, Outcome, Provision, SeatFind } from "./Decision.ts"
import { digest } from "./Digest.ts"
import { type DefinitionAnswer, fillPattern, type ProvisionContract } from "./fact/Definition.ts"
import { isJsonObject, type Json, member } from "./Json.ts"
import { writeKey } from "./Key.ts"
import { keyBytesMax } from "./Limits.ts"
import {
  assignmentAt,
  boundAt,
  type Claim,
  claimKeyOf,
  entryOf,
  holderOf,
  type Mesh,
  type NeedFact,
  seatAt,
  type SoundNeed,
  vaultModule
} from "./Mesh.ts"
import { credentialValues, noContract, outcomeOfEntry, outcomeOfHave, readableValues } from "./Outcome.ts"
import { namedCollectionKinds, placementKinds } from "./Registry.ts"
import { type Resolution, resolve, unmetBy } from "./Resolve.ts"
import { claimWhy, needWhy } from "./Words.ts"

/** How a claim was settled: who serves it (a secret's is the vault's), and whether its keys are too long for the bus. */
export interface SettledClaim {
  readonly resolution: Resolution | undefined
  readonly tooLong: boolean
}

/** How each claim was settled, by the claim's key. */
export type SettledClaims = ReadonlyMap<string, SettledClaim>

/** Settles every claim (protocol §5.1, §5.2). */
export const settleClaims = (mesh: Mesh): SettledClaims => {
  const settled = new Map<string, SettledClaim>()
  for (const claim of mesh.claims.values()) {
    const resolution = claim.provision === "secret" ? undefined : resolve(mesh, claim)
    settled.set(claim.key, { resolution, tooLong: isTooLong(mesh, claim, resolution) })
  }
  return settled
}

/** What is known of where a need's value is found: its provider, its find, and the digest of what is there. */
type Found = Pick<Provision, "provider" | "find" | "version">

/** The decision on one need: the first row of protocol §5.1 that holds. */
export const provisionOf = (mesh: Mesh, settled: SettledClaims, need: NeedFact): Provision => {
  const { kind, module, node } = need.names
  const who = { node, module }
  if (!isSoundNeed(need)) {
    return entry(kind, { state: "refused", reason: "shape", why: needWhy.shape(who, need.why ?? "") })
  }
  const assigned = assignmentAt(who)
  if (mesh.facts.assignments.value(assigned.key) === undefined) {
    return entry(kind, { state: "asked", reason: "unassigned", why: needWhy.unassigned(who), waits: assigned })
  }
  const contested = mesh.registry.contested.get(kind)
  if (contested !== undefined) {
    return entry(kind, { state: "refused", reason: "conflict", why: needWhy.conflict(who, kind, contested) })
  }
  if (!mesh.registry.entries.has(kind)) {
    return entry(kind, { state: "refused", reason: "no-domain", why: needWhy.noDomain(who, kind) })
  }
  const claim = mesh.claims.get(claimKeyOf(need) ?? "")
  if (claim !== undefined) {
    const { resolution, tooLong } = settled.get(claim.key) ?? { resolution: undefined, tooLong: false }
    if (tooLong) {
      return entry(kind, { state: "refused", reason: "too-long", why: needWhy.tooLong(who) })
    }
    return resolution === undefined ? secretNeed(mesh, claim) : boundNeed(mesh, claim, resolution, need)
  }
  return otherNeed(mesh, need, who)
}

const isSoundNeed = (need: NeedFact): need is SoundNeed => need.value !== undefined

const entry = (kind: string, outcome: Outcome, found: Found = {}): Provision => {
  const { candidates, reason, state, waits, why } = outcome
  return {
    kind,
    state,
    reason,
    why,
    ...found,
    ...(waits === undefined ? {} : { waits }),
    ...(candidates === undefined ? {} : { candidates })
  }
}

/**
 * Whether a claim's key, or a key that would be written for it at the provider that serves it, is too long for the bus
 * (protocol §5.1): its ask's, a credential's of its, or a credential's ask.
 */
const isTooLong = (mesh: Mesh, claim: Claim, resolution: Resolution | undefined): boolean => {
  const vault = holderOf(mesh, "vault").holder
  const askKeys = (provider: ModuleOn | undefined, claimKey: string) => [
    claimKey,
    ...(provider === undefined ? [] : [askKey(provider, claimKey)])
  ]
  const keys = resolution === undefined ? askKeys(vault, claim.key) : [claim.key]
  if (resolution?._tag === "Served" && resolution.contract.credential === "consumer") {
    keys.push(...askKeys(resolution.provider, claim.key))
    for (const field of secretFieldsOf(resolution.contract)) {
      keys.push(...askKeys(vault, credentialClaim(claim, resolution.provider.module, field).key))
    }
  }
  return keys.some((key) => key.length > keyBytesMax)
}

/** The key of the ask of a provider for a claim (protocol §6). */
export const askKey = ({ module, node }: ModuleOn, claimKey: string): string => `${writeKey(node, module)}.${claimKey}`

// --- bound -------------------------------------------------------------------------------------------------------

const boundNeed = (mesh: Mesh, claim: Claim, resolution: Resolution, need: SoundNeed): Provision => {
  switch (resolution._tag) {
    case "Served": {
      const { contract, provider } = resolution
      const unmet = unmetBy(contract, need.value)
      const outcome: Outcome = unmet === undefined
        ? outcomeOfProvider(mesh, claim, provider, contract, need.value.fields)
        : {
          state: "refused",
          reason: "unmet",
          why: claimWhy.unmet(claim, provider, unmet.why),
          candidates: [{ ...provider, ...unmet }]
        }
      return entry("bound", outcome, foundAt(mesh, claim, provider, contract))
    }
    case "HolderGone": {
      const { contract, missing, provider, waits } = resolution
      const why = {
        definition: () => claimWhy.noDefinition(claim, provider),
        assignment: () => claimWhy.notAssigned(claim, provider),
        seat: () => claimWhy.seatGone(claim, provider, contract?.seat ?? "")
      }[missing]()
      const found = contract === undefined ? { provider } : foundAt(mesh, claim, provider, contract)
      return entry("bound", { state: "asked", reason: "holder-gone", why, waits }, found)
    }
    default:
      return entry("bound", outcomeWithoutProvider(claim, resolution, need), ownOf(claim, resolution, need))
  }
}

type WithoutProvider = Exclude<Resolution, { readonly _tag: "Served" | "HolderGone" }>

const outcomeWithoutProvider = (claim: Claim, resolution: WithoutProvider, need: SoundNeed): Outcome => {
  switch (resolution._tag) {
    case "TwoHolders": {
      const why = claimWhy.twoHolders(claim, resolution.modules)
      return { state: "asked", reason: "two-holders", why, waits: assignmentAt(claim) }
    }
    case "HolderShape": {
      const { fact, module } = resolution.entry
      const why = claimWhy.holderShape(claim, module, fact.why ?? "")
      return { state: "asked", reason: "bound-shape", why, waits: boundAt(module, claim.key) }
    }
    case "Own":
      return { state: "provided", reason: "own", why: claimWhy.own(claim) }
    case "Nobody":
      return need.value.own === true
        ? { state: "provided", reason: "own", why: claimWhy.ownForNobody(claim) }
        : { state: "refused", reason: "nobody", why: claimWhy.nobody(claim) }
    case "NoHolder": {
      const why = claimWhy.seatEmpty(claim, resolution.candidate, resolution.seat)
      return { state: "asked", reason: "no-holder", why, waits: seatAt(resolution.seat) }
    }
    case "NoCandidate": {
      const { candidates, more } = resolution
      return { state: "refused", reason: "no-candidate", why: claimWhy.noCandidate(claim, candidates, more), candidates }
    }
  }
}

const ownOf = ({ module, node }: Claim, resolution: WithoutProvider, need: SoundNeed): Found =>
  resolution._tag === "Own" || (resolution._tag === "Nobody" && need.value.own === true)
    ? { provider: { node, module } }
    : {}

const outcomeOfProvider = (
  mesh: Mesh,
  claim: Claim,
  provider: ModuleOn,
  contract: ProvisionContract,
  fields: ReadonlyArray<string> | undefined
): Outcome =>
  contract.credential === "consumer"
    ? outcomeOfEntry(mesh, claim, provider, contract, fields)
    : outcomeOfHave(mesh, provider)

const foundAt = (mesh: Mesh, claim: Claim, provider: ModuleOn, contract: ProvisionContract): Found => {
  if (contract.credential === "none") {
    const { bucket, key } = assignmentAt(provider)
    const assignment = mesh.facts.assignments.value(key)
    return found(provider, { bucket, key, at: ["placement"] }, assignment && (assignment.placement ?? {}))
  }
  const credentials = secretFieldsOf(contract).map((field) =>
    [field, credentialClaim(claim, provider.module, field).key] as const
  )
  const find = {
    bucket: boundBucket(provider.module),
    key: claim.key,
    ...(credentials.length === 0
      ? {}
      : { credentials: Object.fromEntries(credentials.map(([field, key]) => [field, secretFind(key)])) })
  }
  const values = readableValues(entryOf(mesh, provider.module, claim.key)?.value, provider.node)
  if (values === undefined || credentials.length === 0) {
    return found(provider, find, values)
  }
  const opened = Object.fromEntries(credentials.map(([field, key]) => [field, credentialValues(mesh, key)]))
  return found(provider, find, { values, credentials: opened })
}

const found = (provider: ModuleOn | undefined, find: Find, value: Json | undefined): Found => ({
  ...(provider === undefined ? {} : { provider }),
  find,
  ...(value === undefined ? {} : { version: digest(value) })
})

// --- secret ------------------------------------------------------------------------------------------------------

const secretFind = (claim: string): SeatFind => ({ seat: "vault", verb: "mesh-vault.secret", request: { claim } })

const secretNeed = (mesh: Mesh, claim: Claim): Provision => {
  const { holder } = holderOf(mesh, "vault")
  const values = readableValues(entryOf(mesh, vaultModule, claim.key)?.value, undefined)
  const where = found(holder, secretFind(claim.key), values)
  return entry(
    "secret",
    holder === undefined ? noHolder(mesh, claim, "vault") : outcomeOfEntry(mesh, claim, holder, noContract),
    where
  )
}

const noHolder = (mesh: Mesh, who: ModuleOn, seat: string): Outcome => ({
  state: "asked",
  reason: "no-holder",
  why: needWhy.noHolder(who, seat, holderOf(mesh, seat).wrong),
  waits: seatAt(seat)
})

// --- every other kind --------------------------------------------------------------------------------------------

const otherNeed = (mesh: Mesh, need: SoundNeed, who: ModuleOn): Provision => {
  const { kind, name } = need.names
  if (kind === "collected" || namedCollectionKinds.has(kind)) {
    return collectedNeed(mesh, kind, kind === "collected" ? name : `${kind}:${name}`, who)
  }
  if (placementKinds.has(kind)) {
    return placedNeed(mesh, kind, name, who)
  }
  if (kind === "config") {
    return configNeed(mesh, need, who)
  }
  const answer = kind === "consumers" ? consumersAnswer : mesh.registry.answers.get(kind)
  return answer === undefined || "seat" in answer
    ? seatNeed(mesh, need, who, answer ?? consumersAnswer)
    : entryNeed(mesh, need, who, answer)
}

const consumersAnswer = { seat: "vault", verb: "mesh-vault.consumers" }

const collectedNeed = (mesh: Mesh, kind: string, collection: string, who: ModuleOn): Provision => {
  const key = writeKey(who.node, collection)
  const items = mesh.collections.get(key) ?? new Map<string, Json>()
  const why = needWhy.collection(collection, who, items.size)
  const find = { bucket: bucketName.collect, key: `${key}.*` }
  return entry(kind, { state: "provided", reason: "collection", why }, found(undefined, find, Object.fromEntries(items)))
}

const placedNeed = (mesh: Mesh, kind: string, name: string, who: ModuleOn): Provision => {
  const assigned = assignmentAt(who)
  const places = member(mesh.facts.assignments.value(assigned.key)?.placement ?? {}, kind)
  const placed = isJsonObject(places) ? member(places, name) : undefined
  const where = found(undefined, { ...assigned, at: ["placement", kind, name] }, placed)
  return entry(
    kind,
    placed === undefined
      ? { state: "asked", reason: "not-placed", why: needWhy.notPlaced(who, kind, name), waits: assigned }
      : { state: "provided", reason: "placed", why: needWhy.placed(who, kind, name) },
    where
  )
}

const configNeed = (mesh: Mesh, need: SoundNeed, who: ModuleOn): Provision => {
  const at = { bucket: bucketName.configValues, key: writeKey(who.node, who.module, need.names.name) }
  const fact = mesh.facts.configValues.fact(at.key)
  return answeredByEntry(need, who, at, fact?.value?.value, fact?.why)
}

const entryNeed = (
  mesh: Mesh,
  need: SoundNeed,
  who: ModuleOn,
  answer: Extract<DefinitionAnswer, { readonly bucket: string }>
): Provision => {
  const [node = "", module = "", kind = "", name = ""] = need.key.split(".")
  const key = fillPattern(answer.key, { node, module, kind, name })
  if (key.length > keyBytesMax) {
    return entry(need.names.kind, { state: "refused", reason: "too-long", why: needWhy.tooLong(who) })
  }
  const value = mesh.facts.stranger(answer.bucket, key)
  return answeredByEntry(
    need,
    who,
    { bucket: answer.bucket, key },
    value === undefined ? undefined : Result.getOrUndefined(value),
    value !== undefined && Result.isFailure(value) ? value.failure : undefined
  )
}

const answeredByEntry = (
  need: SoundNeed,
  who: ModuleOn,
  at: { readonly bucket: string; readonly key: string },
  value: Json | undefined,
  wrong: string | undefined
): Provision => {
  const { kind } = need.names
  if (value !== undefined) {
    return entry(kind, { state: "provided", reason: "entry", why: needWhy.entry(who, at) }, found(undefined, at, value))
  }
  const fallback = need.value.default
  return entry(
    kind,
    fallback === undefined
      ? { state: "asked", reason: "no-entry", why: needWhy.noEntry(who, at, wrong), waits: at }
      : { state: "provided", reason: "default", why: needWhy.default(who, at) },
    found(undefined, at, fallback)
  )
}

const seatNeed = (
  mesh: Mesh,
  need: SoundNeed,
  who: ModuleOn,
  { seat, verb }: Extract<DefinitionAnswer, { readonly seat: string }>
): Provision => {
  const { kind, module, name, node } = need.names
  const { holder } = holderOf(mesh, seat)
  const where = found(holder, { seat, verb, request: { node, module, name } }, undefined)
  return entry(kind, holder === undefined ? noHolder(mesh, who, seat) : outcomeOfHave(mesh, holder), where)
}
