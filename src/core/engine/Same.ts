/**
 * Whether two of the rules' own values are the same: contracts, which hold maps, and resolutions, which hold facts.
 */
import type { ProvisionContract } from "../fact/Definition.ts"
import { type Json, sameJson } from "../Json.ts"
import type { Resolution } from "../Resolve.ts"

/** Whether two contracts of a provision say the same. */
export const sameContract = (one: ProvisionContract | undefined, other: ProvisionContract | undefined): boolean => {
  if (one === undefined || other === undefined || one === other) {
    return one === other
  }
  return one.credential === other.credential && one.version === other.version && one.retire === other.retire &&
    one.seat === other.seat && one.fields.size === other.fields.size &&
    [...one.fields].every(([field, type]) => other.fields.get(field) === type)
}

/** Whether two resolutions of a claim have the same come of it. */
export const sameResolution = (one: Resolution | undefined, other: Resolution | undefined): boolean => {
  if (one === undefined || other === undefined) {
    return one === other
  }
  switch (one._tag) {
    case "Served":
      return other._tag === "Served" && one.isHeld === other.isHeld && sameJson(one.provider, other.provider) &&
        sameContract(one.contract, other.contract)
    case "HolderGone":
      return other._tag === "HolderGone" && one.missing === other.missing && sameJson(one.provider, other.provider) &&
        sameJson(one.waits, other.waits) && sameContract(one.contract, other.contract)
    case "HolderShape":
      return other._tag === "HolderShape" && one.entry.module === other.entry.module &&
        one.entry.fact.why === other.entry.fact.why
    default:
      return other._tag === one._tag && sameJson(plainOf(one), plainOf(other))
  }
}

const plainOf = (resolution: Resolution): Json => {
  switch (resolution._tag) {
    case "TwoHolders":
      return resolution.modules
    case "NoHolder":
      return [resolution.candidate, resolution.seat]
    case "NoCandidate":
      return [resolution.candidates, resolution.more]
    default:
      return null
  }
}
