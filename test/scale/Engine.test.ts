/**
 * Goal: what strangers write much of does not make the engine quadratic, in one step or in many; and what one change costs does
 * not grow with the mesh.
 *
 * Method: each shape of a mesh is taken in at one size and at four times that size, and only the ratio of the times counts, as
 * in `Needs.test.ts`. A single change has a mesh of four times as many consumers beside, and is to cost about the same.
 */
import { describe, expect, test } from "vitest"
import { Engine, type EngineChange } from "../../src/core/Engine.ts"
import { consumer, costMesh, gone, put } from "../engine/CostMesh.ts"
import { growthOf } from "./Growth.ts"
import type { Shape } from "./Shape.ts"
import { shapesOfNeeds } from "./ShapesOfNeeds.ts"
import { shapesOfOthers } from "./ShapesOfOthers.ts"

const changesOf = (buckets: ReturnType<Shape["buckets"]>): ReadonlyArray<EngineChange> =>
  Object.entries(buckets).flatMap(([bucket, values]) =>
    Object.entries(values).map(([key, value]) => put(bucket, key, value))
  )

describe("taking a mesh in grows with the facts, and not with their square", () => {
  for (const [name, { buckets, right, size }] of Object.entries({ ...shapesOfNeeds, ...shapesOfOthers })) {
    test(name, () => {
      const engine = new Engine()
      engine.step(changesOf(buckets(4 * size)))
      right(engine.decisions, 4 * size)
      const take = (changes: ReadonlyArray<EngineChange>) => new Engine().step(changes)
      expect(growthOf(size, 10, (size) => changesOf(buckets(size)), take)).toBeLessThan(10)
    }, 120_000)
  }
})

describe("a change costs the same however large the mesh", () => {
  const one = consumer(7)
  const changes: { readonly [name: string]: ReadonlyArray<EngineChange> } = {
    "a need": [
      gone("mesh-provisioner_needs", `${one}.bound.database`),
      put("mesh-provisioner_needs", `${one}.bound.database`, {})
    ],
    "a bound entry": [
      put("postgres_bound", `${one}.database`, { state: "failed", by: "n3" }),
      put("postgres_bound", `${one}.database`, { state: "provided", by: "n3", values: { host: "h" } })
    ],
    "a have without effect": [
      put("mesh-host_haves", "n0.dns", { build: "d1", health: "healthy", words: "a" }),
      put("mesh-host_haves", "n0.dns", { build: "d1", health: "healthy", words: "b" })
    ],
    "an assignment": [
      put("mesh-controller_assignments", one, { build: "s2" }),
      put("mesh-controller_assignments", one, { build: "s1" })
    ]
  }
  for (const [name, both] of Object.entries(changes)) {
    test(name, () => {
      const prepare = (size: number) => {
        const engine = new Engine()
        engine.step(costMesh(size))
        return engine
      }
      const work = (engine: Engine) => {
        for (let count = 0; count < 60; count++) {
          both.forEach((change) => engine.step([change]))
        }
      }
      expect(growthOf(500, 2.5, prepare, work)).toBeLessThan(2.5)
    }, 120_000)
  }
})
