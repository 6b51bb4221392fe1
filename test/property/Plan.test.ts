/**
 * Plans (protocol §7): one for each module on a node that is assigned or has a need; whether it may run by its needs that
 * count; and a digest that changes exactly when something that the module would have to read again has changed.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import type { Plan, Provision } from "../../src/core/Decision.ts"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { type Choose, chosen } from "../arbitrary/Choose.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { lossOf } from "../arbitrary/Loss.ts"
import { placesOf, put, remove } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { type Facts, readFacts } from "../naive/facts.ts"
import { assignmentOf, type Need, needsOf, valueAt } from "../naive/mesh.ts"
import { digest, join } from "../naive/name.ts"
import { check, Met } from "./Law.ts"

const anyMesh = fc.oneof(coherentMesh, wildMesh, lossOf(coherentMesh).map(({ after }) => after))

const given = () => coherentMesh

/** A mesh, and the same once providers were restarted, upgraded, stopped or not heard of: whatever hosts may say of them. */
const restarted = chosen((choose) => {
  const before = choose.from(given)
  const after = choose.some(placesOf(before, "mesh-controller_assignments"), 60)
    .reduce((so, { key }) => restart(choose, so, key), before)
  return { before, after }
})

const restart = (choose: Choose, snapshot: Snapshot, key: string): Snapshot => {
  const place = { bucket: "mesh-host_haves", key }
  const health = choose.oneOf("healthy", "starting", "unhealthy", "stopped", "failed")
  return choose.chance(20)
    ? remove(snapshot, place)
    : put(snapshot, place, choose.oneOf<Json>({ build: choose.oneOf("b1", "b2", "b9"), health, words: "again" }, null))
}

test("a provider that restarts changes no plan's digest (§7)", () => {
  const met = new Met()
  check(
    fc.property(restarted, ({ after, before }) => {
      const then = decide(before)
      const now = decide(after)
      for (const [key, plan] of now.plans) {
        expect(plan.digest, key).toBe(then.plans.get(key)?.digest)
        met.count("plan")
      }
      const turned = [...now.provisions].filter(([key, { reason }]) => reason !== then.provisions.get(key)?.reason)
      met.count("provision that turned", turned.length)
      expect(digestsAsked(now.asks)).toEqual(digestsAsked(then.asks))
    }),
    200
  )
  met.atLeast({ plan: 300, "provision that turned": 20 })
})

// Nor does it have anything made: what is wanted, and of whom, is not the hosts' to say.
const digestsAsked = (asks: ReadonlyMap<string, { readonly state: string }>): ReadonlyArray<string> =>
  [...asks].filter(([, { state }]) => state === "wanted").map(([key]) => key).sort()

test("a digest is over the build and over what each need is found by, and nothing else (§7)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      for (const { build, digest: given, needs } of decide(snapshot).plans.values()) {
        const found = Object.entries(needs).map(([key, { find, version }]) => [
          key,
          { ...(find === undefined ? {} : { find }), ...(version === undefined ? {} : { version }) }
        ])
        expect(given).toBe(digest({ ...(build === undefined ? {} : { build }), needs: Object.fromEntries(found) }))
        met.count(found.length === 0 ? "without needs" : "with needs")
      }
    }),
    200
  )
  met.atLeast({ "without needs": 100, "with needs": 200 })
})

const needKeys = ({ needs }: Plan): ReadonlyArray<string> => Object.keys(needs).sort()

test("there is a plan for each module on a node that is assigned or has a need, with every need of it (§7)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      const { plans, provisions } = decide(snapshot)
      const consumers = [
        ...facts.assignments.filter(({ value }) => value !== undefined).map(({ key }) => key),
        ...needsOf(facts).map(({ consumer: { module, node } }) => join(node, module))
      ]
      expect([...plans.keys()].sort()).toEqual([...new Set(consumers)].sort())
      for (const [key, plan] of plans) {
        const own = [...provisions].filter(([need]) => need.startsWith(`${key}.`))
        expect(needKeys(plan)).toEqual(own.map(([need]) => need.slice(key.length + 1)).sort())
        for (const [need, provision] of own) {
          const { find, provider, state, version } = provision
          expect({ find, provider, version, ...plan.needs[need.slice(key.length + 1)] }).toEqual({
            state,
            find,
            provider,
            version
          })
        }
        met.count(plan.build === undefined ? "not assigned" : "assigned")
      }
    }),
    200
  )
  met.atLeast({ "not assigned": 30, assigned: 300 })
})

const worst = ["refused", "failed", "asked"]

/** The needs that count and are not provided, the worst first, by the facts and the provisions. */
const blockedBy = (facts: Facts, provisions: ReadonlyMap<string, Provision>, plan: string) => {
  const counts = (need: Need): boolean => need.value?.optional !== true
  return needsOf(facts)
    .filter((need) => join(need.consumer.node, need.consumer.module) === plan && counts(need))
    .flatMap(({ key }) => {
      const provision = provisions.get(key)
      return provision === undefined || provision.state === "provided"
        ? []
        : [{ key: key.slice(plan.length + 1), provision }]
    })
    .sort((one, other) =>
      worst.indexOf(one.provision.state) - worst.indexOf(other.provision.state) || (one.key < other.key ? -1 : 1)
    )
}

const expectedState = (facts: Facts, key: string, blocked: ReturnType<typeof blockedBy>): Plan["state"] => {
  const assignment = valueAt(facts.assignments, key)
  const applied = valueAt(facts.applied, key)
  const [first] = blocked
  if (assignment === undefined) {
    return "waiting"
  }
  if (first === undefined) {
    return "ready"
  }
  const runs = applied !== undefined &&
    (applied.instance ?? assignment.instance) === (assignment.instance ?? applied.instance)
  return runs
    ? "degraded"
    : first.provision.state === "refused"
    ? "refused"
    : first.provision.state === "failed"
    ? "failed"
    : "waiting"
}

test("whether it may run is judged by its needs that count, and each that blocks it is named, the worst first (§7)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      const { plans, provisions } = decide(snapshot)
      for (const [key, plan] of plans) {
        const blocked = blockedBy(facts, provisions, key)
        expect(plan.blocked ?? []).toEqual(blocked.map((one) => one.key))
        expect(plan.state).toBe(expectedState(facts, key, blocked))
        if (plan.build !== undefined) {
          expect(plan.waits).toEqual(blocked.find(({ provision }) => provision.waits !== undefined)?.provision.waits)
          for (const { key: need, provision } of blocked.slice(0, 20)) {
            expect(plan.why).toContain(need)
            expect(plan.why).toContain(provision.why)
          }
        }
        met.count(plan.state)
      }
    }),
    250
  )
  met.atLeast({ ready: 300, waiting: 60, refused: 40, failed: 4, degraded: 30 })
})

test("a plan that is not assigned waits for its assignment, whatever else (§7)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      for (const need of needsOf(facts)) {
        if (assignmentOf(facts, need.consumer) === undefined) {
          const key = join(need.consumer.node, need.consumer.module)
          const plan = decide(snapshot).plans.get(key)
          expect(plan).toMatchObject({ state: "waiting", waits: { bucket: "mesh-controller_assignments", key } })
          met.count("not assigned")
        }
      }
    }),
    100
  )
  met.atLeast({ "not assigned": 20 })
})
