/**
 * The decision on a need that a provider answers per claim (protocol §5.1 to §5.3): a `bound` need, by who serves its
 * claim, and an own secret, which is the vault's.
 */
import { boundBucket } from "./BucketName.ts"
import type { Credential } from "./Credential.ts"
import type { ModuleOn, Outcome, Provision, SeatFind } from "./Decision.ts"
import type { ProvisionContract } from "./fact/Definition.ts"
import {
  assignmentAt,
  boundAt,
  type Claim,
  holderOf,
  type Mesh,
  saidBy,
  seatAt,
  type SoundNeed,
  vaultModule
} from "./Mesh.ts"
import { credentialValues, outcomeOfClaim, outcomeOfEntry, outcomeOfHave, readableValues } from "./Outcome.ts"
import { entry, type Found, found, noHolder, versionOf } from "./ProvisionEntry.ts"
import { type Rejection, type Resolution, unmetBy } from "./Resolve.ts"
import { claimWhy } from "./Words.ts"

/** The decision on each `bound` need of a claim, by how the claim was resolved. */
export const boundProvision = (
  mesh: Mesh,
  claim: Claim,
  resolution: Resolution,
  credentials: ReadonlyArray<Credential>
): (need: SoundNeed) => Provision => {
  switch (resolution._tag) {
    case "Served":
      return servedProvision(mesh, claim, resolution, credentials)
    case "HolderGone": {
      const { contract, provider } = resolution
      const where = contract === undefined ? { provider } : foundAt(mesh, claim, provider, contract, credentials)
      const provision = entry("bound", holderGone(claim, resolution), where)
      return () => provision
    }
    default:
      return (need) => entry("bound", outcomeWithoutProvider(claim, resolution, need), ownOf(claim, resolution, need))
  }
}

/** Each need of a served claim is judged alone (protocol §5.2), against what is looked up once for all of them. */
const servedProvision = (
  mesh: Mesh,
  claim: Claim,
  { contract, key, provider }: Extract<Resolution, { readonly _tag: "Served" }>,
  credentials: ReadonlyArray<Credential>
): (need: SoundNeed) => Provision => {
  if (contract.credential === "none") {
    const made = () =>
      entry("bound", outcomeOfHave(mesh, provider, key), foundAt(mesh, claim, provider, contract, credentials))
    const provision = mesh.sharedProvision(key, made)
    return ({ value }) => {
      const unmet = unmetBy(mesh, contract, value)
      return unmet === undefined ? provision : entry("bound", outcomeUnmet(claim, provider, unmet), provision)
    }
  }
  const where = foundAt(mesh, claim, provider, contract, credentials)
  const outcome = outcomeOfClaim(mesh, claim, provider, saidBy(claim, provider.module), contract, credentials)
  return ({ value }) => {
    const unmet = unmetBy(mesh, contract, value)
    return entry(
      "bound",
      unmet === undefined ? outcome(value.fields ?? []) : outcomeUnmet(claim, provider, unmet),
      where
    )
  }
}

const outcomeUnmet = (claim: Claim, provider: ModuleOn, unmet: Rejection): Outcome => ({
  state: "refused",
  reason: "unmet",
  why: claimWhy.unmet(claim, provider, unmet.why),
  candidates: [{ ...provider, ...unmet }]
})

const holderGone = (
  claim: Claim,
  { contract, missing, provider, waits }: Extract<Resolution, { readonly _tag: "HolderGone" }>
): Outcome => {
  const why = {
    definition: () => claimWhy.noDefinition(claim, provider),
    assignment: () => claimWhy.notAssigned(claim, provider),
    seat: () => claimWhy.seatGone(claim, provider, contract?.seat ?? "")
  }[missing]()
  return { state: "asked", reason: "holder-gone", why, waits }
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

const foundAt = (
  mesh: Mesh,
  claim: Claim,
  provider: ModuleOn,
  contract: ProvisionContract,
  credentials: ReadonlyArray<Credential>
): Found => {
  if (contract.credential === "none") {
    const { bucket, key } = assignmentAt(provider)
    const assignment = mesh.facts.assignments.value(key)
    const placement = assignment === undefined ? undefined : assignment.placement ?? {}
    return found(provider, { bucket, key, at: ["placement"] }, versionOf(mesh, placement))
  }
  const bucket = mesh.facts.names.share(boundBucket(provider.module))
  const { key } = claim
  const find = credentials.length === 0 ? { bucket, key } : {
    bucket,
    key,
    credentials: Object.fromEntries(credentials.map((credential) => [credential.field, secretFind(credential.key)]))
  }
  const values = readableValues(saidBy(claim, provider.module)?.value, provider.node)
  if (values === undefined || credentials.length === 0) {
    return found(provider, find, values && mesh.digest(values))
  }
  const opened = Object.fromEntries(credentials.map(({ field, key }) => [field, credentialValues(mesh, key)]))
  return found(provider, find, mesh.digest({ credentials: opened, values }))
}

/** The decision on an own secret: asked of the holder of seat `vault` (protocol §5.1). */
export const secretProvision = (mesh: Mesh, claim: Claim): () => Provision => {
  const { holder } = holderOf(mesh, "vault")
  const fact = saidBy(claim, vaultModule)
  const values = readableValues(fact?.value, undefined)
  const outcome = holder === undefined ? noHolder(mesh, claim, "vault") : outcomeOfEntry(mesh, claim, holder, fact)
  const provision = entry("secret", outcome, found(holder, secretFind(claim.key), values && mesh.digest(values)))
  return () => provision
}

const secretFind = (claim: string): SeatFind => ({ seat: "vault", verb: "mesh-vault.secret", request: { claim } })
