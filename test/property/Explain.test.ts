/**
 * The verb `mesh-provisioner.explain` (protocol §8): the chain of causes down to the fact that everything waits for. It
 * always ends and stays small, and a circle of waits is said to be one, naming exactly its steps from the smallest key on.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { explain, type Step } from "../../src/core/Explain.ts"
import { Facts } from "../../src/core/Facts.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import type { VerbSource } from "../../src/core/Verb.ts"
import { chosen } from "../../src/testing/arbitrary/Choose.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { lossOf } from "../../src/testing/arbitrary/Loss.ts"
import { isThere } from "../../src/testing/arbitrary/Snapshots.ts"
import { wildMesh } from "../../src/testing/arbitrary/WildMesh.ts"
import { readTokens } from "../../src/testing/naive/name.ts"
import { check, Met, times } from "./Law.ts"

const anyMesh = fc.oneof(coherentMesh, wildMesh, lossOf(coherentMesh).map(({ after }) => after))

const sourceOf = (snapshot: Snapshot): VerbSource => ({
  facts: Facts.fromSnapshot(snapshot),
  decisions: decide(snapshot)
})

const stepsOf = (step: Step): ReadonlyArray<Step> => [step, ...step.causes.flatMap(stepsOf)]

/** The explanation of every plan and of every provision of a mesh. */
const explained = function*(
  source: VerbSource
): Iterable<{ readonly bucket: string; readonly key: string; readonly tree: Step }> {
  for (const bucket of ["plans", "provisions"] as const) {
    for (const key of source.decisions[bucket].keys()) {
      const [node, module, kind, name] = readTokens(key) ?? []
      const request = bucket === "plans" ? { node, module } : { node, module, kind, name }
      yield { bucket: `mesh-provisioner_${bucket}`, key, tree: Result.getOrThrow(explain(source, request)).tree }
    }
  }
}

test("every plan and every provision is explained, by what was decided on it (§8)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const source = sourceOf(snapshot)
      for (const { bucket, key, tree } of explained(source)) {
        const decision = source.decisions.plans.get(key) ?? source.decisions.provisions.get(key)
        expect(tree).toMatchObject({ bucket, key, state: decision?.state, why: decision?.why })
        for (const step of stepsOf(tree).filter((one) => one !== tree)) {
          expect(step.why).not.toBe("")
          expect(step.bucket).not.toBe("")
        }
        met.count(`${stepsOf(tree).length > 3 ? "long" : "short"} of ${bucket}`)
      }
    }),
    150
  )
  met.atLeast({ "long of mesh-provisioner_plans": 50, "short of mesh-provisioner_provisions": 100 })
})

test("the chain of an asked need goes on to the fact that it waits for (§8)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const source = sourceOf(snapshot)
      for (const { key, tree } of explained(source)) {
        const provision = source.decisions.provisions.get(key)
        if (provision?.waits !== undefined && tree.bucket === "mesh-provisioner_provisions") {
          expect(tree.causes[0]).toMatchObject(provision.waits)
          const isAbsent = !isThere(snapshot, provision.waits)
          expect(tree.causes[0]?.why.includes("is not there"), JSON.stringify(tree.causes[0])).toBe(isAbsent)
          met.count(isAbsent ? "absent" : "there")
        }
      }
    }),
    150
  )
  met.atLeast({ absent: 60, there: 60 })
})

/** Modules that wait for each other: each needs what the next provides, and some of them nothing. */
const ring = chosen((choose) => {
  const size = 2 + choose.upTo(38)
  const nextOf = Array.from({ length: size }, (_, index) => {
    const others = Array.from({ length: 1 + choose.upTo(1) }, () => choose.upTo(size - 1))
    return choose.chance(85) ? others.filter((other) => other !== index) : []
  })
  const names = Array.from({ length: size }, (_, index) => `m${(index * 7 + choose.upTo(2) * size) % 1_000}x${index}`)
  return { names, nextOf }
})

const meshOf = (
  { names, nextOf }: { readonly names: ReadonlyArray<string>; readonly nextOf: ReadonlyArray<ReadonlyArray<number>> }
): Snapshot => ({
  buckets: {
    "mesh-controller_modules": Object.fromEntries(
      names.map((name) => [name, { provides: { [`of-${name}`]: { credential: "consumer" } } }])
    ),
    "mesh-controller_assignments": Object.fromEntries(names.map((name) => [`n1.${name}`, { build: "b1" }])),
    "mesh-provisioner_needs": Object.fromEntries(
      names.flatMap((name, index) => (nextOf[index] ?? []).map((next) => [`n1.${name}.bound.of-${names[next]}`, {}]))
    )
  }
})

const isSmallestFirst = (keys: ReadonlyArray<string>): boolean => keys.every((key) => (keys[0] ?? "") <= key)

test("every circle that is named is one, of exactly its steps, from the smallest key on; and it ends (§8)", () => {
  const met = new Met()
  check(
    fc.property(ring, ({ names, nextOf }) => {
      const source = sourceOf(meshOf({ names, nextOf }))
      const waitsFor = (from: string, to: string): boolean => {
        const index = names.indexOf(from.slice("n1.".length))
        return (nextOf[index] ?? []).some((next) => `n1.${names[next]}` === to)
      }
      for (const { bucket, tree } of explained(source)) {
        const steps = stepsOf(tree)
        expect(steps.length).toBeLessThanOrEqual(1_100)
        for (const circle of steps.flatMap((step) => step.circle === undefined ? [] : [step.circle])) {
          expect(new Set(circle).size).toBe(circle.length)
          expect(isSmallestFirst(circle)).toBe(true)
          circle.forEach((key, index) => expect(waitsFor(key, circle[(index + 1) % circle.length] ?? "")).toBe(true))
          met.count(circle.length > 2 ? "long circle" : "pair")
        }
        // Where nothing else holds it up, what waits without end waits in a circle.
        if (bucket === "mesh-provisioner_plans" && reachesItself(tree.key, waitsFor, names)) {
          expect(steps.some(({ circle }) => circle !== undefined)).toBe(true)
          met.count("in a circle")
        }
      }
    }),
    60
  )
  met.atLeast({ "long circle": 100, pair: 20, "in a circle": 160 })
})

const reachesItself = (
  start: string,
  waitsFor: (from: string, to: string) => boolean,
  names: ReadonlyArray<string>
): boolean => {
  const reached = new Set<string>()
  const open = [start]
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const to of names.map((name) => `n1.${name}`).filter((to) => !reached.has(to) && waitsFor(from ?? "", to))) {
      reached.add(to)
      open.push(to)
    }
  }
  return reached.has(start)
}

test("of 40 modules with one circle of three, exactly the three are named (report 102)", () => {
  const names = Array.from({ length: 40 }, (_, index) => `m${String(index).padStart(2, "0")}`)
  // All wait in a line for 30, and 30 for 12 for 21 for 30.
  const nextOf = names.map((_, index) =>
    index === 30 ? [12] : index === 12 ? [21] : index === 21 ? [30] : index < 30 ? [index + 1] : [index - 1]
  )
  const source = sourceOf(meshOf({ names, nextOf }))
  for (const { key, tree } of explained(source)) {
    const circles = stepsOf(tree).flatMap((step) => step.circle === undefined ? [] : [step])
    expect(circles.map(({ circle }) => circle), key).toEqual([["n1.m12", "n1.m21", "n1.m30"]])
    expect(circles[0]?.why).toContain("n1.m12 waits for n1.m21, which waits for n1.m30, which waits for n1.m12")
  }
})

test("a chain of 5,000 and a fan of 5,000 are explained as far as a reply goes, and it is said where it ends (§8)", () => {
  const many = times < 1 ? 1_200 : 5_000
  const names = Array.from({ length: many }, (_, index) => `m${String(index).padStart(4, "0")}`)
  const chain = sourceOf(meshOf({ names, nextOf: names.map((_, index) => index < many - 1 ? [index + 1] : []) }))
  const fan = sourceOf(
    meshOf({ names, nextOf: names.map((_, index) => index === 0 ? names.slice(1).map((_, next) => next + 1) : []) })
  )
  for (const source of [chain, fan]) {
    const reply = Result.getOrThrow(explain(source, { node: "n1", module: "m0000" }))
    const steps = stepsOf(reply.tree)
    expect(Buffer.byteLength(JSON.stringify(reply))).toBeLessThanOrEqual(1_048_576)
    expect(steps.length).toBeGreaterThan(300)
    expect(steps.length).toBeLessThanOrEqual(1_100)
  }
  const reply = Result.getOrThrow(explain(fan, { node: "n1", module: "m0000" }))
  expect(stepsOf(reply.tree).at(-1)?.why).toContain("explanation ends here")
})

test("what is too deep to be explained says so where it ends, and names the circle that goes on there as far as can be (§8)", () => {
  const deepest = (length: number, last: ReadonlyArray<number>, module = "m0000") => {
    const names = Array.from({ length }, (_, index) => `m${String(index).padStart(4, "0")}`)
    const source = sourceOf(meshOf({ names, nextOf: names.map((_, index) => index < length - 1 ? [index + 1] : last) }))
    const steps = stepsOf(Result.getOrThrow(explain(source, { node: "n1", module })).tree)
    expect(steps.length).toBe(1_001)
    expect(steps.filter(({ why }) => why.includes("explanation ends here"))).toEqual([steps.at(-1)])
    return { names, step: steps.at(-1) }
  }
  expect(deepest(400, []).step?.circle).toBeUndefined()
  const around = deepest(400, [0])
  expect(around.step?.circle).toEqual(around.names.map((name) => `n1.${name}`))
  expect(around.step?.why).toContain("this is a circle of waits: n1.m0000 waits for n1.m0001, which waits for")
  expect(deepest(400, [100]).step?.circle).toEqual(around.names.slice(100).map((name) => `n1.${name}`))
  expect(deepest(400, [0], "m0200").step?.circle).toEqual(around.step?.circle)
  // Behind this one there are more plans than are looked at.
  expect(deepest(2_000, [0]).step?.circle).toBeUndefined()
})

test("an explanation is no larger than a reply may be (§8)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, fc.integer({ min: 8_000, max: 60_000 }), (snapshot, replyBytesMax) => {
      const source = sourceOf(snapshot)
      for (const key of source.decisions.plans.keys()) {
        const [node, module] = readTokens(key) ?? []
        const reply = Result.getOrThrow(explain(source, { node, module }, { replyBytesMax }))
        const bytes = Buffer.byteLength(JSON.stringify(reply))
        expect(bytes, key).toBeLessThanOrEqual(replyBytesMax)
        met.count(bytes > replyBytesMax / 4 ? "large" : "small")
      }
    }),
    150
  )
  met.atLeast({ small: 200, large: 2 })
})

const failing = (module: string, count: number, words: string): Snapshot => ({
  buckets: {
    "mesh-provisioner_needs": Object.fromEntries(
      Array.from(
        { length: count },
        (_, index) => [`n1.${module}.bound.f${index}`, { provision: "host", local: `l${index}` }]
      )
    ),
    "mesh-host_haves": { "n1.host": { build: "b1", health: "failed", words } }
  }
})

test("nor is it, however much others had to say (§8)", () => {
  const met = new Met()
  check(
    fc.property(
      fc.noBias(fc.integer({ min: 1, max: 25 })),
      fc.noBias(fc.integer({ min: 1, max: 5_000 })),
      fc.constantFrom("\u0001", "\u0001", "𝄞", "w"),
      (count, length, character) => {
        // The shop waits for a provider that is itself held up by as many failures; each is told with all of its words.
        const words = character.repeat(length)
        const source = sourceOf({
          buckets: {
            "mesh-controller_modules": {
              host: { provides: { host: { credential: "none" } } },
              maker: { provides: { thing: { credential: "consumer" } } }
            },
            "mesh-controller_assignments": {
              "n1.shop": { build: "b1" },
              "n1.maker": { build: "b1" },
              "n1.host": { build: "b1" }
            },
            "mesh-host_haves": failing("shop", count, words).buckets["mesh-host_haves"] ?? {},
            "mesh-provisioner_needs": {
              ...failing("shop", count, words).buckets["mesh-provisioner_needs"],
              ...failing("maker", 25, words).buckets["mesh-provisioner_needs"],
              "n1.shop.bound.thing": {}
            }
          }
        })
        const reply = explain(source, { node: "n1", module: "shop" })
        const bytes = Buffer.byteLength(JSON.stringify(Result.getOrThrow(reply)))
        expect(bytes).toBeLessThanOrEqual(1_048_576)
        met.count(bytes > 500_000 ? "large" : "small")
      }
    ),
    100
  )
  met.atLeast({ large: 4, small: 20 })
})
