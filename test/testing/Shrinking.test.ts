/**
 * Goal: what fails is shrunk to what matters: of a mesh to the facts, of a loss to what is lost, of a history to the changes
 * without any one of which it would not fail.
 *
 * Method: properties that fail by what is known, over several seeds.
 */
import * as fc from "fast-check"
import { decide, Facts, type Snapshot } from "mesh-provisioner/core"
import { anyFact, anyHistory, coherentMesh, historyOf, lossOf, wildMesh } from "mesh-provisioner/testing"
import { describe, expect, test } from "vitest"
import { leavingFactsOut } from "../../src/testing/arbitrary/LeavingOut.ts"
import { isThere, placesOf, remove, valueAt } from "../../src/testing/arbitrary/Snapshots.ts"

const seeds = [1, 2, 3, 4, 5]

/** The smallest case that is found on which something is so. */
const smallest = <Case>(cases: fc.Arbitrary<Case>, isSo: (one: Case) => boolean, seed: number): Case => {
  const { counterexample } = fc.check(fc.property(cases, (one) => !isSo(one)), { seed, numRuns: 500 })
  if (counterexample === null) {
    throw new Error("nothing was found")
  }
  return counterexample[0]
}

describe.each(seeds)("of seed %i", (seed) => {
  test("a mesh with a lost machine is that machine, and that it is lost", () => {
    const isLost = (mesh: Snapshot): boolean =>
      placesOf(mesh, "mesh-controller_machines").some((place) => Object(valueAt(mesh, place)).lost === true)
    for (const meshes of [coherentMesh, wildMesh]) {
      const found = smallest(meshes, isLost, seed)
      expect(Object.keys(found.buckets)).toEqual(["mesh-controller_machines"])
      expect(Object.values(found.buckets["mesh-controller_machines"] ?? {})).toEqual([{ lost: true }])
    }
  })

  test("of what is decided, only the facts are left that it follows from", () => {
    const isProvided = (mesh: Snapshot): boolean =>
      [...decide(mesh).provisions.values()].some(({ reason }) => reason === "provided")
    const found = smallest(coherentMesh, isProvided, seed)
    expect(placesOf(found).length).toBeLessThanOrEqual(6)
    expect(placesOf(found).filter((place) => isProvided(remove(found, place)))).toEqual([])
  })

  test("a loss is of one fact, and nothing else is there", () => {
    const { after, before, lost } = smallest(
      lossOf(coherentMesh),
      ({ lost }) => lost.some(({ bucket, how }) => bucket === "mesh-provisioner_needs" && how === "absent"),
      seed
    )
    expect(placesOf(before).length).toBe(1)
    expect(placesOf(after)).toEqual([])
    expect(lost).toEqual([{ ...placesOf(before)[0], how: "absent" }])
  })

  test("a history is of the changes that matter, in their order", () => {
    const { changes, snapshot } = smallest(
      anyHistory,
      ({ changes }) => {
        const put = changes.findIndex((one) => one.bucket === "mesh-provisioner_needs" && "value" in one)
        return put >= 0 && changes.slice(put).some((one) => "isThere" in one && !one.isThere)
      },
      seed
    )
    expect(changes.length).toBe(2)
    expect(changes.map((change) => "isThere" in change)).toEqual([false, true])
    const last = changes[1]?.bucket ?? ""
    expect(Object.hasOwn(snapshot.buckets, last)).toBe(false)
  })

  test("a history leads where its snapshot says, however much was left out of it", () => {
    const { changes, snapshot } = smallest(historyOf(coherentMesh), ({ changes }) => changes.length > 20, seed)
    const facts = new Facts()
    changes.forEach((change) => facts.apply(change))
    expect(changes.length).toBe(21)
    expect(decide(facts)).toEqual(decide(snapshot))
    for (const change of changes.filter((change) => "key" in change)) {
      const last = changes.findLast((one) => "key" in one && one.bucket === change.bucket && one.key === change.key)
      expect(isThere(snapshot, change)).toBe(last !== undefined && "value" in last)
    }
  })

  test("a fact is of little", () => {
    const found = smallest(anyFact, ({ bucket }) => bucket === "postgres_bound", seed)
    expect(JSON.stringify(found.value).length).toBeLessThan(5)
  })
})

test("a long name is made short, wherever it stands", () => {
  const long = "m".repeat(200)
  const mesh = {
    buckets: {
      "mesh-controller_assignments": { [`n1.${long}`]: { build: "b1", pins: { database: { module: long } } } },
      "mesh-controller_seats": { db: { node: "n1", module: long } }
    }
  }
  const isPinned = (mesh: Snapshot): boolean => JSON.stringify(mesh).includes("pins") && placesOf(mesh).length === 2
  expect(smallest(leavingFactsOut(fc.constant(mesh)), isPinned, 1)).toEqual({
    buckets: {
      "mesh-controller_assignments": { "n1.long": { pins: {} } },
      "mesh-controller_seats": { db: {} }
    }
  })
})
