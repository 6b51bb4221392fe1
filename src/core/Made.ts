/**
 * What was made for claims, by every maker of every bound entry (protocol §6): each of them has an ask, so that nothing
 * made is ever forgotten.
 */
import type { OpenedClaim } from "./Credential.ts"
import type { Ask, ModuleOn } from "./Decision.ts"
import { type Bound, whatMakerHas } from "./fact/Bound.ts"
import { flat } from "./Flat.ts"
import { assignmentKeyOf, writeKey } from "./Key.ts"
import { type Entry, type Mesh, vaultModule } from "./Mesh.ts"
import { askKey } from "./Settle.ts"
import { askWhy } from "./Words.ts"

/** An ask, and what it is of. */
export interface Asked {
  readonly key: string
  readonly provider: ModuleOn
  /** The key of the provider's assignment. */
  readonly providerKey: string
  readonly claim: OpenedClaim
  readonly ask: Ask
}

/** Something that one maker has for a claim, by its module's bound entry. */
export interface Made extends ModuleOn {
  readonly maker: ModuleOn
  /** The key of the maker's assignment. */
  readonly makerKey: string
  readonly key: string
  readonly consumer: string
  readonly provision: string
  readonly local: string | undefined
  readonly entry: Bound
}

/**
 * What every maker of a bound entry has, where the entry is in shape (protocol §6), but of one that is asked for it anyway.
 *
 * @param asked who that is, if anyone.
 */
export const madeByOthers = (mesh: Mesh, entry: Entry, asked: ModuleOn | undefined): ReadonlyArray<Made> => {
  const { fact: { value }, module } = entry
  const but = asked?.module === module ? asked.node : undefined
  if (value === undefined || (value.also === undefined && (value.state === "retired" || value.by === but))) {
    return none
  }
  if (value.also === undefined) {
    return [madeBy(entry, value, value.by)]
  }
  return [...mesh.makersOf(value)].filter((node) => node !== but).map((node) => madeBy(entry, value, node))
}

const none: ReadonlyArray<Made> = []

const madeBy = ({ fact: { key, names }, module }: Entry, entry: Bound, node: string): Made => ({
  maker: { node, module },
  makerKey: writeKey(node, module),
  key,
  consumer: assignmentKeyOf(key),
  node: names.node,
  module: names.module,
  provision: names.provision,
  local: names.local,
  entry
})

/** Whether a bound entry is the vault's on a credential (protocol §6.1). */
export const isOfCredential = ({ fact, module }: Entry): boolean =>
  module === vaultModule && fact.names.provision === "credential"

/**
 * An ask with what every ask says: the consumer's instance, and whether the provider module is gone from its node. Both are
 * told by the key of their assignment.
 */
export const askHead = (
  { facts }: Mesh,
  consumer: string,
  provider: string,
  ask: Pick<Ask, "state" | "why">
): Ask => {
  const instance = facts.assignments.value(consumer)?.instance
  const gone = facts.assignments.value(provider) === undefined
  const { state } = ask
  const why = flat(ask.why)
  if (gone) {
    return instance === undefined ? { state, why, gone } : { state, why, for: instance, gone }
  }
  return instance === undefined ? { state, why } : { state, why, for: instance }
}

/** What an operator's answer makes of an ask, where it counts: `retire` only for what the maker has now (protocol §6). */
export const answered = (mesh: Mesh, { entry, key, maker, makerKey }: Made): Pick<Ask, "state" | "why"> | undefined => {
  const answer = mesh.facts.answers.value(askKey(makerKey, key))
  if (
    answer === undefined ||
    (answer.answer === "retire" && answer.entry !== mesh.digest(whatMakerHas(entry, maker.node)))
  ) {
    return undefined
  }
  const why = askWhy.answered(answer.answer, answer.by, answer.words)
  return { state: answer.answer === "retire" ? "retire" : "kept", why }
}
