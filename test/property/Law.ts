/**
 * How a law is tried: over many inputs, with a count of what was met, since a law over inputs in which nothing happens
 * says nothing.
 *
 * Every run tries the same inputs, so that a clone passes as its author's did. `PROPERTY_SEED=7 PROPERTY_TIMES=50 npx
 * vitest run test/property` tries others, and fifty times as many; with `PROPERTY_MET=1` the counts are shown.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { type LawOf, Met as Counts } from "../../src/testing/laws/Law.ts"

const seed = Number(process.env["PROPERTY_SEED"] ?? 20_261)

/** How many times as many inputs are tried as by default. Below 1 it is not looked at what was met, for little is. */
export const times = Number(process.env["PROPERTY_TIMES"] ?? 1)

// A law that fails is told within a test's time, with the smallest input found until then; a slow machine tries fewer.
const secondsMax = 40 * Math.max(1, times)

const timesAsMany = (inputs: number): number => Math.ceil(inputs * times)

/** Tries a law for so many inputs; where it does not hold, the report has the smallest input found. */
export const check = <Inputs>(law: fc.IProperty<Inputs>, inputs: number): void =>
  fc.assert(law, {
    seed,
    numRuns: timesAsMany(inputs),
    interruptAfterTimeLimit: secondsMax * 1_000
  })

/** A test for each law, of the core's own `decide`, and that all was met while it was tried that is to be. */
export const testLaws = (laws: ReadonlyArray<LawOf>): void => {
  for (const { atLeast, check, paragraph, runs, sentence } of laws.map((law) => law(decide))) {
    test(`${sentence} (${paragraph})`, { timeout: 2 * secondsMax * 1_000 }, () => {
      expectMet(check({ seed, runs: timesAsMany(runs), millisMax: secondsMax * 1_000 }), atLeast)
    })
  }
}

/** What was met while a law was tried. */
export class Met extends Counts {
  /** Fails where something was met fewer times than it is to be. */
  atLeast(least: { readonly [what: string]: number }): void {
    expectMet(this.counts, least)
  }
}

const expectMet = (counts: ReadonlyMap<string, number>, least: { readonly [what: string]: number }): void => {
  if (process.env["PROPERTY_MET"] !== undefined) {
    console.log(Object.fromEntries(counts))
  }
  if (times < 1) {
    return
  }
  const found = Object.keys(least).map((what) => [what, counts.get(what) ?? 0] as const)
  expect(found.filter(([what, count]) => count < (least[what] ?? 0)), "met too seldom").toEqual([])
}
