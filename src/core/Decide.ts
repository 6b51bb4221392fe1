/**
 * The front door: decisions as a pure function of the facts (protocol's first idea). The rules are composed in reading
 * order, each from the facts as they stand: no memory, no clock, no order of arrival.
 */
import { asksOf } from "./Ask.ts"
import type { Decisions, Provision } from "./Decision.ts"
import { Facts } from "./Facts.ts"
import { writeKey } from "./Key.ts"
import { claimKeyOf, meshOf } from "./Mesh.ts"
import { outOfShapeOf } from "./OutOfShape.ts"
import { plansOf } from "./Plan.ts"
import { isSoundNeed, provisionOf } from "./Provision.ts"
import { settleClaims } from "./Settle.ts"
import type { Snapshot } from "./Snapshot.ts"

/**
 * Decides everything from the facts (protocol §4 to §7). It never fails: facts out of shape are listed, and count as
 * absent.
 *
 * @param facts the facts as they were decoded, or a snapshot of plain data: `{ buckets: { "<bucket>": { "<key>": value } } }`.
 * @returns the registry, provisions, asks and plans, each a `Map` by key; the answers to be deleted; what is out of
 *   shape; and the conflicts of the registry.
 *
 * @example
 * ```ts
 * import { decide } from "mesh-provisioner/core"
 *
 * const decisions = decide({
 *   buckets: {
 *     "mesh-controller_assignments": { "n1.shop": { build: "s1" } },
 *     "mesh-provisioner_needs": { "n1.shop.bound.database": {} }
 *   }
 * })
 * decisions.provisions.get("n1.shop.bound.database")?.state // "refused"
 * decisions.plans.get("n1.shop")?.state // "refused"
 * ```
 */
export const decide = (facts: Facts | Snapshot): Decisions => {
  const mesh = meshOf(facts instanceof Facts ? facts : Facts.fromSnapshot(facts))
  const settled = settleClaims(mesh)
  const provisions = new Map<string, Provision>()
  for (const need of mesh.facts.needs.named()) {
    const claim = isSoundNeed(need) ? settled.get(claimKeyOf(need) ?? "") : undefined
    provisions.set(need.key, provisionOf(mesh, claim, need))
  }
  return {
    registry: new Map([...mesh.registry.entries].map(([kind, entry]) => [writeKey(kind), entry])),
    provisions,
    ...asksOf(mesh, settled, provisions),
    plans: plansOf(mesh, provisions),
    outOfShape: outOfShapeOf(mesh),
    conflicts: mesh.registry.conflicts
  }
}
