/**
 * The engine: the decisions of `decide`, kept up change by change, at a cost that follows what a change affects and not the
 * mesh. It has no clock, no bus and no memory but the facts: it is told what changed and says what is to be written.
 *
 * All that is decided is decided of one module on a node. A change marks what it can touch; what many share is looked at
 * first, and only whom it is another for is marked; then each module on a node that is marked is decided anew, as a whole,
 * from the facts as they stand and by the same rules as `decide`'s.
 */
import { bucketName } from "./BucketName.ts"
import type { Decisions } from "./Decision.ts"
import { digestOfText, digestOfTextBy } from "./Digest.ts"
import { Agenda } from "./engine/Agenda.ts"
import { viewOf } from "./engine/FactsView.ts"
import { Index } from "./engine/Index.ts"
import { Intake } from "./engine/Intake.ts"
import { type EngineStep, Said } from "./engine/Said.ts"
import { settleConsumer } from "./engine/Settling.ts"
import { settleShared } from "./engine/Shared.ts"
import { Spreading } from "./engine/Spreading.ts"
import { View } from "./engine/View.ts"
import type { World } from "./engine/World.ts"
import type { BucketChange, Change, Facts, FactsView } from "./Facts.ts"
import { writeKey } from "./Key.ts"
import type { OrderedKeys } from "./OrderedKeys.ts"
import { byBucketAndKey } from "./OutOfShape.ts"
import type { QueryWhat } from "./QueryWhat.ts"

export type { Computed, EngineStep, OutOfShapeChange } from "./engine/Said.ts"

/** What an engine is told: a key that holds another value, or a bucket that appeared or vanished. */
export type EngineChange = Change | BucketChange

/** What an engine's surroundings may hand in. */
export interface EngineOptions {
  /**
   * The SHA-256 of a text's UTF-8, as lower-case hex digits: the core's own is slower than those that come with a runtime, as
   * `(text) => hash("sha256", text)` of `node:crypto`.
   */
  readonly sha256?: (text: string) => string
  /** The facts that the engine begins with, decoded already; what becomes of them later is not seen. The first step decides. */
  readonly facts?: Facts
}

/**
 * The decisions on a mesh, kept up change by change: after every `step` that leaves nothing pending, they are what `decide`
 * makes of the facts.
 *
 * @example
 * ```ts
 * import { Engine } from "mesh-provisioner/core"
 *
 * const engine = new Engine()
 * engine.step([{ bucket: "mesh-controller_assignments", key: "n1.shop", value: { build: "s1" } }])
 * const { writes } = engine.step([{ bucket: "mesh-provisioner_needs", key: "n1.shop.bound.database", value: {} }])
 * writes.map(({ key }) => key) // ["n1.shop.bound.database", "n1.shop"]
 * engine.decisions.plans.get("n1.shop")?.state // "refused"
 * ```
 */
export class Engine {
  readonly #world: World
  readonly #intake: Intake
  /** The decisions as they stand. They are seen through: a later step changes what is read here. */
  readonly decisions: Decisions
  /** The facts as they stand, seen through in the same way: with something pending, some decisions are of facts before these. */
  readonly facts: FactsView

  constructor({ facts, sha256 }: EngineOptions = {}) {
    this.#world = {
      index: new Index(sha256 === undefined ? digestOfText : digestOfTextBy(sha256)),
      agenda: new Agenda(),
      touched: { haves: new Set(), provisions: new Set(), registry: false },
      spreading: new Spreading(),
      said: new Said()
    }
    this.#intake = new Intake(this.#world)
    this.decisions = decisionsOf(this.#world.index)
    this.facts = viewOf(this.#world.index.facts)
    if (facts !== undefined) {
      this.#intake.begin(facts)
    }
  }

  /**
   * The keys of what the verb `provisioning` lists, in order and kept so from now on: pages are read from them once all were
   * taken in, by `fill`, some at a time. None of the registry, which is small.
   */
  order(what: QueryWhat): OrderedKeys | undefined {
    switch (what) {
      case "registry":
        return undefined
      case "provisions":
      case "plans":
      case "asks":
        return this.#world.index.orders.of(bucketName[what], () => this.decisions[what].keys())
      default:
        return this.#world.index.orders.of(bucketName[what], () => keysOf(this.facts[what].all()))
    }
  }

  /** Whether an operator's answer counts no more, and is to be deleted (protocol §6). */
  isAnswerOver(key: string): boolean {
    return this.#world.index.answersOver.has(key)
  }

  /**
   * Takes changes in, and decides nothing yet: the next step does.
   *
   * @returns how many of them changed a fact: of a fact that is put again as it was, nothing is decided anew.
   */
  take(changes: Iterable<EngineChange>): number {
    let count = 0
    for (const change of changes) {
      count += Number(this.#intake.take(change))
    }
    return count
  }

  /**
   * How many modules on a node are known to be decided anew, and things that many share of which it is still to be looked for
   * whom they are another.
   */
  get pending(): number {
    const { agenda, spreading, touched } = this.#world
    return agenda.size + spreading.size + touched.haves.size + touched.provisions.size + (touched.registry ? 1 : 0)
  }

  /**
   * Takes changes in, and decides anew what they affect.
   *
   * @param changes what changed, in the order of the bus; none to go on with what is pending.
   * @param thingsMax how many things may be decided anew before the rest is left pending: a module on a node is decided as a
   *   whole, so it may be some more. All where left out.
   * @returns the writes that lead from what was decided before to what is now, and what is out of shape.
   */
  step(changes: Iterable<EngineChange>, thingsMax = Number.POSITIVE_INFINITY): EngineStep {
    this.take(changes)
    this.#settle(thingsMax)
    return this.#say()
  }

  /**
   * What would change in the decisions if these were the facts. The engine is left as it was; what was pending is decided
   * first, and said by the next step.
   *
   * @param thingsMax how many things may be decided anew before it is given up, of what was pending and of what would be, each:
   *   then `pending` is not 0, and nothing of what would change is said. What was looked for till then may leave as much
   *   pending, which comes to what it was.
   */
  whatIf(changes: Iterable<EngineChange>, thingsMax = Number.POSITIVE_INFINITY): EngineStep {
    this.#settle(thingsMax)
    const { said } = this.#world
    const tried = new Said()
    this.#world.said = tried
    const would = this.pending > 0 ? this.#say() : this.#tryOut(changes, thingsMax)
    this.#world.said = said
    said.goOnFrom(tried)
    const { computed, pending } = would
    return pending === 0 ? would : { computed, outOfShape: [], pending, writes: [] }
  }

  #tryOut(changes: Iterable<EngineChange>, thingsMax: number): EngineStep {
    const { answersOver, consumers } = this.#world.index
    const over = [...answersOver]
    const undo = this.#intake.takeForNow(changes)
    // Where more is marked than may be decided, nothing is: so there is nothing to be looked at again for the undoing, but later.
    const isFew = this.#isFewMarked(thingsMax)
    const tried = isFew ? this.#settle(thingsMax) : []
    const would = this.#say()
    undo()
    if (would.pending === 0) {
      this.#settle(Number.POSITIVE_INFINITY)
    } else {
      settleShared(this.#world, isFew ? Number.POSITIVE_INFINITY : 0)
      for (const key of tried) {
        const consumer = consumers.get(key)
        if (consumer !== undefined) {
          settleConsumer(this.#world, consumer)
        }
      }
      // Of the answers that changed it is yet to be decided again that they are over, which is said already.
      over.forEach((key) => answersOver.add(key))
    }
    return would
  }

  /** Marks all that is to be decided anew, unless that is more than so many. */
  #isFewMarked(thingsMax: number): boolean {
    const { agenda } = this.#world
    let isAllMarked = false
    for (let times = 0; times < looksAThing && !isAllMarked && agenda.size <= thingsMax; times++) {
      isAllMarked = settleShared(this.#world, thingsMax)
    }
    return isAllMarked && agenda.size <= thingsMax
  }

  /** Decides for so many, and gives for whom, by the key of the assignment: their records may be others after that. */
  #settle(thingsMax: number): ReadonlyArray<string> {
    const settled: Array<string> = []
    if (settleShared(this.#world, thingsMax * looksAThing)) {
      const { agenda, said: { computed } } = this.#world
      const enough = computedOf(computed) + thingsMax
      while (computedOf(computed) < enough) {
        const consumer = agenda.take()
        if (consumer === undefined) {
          break
        }
        settleConsumer(this.#world, consumer)
        settled.push(consumer.key)
      }
    }
    return settled
  }

  #say(): EngineStep {
    const { index, said } = this.#world
    this.#world.said = new Said()
    return said.step(index.outOfShape, index.registry.conflicts, this.pending)
  }
}

const keysOf = function*(facts: Iterable<{ readonly key: string }>): Iterable<string> {
  for (const { key } of facts) {
    yield key
  }
}

/** So often a candidate is looked at for a claim in the time in which one thing is decided. */
const looksAThing = 10

const computedOf = ({ asks, claims, plans, provisions }: EngineStep["computed"]): number =>
  asks + claims + plans + provisions

const decisionsOf = (index: Index): Decisions => ({
  get registry() {
    return new Map([...index.registry.entries].map(([kind, entry]) => [writeKey(kind), entry]))
  },
  provisions: new View(index.needs, ({ provision }) => provision, () => index.counts.provisions.total),
  asks: new View(index.asks, ({ ask }) => ask, () => index.asks.size),
  plans: new View(index.consumers, ({ plan }) => plan, () => index.counts.plans.total),
  get answersToDelete() {
    return [...index.answersOver].sort()
  },
  get outOfShape() {
    return [...index.outOfShape.values()].sort(byBucketAndKey)
  },
  get conflicts() {
    return [...index.registry.conflicts]
  },
  counts: index.counts.view
})
