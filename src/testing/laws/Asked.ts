/**
 * What an ask is about, by its key and the facts (protocol §6, §6.1).
 */
import type { Ask, ModuleOn } from "../../core/Decision.ts"
import type { Facts } from "../naive/facts.ts"
import { entryAt, holderOf, makersOf, providedOf, valueAt } from "../naive/mesh.ts"
import { digest, isModule, join, readTokens } from "../naive/name.ts"
import { provision } from "./Tell.ts"

/** What the key of an ask says. */
export interface Asked {
  readonly maker: ModuleOn
  readonly consumer: ModuleOn
  readonly provision: string
  readonly local: string | undefined
  /** The key of the claim. */
  readonly claim: string
  readonly isCredential: boolean
}

/** What the key of an ask says. */
export const asked = (key: string): Asked => {
  const [node = "", module = "", consumerNode = "", consumerModule = "", provision = "", local] = readTokens(key) ?? []
  return {
    maker: { node, module },
    consumer: { node: consumerNode, module: consumerModule },
    provision,
    local,
    claim: join(consumerNode, consumerModule, provision, local),
    isCredential: module === "mesh-vault" && provision === "credential"
  }
}

/** Whether an operator answered that what the maker has now is to be undone. */
export const isAnswered = (facts: Facts, key: string): boolean => {
  const { claim, maker } = asked(key)
  const entry = entryAt(facts, maker.module, claim)?.value
  const answer = valueAt(facts.answers, key)
  if (entry === undefined || answer?.answer !== "retire") {
    return false
  }
  const { by, for: instance, values } = entry
  const has = by === maker.node && entry.state !== "retired"
    ? { by, ...(instance === undefined ? {} : { for: instance }), ...(values === undefined ? {} : { values }) }
    : { also: maker.node }
  return answer.entry === digest(has)
}

/** Whether the definition says that what is made can be made again at no loss. */
export const isFree = (facts: Facts, key: string): boolean => {
  const { maker, provision } = asked(key)
  return providedOf(facts, maker.module, provision)?.retire === "free"
}

/** Whether a credential's ask is of one whose provider has undone all that it opens. */
export const isOpenedNoMore = (facts: Facts, key: string): boolean => {
  const { consumer, isCredential, local } = asked(key)
  const [module, ...rest] = local === undefined ? [] : readTokens(local) ?? []
  const opened = isModule(module)
    ? entryAt(facts, module, join(consumer.node, consumer.module, ...rest.slice(0, -1)))?.value
    : undefined
  return isCredential && opened?.state === "retired" && makersOf(opened).length === 0 &&
    holderOf(facts, "vault") !== undefined
}

/** The keys of all that was made, each as its ask has it. */
export const madeIn = (facts: Facts): ReadonlyArray<string> =>
  [...facts.bound].flatMap(([module, entries]) =>
    entries.flatMap(({ key, value }) =>
      value === undefined ? [] : makersOf(value).map((node) => `${join(node, module)}.${key}`)
    )
  ).filter((key) => key.length <= 1_024)

/** The keys of the asks in some states. */
export const withState = (
  asks: ReadonlyMap<string, Ask>,
  ...states: ReadonlyArray<Ask["state"]>
): ReadonlyArray<string> => [...asks].filter(([, { state }]) => states.includes(state)).map(([key]) => key)

/** An ask in a sentence, with what it says of itself. */
export const sayAsk = (asks: ReadonlyMap<string, Ask>, key: string): string => {
  const { consumer, local, maker, provision: name } = asked(key)
  const { state, why } = asks.get(key) ?? { state: "not there", why: "" }
  const what = `${provision(name, local)} for ${consumer.module} on ${consumer.node}`
  const words = why === "" ? "" : `: ${why.replace(/[.!?]$/, "")}`
  return `The ask of ${maker.module} on ${maker.node} of ${what} is ${state}${words}.`
}
