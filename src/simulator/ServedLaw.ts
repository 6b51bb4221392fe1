/**
 * The laws of who serves a claim (protocol §5.2): what holds a consumer's data keeps it, and whoever serves may.
 */
import type { Provision } from "../core/Decision.ts"
import { isJsonObject, type Json } from "../core/Json.ts"
import {
  assignmentIn,
  claimOf,
  entryIn,
  holderIn,
  type Knowledge,
  memberOf,
  nameOf,
  provisionIn,
  tokenOf
} from "./Knowledge.ts"
import { tokensOf } from "./Remembered.ts"

/** The reasons that are given before it is looked who serves. */
const before: ReadonlySet<string> = new Set(["shape", "unassigned", "no-domain", "conflict", "too-long"])

/** What is wrong with who serves a `bound` need by the facts, if anything. */
export const wrongServed = (facts: Knowledge, key: string, provision: Provision): string | undefined => {
  if (provision.kind !== "bound" || before.has(provision.reason)) {
    return undefined
  }
  const [node = "", module = "", kind = "", name = ""] = tokensOf(key)
  const claimed = claimOf(kind, name, facts.get("mesh-provisioner_needs", key)) ?? ""
  const consumer = `${node}.${module}`
  const pin = pinOf(facts, consumer, claimed)
  const provides = nameOf(tokensOf(claimed)[0] ?? "")
  const holders = pin === undefined ? holdersOf(facts, `${consumer}.${claimed}`, provides) : []
  const [holder] = holders
  const { provider, reason } = provision
  if (holders.length > 1) {
    return reason === "two-holders" ? undefined : `${holders.join(" and ")} hold its data, and it is ${reason}`
  }
  if (holder !== undefined && reason !== "bound-shape" && provider?.module !== holder) {
    return `${holder} holds its data, and it is served by ${provider?.module ?? "nobody"} (${reason})`
  }
  return provider === undefined || reason === "own" || reason === "holder-gone" || reason === "bound-shape"
    ? undefined
    : wrongProvider(facts, provider, provides, pin, holder !== undefined || pin !== undefined)
}

/** The modules that hold a claim, where no pin says which one does. */
const holdersOf = (facts: Knowledge, claim: string, provides: string): ReadonlyArray<string> => {
  const holders: Array<string> = []
  for (const bucket of facts.buckets()) {
    if (bucket.endsWith("_bound") && facts.has(bucket, claim)) {
      const module = bucket.slice(0, -"_bound".length)
      if (entryIn(facts, module, claim)?.state !== "retired" && mayHold(facts, module, provides)) {
        holders.push(module)
      }
    }
  }
  return holders
}

/** A module whose definition is not there, or has the provision's name, in shape or not. */
const mayHold = (facts: Knowledge, module: string, provision: string): boolean => {
  const definition = facts.object("mesh-controller_modules", module)
  const provides = definition?.["provides"]
  return definition === undefined ||
    (provides !== undefined && (!isJsonObject(provides) || Object.hasOwn(provides, provision)))
}

const pinOf = (facts: Knowledge, consumer: string, claimed: string): Json | undefined => {
  const pins = assignmentIn(facts, consumer)?.["pins"]
  return isJsonObject(pins) ? memberOf(pins, claimed) : undefined
}

const wrongProvider = (
  facts: Knowledge,
  provider: { readonly node: string; readonly module: string },
  provides: string,
  pin: Json | undefined,
  mayDrain: boolean
): string | undefined => {
  const { module, node } = provider
  const who = `${module} on ${node}`
  const contract = provisionIn(facts, module, provides)
  const assignment = assignmentIn(facts, `${tokenOf(node)}.${module}`)
  if (contract === undefined || assignment === undefined) {
    return `${who} serves it, which is not assigned, or does not provide it`
  }
  const pinned = isJsonObject(pin) ? pin : {}
  if ((pinned["node"] ?? node) !== node || (pinned["module"] ?? module) !== module) {
    return `${who} serves it, and it is pinned to another`
  }
  const seat = contract["seat"]
  const holder = typeof seat === "string" ? holderIn(facts, seat) : provider
  if (holder?.node !== node || holder.module !== module) {
    return `${who} serves it, which does not hold its seat`
  }
  return !mayDrain && assignment["draining"] === true && contract["credential"] === "consumer"
    ? `${who} serves it, which is draining`
    : undefined
}
