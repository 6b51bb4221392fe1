/**
 * The facts as the rules look at them: needs by claim, bound entries by claim, providers by provision, items by
 * collection. `decide` builds them anew for each decision, from the facts alone; the engine keeps the same up.
 */
import { boundBucket } from "./BucketName.ts"
import type { ModuleOn, Outcome, Provision, Waits } from "./Decision.ts"
import type { Fact, NamedFact, SoundFact } from "./Decode.ts"
import { digest, digestOfText } from "./Digest.ts"
import type { Pin } from "./fact/Assignment.ts"
import { type Bound, makersOf } from "./fact/Bound.ts"
import type { ProvisionContract } from "./fact/Definition.ts"
import type { Need } from "./fact/Need.ts"
import type { Seat } from "./fact/Seat.ts"
import type { Facts } from "./Facts.ts"
import { addTo } from "./Group.ts"
import type { Json, JsonObject } from "./Json.ts"
import { consumerOfBrokenKey, nodeToken, writeKey } from "./Key.ts"
import { once, onceByKey } from "./Once.ts"
import { type Registry, registryOf } from "./Registry.ts"
import { inRangeOnce } from "./Version.ts"
import { notTheVault } from "./Words.ts"

/** A need whose key is in shape, whatever became of its value. */
export type NeedFact = NamedFact<"node" | "module" | "kind" | "name", Need>

/** A need in shape. */
export type SoundNeed = SoundFact<"node" | "module" | "kind" | "name", Need>

/** What one provider answers: a consumer, a provision and a local name, with the needs that share it (protocol §1). */
export interface Claim extends ModuleOn {
  readonly key: string
  /** The key of the consumer's assignment. */
  readonly consumer: string
  readonly provision: string
  readonly local: string | undefined
  readonly needs: ReadonlyArray<SoundNeed>
  /** The bound entries of it, in the order of their modules. */
  readonly entries: ReadonlyArray<Entry>
}

/** A bound entry of a claim, in shape or not, and the module in whose bucket it is. */
export interface Entry {
  readonly module: string
  readonly fact: NamedFact<"node" | "module" | "provision", Bound>
}

/** An assigned module that provides a provision, on one node. */
export interface Provider extends ModuleOn {
  /** The key of its assignment. */
  readonly key: string
  /** The key of its node's machine. */
  readonly machine: string
  readonly isDraining: boolean
  readonly contract: ProvisionContract
}

/** The assigned modules that provide one provision. */
export interface Providers {
  /** In the order of their keys. */
  readonly all: ReadonlyArray<Provider>
  /** Those on one node. */
  readonly on: (node: string) => ReadonlyArray<Provider>
}

/** The holder of a seat, or why it has none. */
export type Holder = {
  readonly holder: ModuleOn
  /** The key of the holder's assignment. */
  readonly key: string
  readonly wrong?: undefined
} | {
  readonly holder?: undefined
  readonly key?: undefined
  readonly wrong: string | undefined
}

/** The items of a collection on one node, by contributor. */
export interface Collection {
  readonly items: JsonObject
  readonly count: number
}

/** The facts with the look-ups that the rules need. */
export interface Mesh {
  readonly facts: Facts
  readonly registry: Registry
  /** Consumers, by the key of their assignment, one of whose needs is out of shape, key or value. */
  readonly brokenConsumers: Pick<ReadonlySet<string>, "has">
  /** The assigned modules that provide a provision, by its name: of the provisions that some claim is of. */
  readonly providers: LookUp<Providers>
  readonly assignedModules: Pick<ReadonlySet<string>, "has">
  /** The collections, by `<node>.<collection>` in tokens. */
  readonly collections: LookUp<Collection>
  /** The holder of a seat, looked up once. */
  readonly holder: (seat: string) => Holder
  readonly digest: (value: Json) => string
  /** The digest of a value whose canonical JSON is there. */
  readonly digestOfText: (canonical: string) => string
  /** The digest of a value that many needs may share, taken once. */
  readonly sharedDigest: (value: Json) => string
  /** A provider as all that is decided names it, by the key of its assignment. */
  readonly sharedProvider: (key: string, provider: ModuleOn) => ModuleOn
  /** The outcome of a provider that many needs may share, by the key of its assignment, made once. */
  readonly sharedOutcome: (provider: string, make: () => Outcome) => Outcome
  /** The decision on each need that a provider meets by its own outcome, by the key of its assignment, made once. */
  readonly sharedProvision: (provider: string, make: () => Provision) => Provision
  /** The makers of an entry, looked up once for all that is asked about them. */
  readonly makersOf: (entry: Bound) => ReadonlySet<string>
  /** Whether a version is in a range, each pair looked at once. */
  readonly inRange: (version: string, range: string) => boolean
}

/** What is found by a text. */
export type LookUp<A> = Pick<ReadonlyMap<string, A>, "get">

/** The whole of a mesh, with the lists that are walked to decide everything. */
export interface WholeMesh extends Mesh {
  readonly claims: ReadonlyMap<string, Claim>
  readonly entries: ReadonlyMap<string, ReadonlyArray<Entry>>
}

/** Looks at the facts as the rules do. */
export const meshOf = (facts: Facts): WholeMesh => {
  const entries = entriesOf(facts)
  const needs = needsOf(facts, entries)
  return {
    facts,
    registry: registryOf(facts),
    ...needs,
    entries,
    ...providersOf(facts, new Set([...needs.claims.values()].map(({ provision }) => provision))),
    collections: collectionsOf(facts),
    holder: once((seat) => readHolder(facts, seat)),
    digest,
    digestOfText,
    sharedDigest: once(digest),
    sharedProvider: (_, { module, node }) => ({ node, module }),
    sharedOutcome: onceByKey<Outcome>(),
    sharedProvision: onceByKey<Provision>(),
    makersOf: once(makersOf),
    inRange: inRangeOnce()
  }
}

/** The claim of a need, if it is one that a provider answers per claim: a `bound` need's, or an own secret's. */
export const claimKeyOf = (need: SoundNeed): string | undefined => {
  const claimed = claimedBy(need)
  return claimed && claimKeyAt(need.names, claimed)
}

/** The key of a claim of a module on a node. */
export const claimKeyAt = (
  { module, node }: ModuleOn,
  { local, provision }: { readonly provision: string; readonly local: string | undefined }
): string => writeKey(node, module, provision, local)

/** The provision and local name of a need's claim, if it is one that a provider answers per claim. */
export const claimedBy = (
  { names: { kind, name }, value }: SoundNeed
): { readonly provision: string; readonly local: string | undefined } | undefined => {
  if (kind === "bound") {
    return { provision: value.provision ?? name, local: value.local }
  }
  return kind === "secret" ? { provision: "secret", local: name } : undefined
}

const needsOf = (facts: Facts, entries: WholeMesh["entries"]): Pick<WholeMesh, "claims" | "brokenConsumers"> => {
  const claims = new Map<string, Claim & { readonly needs: Array<SoundNeed> }>()
  const brokenConsumers = new Set<string>()
  for (const need of facts.needs.all()) {
    const consumer = need.value === undefined ? consumerOfBrokenKey(need.key) : undefined
    if (consumer !== undefined) {
      brokenConsumers.add(consumer)
    }
  }
  for (const need of facts.needs.sound()) {
    const claimed = claimedBy(need)
    const key = claimKeyOf(need)
    const claim = key === undefined ? undefined : claims.get(key)
    if (claim !== undefined) {
      claim.needs.push(need)
    } else if (key !== undefined && claimed !== undefined) {
      const { module, node } = need.names
      const consumer = writeKey(node, module)
      claims.set(key, { key, node, module, consumer, ...claimed, needs: [need], entries: entries.get(key) ?? [] })
    }
  }
  return { claims, brokenConsumers }
}

const entriesOf = (facts: Facts): WholeMesh["entries"] => {
  const entries = new Map<string, Array<Entry>>()
  for (const [module, table] of [...facts.bound].sort(([one], [other]) => one < other ? -1 : 1)) {
    for (const fact of table.named()) {
      addTo(entries, fact.key, { module, fact })
    }
  }
  return entries
}

const providersOf = (
  facts: Facts,
  asked: ReadonlySet<string>
): Pick<Mesh, "providers" | "assignedModules"> => {
  const providers = new Map<string, Array<Provider>>()
  const assignedModules = new Set<string>()
  const provided = once((module: string) =>
    [...facts.modules.value(module)?.provides ?? []].filter(([provision]) => asked.has(provision))
  )
  const assigned = [...facts.assignments.sound()].sort((one, other) => one.key < other.key ? -1 : 1)
  for (const { key, names: { module, node }, value } of assigned) {
    assignedModules.add(module)
    const machine = nodeToken(key)
    for (const [provision, contract] of provided(module)) {
      addTo(providers, provision, { key, machine, node, module, isDraining: value.draining === true, contract })
    }
  }
  return {
    providers: new Map([...providers].map(([provision, all]) => [provision, { all, on: byNode(all) }])),
    assignedModules
  }
}

const byNode = (all: ReadonlyArray<Provider>): Providers["on"] => {
  const found = new Map<string, Array<Provider>>()
  for (const provider of all) {
    addTo(found, provider.node, provider)
  }
  return (node) => found.get(node) ?? []
}

const collectionsOf = (facts: Facts): ReadonlyMap<string, Collection> => {
  const collections = new Map<string, Array<readonly [contributor: string, item: Json]>>()
  for (const { names: { collection, contributor, node }, value } of facts.collect.sound()) {
    addTo(collections, writeKey(node, collection), [contributor, value])
  }
  return new Map(
    [...collections].map(([key, items]) => [key, { items: Object.fromEntries(items), count: items.length }])
  )
}

/** The pin of a claim, if its consumer's assignment has one (protocol §3). */
export const pinOf = (mesh: Mesh, { consumer, local, provision }: Claim): Pin | undefined => {
  const pins = mesh.facts.assignments.value(consumer)?.pins
  const key = writeKey(provision, local)
  return pins !== undefined && Object.hasOwn(pins, key) ? pins[key] : undefined
}

/** The holder of a seat (protocol §5.1). */
export const holderOf = (mesh: Mesh, seat: string): Holder => mesh.holder(seat)

/** The holder of a seat as the facts have it now. */
export const readHolder = (facts: Facts, seat: string): Holder => holderBy(seat, facts.seats.fact(writeKey(seat)))

/** The holder that a seat's fact names: that of seat `vault` is of module `mesh-vault`, or it is none (protocol §5.1). */
export const holderBy = (seat: string, fact: Fact<"seat", Seat> | undefined): Holder => {
  const holder = fact?.value
  if (holder === undefined) {
    return { wrong: fact?.why }
  }
  return seat === "vault" && holder.module !== vaultModule
    ? { wrong: notTheVault(holder.module) }
    : { holder, key: writeKey(holder.node, holder.module) }
}

/** The module that holds seat `vault` (protocol §4, §5.1). */
export const vaultModule = "mesh-vault"

/** What a provision of a module is, if its definition has it in shape. */
export const contractOf = (mesh: Mesh, module: string, provision: string): ProvisionContract | undefined =>
  mesh.facts.modules.value(module)?.provides.get(provision)

/** What one module's bucket says of a claim, in shape or not. */
export const saidBy = ({ entries }: Pick<Claim, "entries">, by: string): Entry["fact"] | undefined => {
  for (const { fact, module } of entries) {
    if (module === by) {
      return fact
    }
  }
  return undefined
}

/** The entry in one module's bucket by the key of its claim, in shape or not. */
export const entryOf = (
  mesh: Mesh,
  module: string,
  claimKey: string
): Fact<"node" | "module" | "provision", Bound> | undefined => mesh.facts.bound.get(module)?.fact(claimKey)

/** Where a module on a node is assigned. */
export const assignmentAt = ({ module, node }: ModuleOn): Waits => ({
  bucket: "mesh-controller_assignments",
  key: writeKey(node, module)
})

/** Where a module's bound entry of a claim is. */
export const boundAt = (module: string, claimKey: string): Waits => ({ bucket: boundBucket(module), key: claimKey })

/** Where a seat's holder is named. */
export const seatAt = (seat: string): Waits => ({ bucket: "mesh-controller_seats", key: writeKey(seat) })
