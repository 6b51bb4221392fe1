/**
 * How a law is tried: over many inputs, with a count of what was met, since a law over inputs in which nothing happens
 * says nothing.
 *
 * Every run tries the same inputs, so that a clone passes as its author's did. `PROPERTY_SEED=7 PROPERTY_TIMES=50 npx
 * vitest run test/property` tries others, and fifty times as many; with `PROPERTY_MET=1` the counts are shown.
 */
import * as fc from "fast-check"
import { expect } from "vitest"

const seed = Number(process.env["PROPERTY_SEED"] ?? 20_261)

/** How many times as many inputs are tried as by default. */
export const times = Number(process.env["PROPERTY_TIMES"] ?? 1)

// A law that fails is told within a test's time, with the smallest input found until then; a slow machine tries fewer.
const secondsMax = 40 * times

/** Tries a law for so many inputs; where it does not hold, the report has the smallest input found. */
export const check = <Inputs>(law: fc.IProperty<Inputs>, inputs: number): void =>
  fc.assert(law, {
    seed,
    numRuns: inputs * times,
    interruptAfterTimeLimit: secondsMax * 1_000
  })

/** What was met while a law was tried. */
export class Met {
  readonly #counts = new Map<string, number>()

  /** Something was met, so many times. */
  count(what: string, number = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + number)
  }

  /** Fails where something was met fewer times than it is to be. */
  atLeast(least: { readonly [what: string]: number }): void {
    if (process.env["PROPERTY_MET"] !== undefined) {
      console.log(Object.fromEntries(this.#counts))
    }
    const found = Object.keys(least).map((what) => [what, this.#counts.get(what) ?? 0] as const)
    expect(found.filter(([what, count]) => count < (least[what] ?? 0)), "met too seldom").toEqual([])
  }
}
