/**
 * `decide` as a whole (protocol, its first idea): it never fails, looks at the facts and leaves them as they are, and a
 * change of one module's facts changes no decision that does not depend on it.
 */
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { Facts } from "../../src/core/Facts.ts"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { type Choose, chosen } from "../arbitrary/Choose.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { anyJson } from "../arbitrary/JsonValues.ts"
import { hostileText } from "../arbitrary/Names.ts"
import { placesOf, put, remove, valueAt } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { independentOf, isOfModule, modulesOf } from "./Dependence.ts"
import { check, Met } from "./Law.ts"

const given = () => coherentMesh

/** A mesh, and the same once some of one module's facts are gone, garbled, or like another's; or it is on one more node. */
const changed = chosen((choose) => {
  const before = choose.from(given)
  const module = choose.among(modulesOf(before)) ?? "shop"
  const after = choose.some(placesOf(before).filter(isOfModule(module)), 60)
    .reduce((so, place) => {
      const others = placesOf(before, place.bucket).map((other) => valueAt(before, other) ?? null)
      return choose.chance(35) ? remove(so, place) : put(so, place, choose.among([null, ...others]) ?? null)
    }, before)
  return { before, module, after: choose.chance(50) ? withMore(choose, after, module) : after }
})

const withMore = (choose: Choose, snapshot: Snapshot, module: string): Snapshot => {
  const node = choose.oneOf("n1", "n2", "n9")
  const provides = Object.fromEntries(
    choose.some(["database", "cache", "a.b"], 40).map((name) => [name, { credential: "consumer" }])
  )
  return [
    [{ bucket: "mesh-controller_modules", key: module }, { provides }],
    [{ bucket: "mesh-controller_assignments", key: `${node}.${module}` }, { build: "b2" }],
    [{ bucket: "mesh-provisioner_needs", key: `${node}.${module}.bound.cache` }, {}]
  ].reduce((so, [place, value]) => choose.chance(60) ? put(so, Object(place), Object(value)) : so, snapshot)
}

test("a change of one module's facts changes no decision that does not depend on it (the first idea, §9)", () => {
  const met = new Met()
  check(
    fc.property(changed, ({ after, before, module }) => {
      const independent = independentOf(module, [before, after])
      const then = independent(decide(before))
      const now = independent(decide(after))
      if (!isDeepStrictEqual(now, then)) {
        expect(now, `${module} changed`).toEqual(then)
      }
      met.count("provision", now.provisions.size)
      met.count("ask", now.asks.size)
      met.count("plan", now.plans.size)
      met.count("changed", isDeepStrictEqual(decide(after).plans, decide(before).plans) ? 0 : 1)
    }),
    150
  )
  met.atLeast({ provision: 100, ask: 100, plan: 200, changed: 60 })
})

/** Snapshots of anything under any names. */
const hostileSnapshot: fc.Arbitrary<Snapshot> = fc.array(
  fc.tuple(
    fc.oneof(
      fc.constantFrom(
        "mesh-controller_modules",
        "mesh-controller_assignments",
        "mesh-provisioner_needs",
        "mesh-provisioner_answers",
        "mesh-host_haves",
        "mesh-provisioner_collect",
        "mesh-vault_bound",
        "__proto___bound",
        "mesh-provisioner_plans"
      ),
      hostileText
    ),
    fc.array(
      fc.tuple(fc.oneof(hostileText, fc.constantFrom("n1.shop", "__proto__", "n1.shop.bound.database")), anyJson),
      { maxLength: 4 }
    )
  ),
  { maxLength: 6 }
).map((buckets) => ({
  buckets: Object.fromEntries(buckets.map(([bucket, values]) => [bucket, Object.fromEntries(values)]))
}))

test("decide never fails, whatever a snapshot holds (§3)", () => {
  const met = new Met()
  check(
    fc.property(hostileSnapshot, (snapshot) => {
      const { outOfShape, registry } = decide(snapshot)
      expect(registry.size).toBeGreaterThanOrEqual(13)
      met.count("out of shape", outOfShape.length)
    }),
    400
  )
  met.atLeast({ "out of shape": 400 })
})

// Frozen as deep as it goes: whatever would write into a fact fails.
const frozen = (value: Json): Json => {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen)
    Object.freeze(value)
  }
  return value
}

test("decide leaves the facts as they are, and says the same of them again (the first idea)", () =>
  check(
    fc.property(fc.oneof(coherentMesh, wildMesh), (snapshot) => {
      Object.values(snapshot.buckets).forEach(frozen)
      const facts = Facts.fromSnapshot(snapshot)
      expect(isDeepStrictEqual(decide(facts), decide(facts))).toBe(true)
      expect(isDeepStrictEqual(decide(facts), decide(structuredClone(snapshot)))).toBe(true)
    }),
    100
  ))

test("every reason, and every state of an ask and of a plan, is met in coherent meshes (§5 to §7)", () => {
  const met = new Met()
  const candidateReasons = ["seat", "pin", "contract", "field", "draining"]
  check(
    fc.property(coherentMesh, (snapshot) => {
      const { asks, plans, provisions } = decide(snapshot)
      for (const { candidates = [], reason } of provisions.values()) {
        met.count(reason)
        candidates.forEach((candidate) => met.count(`candidate: ${candidate.reason}`))
      }
      for (const { state } of [...asks.values(), ...plans.values()]) {
        met.count(state)
      }
    }),
    700
  )
  const reasons = [
    "shape",
    "unassigned",
    "no-domain",
    "conflict",
    "entry",
    "default",
    "no-entry",
    "collection",
    "placed",
    "not-placed",
    "no-holder",
    "two-holders",
    "bound-shape",
    "holder-gone",
    "own",
    "nobody",
    "no-candidate",
    "unmet",
    "not-bound",
    "bound-elsewhere",
    "earlier-instance",
    "provider-failed",
    "making",
    "secret-in-bucket",
    "field-missing",
    "credential",
    "credential-failed",
    "provided",
    "lost",
    "no-have",
    "other-build",
    "unhealthy",
    "healthy"
  ]
  const states = ["wanted", "held", "unneeded", "kept", "retire", "ready", "waiting", "failed", "refused", "degraded"]
  met.atLeast(Object.fromEntries([
    ...[...reasons, ...states].map((what) => [what, 4] as const),
    ...candidateReasons.map((what) => [`candidate: ${what}`, 4] as const)
  ]))
})
