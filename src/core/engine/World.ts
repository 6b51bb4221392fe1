/**
 * What a change is noticed with: the records, what is to be decided anew, what many share and is to be looked at once all
 * changes are in, and what is to be said.
 */
import type { Agenda } from "./Agenda.ts"
import type { ProvisionRecord } from "./Candidates.ts"
import type { Index } from "./Index.ts"
import type { ClaimRecord, EntryRecord, NeedRecord } from "./Record.ts"
import type { Said } from "./Said.ts"
import type { Spreading } from "./Spreading.ts"

/** What changes are noticed with. */
export interface World {
  readonly index: Index
  readonly agenda: Agenda
  readonly touched: Touched
  readonly spreading: Spreading
  said: Said
}

/** What many share, of which something may have changed. */
export interface Touched {
  /** Modules on a node whose own outcome may be another, by the key of their assignment. */
  readonly haves: Set<string>
  /** Provisions of whose candidates something may have changed. */
  readonly provisions: Set<ProvisionRecord>
  /** Whether an answer of a definition has changed. */
  registry: boolean
}

/** Everything about a claim is to be decided anew: who serves it, what its needs come to, and what is asked. */
export const wholeClaim = (world: World, claim: ClaimRecord): void => {
  claimsNeeds(world, claim)
  world.agenda.asks(claim)
}

/** Who serves a claim, and what its needs come to, is to be decided anew. */
export const claimsNeeds = ({ agenda }: World, claim: ClaimRecord): void => {
  if (claim.needsOfIt !== undefined) {
    agenda.resolution(claim)
    agenda.outcome(claim)
  }
}

/** The decision on a need is to be made anew. */
export const markNeed = ({ agenda }: World, need: NeedRecord): void => agenda.need(need)

/** Everything about an entry's claim is to be decided anew. */
export const markEntry = (world: World, { claim }: EntryRecord): void => wholeClaim(world, claim)

/** What is asked about an entry's claim is to be decided anew. */
export const markAsksOfEntry = ({ agenda }: World, { claim }: EntryRecord): void => agenda.asks(claim)

/** Keeps what is wrong with a fact now, if anything (protocol §3). */
export const noteOutOfShape = (
  { index: { counts, outOfShape }, said }: World,
  bucket: string,
  key: string,
  why: string | undefined
): void => {
  const id = `${bucket} ${key}`
  const known = outOfShape.get(id)
  if (known?.why !== why) {
    said.outOfShape(id, bucket, key, known?.why)
    counts.outOfShape.move(known && bucket, why === undefined ? undefined : bucket)
    if (why === undefined) {
      outOfShape.delete(id)
    } else {
      outOfShape.set(id, { bucket, key, why })
    }
  }
}
