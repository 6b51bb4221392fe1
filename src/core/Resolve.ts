/**
 * Which provider serves a claim (protocol §5.2). What holds a consumer's data keeps it: nothing moves a claim but a pin,
 * or a definition that says that it no longer provides it.
 */
import { bucketName } from "./BucketName.ts"
import type { Candidate, CandidateReason, ModuleOn, Waits } from "./Decision.ts"
import type { Pin } from "./fact/Assignment.ts"
import { namesProvision, type ProvisionContract } from "./fact/Definition.ts"
import type { Need } from "./fact/Need.ts"
import { nodeToken, writeKey } from "./Key.ts"
import { candidatesMax } from "./Limits.ts"
import { type Claim, contractOf, type Entry, holderOf, type Mesh, pinOf, type Provider, seatAt } from "./Mesh.ts"
import { scoresOf } from "./Score.ts"
import { candidateWhy } from "./Words.ts"

/** Who serves a claim, or what stands in the way. */
export type Resolution =
  | {
    readonly _tag: "Served"
    readonly provider: ModuleOn
    /** The key of the provider's assignment. */
    readonly key: string
    readonly contract: ProvisionContract
    /** Whether it serves as the holder of what was made, and not as the best of the candidates. */
    readonly isHeld: boolean
  }
  | { readonly _tag: "TwoHolders"; readonly modules: ReadonlyArray<string> }
  | { readonly _tag: "HolderShape"; readonly entry: Entry }
  | {
    readonly _tag: "HolderGone"
    readonly provider: ModuleOn
    readonly key: string
    readonly contract: ProvisionContract | undefined
    readonly waits: Waits
    readonly missing: "definition" | "assignment" | "seat"
  }
  | { readonly _tag: "Own" }
  | { readonly _tag: "Nobody" }
  | { readonly _tag: "NoHolder"; readonly candidate: ModuleOn; readonly seat: string }
  | { readonly _tag: "NoCandidate"; readonly candidates: ReadonlyArray<Candidate>; readonly more: number }

/** Resolves a claim of bound needs: held, else own, else the best of the candidates (protocol §5.2). */
export const resolve = (mesh: Mesh, claim: Claim): Resolution => {
  const pin = pinOf(mesh, claim)
  const holding = holdersOf(mesh, claim, pin)
  const [holder] = holding
  if (holder !== undefined) {
    return holding.length > 1
      ? { _tag: "TwoHolders", modules: holding.map(({ module }) => module) }
      : resolveHeld(mesh, claim, pin, holder)
  }
  return pin === undefined && answersItself(mesh, claim) ? { _tag: "Own" } : resolveAmongCandidates(mesh, claim, pin)
}

const holdersOf = (mesh: Mesh, claim: Claim, pin: Pin | undefined): ReadonlyArray<Entry> => {
  const { entries } = claim
  return entries.length === 0 ? entries : entries.filter((entry) => holds(mesh, claim, pin, entry))
}

const holds = (mesh: Mesh, claim: Claim, pin: Pin | undefined, { fact, module }: Entry): boolean => {
  const definition = mesh.facts.modules.value(module)
  if (definition !== undefined && !namesProvision(definition, claim.provision)) {
    return false
  }
  if (fact.value === undefined) {
    return pin?.module === undefined || pin.module === module
  }
  return fact.value.state !== "retired" && !excludes(pin, { node: fact.value.by, module })
}

const excludes = (pin: Pin | undefined, { module, node }: ModuleOn): boolean =>
  (pin?.node !== undefined && pin.node !== node) || (pin?.module !== undefined && pin.module !== module)

const resolveHeld = (mesh: Mesh, claim: Claim, pin: Pin | undefined, entry: Entry): Resolution => {
  const { fact: { value }, module } = entry
  if (value === undefined) {
    return { _tag: "HolderShape", entry }
  }
  const contract = contractOf(mesh, module, claim.provision)
  const by = { node: value.by, module }
  if (contract === undefined) {
    const waits = { bucket: "mesh-controller_modules", key: module }
    const key = writeKey(by.node, module)
    const provider = mesh.sharedProvider(key, by)
    return { _tag: "HolderGone", provider, key, contract, waits, missing: "definition" }
  }
  const holder = contract.seat === undefined ? undefined : holderOf(mesh, contract.seat).holder
  const takesOver = holder !== undefined && holder.module === module && !excludes(pin, holder)
  const key = writeKey(takesOver ? holder.node : value.by, module)
  const provider = mesh.sharedProvider(key, takesOver ? holder : by)
  if (mesh.facts.assignments.value(key) === undefined) {
    const waits = { bucket: bucketName.assignments, key }
    return { _tag: "HolderGone", provider, key, contract, waits, missing: "assignment" }
  }
  if (contract.seat !== undefined && !takesOver) {
    return { _tag: "HolderGone", provider, key, contract, waits: seatAt(contract.seat), missing: "seat" }
  }
  return { _tag: "Served", provider, key, contract, isHeld: true }
}

/** Whether the module answers the claim by itself, as it has applied, and every need of the claim lets it (protocol §5.2). */
const answersItself = (mesh: Mesh, claim: Claim): boolean => {
  const applied = mesh.facts.applied.value(claim.consumer)
  const instance = mesh.facts.assignments.value(claim.consumer)?.instance
  const ofThisInstance = applied?.instance === undefined || instance === undefined || applied.instance === instance
  return ofThisInstance && applied?.own?.includes(writeKey(claim.provision, claim.local)) === true &&
    claim.needs.every(({ value }) => value.own === true)
}

const resolveAmongCandidates = (mesh: Mesh, claim: Claim, pin: Pin | undefined): Resolution => {
  const judge = judgeOf(mesh, claim, pin)
  const ranking = new Ranking(mesh, claim)
  const providers = mesh.providers.get(claim.provision)
  // One on the consumer's own node that is not lost and not draining comes before all others: no need to look at them.
  const near = best(claim, ranking, judge, providers?.on(claim.node) ?? [])
  if (near !== undefined && ranking.rank(near) >= rankOfOwnNode) {
    return served(mesh, near)
  }
  const all = providers?.all ?? []
  const found = best(claim, ranking, judge, all)
  if (found !== undefined) {
    return served(mesh, found)
  }
  const candidates = all.filter(({ key }) => key !== claim.consumer)
  const [first] = candidates
  if (first === undefined) {
    return { _tag: "Nobody" }
  }
  const forSeat = candidates.every((candidate) => seatIsEmpty(mesh, candidate))
  return forSeat && first.contract.seat !== undefined
    ? { _tag: "NoHolder", candidate: { node: first.node, module: first.module }, seat: first.contract.seat }
    : { _tag: "NoCandidate", ...rejected(candidates, judge) }
}

const served = (mesh: Mesh, candidate: Provider): Resolution => ({
  _tag: "Served",
  provider: mesh.sharedProvider(candidate.key, candidate),
  key: candidate.key,
  contract: candidate.contract,
  isHeld: false
})

const best = (
  claim: Claim,
  ranking: Ranking,
  judge: Judge,
  candidates: ReadonlyArray<Provider>
): Provider | undefined => {
  let first: Provider | undefined
  for (const candidate of candidates) {
    const isFit = candidate.key !== claim.consumer && judge(candidate) === undefined
    if (isFit && (first === undefined || ranking.outranks(candidate, first))) {
      first = candidate
    }
  }
  return first
}

/** Whether a candidate serves a claim rather than the one that did among all others (protocol §5.2). */
export const wins = (mesh: Mesh, claim: Claim, candidate: Provider, other: Provider): boolean =>
  candidate.key !== claim.consumer && new Ranking(mesh, claim).outranks(candidate, other) &&
  judgeOf(mesh, claim, pinOf(mesh, claim))(candidate) === undefined

const seatIsEmpty = (mesh: Mesh, { contract }: Provider): boolean =>
  contract.seat !== undefined && holderOf(mesh, contract.seat).holder === undefined

const rejected = (candidates: ReadonlyArray<Provider>, judge: Judge) => ({
  candidates: candidates.slice(0, candidatesMax).flatMap((candidate): ReadonlyArray<Candidate> => {
    const rejection = judge(candidate)
    return rejection === undefined ? [] : [{ node: candidate.node, module: candidate.module, ...rejection }]
  }),
  more: Math.max(0, candidates.length - candidatesMax)
})

/** Why a candidate, or the provider that serves a claim, does not answer. */
export interface Rejection {
  readonly reason: CandidateReason
  readonly why: string
}

type Judge = (candidate: Provider) => Rejection | undefined

/** The needs that a candidate of a claim is to meet: those that count, or all where none does. */
const judgedNeeds = ({ needs }: Claim): ReadonlyArray<Need> => {
  const [only] = needs
  if (only !== undefined && needs.length === 1) {
    return [only.value]
  }
  const counting = needs.filter(({ value }) => value.optional !== true)
  // By key: which of several unmet needs is named is not to depend on which came first.
  return [...(counting.length > 0 ? counting : needs)].sort((one, other) => one.key < other.key ? -1 : 1)
    .map(({ value }) => value)
}

/** Judges the candidates of a claim, for the first of the reasons that holds (protocol §5.2). */
const judgeOf = (mesh: Mesh, claim: Claim, pin: Pin | undefined): Judge => {
  const needs = judgedNeeds(claim)
  // A provision's contract is the same wherever its module is assigned: most candidates have that of the one before.
  let last: ProvisionContract | undefined
  let unmet: Rejection | undefined
  const meetsAll = (contract: ProvisionContract): Rejection | undefined => {
    if (contract !== last) {
      last = contract
      unmet = firstUnmet(mesh, contract, needs)
    }
    return unmet
  }
  return (candidate) => {
    const { contract, isDraining } = candidate
    const holder = contract.seat === undefined ? undefined : holderOf(mesh, contract.seat).holder
    if (contract.seat !== undefined && (holder?.node !== candidate.node || holder.module !== candidate.module)) {
      return { reason: "seat", why: candidateWhy.seat(contract.seat, holder) }
    }
    if (pin !== undefined && excludes(pin, candidate)) {
      return { reason: "pin", why: candidateWhy.pin(pin) }
    }
    const unmet = meetsAll(contract)
    if (unmet !== undefined) {
      return unmet
    }
    return isDraining && contract.credential === "consumer"
      ? { reason: "draining", why: candidateWhy.draining() }
      : undefined
  }
}

// Every need's range before any need's field: the reasons are in the order of their table.
const firstUnmet = (mesh: Mesh, contract: ProvisionContract, needs: ReadonlyArray<Need>): Rejection | undefined => {
  const [only] = needs
  if (only !== undefined && needs.length === 1) {
    return unmetBy(mesh, contract, only)
  }
  const unmet = needs.map((need) => unmetBy(mesh, contract, need))
  return unmet.find((rejection) => rejection?.reason === "contract") ??
    unmet.find((rejection) => rejection !== undefined)
}

/** Why a contract does not meet one need: its version is out of the need's range, or it lacks a field (protocol §5.2). */
export const unmetBy = (mesh: Mesh, contract: ProvisionContract, need: Need): Rejection | undefined => {
  if (need.contract !== undefined && !mesh.inRange(contract.version, need.contract)) {
    return { reason: "contract", why: candidateWhy.contract(contract.version, need.contract) }
  }
  const field = need.fields?.find((name) => !contract.fields.has(name))
  return field === undefined ? undefined : { reason: "field", why: candidateWhy.field(field) }
}

/** Ranks the candidates of one claim (protocol §5.2). What is of the claim alone is looked up once. */
class Ranking {
  readonly #mesh: Mesh
  readonly #node: string
  readonly #site: string | undefined
  readonly #claim: string
  #scores: ((candidateKey: string) => number) | undefined
  /** What was ranked last as the best so far: each of many candidates is held against it. */
  #best: Provider | undefined
  #bestRank = 0
  #bestScore = 0

  constructor(mesh: Mesh, { key, node }: Claim) {
    this.#mesh = mesh
    this.#node = node
    this.#site = mesh.facts.machines.value(nodeToken(key))?.site
    this.#claim = key
  }

  #score(candidateKey: string): number {
    this.#scores ??= scoresOf(this.#claim)
    return this.#scores(candidateKey)
  }

  /** What counts before the score, the weightiest first: not lost, not draining, on the same node, on the same site. */
  rank({ isDraining, machine, node }: Provider): number {
    const on = this.#mesh.facts.machines.value(machine)
    return (on?.lost === true ? 0 : 8) + (isDraining ? 0 : 4) + (node === this.#node ? 2 : 0) +
      (this.#site !== undefined && this.#site === on?.site ? 1 : 0)
  }

  /** Whether one candidate comes before another: by rank, then by score, then by key. */
  outranks(one: Provider, other: Provider): boolean {
    if (this.#best !== other) {
      this.#best = other
      this.#bestRank = this.rank(other)
      this.#bestScore = this.#score(other.key)
    }
    const rank = this.rank(one)
    if (rank !== this.#bestRank) {
      return rank > this.#bestRank
    }
    const score = this.#score(one.key)
    return score !== this.#bestScore ? score > this.#bestScore : one.key < other.key
  }
}

const rankOfOwnNode = 8 + 4 + 2
