/**
 * Facts (protocol, its first idea, and §9): decisions are a function of the facts as they stand, and of nothing else. Facts
 * that arrive twice, late or in another order between keys change nothing.
 */
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { type Change, Facts } from "../../src/core/Facts.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { chosen } from "../arbitrary/Choose.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { historyOf } from "../arbitrary/History.ts"
import { lossOf } from "../arbitrary/Loss.ts"
import { placesOf, valueAt } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { check, Met } from "./Law.ts"

const anyMesh = fc.oneof(coherentMesh, wildMesh, lossOf(coherentMesh).map(({ after }) => after))

const applied = (changes: ReadonlyArray<Change>): Facts => {
  const facts = new Facts()
  for (const change of changes) {
    facts.apply(change)
  }
  return facts
}

// Deep equality of the whole first: the words of a difference are slow.
const expectSame = (one: unknown, other: unknown): void => {
  if (!isDeepStrictEqual(one, other)) {
    expect(one).toEqual(other)
    throw new Error("they differ")
  }
}

test("decisions do not depend on order, repetition or interleaving of changes between keys (§9)", () => {
  const met = new Met()
  check(
    fc.property(historyOf(anyMesh), ({ changes, snapshot }) => {
      expectSame(decide(applied(withBuckets(snapshot, changes))), decide(snapshot))
      met.count("deletion", changes.filter(({ value }) => value === undefined).length)
      met.count("change", changes.length)
    }),
    200
  )
  met.atLeast({ deletion: 300, change: 5_000 })
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

test("nor do the words: needs of one claim, and who holds it, are named in the same order whichever came first (§9)", () => {
  const met = new Met()
  check(
    fc.property(
      sharedClaim.chain((snapshot) => fc.tuple(fc.constant(snapshot), shuffled(snapshot))),
      ([snapshot, changes]) => {
        const decisions = decide(snapshot)
        expectSame(decide(applied(withBuckets(snapshot, changes))), decisions)
        for (const { reason } of decisions.provisions.values()) {
          met.count(reason)
        }
      }
    ),
    200
  )
  met.atLeast({ "no-candidate": 60, "two-holders": 20, unmet: 20, nobody: 5 })
})

const shuffled = (snapshot: Snapshot): fc.Arbitrary<Array<Change>> => {
  const changes = placesOf(snapshot).map((place) => ({ ...place, value: valueAt(snapshot, place) ?? null }))
  return fc.shuffledSubarray(changes, { minLength: changes.length })
}

// A bucket that is there and empty has no key to arrive by: its opening is a change of its own.
const withBuckets = ({ buckets, raw }: Snapshot, changes: ReadonlyArray<Change>): ReadonlyArray<Change> => [
  ...Object.keys({ ...buckets, ...raw }).map((bucket) => ({ bucket, key: "gone" })),
  ...changes
]

test("decisions are the same whether the facts are decided on as they arrive or once they are all there (§9)", () =>
  check(
    fc.property(historyOf(coherentMesh), fc.nat({ max: 40 }), ({ changes, snapshot }, every) => {
      const facts = new Facts()
      for (const [index, change] of withBuckets(snapshot, changes).entries()) {
        facts.apply(change)
        if (index % (every + 10) === 0) {
          decide(facts)
        }
      }
      expectSame(decide(facts), decide(snapshot))
    }),
    60
  ))

test("a bucket that was lost and is back with the same facts changes nothing (§9)", () => {
  const met = new Met()
  check(
    fc.property(coherentMesh, fc.nat(), (snapshot, choice) => {
      const names = Object.keys(snapshot.buckets)
      const bucket = names[choice % names.length] ?? ""
      const facts = Facts.fromSnapshot(snapshot)
      facts.closeBucket(bucket)
      const { [bucket]: lost = {}, ...others } = snapshot.buckets
      expectSame(decide(facts), decide({ buckets: others }))
      facts.openBucket(bucket)
      for (const [key, value] of Object.entries(lost)) {
        facts.apply({ bucket, key, value })
      }
      expectSame(decide(facts), decide(snapshot))
      met.count(bucket.endsWith("_bound") ? "a provider's" : "the mesh's")
    }),
    100
  )
  met.atLeast({ "a provider's": 7, "the mesh's": 35 })
})
