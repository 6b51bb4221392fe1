/**
 * The facts: everything that others wrote on the bus, each decoded once, as it arrives (protocol §3). One bad fact is
 * listed and never touches another.
 */
import type * as Result from "effect/Result"
import { factBuckets } from "./Bucket.ts"
import { isDecisionBucket, moduleOfBoundBucket } from "./BucketName.ts"
import { FactReader, readJson, type Value } from "./Decode.ts"
import type { Bound } from "./fact/Bound.ts"
import type { Json } from "./Json.ts"
import { SharedNames } from "./SharedNames.ts"
import { type Snapshot, valuesOf } from "./Snapshot.ts"
import { Table, type TableView } from "./Table.ts"

/** A change of the bus as it arrives: the value that a key holds now, or none where the key is gone. */
export interface Change {
  readonly bucket: string
  readonly key: string
  readonly value?: Value
}

/** A bucket that appeared, though it may be empty, or vanished with all that it held. */
export interface BucketChange {
  readonly bucket: string
  readonly isThere: boolean
}

/** What reads each bucket's keys: one for all facts there are. */
const readers = {
  modules: new FactReader(factBuckets.modules),
  assignments: new FactReader(factBuckets.assignments),
  machines: new FactReader(factBuckets.machines),
  seats: new FactReader(factBuckets.seats),
  configValues: new FactReader(factBuckets.configValues),
  haves: new FactReader(factBuckets.haves),
  needs: new FactReader(factBuckets.needs),
  applied: new FactReader(factBuckets.applied),
  collect: new FactReader(factBuckets.collect),
  answers: new FactReader(factBuckets.answers),
  bound: new FactReader(factBuckets.bound)
} as const

/** The buckets that are always there. */
const tableNames = [
  "modules",
  "assignments",
  "machines",
  "seats",
  "configValues",
  "haves",
  "needs",
  "applied",
  "collect",
  "answers"
] as const

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
  readonly modules = new Table(readers.modules, this.names)
  readonly assignments = new Table(readers.assignments, this.names)
  readonly machines = new Table(readers.machines, this.names)
  readonly seats = new Table(readers.seats, this.names)
  readonly configValues = new Table(readers.configValues, this.names)
  readonly haves = new Table(readers.haves, this.names)
  readonly needs = new Table(readers.needs, this.names)
  readonly applied = new Table(readers.applied, this.names)
  readonly collect = new Table(readers.collect, this.names)
  readonly answers = new Table(readers.answers, this.names)
  /** Every provider's bound bucket that is there, by the provider module (protocol §9: one that is not is empty). */
  readonly bound = new Map<string, BoundTable>()
  readonly #strangers = new Map<string, StrangersTable>()
  /** The tables by the names of their buckets: those that are always there, and those of providers' that are. */
  readonly #tables = new Map<string, Table>(
    tableNames.map((name) => [factBuckets[name].name, this[name]])
  )

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
  apply(change: Change | BucketChange): void {
    const { bucket } = change
    if (isDecisionBucket(bucket)) {
      return
    }
    if ("isThere" in change && !change.isThere) {
      this.closeBucket(bucket)
      return
    }
    if (!this.isThere(bucket)) {
      this.openBucket(bucket)
    }
    if (!("isThere" in change)) {
      this.#put(change)
    }
  }

  #put({ bucket, key, value }: Change): void {
    const table = this.#tables.get(bucket)
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
    if (this.isThere(bucket)) {
      return
    }
    if (module === undefined) {
      this.#strangers.set(bucket, new Map())
    } else {
      const table = new Table(readers.bound, this.names)
      this.bound.set(module, table)
      this.#tables.set(bucket, table)
    }
  }

  /** The bucket is not there, and with it all that it held. */
  closeBucket(bucket: string): void {
    const module = moduleOfBoundBucket(bucket)
    if (module === undefined) {
      this.#tables.get(bucket)?.clear()
      this.#strangers.delete(bucket)
    } else {
      this.bound.delete(module)
      this.#tables.delete(bucket)
    }
  }

  /** The facts of a bucket of protocol §3, or `undefined` where it is none of them or is not there. */
  table(bucket: string): Table | undefined {
    return this.#tables.get(bucket)
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

  /** Every bucket that is there, definitions' own among them. */
  buckets(): ReadonlyArray<string> {
    return [...this.#tables.keys(), ...this.#strangers.keys()]
  }

  /** Every bucket of protocol §3 that is there, with its facts. */
  tables(): Iterable<readonly [bucket: string, table: Table]> {
    return this.#tables
  }
}

/** The facts as others may read them: as they stand, and not to be changed. */
export type FactsView =
  & { readonly [Name in FactTable]: Facts[Name] extends Table<infer P, infer A> ? TableView<P, A> : never }
  & {
    readonly bound: ReadonlyMap<string, TableView<"node" | "module" | "provision", Bound>>
    readonly table: (bucket: string) => TableView | undefined
    readonly tables: () => Iterable<readonly [bucket: string, table: TableView]>
    readonly stranger: (bucket: string, key: string) => Result.Result<Json, string> | undefined
    /** The keys of a bucket of answers. */
    readonly strangers: (bucket: string) => ReadonlyArray<string>
    readonly isThere: (bucket: string) => boolean
  }

type FactTable = typeof tableNames[number]

/** The buckets in which definitions say that a kind of need is answered (protocol §3, `answers`). */
export const answerBuckets = (facts: FactsView): ReadonlySet<string> =>
  new Set(
    [...facts.modules.sound()].flatMap(({ value }) =>
      [...value.answers.values()].flatMap((answer) => "bucket" in answer ? [answer.bucket] : [])
    )
  )
