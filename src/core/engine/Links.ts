/**
 * How records come to refer to each other: a need to its claim, an entry to its offer, a credential to what it opens, and a
 * claim to whoever serves it.
 */
import { readCredentialName } from "../Credential.ts"
import type { NamedFact } from "../Decode.ts"
import type { Bound } from "../fact/Bound.ts"
import { writeKey } from "../Key.ts"
import { claimedBy, claimKeyAt, vaultModule } from "../Mesh.ts"
import type { Resolution } from "../Resolve.ts"
import { putIn, takeOut } from "./Dense.ts"
import { fewOf, withItem, withoutItem } from "./Few.ts"
import type { Index } from "./Index.ts"
import { placeOf } from "./InOrder.ts"
import { type ClaimRecord, EntryRecord, isSoundNeed, type NeedRecord, type ProviderRecord } from "./Record.ts"

/** Has a need refer to the claim that it is of now, if any, and says which it was and is of. */
export const linkNeed = (index: Index, need: NeedRecord): ReadonlyArray<ClaimRecord> => {
  const before = need.claim
  const { fact } = need
  const claimed = isSoundNeed(fact) ? claimedBy(fact) : undefined
  const after = claimed === undefined || fact === undefined
    ? undefined
    : index.claim(claimKeyAt(fact.names, claimed), need.consumer.key, claimed)
  if (before !== after) {
    if (before !== undefined) {
      before.needsOfIt = withoutItem(before.needsOfIt, need, "claimAt")
    }
    if (after !== undefined) {
      after.needsOfIt = withItem(after.needsOfIt, need, "claimAt")
    }
    need.claim = after
  }
  return before === undefined || before === after
    ? after === undefined ? [] : [after]
    : after === undefined
    ? [before]
    : [before, after]
}

/** Has a claim know of what a module's bucket says of it now, if anything. */
export const linkEntry = (
  index: Index,
  module: string,
  claim: ClaimRecord,
  fact: NamedFact<"node" | "module" | "provision", Bound> | undefined
): void => {
  const entries = claim.entries
  const at = placeOf(entries, module, moduleOfEntry)
  const known = entries[at]?.module === module ? entries[at] : undefined
  if (known !== undefined && fact !== undefined) {
    known.fact = fact
  } else if (known !== undefined) {
    claim.entriesOfIt = fewOf(entries.toSpliced(at, 1))
    takeOut(known.offer.entries, known, "offerAt")
    index.dropOffer(known.offer)
  } else if (fact !== undefined) {
    const entry = new EntryRecord(index.offer(module, claim.provision), claim, fact)
    putIn(entry.offer.entries, entry, "offerAt")
    claim.entriesOfIt = fewOf(entries.toSpliced(at, 0, entry))
  }
}

const moduleOfEntry = ({ module }: EntryRecord): string => module

/** Has a credential's claim refer to the claim that it opens, where its name reads as a credential's (protocol §6.1). */
export const linkCredential = (index: Index, credential: ClaimRecord): ClaimRecord | undefined => {
  const name = credential.opened === undefined ? readCredentialName(credential.local ?? "") : undefined
  if (name !== undefined) {
    const key = writeKey(credential.node, credential.module, name.provision, name.local)
    linkOpened(credential, index.claim(key, credential.of.key, { provision: name.provision, local: name.local }))
  }
  return credential.opened
}

/** Has a credential's claim refer to the claim that it opens. */
export const linkOpened = (credential: ClaimRecord, opened: ClaimRecord): void => {
  opened.credentialsOfIt = withItem(opened.credentialsOfIt, credential, "openedAt")
  credential.opened = opened
}

/** The module whose entry a credential opens, where its name reads as a credential's. */
export const openedModule = ({ local }: ClaimRecord): string | undefined => readCredentialName(local ?? "")?.module

/** Has a claim refer to whoever serves it now, by what it came to, and whoever may serve it know of it. */
export const linkResolution = (index: Index, claim: ClaimRecord, resolution: Resolution | undefined): void => {
  const { offer, provider } = claim
  const isServed = resolution?._tag === "Served" || resolution?._tag === "HolderGone"
  claim.provider = isServed ? index.provider(resolution.key) : undefined
  claim.offer = isServed ? index.offer(resolution.provider.module, claim.provision) : undefined
  if (provider !== claim.provider) {
    if (provider !== undefined) {
      takeOut(provider.claims, claim, "providerAt")
      index.dropProvider(provider)
    }
    if (claim.provider !== undefined) {
      putIn(claim.provider.claims, claim, "providerAt")
    }
  }
  if (offer !== claim.offer) {
    if (offer !== undefined) {
      takeOut(offer.claims, claim, "offerAt")
      index.dropOffer(offer)
    }
    if (claim.offer !== undefined) {
      putIn(claim.offer.claims, claim, "offerAt")
    }
  }
  linkUnheld(index, claim, resolution)
  claim.resolution = resolution && sharedBy(claim.provider, resolution)
}

/** What a claim came to, as one that is shared by those that a provider serves alike. */
const sharedBy = (provider: ProviderRecord | undefined, resolution: Resolution): Resolution => {
  const known = provider?.served
  if (provider === undefined || resolution._tag !== "Served") {
    return resolution
  }
  const isKnown = known?._tag === "Served" && known.isHeld === resolution.isHeld &&
    known.contract === resolution.contract && known.provider === resolution.provider
  provider.served = isKnown ? known : resolution
  return provider.served
}

const linkUnheld = (index: Index, claim: ClaimRecord, resolution: Resolution | undefined): void => {
  const provision = index.provision(claim.provision)
  if (claim.needsOfIt !== undefined && isUnheld(claim, resolution)) {
    provision.addUnheld(claim)
  } else {
    provision.removeUnheld(claim)
    index.dropProvision(provision)
  }
}

/** Whether who serves a claim is for the candidates to change: for a secret's, for seat `vault` to. */
const isUnheld = ({ provision }: ClaimRecord, resolution: Resolution | undefined): boolean => {
  switch (resolution?._tag) {
    case undefined:
      return provision === "secret"
    case "Served":
      return !resolution.isHeld
    case "Nobody":
    case "NoHolder":
    case "NoCandidate":
      return true
    default:
      return false
  }
}

/** Whether a module is the vault's, and a claim a credential's. */
export const isVaultsCredential = (module: string, { provision }: ClaimRecord): boolean =>
  module === vaultModule && provision === "credential"
