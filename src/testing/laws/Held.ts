/**
 * Held claims, by the facts: whose needs are served by a module that has an entry for them (protocol §5.2).
 */
import type { Decisions, ModuleOn, Provision } from "../../core/Decision.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { type Facts, readFacts } from "../naive/facts.ts"
import { assignmentOf, type Claim, claimOf, entryAt, type Need, needsOf, ownMember } from "../naive/mesh.ts"
import { join } from "../naive/name.ts"
import type { DecideOn } from "./Law.ts"

/** A need of a claim that is held, with the decision on it. */
export interface Held {
  readonly need: Need
  readonly claim: Claim
  readonly provision: Provision
  readonly provider: ModuleOn
  /** The node that answered, which is not the provider's where a seat's holder is to take it over. */
  readonly by: string
}

/** A mesh with what was decided on it, and the needs whose claim is held. */
export interface HeldMesh {
  readonly facts: Facts
  readonly decisions: Decisions
  readonly held: ReadonlyArray<Held>
}

/** Decides a mesh, and finds what is held in it. */
export const heldIn = (decide: DecideOn, snapshot: Snapshot): HeldMesh => {
  const facts = readFacts(snapshot)
  const decisions = decide(snapshot)
  const held = needsOf(facts).flatMap((need): ReadonlyArray<Held> => {
    const claim = claimOf(need)
    const provision = decisions.provisions.get(need.key)
    const provider = provision?.provider
    const entry = claim && provider && entryAt(facts, provider.module, claim.key)?.value
    return need.kind === "bound" && claim !== undefined && provision !== undefined && provider !== undefined &&
        entry !== undefined && entry.state !== "retired" && !isPinnedElsewhere(facts, claim, provider.module, entry.by)
      ? [{ need, claim, provision, provider, by: entry.by }]
      : []
  })
  return { facts, decisions, held }
}

/** Whether the consumer's assignment pins a claim to another module or node. */
const isPinnedElsewhere = (facts: Facts, claim: Claim, module: string, node: string): boolean => {
  const pin = ownMember(assignmentOf(facts, claim.consumer)?.pins, join(claim.provision, claim.local))
  return (pin?.module ?? module) !== module || (pin?.node ?? node) !== node
}
