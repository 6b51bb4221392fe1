/**
 * How a provision is put together (protocol §5): what a need came to, and with it where its value is found.
 */
import type { Find, ModuleOn, Outcome, Provision } from "./Decision.ts"
import { flat } from "./Flat.ts"
import type { Json } from "./Json.ts"
import { holderOf, type Mesh, seatAt } from "./Mesh.ts"
import { needWhy } from "./Words.ts"

/** What is known of where a need's value is found: its provider, its find, and the digest of what is there. */
export interface Found {
  readonly provider?: ModuleOn | undefined
  readonly find?: Find | undefined
  readonly version?: string | undefined
}

/** A provision: what a need came to, and where its value is found. */
export const entry = (kind: string, outcome: Outcome, { find, provider, version }: Found = {}): Provision => {
  const { candidates, reason, state, waits } = outcome
  const why = flat(outcome.why)
  // What most needs come to is written in one piece each, which takes less room and time than to add to it.
  if (find !== undefined && version !== undefined && waits === undefined && candidates === undefined) {
    return provider === undefined
      ? { kind, state, reason, why, find, version }
      : { kind, state, reason, why, provider, find, version }
  }
  if (find !== undefined && version === undefined && waits !== undefined && candidates === undefined) {
    return provider === undefined
      ? { kind, state, reason, why, find, waits }
      : { kind, state, reason, why, provider, find, waits }
  }
  return {
    kind,
    state,
    reason,
    why,
    ...(provider === undefined ? {} : { provider }),
    ...(find === undefined ? {} : { find }),
    ...(version === undefined ? {} : { version }),
    ...(waits === undefined ? {} : { waits }),
    ...(candidates === undefined ? {} : { candidates })
  }
}

/** Where a value is found, and the digest of the value where it is there to be read. */
export const found = (provider: ModuleOn | undefined, find: Find, version: string | undefined): Found => ({
  provider,
  find,
  version
})

/** The digest of a value, where there is one; of one that many needs may share, taken once. */
export const versionOf = (mesh: Mesh, value: Json | undefined): string | undefined =>
  value === undefined ? undefined : mesh.sharedDigest(value)

/** What a need comes to whose seat has no holder in shape (protocol §5.1). */
export const noHolder = (mesh: Mesh, who: ModuleOn, seat: string): Outcome => ({
  state: "asked",
  reason: "no-holder",
  why: needWhy.noHolder(who, seat, holderOf(mesh, seat).wrong),
  waits: seatAt(seat)
})

/** The decision on a need for which a key would be too long for the bus: nothing but its reason (protocol §5.1). */
export const tooLongProvision = (kind: string, who: ModuleOn): Provision =>
  entry(kind, { state: "refused", reason: "too-long", why: needWhy.tooLong(who) })
