/**
 * How many facts and decisions there are, by bucket and state.
 */
import { bucketName, moduleOfBoundBucket } from "../core/BucketName.ts"
import type { AskState, DecisionCounts, Decisions, PlanState, ProvisionState } from "../core/Decision.ts"
import type { FactsView } from "../core/Facts.ts"

/** So many of one bucket in one state; registry entries have none. */
export interface Count {
  readonly bucket: string
  readonly state: string | undefined
  readonly count: number
}

/** How many decisions there are by state, and values out of shape by bucket. */
export interface Tally {
  readonly decisions: ReadonlyArray<Count>
  readonly outOfShape: ReadonlyMap<string, number>
}

/** Counts decisions, each state that there can be, though none is in it. It walks them only where nobody keeps counts of them. */
export const tallyOf = (decisions: Decisions): Tally => {
  const { asks, outOfShape, plans, provisions } = decisions.counts ?? countsOf(decisions)
  return {
    decisions: [
      { bucket: bucketName.registry, state: undefined, count: decisions.registry.size },
      ...byState(bucketName.provisions, provisionStates, provisions),
      ...byState(bucketName.asks, askStates, asks),
      ...byState(bucketName.plans, planStates, plans)
    ],
    outOfShape
  }
}

const countsOf = ({ asks, outOfShape, plans, provisions }: Decisions): DecisionCounts => ({
  provisions: counted(provisions.values(), ({ state }) => state),
  asks: counted(asks.values(), ({ state }) => state),
  plans: counted(plans.values(), ({ state }) => state),
  outOfShape: counted(outOfShape, ({ bucket }) => bucket)
})

/**
 * Counts facts, by bucket, in shape and out of it, without a walk. Providers' own buckets, of which there may be any number,
 * are counted apart as far as {@link boundBucketsMax} by name, and the others together as `*_bound`.
 */
export const factCounts = (facts: FactsView, { outOfShape }: Tally): ReadonlyArray<Count> => {
  const tables = [...facts.tables()].map(([bucket, { size }]) => ({ bucket, size }))
  const bound = tables.filter(({ bucket }) => moduleOfBoundBucket(bucket) !== undefined)
    .sort((one, other) => one.bucket < other.bucket ? -1 : 1)
  const together = new Set(bound.slice(boundBucketsMax).map(({ bucket }) => bucket))
  const labelOf = (bucket: string) => together.has(bucket) ? "*_bound" : bucket
  const sizes = new Map<string, number>()
  const broken = new Map<string, number>()
  for (const { bucket, size } of tables) {
    const label = labelOf(bucket)
    sizes.set(label, (sizes.get(label) ?? 0) + size)
    broken.set(label, (broken.get(label) ?? 0) + Math.min(size, outOfShape.get(bucket) ?? 0))
  }
  return [...sizes].flatMap(([bucket, size]) => {
    const out = broken.get(bucket) ?? 0
    return [{ bucket, state: "in-shape", count: size - out }, { bucket, state: "out-of-shape", count: out }]
  })
}

/** The most buckets of providers that are counted apart. */
export const boundBucketsMax = 100

/** How many items there are of each key. */
export const counted = <A>(items: Iterable<A>, keyOf: (item: A) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const item of items) {
    const key = keyOf(item)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

const byState = <State extends string>(
  bucket: string,
  states: { readonly [S in State]: true },
  counts: ReadonlyMap<string, number>
): ReadonlyArray<Count> => Object.keys(states).map((state) => ({ bucket, state, count: counts.get(state) ?? 0 }))

const provisionStates: { readonly [S in ProvisionState]: true } = {
  provided: true,
  asked: true,
  failed: true,
  refused: true
}

const askStates: { readonly [S in AskState]: true } = {
  wanted: true,
  held: true,
  unneeded: true,
  kept: true,
  retire: true
}

const planStates: { readonly [S in PlanState]: true } = {
  ready: true,
  waiting: true,
  failed: true,
  refused: true,
  degraded: true
}
