/**
 * The engine beside its naive twin: facts that `decide` decides wholly anew after each step, and what was said since the
 * start, as a bus would hold it.
 */
import { decide } from "../../src/core/Decide.ts"
import type { Decisions } from "../../src/core/Decision.ts"
import { decidedBuckets, type Write } from "../../src/core/Diff.ts"
import { canonicalJson } from "../../src/core/Digest.ts"
import { Engine, type EngineChange, type EngineStep } from "../../src/core/Engine.ts"
import { Facts } from "../../src/core/Facts.ts"
import { type Json, sameJson } from "../../src/core/Json.ts"

type Values = Map<string, Map<string, Json>>

/** An engine and its twin, told the same. */
export class Twin {
  readonly engine: Engine
  readonly #facts = new Facts()
  readonly #said: Values = valuesOf(decide(new Facts()))
  readonly #outOfShape = new Map<string, string>()
  readonly #answersDeleted = new Set<string>()
  #conflicts: Json = []

  /** `begun` is what the facts are made of that the engine begins with, if there are any. */
  constructor(begun: ReadonlyArray<EngineChange> = []) {
    begun.forEach((change) => this.#apply(change))
    this.engine = begun.length === 0 ? new Engine() : new Engine({ facts: this.#facts })
  }

  /** Takes changes in, and gives what is wrong, if anything. */
  step(changes: ReadonlyArray<EngineChange>): string | undefined {
    return this.#take(changes, this.engine.step(changes))
  }

  #take(changes: ReadonlyArray<EngineChange>, step: EngineStep): string | undefined {
    changes.forEach((change) => this.#apply(change))
    return this.#hear(step) ?? this.differs()
  }

  /**
   * Asks what would change if these were the facts, with so many things decided at most, and then takes them in. Gives what is
   * wrong, if anything, and whether it was given up.
   */
  boundedWhatIf(
    changes: ReadonlyArray<EngineChange>,
    thingsMax: number
  ): { readonly wrong: string | undefined; readonly isGivenUp: boolean } {
    const before = valuesOf(this.engine.decisions)
    const would = this.engine.whatIf(changes, thingsMax)
    const isGivenUp = would.pending > 0
    const moved = differenceOfValues("before and after", before, valuesOf(this.engine.decisions))
    const said = isGivenUp && would.writes.length + would.outOfShape.length > 0 ? "given up, and says" : undefined
    return { wrong: moved ?? said ?? this.step([]) ?? this.step(changes), isGivenUp }
  }

  /** Asks what would change if these were the facts, then has them be; and gives what is wrong, if anything. */
  whatIf(changes: ReadonlyArray<EngineChange>): string | undefined {
    const would = this.engine.whatIf(changes)
    const moved = this.differs()
    if (moved !== undefined) {
      return `a what-if left ${moved}`
    }
    const step = this.engine.step(changes)
    const wrong = this.#take(changes, step)
    return wrong ?? (sameJson(plain(would), plain(step))
      ? undefined
      : `would ${JSON.stringify(plain(would))} and does ${JSON.stringify(plain(step))}`)
  }

  /**
   * Takes changes in, and has them worked off a slice at a time; after each, what is decided of a module on a node is as a
   * whole what was decided of it before, or what is to be. Gives what is wrong, if anything, and in how many slices.
   */
  slices(changes: ReadonlyArray<EngineChange>): { readonly wrong: string | undefined; readonly slices: number } {
    const before = consumersOf(valuesOf(this.engine.decisions))
    changes.forEach((change) => this.#apply(change))
    const after = consumersOf(valuesOf(decide(this.#facts)))
    let { pending, ...step } = this.engine.step(changes, 1)
    let wrong = this.#hear({ ...step, pending: 0 })
    let slices = 1
    for (; pending > 0 && wrong === undefined; slices++) {
      wrong = mixedIn(consumersOf(valuesOf(this.engine.decisions)), before, after) ??
        differenceOfValues("said and decided", this.#said, valuesOf(this.engine.decisions))
      ;({ pending, ...step } = this.engine.step([], 1))
      wrong ??= this.#hear({ ...step, pending: 0 })
    }
    return { wrong: wrong ?? this.differs(), slices }
  }

  /** What is wrong with what the engine has decided, if anything. */
  differs(): string | undefined {
    const wanted = decide(this.#facts)
    for (const key of this.#answersDeleted) {
      if (!wanted.answersToDelete.includes(key)) {
        this.#answersDeleted.delete(key)
      }
    }
    return differenceOf("decided", valuesOf(this.engine.decisions), wanted, this.engine.decisions) ??
      differenceOfCounts(this.engine.decisions, wanted) ??
      differenceOf("said", this.#said, wanted, {
        answersToDelete: [...this.#answersDeleted].sort(),
        outOfShape: [...this.#outOfShape].map(([place, why]) => ({ place, why })),
        conflicts: this.#conflicts
      })
  }

  #apply(change: EngineChange): void {
    const said = () => "key" in change ? this.#facts.table(change.bucket)?.fact(change.key)?.json : undefined
    const before = said()
    this.#facts.apply(change)
    if ("key" in change && change.bucket === "mesh-provisioner_answers" && !sameJson(before, said())) {
      this.#answersDeleted.delete(change.key)
    }
  }

  #hear({ conflicts, outOfShape, pending, writes }: EngineStep): string | undefined {
    for (const { bucket, key, why } of outOfShape) {
      const place = `${bucket} ${key}`
      if (this.#outOfShape.get(place) === why) {
        return `said again of ${place}`
      }
      if (why === undefined) {
        this.#outOfShape.delete(place)
      } else {
        this.#outOfShape.set(place, why)
      }
    }
    this.#conflicts = conflicts ?? this.#conflicts
    return pending > 0
      ? `${pending} pending`
      : writes.map((write) => this.#write(write)).find((wrong) => wrong !== undefined)
  }

  #write(write: Write): string | undefined {
    const { bucket, key, op } = write
    const there = this.#said.get(bucket)
    if (bucket === "mesh-provisioner_answers") {
      const isAgain = this.#answersDeleted.has(key)
      this.#answersDeleted.add(key)
      return isAgain ? `deletes again: ${key}` : undefined
    }
    const before = there?.get(key)
    if (op === "delete") {
      return there?.delete(key) === true ? undefined : `deletes what is not there: ${bucket} ${key}`
    }
    there?.set(key, write.value)
    return sameJson(before, write.value) ? `puts what is there: ${bucket} ${key}` : undefined
  }
}

/** Decisions as plain data. */
const valuesOf = (decisions: Decisions): Values =>
  new Map([...decidedBuckets(decisions)].map(([bucket, values]) => [bucket, new Map(values)]))

interface Lists {
  readonly answersToDelete: ReadonlyArray<string>
  readonly outOfShape: Json | Decisions["outOfShape"]
  readonly conflicts: Json | Decisions["conflicts"]
}

/** What a step says, in an order of its own. */
const plain = ({ conflicts, outOfShape, writes }: EngineStep): Json => [
  writes.map((write) => canonicalJson(write)).sort(),
  outOfShape.map((fact) => canonicalJson(fact)).sort(),
  conflicts ?? null
]

/** What is decided of each module on a node, by its key: its provisions, its plan, and what is asked for it. */
const consumersOf = (values: Values): ReadonlyMap<string, Json> => {
  const consumers = new Map<string, { [place: string]: Json }>()
  for (const [bucket, keys] of values) {
    for (const [key, value] of bucket === "mesh-provisioner_registry" ? [] : keys) {
      const tokens = key.split(".")
      const consumer = (bucket === "mesh-provisioner_asks" ? tokens.slice(2, 4) : tokens.slice(0, 2)).join(".")
      const decided = consumers.get(consumer) ?? {}
      decided[`${bucket} ${key}`] = value
      consumers.set(consumer, decided)
    }
  }
  return consumers
}

const mixedIn = (
  now: ReadonlyMap<string, Json>,
  before: ReadonlyMap<string, Json>,
  after: ReadonlyMap<string, Json>
): string | undefined => {
  for (const consumer of new Set([...now.keys(), ...before.keys(), ...after.keys()])) {
    const decided = now.get(consumer)
    if (!sameJson(decided, before.get(consumer)) && !sameJson(decided, after.get(consumer))) {
      return `of ${consumer} is decided what neither was nor is to be: ${JSON.stringify(decided)}`
    }
  }
  return undefined
}

const differenceOfValues = (what: string, found: Values, wanted: Values): string | undefined => {
  for (const [bucket, values] of wanted) {
    const there = found.get(bucket) ?? new Map<string, Json>()
    for (const key of new Set([...values.keys(), ...there.keys()])) {
      if (!sameJson(values.get(key), there.get(key))) {
        return `${what} ${bucket} ${key}: ${JSON.stringify(there.get(key))} and not ${JSON.stringify(values.get(key))}`
      }
    }
    if (there.size !== values.size) {
      return `${what} ${bucket}: ${there.size} keys and not ${values.size}`
    }
  }
  return undefined
}

const differenceOf = (
  what: string,
  found: Values,
  wanted: Decisions,
  lists: Lists
): string | undefined => {
  const difference = differenceOfValues(what, found, valuesOf(wanted))
  if (difference !== undefined) {
    return difference
  }
  const { answersToDelete, conflicts, outOfShape } = wanted
  const places = what === "said"
    ? outOfShape.map(({ bucket, key, why }) => ({ place: `${bucket} ${key}`, why }))
    : outOfShape
  return [
    ["answers to delete", lists.answersToDelete, answersToDelete] as const,
    ["conflicts", lists.conflicts, conflicts] as const,
    ["out of shape", sorted(lists.outOfShape), sorted(places)] as const
  ].flatMap(([name, one, other]) =>
    sameJson(one, other) ? [] : [`${what} ${name}: ${JSON.stringify(one)} and not ${JSON.stringify(other)}`]
  )[0]
}

/** What is wrong with what is kept counted, if anything. */
const differenceOfCounts = (
  { counts, plans, provisions }: Decisions,
  { asks, outOfShape, ...wanted }: Decisions
): string | undefined => {
  const counted = {
    provisions: countsOf(wanted.provisions.values(), ({ state }) => state),
    asks: countsOf(asks.values(), ({ state }) => state),
    plans: countsOf(wanted.plans.values(), ({ state }) => state),
    outOfShape: countsOf(outOfShape, ({ bucket }) => bucket)
  }
  const found = Object.entries(counts ?? {}).map(([of, byState]) => [of, Object.fromEntries(byState)] as const)
  const isAll = provisions.size === wanted.provisions.size && plans.size === wanted.plans.size
  return isAll && sameJson(Object.fromEntries(found), counted)
    ? undefined
    : `counted ${JSON.stringify(found)} and not ${JSON.stringify(counted)}`
}

const countsOf = <A>(items: Iterable<A>, stateOf: (item: A) => string): { readonly [state: string]: number } =>
  Object.fromEntries(
    [...Map.groupBy(items, stateOf)].map(([state, { length }]) => [state, length])
  )

const sorted = (list: Json): ReadonlyArray<string> =>
  Array.isArray(list) ? list.map((one) => JSON.stringify(one)).sort() : []
