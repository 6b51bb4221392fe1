/**
 * The verb what-if beside those of §8: what a change of facts would change, as it is told of two meshes that are decided apart;
 * and who is told (§8: a node sees what is its own, and here nothing).
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { Engine, type EngineChange } from "../../src/core/Engine.ts"
import { Facts } from "../../src/core/Facts.ts"
import { whatIfChangesMax, whatIfThingsMax } from "../../src/core/Limits.ts"
import { writeUtf8 } from "../../src/core/Utf8.ts"
import { fitted, readWhatIf, whatIfBetween, whatIfOf, type WhatIfReply } from "../../src/core/WhatIf.ts"
import { byEngine, byFunction } from "../../src/provisioner/Decider.ts"
import { withChanges } from "../../src/provisioner/Trial.ts"
import { costMesh } from "../engine/CostMesh.ts"
import { walks } from "../engine/Walk.ts"
import { check, Met } from "./Law.ts"

const factsOf = (changes: ReadonlyArray<EngineChange>): Facts => {
  const facts = new Facts()
  changes.forEach((change) => facts.apply(change))
  return facts
}

const sizeOf = (reply: WhatIfReply): number =>
  reply.decisions.length + reply.answersToDelete.length + reply.outOfShape.appears.length +
  reply.outOfShape.goes.length +
  reply.conflicts.appears.length + reply.conflicts.goes.length

describe("what would change", () => {
  test("is by the engine, and by a function with facts changed for a moment, what two meshes differ in", () => {
    const met = new Met()
    check(
      fc.property(walks(40), ({ changes }) => {
        const half = Math.floor(changes.length / 2)
        const is = changes.slice(0, half)
        for (const would of [changes.slice(half), changes.slice(half, half + 1), changes.slice(half, half + 3)]) {
          const differ = whatIfBetween(decide(factsOf(is)), decide(factsOf([...is, ...would])))
          const engine = new Engine()
          engine.step(is)
          expect(sorted(Result.getOrThrow(whatIfOf(engine, would)))).toEqual(sorted(differ))
          const decider = byFunction(decide)
          is.forEach(decider.take)
          const tried = decider.whatIf(would)
          expect(tried === "busy" ? tried : sorted(Result.getOrThrow(tried))).toEqual(sorted(differ))
          expect(whatIfBetween(decider.decide(Number.POSITIVE_INFINITY).decisions, decide(factsOf(is))))
            .toEqual(noChange)
          met.count("what would be otherwise", sizeOf(differ))
        }
      }),
      60
    )
    met.atLeast({ "what would be otherwise": 1_000 })
  })

  test("leaves a bucket that vanishes for a moment as it was, with all that it held", () => {
    const facts = factsOf([
      { bucket: "postgres_bound", key: "n1.shop.database", value: { state: "provided", by: "n2" } },
      { bucket: "acme_licences", key: "n1.full", value: 1 }
    ])
    const gone = (bucket: string): EngineChange => ({ bucket, isThere: false })
    const during = withChanges(facts, [gone("postgres_bound"), gone("acme_licences"), gone("nobody_bound")], () => [
      facts.bound.size,
      facts.isThere("acme_licences")
    ])
    expect(during).toEqual([0, false])
    expect(facts.bound.get("postgres")?.value("n1.shop.database")).toEqual({ state: "provided", by: "n2" })
    expect(facts.stranger("acme_licences", "n1.full")).toEqual(Result.succeed(1))
    expect(facts.isThere("nobody_bound")).toBe(false)
  })

  test("is refused where it would be more than is decided while others wait, and then nothing is another", () => {
    const engine = new Engine()
    const needs = Array.from({ length: 2 * whatIfThingsMax }, (_, index): EngineChange => ({
      bucket: "mesh-provisioner_needs",
      key: `n1.shop${index % 500}.licence.l${index}`,
      value: {}
    }))
    engine.step([
      ...Array.from({ length: 500 }, (_, index) => ({
        bucket: "mesh-controller_assignments",
        key: `n1.shop${index}`,
        value: { build: "s1" }
      })),
      ...needs
    ])
    const before = new Map(engine.decisions.provisions)
    const answer = { answers: { licence: { bucket: "acme_licences", key: "<name>" } } }
    const refused = whatIfOf(engine, [{ bucket: "mesh-controller_modules", key: "acme", value: answer }])
    expect(Result.isFailure(refused) && refused.failure.code).toBe(409)
    expect(new Map(engine.decisions.provisions)).toEqual(before)
    expect(engine.decisions.registry.has("licence")).toBe(false)
    expect(engine.step([]).writes).toEqual([])
  })

  test("is refused before anything is decided where more is marked than may be", () => {
    const engine = new Engine()
    engine.step(resolvers)
    expect(engine.whatIf([sick], 100)).toMatchObject({ computed: { asks: 0, claims: 0, plans: 0, provisions: 0 } })
    expect(engine.pending).toBeGreaterThan(100)
    expect(engine.step([]).writes).toEqual([])
  })

  test("has what is pending decided first, but no more of it than of what would be", () => {
    const engine = new Engine()
    engine.step(resolvers)
    engine.take([sick])
    expect(engine.whatIf([appears], 100)).toMatchObject({ writes: [], outOfShape: [] })
    const { writes } = engine.step([], 0)
    expect(writes.length).toBeLessThan(300)
    expect(writes.length + engine.step([]).writes.length).toBe(2 * modules)
    expect(engine.whatIf([appears], 100).pending).toBe(0)
  })

  test("of a provisioner waits while it is at more, and is told once that is worked off", () => {
    const decider = byEngine()
    resolvers.forEach(decider.take)
    expect(decider.whatIf([appears])).toBe("busy")
    decider.decide(Number.POSITIVE_INFINITY)
    decider.take(sick)
    expect(decider.whatIf([appears])).toBe("busy")
    let tried = decider.whatIf([appears])
    for (let tries = 0; tries < modules && tried === "busy"; tries++) {
      tried = decider.whatIf([appears])
    }
    expect(tried === "busy" || Result.getOrThrow(tried).decisions.length).toBe(2)
    expect(decider.decide(0).changed).toHaveLength(2 * modules)
  })

  test("is refused where a bucket vanishes that holds more facts than things may be decided, before they are taken away", () => {
    const engine = new Engine()
    engine.step(
      Array.from({ length: whatIfThingsMax + 1 }, (_, index) => [
        { bucket: "mesh-provisioner_applied", key: `n1.shop${index}`, value: {} },
        { bucket: "acme_licences", key: `n1.shop${index}`, value: {} }
      ]).flat()
    )
    const { decisions, facts } = engine
    const untried = {
      decisions,
      facts,
      isAnswerOver: () => false,
      whatIf: () => expect.fail("it is tried")
    }
    for (const bucket of ["mesh-provisioner_applied", "acme_licences"]) {
      const refused = whatIfOf(untried, [{ bucket, isThere: false }])
      expect(Result.isFailure(refused) && refused.failure.code, bucket).toBe(409)
    }
    expect(Result.isSuccess(whatIfOf(engine, [{ bucket: "mesh-host_haves", isThere: false }]))).toBe(true)
  })

  test("of a function that throws leaves the facts as they were", () => {
    const facts = factsOf(resolvers)
    expect(() =>
      withChanges(facts, [sick, { bucket: "mesh-provisioner_needs", isThere: false }], () => {
        throw new Error("not of these facts")
      })
    ).toThrow("not of these facts")
    expect(whatIfBetween(decide(facts), decide(factsOf(resolvers)))).toEqual(noChange)
  })
})

/** So many modules that all have their resolver by one provider, whose health is another's in a moment. */
const modules = 600
const resolverHave = (health: string): EngineChange => ({
  bucket: "mesh-host_haves",
  key: "n0.dns",
  value: { build: "d1", health }
})
const sick = resolverHave("failed")
const appears: EngineChange = { bucket: "mesh-provisioner_needs", key: "n1.shop0.secret.api", value: {} }
const resolvers: ReadonlyArray<EngineChange> = [
  { bucket: "mesh-controller_modules", key: "dns", value: { provides: { resolver: { credential: "none" } } } },
  { bucket: "mesh-controller_assignments", key: "n0.dns", value: { build: "d1" } },
  resolverHave("healthy"),
  ...Array.from({ length: modules }, (_, index) => [
    { bucket: "mesh-controller_assignments", key: `n1.shop${index}`, value: { build: "s1" } },
    { bucket: "mesh-provisioner_needs", key: `n1.shop${index}.bound.resolver`, value: {} }
  ]).flat()
]

const noChange: WhatIfReply = whatIfBetween(decide(new Facts()), decide(new Facts()))

const sorted = (reply: WhatIfReply): unknown => ({
  ...reply,
  outOfShape: { appears: texts(reply.outOfShape.appears), goes: texts(reply.outOfShape.goes) },
  conflicts: { appears: texts(reply.conflicts.appears), goes: texts(reply.conflicts.goes) }
})

const texts = (list: ReadonlyArray<unknown>): ReadonlyArray<string> => list.map((one) => JSON.stringify(one)).sort()

describe("a request", () => {
  const change = { bucket: "mesh-controller_machines", key: "n1", value: { lost: true } }
  const refusal = (request: unknown, options = {}) => {
    const read = readWhatIf(request, options)
    return Result.isFailure(read) ? read.failure : undefined
  }

  test("is read whole: keys put and gone, and buckets that appear and vanish", () => {
    const changes = [change, { bucket: "a", key: "b" }, { bucket: "x_bound", isThere: true }, {
      bucket: "a",
      key: "b",
      value: null
    }]
    expect(readWhatIf({ changes })).toEqual(Result.succeed(changes))
  })

  test.each<[string, unknown]>([
    ["no object", []],
    ["no changes", {}],
    ["an empty list", { changes: [] }],
    ["too many", { changes: Array.from({ length: whatIfChangesMax + 1 }, () => change) }],
    ["a field that it does not know", { changes: [change], now: true }],
    ["a change with a misspelt field, which would else be a key that is gone", {
      changes: [{ bucket: "a", key: "b", vaule: 1 }]
    }],
    ["a change that is no object", { changes: ["a"] }],
    ["a change of no key and no bucket", { changes: [{ bucket: "a" }] }],
    ["a change of both", { changes: [{ bucket: "a", key: "b", isThere: true }] }],
    ["a bucket with a value", { changes: [{ bucket: "a", isThere: true, value: 1 }] }],
    ["a bucket of decisions", { changes: [{ ...change, bucket: "mesh-provisioner_provisions" }] }]
  ])("with %s is refused with 400", (_, request) => {
    expect(refusal(request)?.code).toBe(400)
  })

  test("of a node or a provider is refused, as what it is told speaks of others; operators and readers are told", () => {
    expect(refusal({ changes: [change] }, { caller: { role: "node", node: "n1" } })?.code).toBe(400)
    expect(refusal({ changes: [change] }, { caller: { role: "provider", module: "dns", node: "n1" } })?.code).toBe(400)
    expect(refusal({ changes: [change] }, { caller: { role: "operator", name: "ann" } })).toBeUndefined()
    expect(refusal({ changes: [change] }, { caller: { role: "reader", name: "ann" } })).toBeUndefined()
  })
})

test("a reply keeps within its bytes, from the first on, and counts what it left out", () => {
  const many = whatIfBetween(decide(new Facts()), decide(factsOf(costMesh(20))))
  expect(sizeOf(many)).toBeGreaterThan(20)
  for (const bytesMax of [400, 1_000, 5_000, 20_000, 10_000_000]) {
    const reply = fitted(many, bytesMax)
    expect(writeUtf8(JSON.stringify(reply)).length).toBeLessThanOrEqual(bytesMax)
    expect(sizeOf(reply) + (reply.more ?? 0)).toBe(sizeOf(many))
    expect(reply.decisions).toEqual(many.decisions.slice(0, reply.decisions.length))
  }
  expect(fitted(many, 10_000_000)).toEqual(many)
})
