/**
 * Goal: what strangers write much of does not make deciding quadratic: a consumer with thousands of needs, of one claim or of
 * as many; thousands of makers, holders, answers, fields, items.
 *
 * Method: each shape of a mesh is decided at one size and at four times that size, in one run. Both times are of the same
 * machine and moment, and only their ratio counts: about 4 where the work is linear, 16 where it is quadratic.
 */
import { describe, expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { growthOf } from "./Growth.ts"
import { shapesOfNeeds } from "./ShapesOfNeeds.ts"
import { shapesOfOthers } from "./ShapesOfOthers.ts"

describe("deciding grows with the facts, and not with their square", () => {
  for (const [name, { buckets, right, size }] of Object.entries({ ...shapesOfNeeds, ...shapesOfOthers })) {
    test(name, () => {
      right(decide({ buckets: buckets(4 * size) }), 4 * size)
      expect(growthOf(size, 10, (size) => ({ buckets: buckets(size) }), decide)).toBeLessThan(10)
    }, 120_000)
  }
})
