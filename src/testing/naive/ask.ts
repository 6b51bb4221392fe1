/**
 * The twin's asks and what becomes of answers (protocol §6).
 */
import type { AskState, ModuleOn } from "../../core/Decision.ts"
import type { BoundValue, Facts } from "./facts.ts"
import { speaksOf } from "./facts.ts"
import {
  assignmentOf,
  type Claim,
  claimOf,
  definitionOf,
  entryAt,
  holderOf,
  isSame,
  keyOf,
  makersOf,
  needsOf,
  needsOfClaim,
  providedOf,
  secretFieldsOf,
  valueAt
} from "./mesh.ts"
import { digest, isKeyTooLong, isModule, join, readTokens } from "./name.ts"
import { credentialKey } from "./outcome.ts"
import { isTooLong, type NaiveProvision } from "./provision.ts"
import { resolve, unmet } from "./resolve.ts"

export interface NaiveAsk {
  readonly state: AskState
  readonly for?: string
  readonly contract?: ReadonlyArray<string>
  readonly fields?: ReadonlyArray<string>
  readonly accepts?: ReadonlyArray<ModuleOn>
  readonly gone?: true
}

interface Asked {
  readonly key: string
  readonly provider: ModuleOn
  readonly claim: Claim
  readonly ask: NaiveAsk
}

interface Made {
  readonly provider: ModuleOn
  readonly claim: Claim
  readonly entry: BoundValue
}

const askKey = (provider: ModuleOn, claim: Claim): string => `${keyOf(provider)}.${claim.key}`

export const asksOf = (
  facts: Facts,
  provisions: ReadonlyMap<string, NaiveProvision>
): ReadonlyMap<string, NaiveAsk> => {
  const asked: Array<Asked> = []
  const add = (provider: ModuleOn, claim: Claim, ask: NaiveAsk): void => {
    const key = askKey(provider, claim)
    if (!isKeyTooLong(key) && asked.every((one) => one.key !== key)) {
      const instance = assignmentOf(facts, claim.consumer)?.instance
      asked.push({
        key,
        provider,
        claim,
        ask: {
          ...ask,
          ...(instance === undefined ? {} : { for: instance }),
          ...(assignmentOf(facts, provider) === undefined ? { gone: true } : {})
        }
      })
    }
  }

  addWanted(facts, add)
  const made = madeOf(facts)
  for (const { claim, entry, provider } of made.filter((one) => !isCredential(one))) {
    add(provider, claim, { state: afterwards(facts, provisions, provider, claim, entry) })
  }
  addWantedCredentials(facts, [...asked], add)
  for (const { claim, entry, provider } of made.filter(isCredential)) {
    add(provider, claim, { state: credentialAfterwards(facts, asked, provider, claim, entry) })
  }
  return new Map(asked.map(({ ask, key }) => [key, ask]))
}

type Add = (provider: ModuleOn, claim: Claim, ask: NaiveAsk) => void

const isCredential = ({ claim, provider }: { readonly claim: Claim; readonly provider: ModuleOn }): boolean =>
  provider.module === "mesh-vault" && claim.provision === "credential"

/** What every maker of every bound entry in shape made. */
const madeOf = (facts: Facts): ReadonlyArray<Made> => {
  const made: Array<Made> = []
  for (const [module, entries] of facts.bound) {
    for (const { key, names: [node = "", consumer = "", provision = "", local], value: entry } of entries) {
      if (entry !== undefined) {
        const claim = { key, consumer: { node, module: consumer }, provision, local }
        made.push(...makersOf(entry).map((maker) => ({ provider: { node: maker, module }, claim, entry })))
      }
    }
  }
  return made
}

/** The claims that are asked of who serves them: of a provider per consumer, and of the vault the secrets. */
const addWanted = (facts: Facts, add: Add): void => {
  for (const need of needsOf(facts)) {
    const claim = claimOf(need)
    if (claim === undefined || assignmentOf(facts, claim.consumer) === undefined || isTooLong(facts, claim)) {
      continue
    }
    if (need.kind === "secret") {
      const vault = holderOf(facts, "vault")
      if (vault !== undefined) {
        add(vault, claim, { state: "wanted" })
      }
      continue
    }
    const resolution = resolve(facts, claim)
    if (resolution.is === "served" && resolution.provided.credential === "consumer") {
      const met = needsOfClaim(facts, claim.key).filter((one) => unmet(one, resolution.provided) === undefined)
      const contract = sorted(met.flatMap(({ value }) => value.contract === undefined ? [] : [value.contract]))
      const fields = sorted(met.flatMap(({ value }) => value.fields ?? []))
      add(resolution.provider, claim, {
        state: "wanted",
        ...(contract.length === 0 ? {} : { contract }),
        ...(fields.length === 0 ? {} : { fields })
      })
    }
  }
}

const sorted = (words: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(words)].sort()

/** The digest of what a maker has of an entry. */
const digestOf = (maker: string, entry: BoundValue): string =>
  entry.state !== "retired" && entry.by === maker
    ? digest({
      by: entry.by,
      ...(entry.for === undefined ? {} : { for: entry.for }),
      ...(entry.values === undefined ? {} : { values: entry.values })
    })
    : digest({ also: maker })

const answered = (facts: Facts, provider: ModuleOn, claim: Claim, entry: BoundValue): AskState | undefined => {
  const answer = valueAt(facts.answers, askKey(provider, claim))
  if (answer?.answer === "keep") {
    return "kept"
  }
  return answer?.answer === "retire" && answer.entry === digestOf(provider.node, entry) ? "retire" : undefined
}

/** The state of the ask of a maker that is not wanted, but for a credential's. */
const afterwards = (
  facts: Facts,
  provisions: ReadonlyMap<string, NaiveProvision>,
  provider: ModuleOn,
  claim: Claim,
  entry: BoundValue
): AskState => {
  const isOwnSecret = provider.module === "mesh-vault" && claim.provision === "secret"
  if (
    isHeldByNeeds(facts, provisions, provider, claim) || (!isOwnSecret && isHeldByDefinition(facts, provider, claim))
  ) {
    return "held"
  }
  const answer = answered(facts, provider, claim, entry)
  if (answer !== undefined) {
    return answer
  }
  if (isOwnSecret) {
    return holderOf(facts, "vault") === undefined ? "held" : "unneeded"
  }
  return providedOf(facts, provider.module, claim.provision)?.retire === "free" ? "retire" : "unneeded"
}

const isHeldByNeeds = (
  facts: Facts,
  provisions: ReadonlyMap<string, NaiveProvision>,
  provider: ModuleOn,
  claim: Claim
): boolean => {
  const { node, module } = claim.consumer
  const isGarbled = facts.needKeysOutOfShape.some((key) => speaksOf(key, node, module)) ||
    needsOf(facts).some((need) => isSame(need.consumer, claim.consumer) && need.value === undefined)
  return isGarbled || needsOfClaim(facts, claim.key).some((need) => {
    const provision = provisions.get(need.key)
    const isByAnother = provision?.state === "provided" && provision.reason !== "own" &&
      provision.provider !== undefined && !isSame(provision.provider, provider)
    return !isByAnother
  })
}

const isHeldByDefinition = (facts: Facts, provider: ModuleOn, claim: Claim): boolean => {
  const definition = definitionOf(facts, provider.module)
  if (definition === undefined) {
    return facts.assignments.some(({ names, value }) => value !== undefined && names[1] === provider.module)
  }
  return definition.misshapen.includes(claim.provision) || definition.couldProvideAny
}

/** Each secret field of each claim that its module is asked for, and may have to present. */
const addWantedCredentials = (facts: Facts, asked: ReadonlyArray<Asked>, add: Add): void => {
  const vault = holderOf(facts, "vault")
  if (vault === undefined) {
    return
  }
  for (const { ask, claim, provider } of asked) {
    for (const field of secretFieldsOf(providedOf(facts, provider.module, claim.provision))) {
      const accepting = asked
        .filter((one) =>
          one.claim.key === claim.key && one.provider.module === provider.module && one.ask.state !== "retire"
        )
        .sort((one, other) => one.key < other.key ? -1 : 1)
      if (ask.state !== "retire") {
        const key = credentialKey(claim, provider.module, field)
        add(vault, { key, consumer: claim.consumer, provision: "credential", local: undefined }, {
          state: "wanted",
          accepts: accepting.map((one) => one.provider)
        })
      }
    }
  }
}

/** What a credential opens: the provider module and the claim's key there. */
const opensOf = (claim: Claim): { readonly module: string; readonly key: string } | undefined => {
  const names = claim.local === undefined ? undefined : readTokens(claim.local)
  if (names === undefined || (names.length !== 3 && names.length !== 4) || !isModule(names[0])) {
    return undefined
  }
  const { node, module } = claim.consumer
  return { module: names[0], key: join(node, module, ...names.slice(1, -1)) }
}

const credentialAfterwards = (
  facts: Facts,
  asked: ReadonlyArray<Asked>,
  provider: ModuleOn,
  claim: Claim,
  entry: BoundValue
): AskState => {
  const opens = opensOf(claim)
  const vault = holderOf(facts, "vault")
  if (asked.some((one) => one.claim.key === claim.key && isCredential(one) && one.ask.state === "wanted")) {
    return "held"
  }
  if (opens === undefined || !facts.bound.has(opens.module)) {
    return "held"
  }
  const opened = entryAt(facts, opens.module, opens.key)
  if (opened !== undefined && (opened.value === undefined || makersOf(opened.value).length > 0)) {
    return "held"
  }
  if (opened !== undefined && vault !== undefined) {
    return "retire"
  }
  return answered(facts, provider, claim, entry) ?? (vault === undefined ? "held" : "unneeded")
}

/** The keys of the answers that no longer count. */
export const answersToDelete = (facts: Facts, asks: ReadonlyMap<string, NaiveAsk>): ReadonlyArray<string> =>
  facts.answers.flatMap(({ key, names: [maker = "", module = "", ...claim], value }) => {
    const entry = entryAt(facts, module, join(...claim))?.value
    const isMade = entry !== undefined && makersOf(entry).includes(maker)
    const isOver = value !== undefined && (
      asks.get(key)?.state === "wanted" ||
      (value.answer === "retire" && entry !== undefined && isMade && value.entry !== digestOf(maker, entry)) ||
      (entry !== undefined && !isMade)
    )
    return isOver ? [key] : []
  })
