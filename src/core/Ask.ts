/**
 * Asks (protocol §6): what each provider is asked for each claim. What is wanted is made; what was made and is no longer
 * needed is asked about before it is undone; and nothing made is ever forgotten.
 */
import type { AskPart } from "./Bucket.ts"
import { asksOfCredential, wantedCredentials } from "./CredentialAsk.ts"
import type { Ask, ModuleOn, Provision } from "./Decision.ts"
import type { SoundFact } from "./Decode.ts"
import type { Answer } from "./fact/Answer.ts"
import { whatMakerHas } from "./fact/Bound.ts"
import { hasBrokenProvision } from "./fact/Definition.ts"
import { writeKey } from "./Key.ts"
import { keyBytesMax } from "./Limits.ts"
import { answered, type Asked, askHead, isOfCredential, type Made, madeByOthers } from "./Made.ts"
import {
  type Claim,
  contractOf,
  type Entry,
  entryOf,
  holderOf,
  type Mesh,
  vaultModule,
  type WholeMesh
} from "./Mesh.ts"
import { unmetBy } from "./Resolve.ts"
import { askKey, type SettledClaim, type SettledClaims } from "./Settle.ts"
import { askWhy } from "./Words.ts"

/** The asks of every provider, and the answers that no longer count (protocol §6). */
export const asksOf = (
  mesh: WholeMesh,
  settled: SettledClaims,
  provisions: ReadonlyMap<string, Provision>
): { readonly asks: ReadonlyMap<string, Ask>; readonly answersToDelete: ReadonlyArray<string> } => {
  const asked: Array<Asked> = []
  for (const key of new Set([...mesh.claims.keys(), ...mesh.entries.keys()])) {
    const claim = mesh.claims.get(key)
    const standing = standingOf((claim?.needs ?? []).map((need) => provisions.get(need.key)))
    for (const ask of asksOfClaim(mesh, claim, settled.get(key), standing, mesh.entries.get(key) ?? [])) {
      asked.push(ask)
    }
  }
  const wanted = wantedCredentials(mesh, asked)
  const ofCredentials = [...mesh.entries].flatMap(([key, entries]) => entries.some(isOfCredential) ? [key] : [])
  for (const key of new Set([...wanted.keys(), ...ofCredentials])) {
    const { accepts, credential } = wanted.get(key) ?? {}
    const entry = mesh.entries.get(key)?.find(isOfCredential)
    for (const ask of asksOfCredential(mesh, credential, accepts, entry)) {
      asked.push(ask)
    }
  }
  const asks = new Map(asked.map(({ ask, key }) => [key, ask]))
  const over = [...mesh.facts.answers.sound()].filter((fact) => isAnswerOver(mesh, fact, asks.get(fact.key)))
  return { asks, answersToDelete: over.map(({ key }) => key).sort() }
}

/**
 * The asks of every provider about one claim (protocol §6): of the one that serves it, where it is needed, and of every
 * maker of its entries. What the vault has for a credential is asked about by `asksOfCredential`.
 *
 * @param claim the claim, how it was settled and how its needs stand; none where no need is of it.
 */
export const asksOfClaim = (
  mesh: Mesh,
  claim: Claim | undefined,
  settled: HowSettled | undefined,
  standing: Standing,
  entries: ReadonlyArray<Entry>
): ReadonlyArray<Asked> => {
  const asked: Array<Asked> = []
  const provider = claim && settled && wantedOf(mesh, settled, claim)
  if (claim !== undefined && settled !== undefined && provider !== undefined) {
    const ask = wanted(mesh, settled, claim, provider)
    asked.push({ key: askKey(provider.key, claim.key), provider: provider.on, providerKey: provider.key, claim, ask })
  }
  for (const entry of entries) {
    for (const made of isOfCredential(entry) ? [] : madeByOthers(mesh, entry, provider?.on)) {
      const { maker, makerKey } = made
      const key = askKey(makerKey, made.key)
      if (key.length <= keyBytesMax) {
        asked.push({ key, provider: maker, providerKey: makerKey, claim: made, ask: askOfMaker(mesh, made, standing) })
      }
    }
  }
  return asked
}

// --- wanted ------------------------------------------------------------------------------------------------------

type HowSettled = Pick<SettledClaim, "resolution" | "tooLong">

/** A module on a node that is asked, and the key of its assignment. */
interface AskedOf {
  readonly on: ModuleOn
  readonly key: string
}

/** The per-consumer provider that serves a claim and is there to serve it, its consumer assigned (protocol §6). */
const wantedOf = (mesh: Mesh, { resolution, tooLong }: HowSettled, claim: Claim): AskedOf | undefined => {
  if (mesh.facts.assignments.value(claim.consumer) === undefined || tooLong) {
    return undefined
  }
  if (resolution === undefined) {
    const { holder, key } = holderOf(mesh, "vault")
    return holder && { on: holder, key }
  }
  return resolution._tag === "Served" && resolution.contract.credential === "consumer"
    ? { on: resolution.provider, key: resolution.key }
    : undefined
}

const wanted = (mesh: Mesh, { resolution }: HowSettled, claim: Claim, provider: AskedOf): Ask => {
  const head = askHead(mesh, claim.consumer, provider.key, { state: "wanted", why: askWhy.wanted(claim, provider.on) })
  const ranges: Array<string> = []
  const fields: Array<string> = []
  for (const { value } of resolution?._tag === "Served" ? claim.needs : []) {
    if (resolution?._tag === "Served" && unmetBy(mesh, resolution.contract, value) === undefined) {
      ranges.push(...value.contract === undefined ? [] : [value.contract])
      fields.push(...value.fields ?? [])
    }
  }
  return ranges.length + fields.length === 0 ? head : {
    ...head,
    ...(ranges.length === 0 ? {} : { contract: sortedOnce(ranges) }),
    ...(fields.length === 0 ? {} : { fields: sortedOnce(fields) })
  }
}

const sortedOnce = (items: Array<string>): ReadonlyArray<string> =>
  items.length < 2 ? items : [...new Set(items)].sort()

// --- made --------------------------------------------------------------------------------------------------------

/**
 * How the needs of a claim stand: provided by one provider that is not the consumer itself, or `open`, where any of them is
 * not; none where no need is of it (protocol §6).
 */
export type Standing = ModuleOn | "open" | undefined

/** How the needs of a claim stand, by the decisions on them. */
export const standingOf = (provisions: ReadonlyArray<Provision | undefined>): Standing => {
  const providers = provisions.map((provision) =>
    provision?.state === "provided" && provision.reason !== "own" ? provision.provider : undefined
  )
  return providers.includes(undefined) ? "open" : providers[0]
}

/** The ask about what a maker has that is not wanted of it: the first of the reasons of protocol §6 that holds. */
const askOfMaker = (mesh: Mesh, made: Made, standing: Standing): Ask => {
  const { maker, makerKey } = made
  const ownSecret = maker.module === vaultModule && made.provision === "secret"
  const held = heldWhy(mesh, made, standing) ?? (ownSecret ? undefined : heldByDefinition(mesh, made))
  const decided = held === undefined ? answered(mesh, made) : { state: "held", why: held } as const
  const free = !ownSecret && contractOf(mesh, maker.module, made.provision)?.retire === "free"
  return askHead(
    mesh,
    made.consumer,
    makerKey,
    decided ?? (free
      ? { state: "retire", why: askWhy.free(made) }
      : ownSecret && holderOf(mesh, "vault").holder === undefined
      ? { state: "held", why: askWhy.heldNoVault() }
      : { state: "unneeded", why: askWhy.unneeded(made, maker) })
  )
}

const heldWhy = (mesh: Mesh, made: Made, standing: Standing): string | undefined => {
  if (mesh.brokenConsumers.has(made.consumer)) {
    return askWhy.heldShape(made)
  }
  const { maker } = made
  const needed = standing === "open" || (standing?.node === maker.node && standing.module === maker.module)
  return needed ? askWhy.heldNeeded(made) : undefined
}

const heldByDefinition = (mesh: Mesh, made: Made): string | undefined => {
  const { module } = made.maker
  const definition = mesh.facts.modules.value(module)
  const unsure = definition === undefined
    ? mesh.assignedModules.has(module)
    : hasBrokenProvision(definition, made.provision)
  return unsure ? askWhy.heldDefinition(made, module) : undefined
}

// --- answers -----------------------------------------------------------------------------------------------------

/** Whether an answer counts no more, by the ask at its key, and so is to be deleted (protocol §6). */
export const isAnswerOver = (mesh: Mesh, fact: SoundFact<AskPart, Answer>, ask: Ask | undefined): boolean =>
  ask?.state === "wanted" || countsNoMore(mesh, fact)

/** Whether the maker's entry, there and in shape, shows that an answer is about nothing that is there (protocol §6). */
const countsNoMore = (mesh: Mesh, { names, value }: SoundFact<AskPart, Answer>): boolean => {
  const claimKey = writeKey(names.node, names.module, names.provision, names.local)
  const entry = entryOf(mesh, names.providerModule, claimKey)?.value
  if (entry === undefined) {
    return false
  }
  const maker = names.providerNode
  return !mesh.makersOf(entry).has(maker) ||
    (value.answer === "retire" && value.entry !== mesh.digest(whatMakerHas(entry, maker)))
}
