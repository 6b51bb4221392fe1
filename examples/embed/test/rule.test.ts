/**
 * The rule, tried on every mesh there is: two meshes of a consumer and its provider differ in sites and in what is said.
 */
import * as fc from "fast-check"
import { decide, type Snapshot } from "mesh-provisioner/core"
import assert from "node:assert/strict"
import { test } from "node:test"
import { verdictsOn } from "../src/rule.ts"

const site = fc.constantFrom("home", "office", undefined)
const state = fc.constantFrom("provided", "making", "failed")

interface Mesh {
  readonly here: string | undefined
  readonly there: string | undefined
  readonly state: string
}

const mesh: fc.Arbitrary<Mesh> = fc.record({ here: site, there: site, state })

const snapshotOf = ({ here, state, there }: Mesh): Snapshot => ({
  buckets: {
    "mesh-controller_modules": { postgres: { provides: { database: { credential: "consumer" } } } },
    "mesh-controller_assignments": { "n1.shop": { build: "s1" }, "n2.postgres": { build: "p7" } },
    "mesh-controller_machines": {
      n1: here === undefined ? {} : { site: here },
      n2: there === undefined ? {} : { site: there }
    },
    "mesh-provisioner_needs": { "n1.shop.bound.database": {} },
    "postgres_bound": { "n1.shop.database": { state, by: "n2" } }
  }
})

test("a plan is barred exactly where production is served from another site", () => {
  fc.assert(fc.property(mesh, (mesh) => {
    const verdict = verdictsOn(snapshotOf(mesh), new Set(["home"])).get("n1.shop")
    assert.equal(verdict?.state === "barred", mesh.here === "home" && mesh.there !== "home")
  }))
})

test("without a production site, every verdict is the mesh's own", () => {
  fc.assert(fc.property(mesh, (mesh) => {
    const snapshot = snapshotOf(mesh)
    for (const [key, { state, why }] of verdictsOn(snapshot, new Set())) {
      const plan = decide(snapshot).plans.get(key)
      assert.deepEqual({ state, why }, { state: plan?.state, why: plan?.why })
    }
  }))
})

test("a verdict names both ends", () => {
  const verdict = verdictsOn(snapshotOf({ here: "home", there: "office", state: "provided" }), new Set(["home"])).get(
    "n1.shop"
  )
  assert.equal(
    verdict?.why,
    "shop on n1 is at home, a production site, and its bound database would come from postgres on n2, at office"
  )
})
