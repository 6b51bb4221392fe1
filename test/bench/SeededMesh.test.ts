/**
 * Goal: the benchmarks' mesh is the same for a seed, and not the easy case.
 *
 * Method: meshes of some thousand needs are decided, and what occurs in the decisions is counted.
 */
import { describe, expect, test } from "vitest"
import { gauge, hub, seededMesh } from "../../bench/SeededMesh.ts"
import { type AskState, decide, type Decisions, Facts, type PlanState, type Reason } from "../../src/core/index.ts"

const reasons: { readonly [R in Reason]: true } = {
  shape: true,
  unassigned: true,
  "no-domain": true,
  conflict: true,
  "too-long": true,
  entry: true,
  default: true,
  "no-entry": true,
  collection: true,
  placed: true,
  "not-placed": true,
  "no-holder": true,
  "two-holders": true,
  "bound-shape": true,
  "holder-gone": true,
  own: true,
  nobody: true,
  "no-candidate": true,
  unmet: true,
  "not-bound": true,
  "bound-elsewhere": true,
  "earlier-instance": true,
  "provider-failed": true,
  making: true,
  "secret-in-bucket": true,
  "field-missing": true,
  credential: true,
  "credential-failed": true,
  provided: true,
  lost: true,
  "no-have": true,
  "other-build": true,
  unhealthy: true,
  healthy: true
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

const needs = 10_000
const seed = 1

const decidedOf = (): Decisions => {
  const facts = new Facts()
  for (const fact of seededMesh({ seed, needs }).facts) {
    facts.apply(fact)
  }
  return decide(facts)
}
const occurring = <A>(values: Iterable<A>, of: (value: A) => string): ReadonlyArray<string> =>
  [...new Set([...values].map(of))].sort()

describe("the seeded mesh", () => {
  const decisions = decidedOf()
  const provisions = [...decisions.provisions.values()]

  test("is the same for a seed, each time that it is gone through, and another for another", () => {
    const mesh = seededMesh({ seed, needs })
    const facts = [...mesh.facts]
    expect([...mesh.facts]).toEqual(facts)
    expect([...seededMesh({ seed, needs }).facts]).toEqual(facts)
    expect([...seededMesh({ seed: 2, needs }).facts]).not.toEqual(facts)
  })

  test("has each key once", () => {
    const keys = [...seededMesh({ seed, needs }).facts].map(({ bucket, key }) => `${bucket}/${key}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test("has every state and every reason that there is", () => {
    expect(occurring(provisions, ({ reason }) => reason)).toEqual(Object.keys(reasons).sort())
    expect(occurring(decisions.asks.values(), ({ state }) => state)).toEqual(Object.keys(askStates).sort())
    expect(occurring(decisions.plans.values(), ({ state }) => state)).toEqual(Object.keys(planStates).sort())
    expect(decisions.outOfShape.length).toBeGreaterThan(0)
    expect(decisions.conflicts.length).toBeGreaterThan(0)
  })

  test("has about as many needs as it is to have, five a consumer at the median, and most of them are provided", () => {
    const mesh = seededMesh({ seed, needs })
    expect(provisions.length / needs).toBeGreaterThan(0.95)
    expect(provisions.length / needs).toBeLessThan(1.15)
    const counts = Array.from({ length: mesh.consumers }, (_, index) => {
      const plan = decisions.plans.get(mesh.consumer(index).key)
      return Object.keys(plan?.needs ?? {}).length
    }).sort((one, other) => one - other)
    expect(counts[Math.floor(counts.length / 2)]).toBe(5)
    expect(counts.at(-1)).toBeGreaterThan(7)
    const provided = provisions.filter(({ state }) => state === "provided").length
    expect(provided / provisions.length).toBeGreaterThan(0.9)
    expect(decisions.asks.size / provisions.length).toBeGreaterThan(0.6)
  })

  test("has one provider for half of the consumers and one for a thousand, judged by their haves", () => {
    const consumers = (key: string) =>
      provisions.filter(({ provider }) => provider !== undefined && `${provider.node}.${provider.module}` === key)
    expect(consumers(hub).length).toBe(needs / 5 / 2)
    expect(consumers(gauge).length).toBe(1_000)
  })

  test("has consumers of whom the number tells the need, and what was made for it", () => {
    const mesh = seededMesh({ seed, needs })
    const facts = new Map([...mesh.facts].map(({ bucket, key, value }) => [`${bucket}/${key}`, value]))
    for (const index of [0, 7, mesh.consumers - 1]) {
      const { assignment, database, key, need } = mesh.consumer(index)
      expect(facts.get(`mesh-controller_assignments/${key}`)).toEqual(assignment)
      expect(facts.get(`${need.bucket}/${need.key}`)).toEqual(need.value)
      expect(facts.get(`${database.bucket}/${database.key}`)).toEqual(database.value)
    }
  })
})
