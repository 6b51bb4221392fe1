/**
 * The decision on a need that a provider answers per claim (protocol §5.1 to §5.3): a `bound` need, by who serves its
 * claim, and an own secret, which is the vault's.
 */
import { boundBucket } from "./BucketName.ts"
import { credentialClaim, secretFieldsOf } from "./Credential.ts"
import type { ModuleOn, Outcome, Provision, SeatFind } from "./Decision.ts"
import type { ProvisionContract } from "./fact/Definition.ts"
import {
  assignmentAt,
  boundAt,
  type Claim,
  entryOf,
  holderOf,
  type Mesh,
  seatAt,
  type SoundNeed,
  vaultModule
} from "./Mesh.ts"
import { credentialValues, noContract, outcomeOfEntry, outcomeOfHave, readableValues } from "./Outcome.ts"
import { entry, type Found, found, noHolder } from "./ProvisionEntry.ts"
import { type Resolution, unmetBy } from "./Resolve.ts"
import { claimWhy } from "./Words.ts"

/** The decision on a `bound` need, by how its claim was resolved. */
export const boundNeed = (mesh: Mesh, claim: Claim, resolution: Resolution, need: SoundNeed): Provision => {
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
      return {
        state: "refused",
        reason: "no-candidate",
        why: claimWhy.noCandidate(claim, candidates, more),
        candidates
      }
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

/** The decision on an own secret: asked of the holder of seat `vault` (protocol §5.1). */
export const secretNeed = (mesh: Mesh, claim: Claim): Provision => {
  const { holder } = holderOf(mesh, "vault")
  const values = readableValues(entryOf(mesh, vaultModule, claim.key)?.value, undefined)
  const where = found(holder, secretFind(claim.key), values)
  return entry(
    "secret",
    holder === undefined ? noHolder(mesh, claim, "vault") : outcomeOfEntry(mesh, claim, holder, noContract),
    where
  )
}

const secretFind = (claim: string): SeatFind => ({ seat: "vault", verb: "mesh-vault.secret", request: { claim } })
