/**
 * Claims settled (protocol §5.1, §5.2): who serves each, and whether the keys that would be written for it fit the bus.
 */
import { credentialClaim, secretFieldsOf } from "./Credential.ts"
import type { ModuleOn } from "./Decision.ts"
import { writeKey } from "./Key.ts"
import { keyBytesMax } from "./Limits.ts"
import { type Claim, holderOf, type Mesh } from "./Mesh.ts"
import { type Resolution, resolve } from "./Resolve.ts"

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
