/**
 * Claims settled (protocol §5.1, §5.2): who serves each, and whether the keys that would be written for it fit the bus.
 */
import { boundProvision, secretProvision } from "./ClaimProvision.ts"
import { type Credential, credentialsOf } from "./Credential.ts"
import type { ModuleOn, Provision } from "./Decision.ts"
import type { ProvisionContract } from "./fact/Definition.ts"
import { keyBytesMax } from "./Limits.ts"
import { type Claim, holderOf, type LookUp, type Mesh, type SoundNeed, type WholeMesh } from "./Mesh.ts"
import { tooLongProvision } from "./ProvisionEntry.ts"
import { type Resolution, resolve } from "./Resolve.ts"

/** How a claim was settled, for all the needs that share it. */
export interface SettledClaim {
  /** Who serves it; a secret's claim is the vault's, and so is not resolved. */
  readonly resolution: Resolution | undefined
  /** Whether one of its keys would be too long for the bus: then nothing is asked for it. */
  readonly tooLong: boolean
  /** The decision on one of its needs. */
  readonly provision: (need: SoundNeed) => Provision
}

/** How each claim was settled, by the claim's key. */
export type SettledClaims = LookUp<SettledClaim>

/** Settles every claim (protocol §5.1, §5.2). */
export const settleClaims = (mesh: WholeMesh): SettledClaims =>
  new Map([...mesh.claims.values()].map((claim) => [claim.key, settle(mesh, claim, resolutionOf(mesh, claim))]))

/** Who serves a claim (protocol §5.2); a secret's is the vault's, and so is not resolved. */
export const resolutionOf = (mesh: Mesh, claim: Claim): Resolution | undefined =>
  claim.provision === "secret" ? undefined : resolve(mesh, claim)

/** Settles a claim, by who serves it. */
export const settle = (mesh: Mesh, claim: Claim, resolution: Resolution | undefined): SettledClaim => {
  const credentials = resolution?._tag === "Served" || resolution?._tag === "HolderGone"
    ? credentialsAt(claim, resolution)
    : []
  if (isTooLong(mesh, claim, resolution, credentials)) {
    return { resolution, tooLong: true, provision: ({ names }) => tooLongProvision(names.kind, claim) }
  }
  return {
    resolution,
    tooLong: false,
    provision: resolution === undefined
      ? secretProvision(mesh, claim)
      : boundProvision(mesh, claim, resolution, credentials)
  }
}

const credentialsAt = (
  claim: Claim,
  { contract, provider }: { readonly provider: ModuleOn; readonly contract: ProvisionContract | undefined }
): ReadonlyArray<Credential> => contract === undefined ? [] : credentialsOf(claim, provider.module, contract)

/**
 * Whether a claim's key, or a key that would be written for it at the provider that serves it, is too long for the bus
 * (protocol §5.1): its ask's, a credential's of its, or a credential's ask.
 */
const isTooLong = (
  mesh: Mesh,
  claim: Claim,
  resolution: Resolution | undefined,
  credentials: ReadonlyArray<Credential>
): boolean => {
  const vault = holderOf(mesh, "vault").key
  if (resolution === undefined) {
    return isLong(vault, claim.key)
  }
  return resolution._tag === "Served" && resolution.contract.credential === "consumer"
    ? isLong(resolution.key, claim.key) || credentials.some(({ key }) => isLong(vault, key))
    : isLong(undefined, claim.key)
}

/** Whether the key of a claim, or of its ask of a provider, is too long for the bus. */
const isLong = (provider: string | undefined, claim: string): boolean =>
  (provider === undefined ? 0 : provider.length + 1) + claim.length > keyBytesMax

/** The key of the ask of a provider, by the key of its assignment, for a claim (protocol §6). */
export const askKey = (provider: string, claim: string): string => [provider, claim].join(".")
