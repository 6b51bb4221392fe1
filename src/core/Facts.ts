/**
 * The facts: everything that others wrote on the bus, each decoded once, as it arrives (protocol §3). One bad fact is
 * listed and never touches another.
 */
import type * as Result from "effect/Result"
import { factBuckets } from "./Bucket.ts"
import { boundBucket, isDecisionBucket, moduleOfBoundBucket } from "./BucketName.ts"
import {
  decodeFact,
  type Fact,
  isNamed,
  isSound,
  type NamedFact,
  readJson,
  type Row,
  type SoundFact,
  type Value
} from "./Decode.ts"
import type { Bound } from "./fact/Bound.ts"
import type { Json } from "./Json.ts"
import type { Part } from "./Key.ts"
import { type Snapshot, valuesOf } from "./Snapshot.ts"

/** A change of the bus as it arrives: the value that a key holds now, or none where the key is gone. */
export interface Change {
  readonly bucket: string
  readonly key: string
  readonly value?: Value
}

/** The facts of one bucket, by key. */
export class Table<P extends Part = never, A = unknown> {
  readonly #decode: (key: string, value: Value) => Fact<P, A>
  readonly #facts = new Map<string, Fact<P, A>>()

  constructor(row: Row<P, A>, names: SharedNames) {
    this.#decode = (key, value) => decodeFact(row, key, value, names.share)
  }

  /** Every fact, in shape or not. */
  all(): Iterable<Fact<P, A>> {
    return this.#facts.values()
  }

  /** The facts whose key is in shape. */
  *named(): Iterable<NamedFact<P, A>> {
    for (const fact of this.#facts.values()) {
      if (isNamed(fact)) {
        yield fact
      }
    }
  }

  /** The facts in shape. */
  *sound(): Iterable<SoundFact<P, A>> {
    for (const fact of this.#facts.values()) {
      if (isSound(fact)) {
        yield fact
      }
    }
  }

  /** The fact at a key, in shape or not. */
  fact(key: string): Fact<P, A> | undefined {
    return this.#facts.get(key)
  }

  /** The value at a key; a fact out of shape counts as absent (protocol §3). */
  value(key: string): A | undefined {
    return this.#facts.get(key)?.value
  }

  /** How many keys the bucket holds. */
  get size(): number {
    return this.#facts.size
  }

  /** What a key that holds a value says, without keeping it. */
  read(key: string, value: Value): Fact<P, A> {
    return this.#decode(key, value)
  }

  /** Keeps what a key says now, as it was read; nothing where the key is gone. */
  keep(key: string, fact: Fact<P, A> | undefined): void {
    if (fact === undefined) {
      this.#facts.delete(key)
    } else {
      this.#facts.set(key, fact)
    }
  }

  /** Keeps what a key holds now. */
  put(key: string, value: Value): void {
    this.keep(key, this.read(key, value))
  }

  /** The key is gone. */
  remove(key: string): void {
    this.keep(key, undefined)
  }

  /** Every key is gone. */
  clear(): void {
    this.#facts.clear()
  }
}

/** The names that keys are made of, each kept once: a mesh has many keys and few names. */
class SharedNames {
  readonly #names = new Map<string, string>()

  readonly share = (name: string): string => {
    const known = this.#names.get(name)
    if (known !== undefined) {
      return known
    }
    if (this.#names.size >= namesSharedMax) {
      this.#names.clear()
    }
    // What was cut from a key would keep all of the key.
    const own = name.split("").join("")
    this.#names.set(own, own)
    return own
  }
}

/** Names that are shared at most; past it they are forgotten, and shared anew. */
const namesSharedMax = 100_000

/** A provider's bound entries, by the key of their claim. */
export type BoundTable = Table<"node" | "module" | "provision", Bound>

/** What a key of a definition's own bucket holds: JSON, or what is wrong with it. */
type StrangersTable = Map<string, Result.Result<Json, string>>

/**
 * Everything that others wrote, decoded (protocol §3).
 *
 * @example
 * ```ts
 * import { decide, Facts } from "mesh-provisioner/core"
 *
 * const facts = new Facts()
 * facts.apply({ bucket: "mesh-controller_assignments", key: "n1.shop", value: { build: "s1" } })
 * decide(facts).plans.get("n1.shop")?.state // "ready"
 * ```
 */
export class Facts {
  /** The names that keys are made of. */
  readonly names = new SharedNames()
  readonly modules = new Table(factBuckets.modules, this.names)
  readonly assignments = new Table(factBuckets.assignments, this.names)
  readonly machines = new Table(factBuckets.machines, this.names)
  readonly seats = new Table(factBuckets.seats, this.names)
  readonly configValues = new Table(factBuckets.configValues, this.names)
  readonly haves = new Table(factBuckets.haves, this.names)
  readonly needs = new Table(factBuckets.needs, this.names)
  readonly applied = new Table(factBuckets.applied, this.names)
  readonly collect = new Table(factBuckets.collect, this.names)
  readonly answers = new Table(factBuckets.answers, this.names)
  /** Every provider's bound bucket that is there, by the provider module (protocol §9: one that is not is empty). */
  readonly bound = new Map<string, BoundTable>()
  readonly #strangers = new Map<string, StrangersTable>()
  readonly #named: ReadonlyMap<string, Table> = new Map<string, Table>([
    [factBuckets.modules.name, this.modules],
    [factBuckets.assignments.name, this.assignments],
    [factBuckets.machines.name, this.machines],
    [factBuckets.seats.name, this.seats],
    [factBuckets.configValues.name, this.configValues],
    [factBuckets.haves.name, this.haves],
    [factBuckets.needs.name, this.needs],
    [factBuckets.applied.name, this.applied],
    [factBuckets.collect.name, this.collect],
    [factBuckets.answers.name, this.answers]
  ])

  /** The facts of a snapshot; what it holds of decisions is no fact. */
  static fromSnapshot(snapshot: Snapshot): Facts {
    const facts = new Facts()
    for (const bucket of [...Object.keys(snapshot.buckets), ...Object.keys(snapshot.raw ?? {})]) {
      facts.openBucket(bucket)
    }
    for (const change of valuesOf(snapshot)) {
      facts.apply(change)
    }
    return facts
  }

  /** Takes a change in: decodes it and keeps what it says now. A change of a decision bucket is none of facts. */
  apply({ bucket, key, value }: Change): void {
    if (isDecisionBucket(bucket)) {
      return
    }
    this.openBucket(bucket)
    const table = this.table(bucket)
    if (table === undefined) {
      this.keepStranger(bucket, key, value === undefined ? undefined : readJson(value))
    } else if (value === undefined) {
      table.remove(key)
    } else {
      table.put(key, value)
    }
  }

  /** The bucket is there, though it may be empty: where a provider's is not, its credentials are held (protocol §6.1). */
  openBucket(bucket: string): void {
    const module = moduleOfBoundBucket(bucket)
    if (module !== undefined && !this.bound.has(module)) {
      this.bound.set(module, new Table(factBuckets.bound, this.names))
    } else if (module === undefined && !this.#named.has(bucket) && !this.#strangers.has(bucket)) {
      this.#strangers.set(bucket, new Map())
    }
  }

  /** The bucket is not there, and with it all that it held. */
  closeBucket(bucket: string): void {
    this.#named.get(bucket)?.clear()
    this.bound.delete(moduleOfBoundBucket(bucket) ?? "")
    this.#strangers.delete(bucket)
  }

  /** The facts of a bucket of protocol §3, or `undefined` where it is none of them or is not there. */
  table(bucket: string): Table | undefined {
    return this.#named.get(bucket) ?? this.bound.get(moduleOfBoundBucket(bucket) ?? "")
  }

  /** What a key of a definition's own bucket holds, if anything (protocol §5.1). */
  stranger(bucket: string, key: string): Result.Result<Json, string> | undefined {
    return this.#strangers.get(bucket)?.get(key)
  }

  /** The keys of a definition's own bucket; none where it is not there. */
  strangers(bucket: string): ReadonlyArray<string> {
    return [...this.#strangers.get(bucket)?.keys() ?? []]
  }

  /** Keeps what a key of a definition's own bucket that is there holds now; nothing where the key is gone. */
  keepStranger(bucket: string, key: string, value: Result.Result<Json, string> | undefined): void {
    if (value === undefined) {
      this.#strangers.get(bucket)?.delete(key)
    } else {
      this.#strangers.get(bucket)?.set(key, value)
    }
  }

  /** Whether a bucket is there: those that protocol §3 names always are. */
  isThere(bucket: string): boolean {
    return this.table(bucket) !== undefined || this.#strangers.has(bucket)
  }

  /** Every bucket of protocol §3 that is there, with its facts. */
  *tables(): Iterable<readonly [bucket: string, table: Table]> {
    yield* this.#named
    for (const [module, table] of this.bound) {
      yield [boundBucket(module), table]
    }
  }
}

/** The facts of one bucket as others may read them. */
export type TableView<P extends Part = never, A = unknown> = Pick<
  Table<P, A>,
  "all" | "fact" | "named" | "size" | "sound" | "value"
>

/** The facts as others may read them: as they stand, and not to be changed. */
export type FactsView =
  & { readonly [Name in FactTable]: Facts[Name] extends Table<infer P, infer A> ? TableView<P, A> : never }
  & {
    readonly bound: ReadonlyMap<string, TableView<"node" | "module" | "provision", Bound>>
    readonly table: (bucket: string) => TableView | undefined
    readonly tables: () => Iterable<readonly [bucket: string, table: TableView]>
    readonly stranger: (bucket: string, key: string) => Result.Result<Json, string> | undefined
    readonly isThere: (bucket: string) => boolean
  }

type FactTable =
  | "modules"
  | "assignments"
  | "machines"
  | "seats"
  | "configValues"
  | "haves"
  | "needs"
  | "applied"
  | "collect"
  | "answers"

/** The buckets in which definitions say that a kind of need is answered (protocol §3, `answers`). */
export const answerBuckets = (facts: FactsView): ReadonlySet<string> =>
  new Set(
    [...facts.modules.sound()].flatMap(({ value }) =>
      [...value.answers.values()].flatMap((answer) => "bucket" in answer ? [answer.bucket] : [])
    )
  )
