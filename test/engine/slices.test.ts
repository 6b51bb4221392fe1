/**
 * Goal: a change that touches many is worked off in slices from its first moment on: also whom it touches is looked for some at
 * a time, and what comes out of the slices is what `decide` makes of the facts.
 *
 * Method: counted. Whoever is touched is known to be pending, so how much one slice did is seen by how much is pending more.
 */
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { Engine, type EngineChange, type EngineStep } from "../../src/core/Engine.ts"
import { Facts } from "../../src/core/Facts.ts"
import { bucket, costMesh, gone, postgres, put } from "./CostMesh.ts"

const consumers = 400

/** So many are looked at, at most, in a slice of one thing. */
const looksASlice = 10

/** Changes that touch each of the consumers, by what many share. */
const wide: { readonly [name: string]: ReadonlyArray<EngineChange> } = {
  "the seat of the vault": [put(bucket.seats, "vault", { node: "n1", module: "mesh-vault" })],
  "a definition": [put(bucket.modules, "postgres", postgres({ credential: "none" }, 200))],
  "a definition's answer": [
    put(bucket.modules, "acme", { answers: { licence: { bucket: bucket.licences, key: "<module>.<name>" } } })
  ],
  "the buckets of a provider": [gone(bucket.modules, "postgres"), { bucket: bucket.postgres, isThere: false }]
}

const sliced = (engine: Engine, changes: ReadonlyArray<EngineChange>): ReadonlyArray<EngineStep> => {
  const steps = [engine.step(changes, 1)]
  while (engine.pending > 0) {
    steps.push(engine.step([], 1))
  }
  return steps
}

test.each(Object.entries(wide).slice(0, 3))(
  "%s is another: whom it touches is looked for some at a time",
  (_, changes) => {
    const engine = new Engine()
    engine.step(costMesh(consumers))
    let pending = 0
    let most = 0
    for (const step of sliced(engine, changes)) {
      expect(step.pending - pending).toBeLessThanOrEqual(looksASlice + 10)
      pending = step.pending
      most = Math.max(most, pending)
    }
    expect(most).toBeGreaterThan(consumers / 4)
  }
)

test.each(Object.entries(wide))(
  "%s is another: in slices it comes to what `decide` makes of the facts",
  (_, changes) => {
    const engine = new Engine()
    engine.step(costMesh(consumers))
    const steps = sliced(engine, changes)
    expect(steps.flatMap(({ writes }) => writes).length).toBeGreaterThan(consumers / 4)
    const { asks, plans, provisions } = decide(factsOf([...costMesh(consumers), ...changes]))
    expect(new Map(engine.decisions.provisions)).toEqual(provisions)
    expect(new Map(engine.decisions.asks)).toEqual(asks)
    expect(new Map(engine.decisions.plans)).toEqual(plans)
  }
)

const factsOf = (changes: ReadonlyArray<EngineChange>): Facts => {
  const facts = new Facts()
  changes.forEach((change) => facts.apply(change))
  return facts
}

test("what turns again and again while it is looked for whom it touches is looked for once more, and not once for each turn", () => {
  const engine = new Engine()
  engine.step(costMesh(consumers))
  const turn = (holder: string) => put(bucket.seats, "vault", { node: holder, module: "mesh-vault" })
  for (let time = 0; time < 100; time++) {
    engine.step([turn(`n${time % 2}`)], 1)
  }
  let slices = 0
  for (; engine.pending > 0; slices++) {
    engine.step([], 1)
  }
  // Some ten things are marked for each consumer, and each consumer is decided for once.
  expect(slices).toBeLessThan(consumers * 2)
})
