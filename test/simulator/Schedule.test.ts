/**
 * Virtual time: whatever is planned happens at its time, and of one time in the order in which it was planned.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { Random } from "../../src/simulator/Random.ts"
import { Schedule } from "../../src/simulator/Schedule.ts"

test("all that is planned happens in the order of its time, and then of its planning", () => {
  fc.assert(fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 200 }), (delays) => {
    const schedule = new Schedule()
    const happened: Array<readonly [at: number, index: number]> = []
    delays.forEach((delay, index) => schedule.after(delay, () => happened.push([schedule.now, index])))
    for (let run = schedule.take(); run !== undefined; run = schedule.take()) {
      run()
    }
    const planned = delays.map((delay, index) => [delay, index] as const)
    expect(happened).toEqual(planned.toSorted(([one, a], [other, b]) => one - other || a - b))
    expect(schedule.size).toBe(0)
  }))
})

test("what is planned while something happens is planned from then on", () => {
  const schedule = new Schedule()
  const at: Array<number> = []
  const again = (): void => {
    at.push(schedule.now)
    if (at.length < 4) {
      schedule.after(5, again)
    }
  }
  schedule.after(3, again)
  for (let run = schedule.take(); run !== undefined; run = schedule.take()) {
    run()
  }
  expect(at).toEqual([3, 8, 13, 18])
})

test("a seed draws the same numbers each time, all of them in their bounds", () => {
  const drawn = (seed: number) => {
    const random = new Random(seed)
    return Array.from({ length: 1_000 }, () => random.below(7))
  }
  expect(drawn(5)).toEqual(drawn(5))
  expect(drawn(5)).not.toEqual(drawn(6))
  expect([...new Set(drawn(5))].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
})
