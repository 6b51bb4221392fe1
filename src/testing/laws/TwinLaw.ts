/**
 * What decides against the naive twin, which was written from the protocol's text alone: both say the same of everything but
 * the words, and of those the same of a failure's (protocol §2 to §7).
 *
 * Method: wild meshes, in which every reason, every state of an ask and of a plan is met again and again.
 */
import type { Decisions } from "../../core/Decision.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { naiveDecide, type NaiveDecisions } from "../naive/decide.ts"
import { same } from "./Broken.ts"
import { meshLaw } from "./Cases.ts"

const sorted = <Value>(all: ReadonlyArray<Value>): ReadonlyArray<string> => all.map((one) => JSON.stringify(one)).sort()

const bare = <Value extends { readonly why: string }>({ why: _why, ...rest }: Value): Omit<Value, "why"> => rest

const bareAll = <Value extends { readonly why: string }>(all: ReadonlyMap<string, Value>) =>
  new Map(Array.from(all, ([key, value]) => [key, bare(value)]))

/** What `decide` says, without its words; of a failure they stay where the twin has words of its outcome's own. */
const comparable = (decisions: Decisions, twin: NaiveDecisions) => ({
  registry: decisions.registry,
  provisions: new Map(
    Array.from(decisions.provisions, ([key, { candidates, why, ...provision }]) => [key, {
      ...provision,
      ...(twin.provisions.get(key)?.why === undefined ? {} : { why }),
      ...(candidates === undefined ? {} : { candidates: candidates.map(bare) })
    }])
  ),
  asks: bareAll(decisions.asks),
  plans: bareAll(decisions.plans),
  answersToDelete: sorted(decisions.answersToDelete),
  outOfShape: sorted(decisions.outOfShape.map(({ bucket, key }) => ({ bucket, key }))),
  conflicts: sorted(decisions.conflicts.map(({ kind, module }) => ({ kind, module })))
})

const inOrder = (twin: NaiveDecisions) => ({
  ...twin,
  answersToDelete: sorted(twin.answersToDelete),
  outOfShape: sorted(twin.outOfShape.map(({ bucket, key }) => ({ bucket, key }))),
  conflicts: sorted(twin.conflicts.map(({ kind, module }) => ({ kind, module })))
})

const branchesOf = (twin: NaiveDecisions): ReadonlyArray<string> => [
  ...Array.from(twin.provisions.values(), ({ reason, state }) => `${state} ${reason}`),
  ...Array.from(twin.provisions.values()).flatMap(({ candidates = [] }) =>
    candidates.map(({ reason }) => `rejected for ${reason}`)
  ),
  ...Array.from(twin.asks.values()).flatMap(({ accepts, gone, state }) => [
    `ask ${state}`,
    ...(accepts === undefined ? [] : ["ask accepts"]),
    ...(gone === undefined ? [] : ["ask gone"])
  ]),
  ...Array.from(twin.plans.values(), ({ state }) => `plan ${state}`),
  ...twin.answersToDelete.map(() => "answer deleted"),
  ...twin.conflicts.map(() => "conflict listed"),
  ...twin.outOfShape.map(() => "fact out-of-shape")
]

/** Every reason and state of the protocol's tables, and what else a mesh is to bring up. */
const everyBranch = [
  ["provided", "entry default collection placed own provided healthy"],
  ["asked", "unassigned no-entry not-placed no-holder two-holders bound-shape holder-gone"],
  ["asked", "not-bound bound-elsewhere earlier-instance making field-missing credential"],
  ["asked", "lost no-have other-build unhealthy"],
  ["failed", "provider-failed secret-in-bucket credential-failed"],
  ["refused", "shape no-domain conflict too-long nobody no-candidate unmet"],
  ["rejected for", "seat pin contract field draining"],
  ["ask", "wanted held unneeded kept retire accepts gone"],
  ["plan", "ready waiting failed refused degraded"],
  ["answer", "deleted"],
  ["conflict", "listed"],
  ["fact", "out-of-shape"]
].flatMap(([state, reasons = ""]) => reasons.split(" ").map((reason) => `${state} ${reason}`))

/**
 * The law that what decides says what the protocol says, and nothing else (protocol §2 to §7): for a `decide` that is another
 * way of deciding the same. A rule of one's own breaks it, as it says something else.
 *
 * @example
 * ```ts
 * import { decide } from "mesh-provisioner/core"
 * import { twinLaw } from "mesh-provisioner/testing"
 *
 * twinLaw(decide).check({ runs: 10 })
 * ```
 */
export const twinLaw = meshLaw({
  sentence: "what is decided is what the protocol's text comes to, over every reason and state",
  paragraph: "§2 to §7",
  cases: wildMesh,
  runs: 2_000,
  atLeast: Object.fromEntries(everyBranch.map((branch) => [branch, 1])),
  holds: (decide, mesh, met) => {
    const twin = naiveDecide(mesh)
    branchesOf(twin).forEach((branch) => met.count(branch))
    same(comparable(decide(mesh), twin), inOrder(twin), "What is decided, by its")
  }
})
