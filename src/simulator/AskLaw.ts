/**
 * The laws of asks (protocol §6): nothing made is forgotten, nothing is undone without an answer or `free` or while it is
 * needed, and no claim is wanted of two providers at once.
 */
import type { Ask, Provision } from "../core/Decision.ts"
import { digest } from "../core/Digest.ts"
import { isJsonObject, type Json } from "../core/Json.ts"
import {
  assignmentIn,
  claimOf,
  entryIn,
  type Knowledge,
  makersIn,
  nameOf,
  provisionIn,
  type SoundEntry,
  tokenOf
} from "./Knowledge.ts"
import { remembered, tokensOf } from "./Remembered.ts"

/** An ask's key, taken apart. */
export interface AskKey {
  readonly node: string
  readonly module: string
  readonly claim: string
  readonly consumer: string
  /** The claim after its consumer, and its provision's name. */
  readonly claimed: string
  readonly provision: string
}

/** Takes an ask's key apart. */
export const readAskKey: (key: string) => AskKey = remembered((key) => {
  const [node = "", module = "", ...claim] = tokensOf(key)
  const [consumerNode = "", consumer = "", ...claimed] = claim
  return {
    node,
    module,
    claim: claim.join("."),
    consumer: `${consumerNode}.${consumer}`,
    claimed: claimed.join("."),
    provision: nameOf(claimed[0] ?? "")
  }
})

/** What asks are held against: the facts, and what was decided on the needs of a consumer. */
export interface AskGround {
  readonly facts: Knowledge
  readonly provisionsOf: (consumer: string) => Iterable<readonly [key: string, provision: Provision]>
  readonly askOf: (key: string) => Ask | undefined
}

/** What is wrong with an ask by the facts, if anything. */
export const wrongAsk = (ground: AskGround, key: string, ask: Ask): string | undefined => {
  const at = readAskKey(key)
  if (ask.state === "wanted") {
    return wrongWanted(ground, at, ask)
  }
  const entry = entryIn(ground.facts, at.module, at.claim)
  if (entry === undefined || !makersIn(entry).has(nameOf(at.node))) {
    return `it is ${ask.state}, and nothing is there that was made`
  }
  if (ask.state === "held") {
    return undefined
  }
  const why = whyHeld(ground, at) ?? (ask.state === "retire" ? whyNotUndone(ground.facts, at, entry) : undefined)
  return why === undefined ? undefined : `it is ${ask.state}, and ${why}`
}

const wrongWanted = (ground: AskGround, at: AskKey, ask: Ask): string | undefined => {
  if (at.provision === "credential") {
    return wrongWantedCredential(ground, at, ask)
  }
  if (assignmentIn(ground.facts, at.consumer) === undefined) {
    return "it is wanted for a consumer that is not assigned"
  }
  if (![ask.fields, ask.contract].every(isInOrder)) {
    return "what it names is not in order, or named twice"
  }
  return needsOf(ground, at.consumer, at.claimed).length > 0 ? undefined : "it is wanted and nobody needs it"
}

const isInOrder = (names: ReadonlyArray<string> = []): boolean =>
  names.every((name, index) => index === 0 || (names[index - 1] ?? "") < name)

const wrongWantedCredential = ({ askOf }: AskGround, at: AskKey, { accepts = [] }: Ask): string | undefined => {
  const claim = openedBy(at).claim
  const isCalledFor = accepts.every(({ module, node }) => {
    const state = askOf(`${tokenOf(node)}.${module}.${claim}`)?.state
    return state !== undefined && state !== "retire"
  })
  return accepts.length > 0 && isCalledFor ? undefined : "it is wanted, and what it opens is not asked for"
}

/** The module and the claim that a credential opens. */
const openedBy = ({ claimed, consumer }: AskKey): { readonly module: string; readonly claim: string } => {
  const [module = "", ...opened] = nameOf(tokensOf(claimed)[1] ?? "").split(".")
  return { module, claim: `${consumer}.${opened.slice(0, -1).join(".")}` }
}

/** The decisions on the needs of a consumer that are of one claim. */
const needsOf = ({ facts, provisionsOf }: AskGround, consumer: string, claimed: string): ReadonlyArray<Provision> => {
  const found: Array<Provision> = []
  for (const [key, provision] of provisionsOf(consumer)) {
    const [, , kind = "", name = ""] = tokensOf(key)
    if (claimOf(kind, name, facts.get("mesh-provisioner_needs", key)) === claimed) {
      found.push(provision)
    }
  }
  return found
}

/** Why something that was made is held, if it is: it is needed, or nobody can tell. */
const whyHeld = (ground: AskGround, at: AskKey): string | undefined => {
  const { facts } = ground
  if (at.provision === "credential") {
    return unsureOfCredential(facts, at)
  }
  const isElsewhere = ({ provider, reason, state }: Provision) =>
    state === "provided" && reason !== "own" && provider !== undefined &&
    (provider.node !== nameOf(at.node) || provider.module !== at.module)
  return needsOf(ground, at.consumer, at.claimed).every(isElsewhere) ? unsureOfClaim(facts, at) : "it is needed"
}

const whyNotUndone = (facts: Knowledge, at: AskKey, entry: SoundEntry): string | undefined => {
  const isFree = provisionIn(facts, at.module, at.provision)?.["retire"] === "free"
  return isFree || isAnswered(facts, at, entry) || isOpened(facts, at)
    ? undefined
    : "no answer is about what is there, and it is not free"
}

/** Why nobody can tell whether something is needed: then nothing is undone. */
const unsureOfClaim = (facts: Knowledge, { consumer, module, provision }: AskKey): string | undefined => {
  for (const key of facts.needsOf(consumer)) {
    if (!isSoundNeed(key, facts.get("mesh-provisioner_needs", key))) {
      return `need ${key} is out of shape`
    }
  }
  if (module === "mesh-vault" && provision === "secret") {
    return undefined
  }
  const definition = facts.object("mesh-controller_modules", module)
  const provides = definition?.["provides"]
  const isAssigned = () => [...facts.keys("mesh-controller_assignments")].some((key) => tokensOf(key)[1] === module)
  const isBroken = provides !== undefined &&
    (!isJsonObject(provides) ||
      (Object.hasOwn(provides, provision) && provisionIn(facts, module, provision) === undefined))
  return isBroken || (definition === undefined && isAssigned())
    ? "no definition says in shape how it is provided"
    : undefined
}

const isSoundNeed = (key: string, value: Json | undefined): boolean => isJsonObject(value) && isSoundKey(key)

const isSoundKey = remembered((key) => {
  const tokens = tokensOf(key)
  return tokens.length === 4 && tokens.every((token) => token !== "" && tokenOf(nameOf(token)) === token)
})

const unsureOfCredential = (facts: Knowledge, at: AskKey): string | undefined => {
  const { claim, module } = openedBy(at)
  const entry = entryIn(facts, module, claim)
  if (!facts.isThere(`${module}_bound`)) {
    return `bucket ${module}_bound is not there`
  }
  return facts.has(`${module}_bound`, claim) && (entry === undefined || makersIn(entry).size > 0)
    ? "what it opens is still there"
    : undefined
}

const isAnswered = (facts: Knowledge, at: AskKey, entry: SoundEntry): boolean => {
  const answer = facts.object("mesh-provisioner_answers", `${at.node}.${at.module}.${at.claim}`)
  return answer?.["answer"] === "retire" && answer["entry"] === digest(whatIsMade(entry, nameOf(at.node)))
}

/** What a maker has, as an answer is about it (protocol §3). */
const whatIsMade = (entry: SoundEntry, maker: string): Json =>
  maker === entry.by && entry.state !== "retired"
    ? {
      by: entry.by,
      ...(entry.for === undefined ? {} : { for: entry.for }),
      ...(entry.values === undefined ? {} : { values: entry.values })
    }
    : { also: maker }

// What a credential opened is undone: its provider said so.
const isOpened = (facts: Knowledge, at: AskKey): boolean => {
  const { claim, module } = openedBy(at)
  return at.provision === "credential" && entryIn(facts, module, claim) !== undefined
}

/** The key of the ask of a maker for a claim. */
export const askKeyOf = (maker: string, module: string, claim: string): string => `${tokenOf(maker)}.${module}.${claim}`
