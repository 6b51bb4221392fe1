/**
 * Facts (protocol, its first idea, and §9): decisions are a function of the facts as they stand, and of nothing else. Facts
 * that arrive twice, late or in another order between keys change nothing.
 */
import * as fc from "fast-check"
import type { EngineChange } from "../../core/Engine.ts"
import { Facts } from "../../core/Facts.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { chosen } from "../arbitrary/Choose.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { type History, historyOf, leavingChangesOut, openingsOf } from "../arbitrary/History.ts"
import { placesOf, valueAt } from "../arbitrary/Snapshots.ts"
import { same } from "./Broken.ts"
import { anyMesh } from "./Cases.ts"
import { lawOf } from "./Law.ts"
import { tellChanges, tellMesh } from "./Tell.ts"

const applied = (changes: ReadonlyArray<EngineChange>): Facts => {
  const facts = new Facts()
  for (const change of changes) {
    facts.apply(change)
  }
  return facts
}

const arrivalIsNothing = lawOf<History>({
  sentence: "decisions do not depend on order, repetition or interleaving of changes between keys",
  paragraph: "§9",
  cases: historyOf(anyMesh),
  runs: 200,
  atLeast: { deletion: 300, change: 5_000 },
  tell: ({ changes }) => tellChanges(changes),
  holds: (decide, { changes, snapshot }, met) => {
    same(decide(applied(changes)), decide(snapshot), "What is decided as the facts came, and not at once, by its")
    met.count("deletion", changes.filter((change) => "key" in change && change.value === undefined).length)
    met.count("change", changes.length)
  }
})

/** Needs of one claim, each with a range and fields of its own, and who may or may not meet them. */
const sharedClaim = chosen((choose): Snapshot => {
  const needs = ["a", "b", "c", "d"].map((name) => [
    `n1.shop.bound.${name}`,
    {
      provision: "database",
      contract: choose.oneOf(">=1", "^2.0.0", "9.x", "<1"),
      fields: choose.some(["host", "port", "nothing", "more"], 40),
      ...(choose.chance(20) ? { optional: true } : {})
    }
  ])
  const modules = choose.some(["maria", "postgres", "sqlite"], 70)
  const fields = { host: "string", port: "integer" }
  return {
    buckets: {
      "mesh-controller_assignments": {
        "n1.shop": { build: "b1" },
        ...Object.fromEntries(modules.map((module) => [`n2.${module}`, { build: "b1" }]))
      },
      "mesh-controller_modules": Object.fromEntries(modules.map((module) => [
        module,
        {
          provides: {
            database: { credential: "consumer", contract: { version: choose.oneOf("1.4.0", "2.1.0"), fields } }
          }
        }
      ])),
      "mesh-provisioner_needs": Object.fromEntries(needs),
      ...Object.fromEntries(
        choose.some(modules, 30).map((module) => [
          `${module}_bound`,
          { "n1.shop.database": { state: "provided", by: "n2", values: { host: "h" } } }
        ])
      )
    }
  }
})

const shuffled = (snapshot: Snapshot): fc.Arbitrary<History> => {
  const changes = placesOf(snapshot).map((place) => ({ ...place, value: valueAt(snapshot, place) ?? null }))
  return fc.shuffledSubarray(changes, { minLength: changes.length }).map((shuffled) => ({
    changes: [...openingsOf(snapshot), ...shuffled],
    snapshot
  }))
}

const wordsInOneOrder = lawOf<History>({
  sentence: "needs of one claim, and who holds it, are named in the same order whichever came first",
  paragraph: "§9",
  cases: leavingChangesOut(sharedClaim.chain(shuffled)),
  runs: 200,
  atLeast: { "no-candidate": 60, "two-holders": 20, unmet: 20, nobody: 5 },
  tell: ({ changes }) => tellChanges(changes),
  holds: (decide, { changes, snapshot }, met) => {
    const decisions = decide(snapshot)
    same(decide(applied(changes)), decisions, "What is decided as the facts came, and not at once, by its")
    for (const { reason } of decisions.provisions.values()) {
      met.count(reason)
    }
  }
})

const decidedOnTheWay = lawOf({
  sentence: "decisions are the same whether the facts are decided on as they arrive or once they are all there",
  paragraph: "§9",
  cases: fc.tuple(historyOf(coherentMesh), fc.nat({ max: 40 })),
  runs: 60,
  atLeast: { "decided on the way": 100 },
  tell: ([{ changes }]) => tellChanges(changes),
  holds: (decide, [{ changes, snapshot }, every], met) => {
    const facts = new Facts()
    for (const [index, change] of changes.entries()) {
      facts.apply(change)
      if (index % (every + 10) === 0) {
        decide(facts)
        met.count("decided on the way")
      }
    }
    same(decide(facts), decide(snapshot), "What is decided as the facts came, and not at once, by its")
  }
})

const lostAndBack = lawOf({
  sentence: "a bucket that was lost and is back with the same facts changes nothing",
  paragraph: "§9",
  cases: fc.tuple(coherentMesh, fc.nat()),
  runs: 100,
  atLeast: { "a provider's": 7, "the mesh's": 35 },
  tell: ([mesh]) => tellMesh(mesh),
  holds: (decide, [mesh, choice], met) => {
    const names = Object.keys(mesh.buckets)
    const bucket = names[choice % names.length]
    if (bucket === undefined) {
      return
    }
    const facts = Facts.fromSnapshot(mesh)
    facts.closeBucket(bucket)
    const { [bucket]: lost = {}, ...others } = mesh.buckets
    same(decide(facts), decide({ buckets: others }), `What is decided once ${bucket} is lost, by its`)
    facts.openBucket(bucket)
    for (const [key, value] of Object.entries(lost)) {
      facts.apply({ bucket, key, value })
    }
    same(decide(facts), decide(mesh), `What is decided once ${bucket} is back, by its`)
    met.count(bucket.endsWith("_bound") ? "a provider's" : "the mesh's")
  }
})

/** The laws of facts and how they arrive. */
export const factsLaws = [arrivalIsNothing, wordsInOneOrder, decidedOnTheWay, lostAndBack]
