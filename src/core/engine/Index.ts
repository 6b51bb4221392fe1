/**
 * All records by what they are found by, and how they are put in and taken out. It is the mesh as the rules look at it,
 * kept up instead of built anew.
 */
import type { ModuleOn, Outcome, OutOfShape, Provision, Waits } from "../Decision.ts"
import { canonicalJson } from "../Digest.ts"
import { type Bound, makersOf } from "../fact/Bound.ts"
import { Facts } from "../Facts.ts"
import type { Json } from "../Json.ts"
import { nodeToken } from "../Key.ts"
import {
  type Claim,
  type Collection,
  type Holder,
  type LookUp,
  type Mesh,
  type Providers,
  readHolder,
  vaultModule
} from "../Mesh.ts"
import { readToken } from "../Name.ts"
import { type Registry, registryOf } from "../Registry.ts"
import { inRange } from "../Version.ts"
import { ProvisionRecord } from "./Candidates.ts"
import { Counts } from "./Counts.ts"
import { putInShort, takeOut } from "./Dense.ts"
import { withoutItem } from "./Few.ts"
import { Orders } from "./Orders.ts"
import {
  type AskRecord,
  ClaimRecord,
  CollectionRecord,
  ConsumerRecord,
  ModuleRecord,
  type NeedRecord,
  OfferRecord,
  ProviderRecord
} from "./Record.ts"

/** The records of the engine, and the mesh that they are to the rules. */
export class Index implements Mesh {
  readonly facts = new Facts()
  readonly digestOfText: (canonical: string) => string
  registry: Registry = registryOf(this.facts)
  readonly consumers = new Map<string, ConsumerRecord>()
  readonly needs = new Map<string, NeedRecord>()
  readonly claims = new Map<string, ClaimRecord>()
  readonly counts = new Counts()
  readonly asks = new Map<string, AskRecord>()
  readonly answersOver = new Set<string>()
  readonly outOfShape = new Map<string, OutOfShape>()
  readonly providerRecords = new Map<string, ProviderRecord>()
  readonly modules = new Map<string, ModuleRecord>()
  readonly provisions = new Map<string, ProvisionRecord>()
  readonly collectionRecords = new Map<string, CollectionRecord>()
  /** The modules on a node, by its token. */
  readonly nodes = new Map<string, Set<ConsumerRecord>>()
  /** The needs of each kind whose answer is a definition's, or a seat's verb. */
  readonly needsByKind = new Map<string, Set<NeedRecord>>()
  /** The needs that address an entry of a definition's own bucket, by bucket and key. */
  readonly strangersReaders = new Map<string, Set<NeedRecord>>()
  /** Where each of those needs is found among them. */
  readonly strangersRead = new Map<NeedRecord, Waits>()
  readonly offersBySeat = new Map<string, Set<OfferRecord>>()
  /** The provisions whose contract has secret fields. */
  readonly secretOffers = new Set<OfferRecord>()
  /** The holders of seats that were looked up since the seat changed. */
  readonly holders = new Map<string, Holder>()
  /** The seats that a module on a node holds, by the key of its assignment. */
  readonly seatsHeld = new Map<string, Set<string>>()
  readonly orders = new Orders()
  readonly #digests = new WeakMap<object, string>()
  readonly #makers = new WeakMap<Bound, ReadonlySet<string>>()
  readonly #ranges = new Map<string, Map<string, boolean>>()

  constructor(digestOfText: (canonical: string) => string) {
    this.digestOfText = digestOfText
  }

  // --- the mesh, as the rules look at it ---

  readonly brokenConsumers = { has: (key: string) => (this.consumers.get(key)?.brokenNeeds ?? 0) > 0 }
  readonly assignedModules = { has: (module: string) => (this.modules.get(module)?.assigned.size ?? 0) > 0 }
  readonly providers: LookUp<Providers> = this.provisions
  readonly collections = { get: (key: string) => collectionOf(this.collectionRecords.get(key)) }

  readonly holder = (seat: string): Holder => {
    const known = this.holders.get(seat) ?? readHolder(this.facts, seat)
    if (known.holder !== undefined) {
      this.holders.set(seat, known)
    }
    return known
  }

  // Only where there are others than one is it worth to be remembered.
  readonly makersOf = (entry: Bound): ReadonlySet<string> => {
    const known = entry.also === undefined ? makersOf(entry) : this.#makers.get(entry) ?? makersOf(entry)
    if (entry.also !== undefined) {
      this.#makers.set(entry, known)
    }
    return known
  }

  readonly digest = (value: Json): string => this.digestOfText(canonicalJson(value))

  readonly sharedDigest = (value: Json): string => {
    if (typeof value !== "object" || value === null) {
      return this.digest(value)
    }
    const known = this.#digests.get(value) ?? this.digest(value)
    this.#digests.set(value, known)
    return known
  }

  readonly sharedProvider = (key: string): ModuleOn => this.provider(key).on

  readonly sharedOutcome = (key: string, make: () => Outcome): Outcome => {
    const provider = this.provider(key)
    provider.have ??= make()
    return provider.have
  }

  readonly sharedProvision = (key: string, make: () => Provision): Provision => {
    const provider = this.provider(key)
    provider.provision ??= make()
    return provider.provision
  }

  readonly inRange = (version: string, range: string): boolean => {
    const ofVersion = made(this.#ranges, version, () => new Map<string, boolean>())
    const known = ofVersion.get(range)
    if (known !== undefined) {
      return known
    }
    if (ofVersion.size >= rangesKnownMax || this.#ranges.size >= rangesKnownMax) {
      this.#ranges.clear()
    }
    const isIn = inRange(version, range)
    ofVersion.set(range, isIn)
    return isIn
  }

  // --- records, made where they are not there ---

  consumer(key: string): ConsumerRecord {
    const found = this.consumers.get(key)
    if (found !== undefined) {
      return found
    }
    const made = new ConsumerRecord(key, moduleOnOf(key))
    this.consumers.set(key, made)
    addIn(this.nodes, nodeToken(key), made)
    return made
  }

  provider(key: string): ProviderRecord {
    return made(this.providerRecords, key, () => new ProviderRecord(key, moduleOnOf(key)))
  }

  claim(key: string, consumer: string, { local, provision }: Pick<Claim, "provision" | "local">): ClaimRecord {
    return made(this.claims, key, () => {
      const of = this.consumer(consumer)
      const claim = new ClaimRecord(key, of, provision, local)
      of.claims = putInShort(of.claims, claim, "consumerAt")
      return claim
    })
  }

  module(name: string): ModuleRecord {
    return made(this.modules, name, () => new ModuleRecord())
  }

  offer(module: string, provision: string): OfferRecord {
    return made(this.module(module).offers, provision, () => new OfferRecord(module, provision))
  }

  provision(name: string): ProvisionRecord {
    return made(this.provisions, name, () => new ProvisionRecord(name, this.facts))
  }

  collection(key: string): CollectionRecord {
    return made(this.collectionRecords, key, () => new CollectionRecord())
  }

  /** The module on a node that holds seat `vault`'s bucket of entries on a provision. */
  vaultOffer(provision: "secret" | "credential"): OfferRecord | undefined {
    return this.modules.get(vaultModule)?.offers.get(provision)
  }

  // --- records, taken out where nothing is left of them ---

  dropClaim(claim: ClaimRecord): void {
    const { answers, asksOfIt, credentialsOfIt, entriesOfIt, needsOfIt } = claim
    if ((needsOfIt ?? entriesOfIt ?? asksOfIt ?? credentialsOfIt ?? claim.accepts) !== undefined) {
      return
    }
    if ((answers?.size ?? 0) > 0 || claim.due > 0 || claim.areAsksDue) {
      return
    }
    this.claims.delete(claim.key)
    takeOut(claim.of.claims, claim, "consumerAt")
    const { opened } = claim
    if (opened !== undefined) {
      opened.credentialsOfIt = withoutItem(opened.credentialsOfIt, claim, "openedAt")
      this.dropClaim(opened)
    }
  }

  dropConsumer(consumer: ConsumerRecord): void {
    const { brokenNeeds, claims, due, key, needs, planHead } = consumer
    if (needs.length + claims.length + brokenNeeds === 0 && planHead === undefined && due === undefined) {
      this.consumers.delete(key)
      removeFrom(this.nodes, nodeToken(key), consumer)
    }
  }

  dropProvider({ asks, claims, key }: ProviderRecord): void {
    if (asks.length + claims.length === 0 && !this.seatsHeld.has(key)) {
      this.providerRecords.delete(key)
    }
  }

  dropOffer({ claims, entries, module, provision }: OfferRecord): void {
    const record = this.modules.get(module)
    const isProvided = this.facts.modules.value(module)?.provides.has(provision) === true
    if (claims.length + entries.length === 0 && !isProvided && record !== undefined) {
      record.offers.delete(provision)
      this.dropModule(module, record)
    }
  }

  dropModule(name: string, { assigned, offers }: ModuleRecord): void {
    if (assigned.size + offers.size === 0 && this.facts.modules.value(name) === undefined) {
      this.modules.delete(name)
    }
  }

  dropProvision(provision: ProvisionRecord): void {
    const { isEmpty, name } = provision
    if (isEmpty && this.provisions.get(name) === provision) {
      this.provisions.delete(name)
    }
  }

  dropCollection(key: string, { items, readers }: CollectionRecord): void {
    if (items.size + readers.size === 0) {
      this.collectionRecords.delete(key)
    }
  }
}

/** Versions, and ranges of each, that are remembered; past it all are forgotten. */
const rangesKnownMax = 1_000

const moduleOnOf = (key: string): ModuleOn => {
  const [node = "", module = ""] = key.split(".")
  return { node: readToken(node) ?? node, module }
}

const collectionOf = (record: CollectionRecord | undefined): Collection | undefined => {
  if (record !== undefined && record.items.size > 0) {
    record.made ??= { items: Object.fromEntries(record.items), count: record.items.size }
    return record.made
  }
  return undefined
}

const made = <A>(records: Map<string, A>, key: string, make: () => A): A => {
  const known = records.get(key)
  if (known !== undefined) {
    return known
  }
  const record = make()
  records.set(key, record)
  return record
}

/** Adds an item to the set of a key. */
export const addIn = <A>(sets: Map<string, Set<A>>, key: string, item: A): void => {
  const set = sets.get(key)
  if (set === undefined) {
    sets.set(key, new Set([item]))
  } else {
    set.add(item)
  }
}

/** Takes an item out of the set of a key. */
export const removeFrom = <A>(sets: Map<string, Set<A>>, key: string, item: A): void => {
  const set = sets.get(key)
  set?.delete(item)
  if (set?.size === 0) {
    sets.delete(key)
  }
}

/** Where an entry of a definition's own bucket is known by. */
export const strangerId = (bucket: string, key: string): string => `${bucket}/${key}`
