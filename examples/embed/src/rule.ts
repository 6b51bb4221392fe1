/**
 * The rule of this service, on top of the mesh's own: no module at a production site is served from another site.
 *
 * The mesh prefers a provider of the consumer's site, and takes another where it has to. Here that is not good enough: such a
 * plan is `barred`, whatever the mesh says of it. Like the rules of the core, this one is a pure function of the facts.
 */
import {
  decide,
  decisionBuckets,
  type Decisions,
  Facts,
  type ModuleOn,
  type PlanState,
  readKey,
  type Snapshot,
  writeKey
} from "mesh-provisioner/core"

/** A need at a production site that another site serves. */
export interface Crossing {
  /** The key of the module's plan, `<node>.<module>`. */
  readonly plan: string
  readonly provider: ModuleOn
  readonly why: string
}

/** What this service says of a plan: the mesh's state of it, or `barred`. */
export interface Verdict {
  readonly state: PlanState | "barred"
  readonly why: string
}

/** A verdict on each plan of the mesh, by its key. */
export const verdictsOn = (snapshot: Snapshot, productionSites: ReadonlySet<string>): ReadonlyMap<string, Verdict> => {
  const facts = Facts.fromSnapshot(snapshot)
  const decisions = decide(facts)
  const crossings = Map.groupBy(crossingsOf(facts, decisions, productionSites), ({ plan }) => plan)
  return new Map(
    [...decisions.plans].map(([key, { state, why }]): [string, Verdict] => {
      const crossed = crossings.get(key)
      return [
        key,
        crossed === undefined ? { state, why } : { state: "barred", why: crossed.map(({ why }) => why).join("; ") }
      ]
    })
  )
}

const crossingsOf = (
  facts: Facts,
  { provisions }: Decisions,
  productionSites: ReadonlySet<string>
): ReadonlyArray<Crossing> => {
  const siteOf = (node: string): string | undefined => facts.machines.value(writeKey(node))?.site
  const crossings: Array<Crossing> = []
  for (const [key, { provider }] of provisions) {
    const names = readKey(decisionBuckets.provisions, key)
    if (names._tag === "Failure" || provider === undefined) {
      continue
    }
    const { kind, module, name, node } = names.success
    const here = siteOf(node)
    const there = siteOf(provider.node)
    if (here !== undefined && productionSites.has(here) && there !== here) {
      crossings.push({
        plan: writeKey(node, module),
        provider,
        why: `${module} on ${node} is at ${here}, a production site, and its ${kind} ${name} would come from ` +
          `${provider.module} on ${provider.node}, ${there === undefined ? "of which no site is known" : `at ${there}`}`
      })
    }
  }
  return crossings
}
