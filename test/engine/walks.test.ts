/**
 * Goal: whatever changes, in whatever order, the engine has decided after each change what `decide` makes of the facts, and
 * has said exactly what leads there from what it had decided before (protocol's first idea, and §9: a change of facts writes
 * what it changes and nothing else).
 *
 * Method: walks over the keys and values of random meshes, with the naive twin beside. `PROPERTY_TIMES=50 npx vitest run
 * test/engine/walks.test.ts` takes a million changes instead of twenty thousand, `PROPERTY_SEED=7` other ones. A walk on which
 * something is wrong is reported by its seed, with the fewest of its changes on which something still is.
 */
import { expect, test } from "vitest"
import type { EngineChange } from "../../src/core/Engine.ts"
import { seeded } from "./Seeded.ts"
import { shrunk, Twin } from "./Twin.ts"
import { walk } from "./Walk.ts"

const firstSeed = Number(process.env["PROPERTY_SEED"] ?? 20_261)
const times = Number(process.env["PROPERTY_TIMES"] ?? 1)
const timeout = 120_000 * times

/** Walks from one seed after another, until so many changes were taken. */
const walkUntil = (
  changesMin: number,
  more: number,
  go: (changes: ReadonlyArray<EngineChange>, seed: number) => string | undefined
): void => {
  let taken = 0
  for (let seed = firstSeed; taken < changesMin * times; seed++) {
    const changes = walk(seed, more)
    expect(go(changes, seed), `the walk of seed ${seed}`).toBeUndefined()
    taken += changes.length
  }
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
  walkUntil(20_000, 120, (changes) => {
    const twin = new Twin()
    const wrong = changes.map((change) => twin.step([change])).find((one) => one !== undefined)
    return wrong && `${wrong}\n${shrunk(changes).map((change) => JSON.stringify(change)).join("\n")}`
  })
}, timeout)

test("however many changes come at once", () => {
  walkUntil(3_000, 120, (changes, seed) => {
    const twin = new Twin()
    return batchesOf(changes, seed).map((batch) => twin.step(batch)).find((wrong) => wrong !== undefined)
  })
}, timeout)

test("a what-if says what a step then does, and leaves everything as it was", () => {
  walkUntil(3_000, 120, (changes, seed) => {
    const twin = new Twin()
    return batchesOf(changes, seed).map((batch) => twin.whatIf(batch)).find((wrong) => wrong !== undefined)
  })
}, timeout)

test("begun with facts that are decoded already, it decides on them, and goes on by itself", () => {
  walkUntil(3_000, 120, (changes, seed) => {
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
  let givenUp = 0
  let count = 0
  walkUntil(3_000, 120, (changes, seed) => {
    const twin = new Twin()
    return batchesOf(changes, seed).map((batch) => {
      const { isGivenUp, wrong } = twin.boundedWhatIf(batch, count % 6)
      count += 1
      givenUp += isGivenUp ? 1 : 0
      return wrong
    }).find((wrong) => wrong !== undefined)
  })
  expect(givenUp).toBeGreaterThan(100 * times)
}, timeout)

test("worked off in slices, each module on a node is as a whole what it was, or what it is to be", () => {
  let sliced = 0
  walkUntil(3_000, 120, (changes, seed) => {
    const twin = new Twin()
    return batchesOf(changes, seed).map((batch) => {
      const { slices, wrong } = twin.slices(batch)
      sliced += slices > 1 ? 1 : 0
      return wrong
    }).find((wrong) => wrong !== undefined)
  })
  expect(sliced).toBeGreaterThan(100 * times)
}, timeout)
