/**
 * Goal: whatever changes, in whatever order, the engine has decided after each change what `decide` makes of the facts, and
 * has said exactly what leads there from what it had decided before (protocol's first idea, and §9: a change of facts writes
 * what it changes and nothing else).
 *
 * Method: walks over the keys and values of random meshes, with the naive twin beside. `PROPERTY_TIMES=50 npx vitest run
 * test/engine/walks.test.ts` takes a million changes instead of twenty thousand, `PROPERTY_SEED=7` other ones. A walk on which
 * something is wrong is told with the fewest of its changes on which something still is.
 */
import * as fc from "fast-check"
import { test } from "vitest"
import type { EngineChange } from "../../src/core/Engine.ts"
import { Broken } from "../../src/testing/laws/Broken.ts"
import { tellChanges } from "../../src/testing/laws/Tell.ts"
import { check, Met, times } from "../property/Law.ts"
import { seeded } from "./Seeded.ts"
import { Twin } from "./Twin.ts"
import { walks } from "./Walk.ts"

const timeout = 120_000 * Math.max(1, times)

/** Goes so many walks, and sees that so many changes were taken at least. */
const walkThrough = (
  walksMax: number,
  changesMin: number,
  go: (changes: ReadonlyArray<EngineChange>, seed: number, met: Met) => string | undefined,
  least: { readonly [what: string]: number } = {}
): void => {
  const met = new Met()
  check(
    fc.property(walks(120), fc.nat(), ({ changes }, seed) => {
      const wrong = go(changes, seed, met)
      if (wrong !== undefined) {
        throw new Broken([wrong, ...tellChanges(changes)].join("\n"))
      }
      met.count("change", changes.length)
    }),
    walksMax
  )
  met.atLeast({ change: changesMin * times, ...least })
}

/** What comes in one batch or another of a walk. */
const batchesOf = (changes: ReadonlyArray<EngineChange>, seed: number): ReadonlyArray<ReadonlyArray<EngineChange>> => {
  const choose = seeded(seed)
  const batches: Array<ReadonlyArray<EngineChange>> = []
  for (let at = 0; at < changes.length;) {
    const size = 1 + choose.below(choose.chance(20) ? 40 : 6)
    batches.push(changes.slice(at, at + size))
    at += size
  }
  return batches
}

test("after every single change, what is decided and what was said are what decide makes of the facts", () => {
  walkThrough(130, 20_000, (changes) => {
    const twin = new Twin()
    return changes.map((change) => twin.step([change])).find((one) => one !== undefined)
  })
}, timeout)

test("however many changes come at once", () => {
  walkThrough(20, 3_000, (changes, seed) => {
    const twin = new Twin()
    return batchesOf(changes, seed).map((batch) => twin.step(batch)).find((wrong) => wrong !== undefined)
  })
}, timeout)

test("a what-if says what a step then does, and leaves everything as it was", () => {
  walkThrough(20, 3_000, (changes, seed) => {
    const twin = new Twin()
    return batchesOf(changes, seed).map((batch) => twin.whatIf(batch)).find((wrong) => wrong !== undefined)
  })
}, timeout)

test("begun with facts that are decoded already, it decides on them, and goes on by itself", () => {
  walkThrough(20, 3_000, (changes, seed) => {
    const half = seeded(seed).below(changes.length)
    const twin = new Twin(changes.slice(0, half))
    const wrong = twin.step([])
    return wrong ??
      batchesOf(changes.slice(half), seed).map((batch, index) =>
        index % 2 === 0 ? twin.slices(batch).wrong : twin.whatIf(batch)
      ).find((one) => one !== undefined)
  })
}, timeout)

test("a what-if that is given up leaves everything as it was, too", () => {
  let count = 0
  walkThrough(20, 3_000, (changes, seed, met) => {
    const twin = new Twin()
    return batchesOf(changes, seed).map((batch) => {
      const { isGivenUp, wrong } = twin.boundedWhatIf(batch, count % 6)
      count += 1
      met.count("given up", isGivenUp ? 1 : 0)
      return wrong
    }).find((wrong) => wrong !== undefined)
  }, { "given up": 100 * times })
}, timeout)

test("worked off in slices, each module on a node is as a whole what it was, or what it is to be", () => {
  walkThrough(20, 3_000, (changes, seed, met) => {
    const twin = new Twin()
    return batchesOf(changes, seed).map((batch) => {
      const { slices, wrong } = twin.slices(batch)
      met.count("in slices", slices > 1 ? 1 : 0)
      return wrong
    }).find((wrong) => wrong !== undefined)
  }, { "in slices": 100 * times })
}, timeout)
