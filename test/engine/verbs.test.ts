/**
 * Goal: `explain` and `retire` cost what they say, and not the mesh: they ask for decisions and facts by key, each plan once, and
 * walk none of them.
 *
 * Method: counted, never timed, on what an engine has decided of 40 and of 400 consumers that are alike around what is asked
 * about, and on plans that wait for so many that no reply could say it.
 */
import * as Result from "effect/Result"
import { expect, test } from "vitest"
import type { Plan, Provision } from "../../src/core/Decision.ts"
import { Engine } from "../../src/core/Engine.ts"
import { explain } from "../../src/core/Explain.ts"
import { Facts } from "../../src/core/Facts.ts"
import { explainLooksMax, explainStepsMax } from "../../src/core/Limits.ts"
import { retire } from "../../src/core/Retire.ts"
import type { VerbSource } from "../../src/core/Verb.ts"
import { bucket, consumer, costMesh, entryBy, gone, postgres, put } from "./CostMesh.ts"

/** A map that counts how often each key is asked for, and that nobody may walk. */
class Asked<A> extends Map<string, A> {
  readonly asked = new Map<string, number>()
  readonly #of: ReadonlyMap<string, A>

  constructor(of: ReadonlyMap<string, A>) {
    super()
    this.#of = of
  }

  override get(key: string): A | undefined {
    this.asked.set(key, (this.asked.get(key) ?? 0) + 1)
    return this.#of.get(key)
  }

  override entries(): never {
    throw new Error("walked")
  }

  override keys(): never {
    throw new Error("walked")
  }

  override values(): never {
    throw new Error("walked")
  }

  override forEach(): never {
    throw new Error("walked")
  }

  override [Symbol.iterator](): never {
    throw new Error("walked")
  }

  get times(): number {
    return [...this.asked.values()].reduce((sum, times) => sum + times, 0)
  }
}

const askedOf = ({ decisions, facts }: VerbSource) => {
  const provisions = new Asked(decisions.provisions)
  const plans = new Asked(decisions.plans)
  const asks = new Asked(decisions.asks)
  const none = { registry: new Asked(new Map()), answersToDelete: [], outOfShape: [], conflicts: [] }
  const source: VerbSource = { facts, decisions: { ...none, provisions, plans, asks } }
  return { source, plans, provisions, asks }
}

/** How often decisions are asked for by a verb, on the smaller mesh and on the larger. */
const timesOnEach = (ask: (source: VerbSource) => Result.Result<unknown, unknown>): ReadonlyArray<number> =>
  [40, 400].map((consumers) => {
    const engine = new Engine()
    engine.step([
      ...costMesh(consumers),
      gone(bucket.haves, "n0.dns"),
      put(bucket.postgres, "n99.old.database", entryBy("n0")),
      put(bucket.modules, "postgres", postgres())
    ])
    const { asks, plans, provisions, source } = askedOf(engine)
    expect(Result.isSuccess(ask(source))).toBe(true)
    return asks.times + plans.times + provisions.times
  })

test("an explanation asks for what it says, however many there are beside it", () => {
  const [node, module] = consumer(7).split(".")
  for (const request of [{ node, module }, { node, module, kind: "bound", name: "database" }]) {
    const [few, many] = timesOnEach((source) => explain(source, request))
    expect(many).toBe(few)
    expect(many).toBeLessThan(100)
  }
})

test("an answer about retiring asks for the one ask that it is about", () => {
  const request = { key: "n0.postgres.n99.old.database", answer: "keep", by: "ann" }
  expect(timesOnEach((source) => retire(source, request))).toEqual([1, 1])
})

/** Plans that wait for each other as they are told to: each wait is a need's, for the have of a module. */
const waiting = (waits: ReadonlyArray<readonly [plan: string, waitedFor: ReadonlyArray<string>]>): VerbSource => {
  const plans = new Map<string, Plan>()
  const provisions = new Map<string, Provision>()
  for (const [key, waitedFor] of waits) {
    const blocked = waitedFor.map((_, index) => `bound.x${index}`)
    waitedFor.forEach((writer, index) =>
      provisions.set(`${key}.bound.x${index}`, {
        kind: "bound",
        state: "asked",
        reason: "no-have",
        why: "waits",
        waits: { bucket: bucket.haves, key: writer }
      })
    )
    plans.set(key, { build: "b", state: "waiting", why: "waits", blocked, needs: {}, digest: "" })
  }
  const none = { registry: new Map(), asks: new Map(), answersToDelete: [], outOfShape: [], conflicts: [] }
  return { facts: new Facts(), decisions: { ...none, plans, provisions } }
}

const stepsOfNeed = 3

test("where there is no room for what waits for more than can be said, it is looked for circles so far and no further", () => {
  const said = Math.floor(explainStepsMax / stepsOfNeed)
  const modules = Array.from({ length: said + 1 }, (_, index) => `n1.m${index}`)
  const { plans, provisions, source } = askedOf(waiting([
    ["n1.shop", modules],
    ...modules.map((key, index) =>
      [key, index < said ? [] : Array.from({ length: 2 * explainLooksMax }, () => "n2.last")] as const
    ),
    ["n2.last", []]
  ]))
  expect(Result.isSuccess(explain(source, { node: "n1", module: "shop" }))).toBe(true)
  expect(provisions.times).toBeGreaterThan(explainLooksMax)
  expect(provisions.times).toBeLessThanOrEqual(explainLooksMax + 2 * explainStepsMax)
  expect(plans.asked.get("n2.last")).toBe(1)
})

test("of plans that wait for all that come after them, each is asked for once", () => {
  const modules = Array.from({ length: 40 }, (_, index) => `n1.m${index}`)
  const { plans, provisions, source } = askedOf(
    waiting(modules.map((key, index) => [key, modules.slice(index + 1)] as const))
  )
  expect(Result.isSuccess(explain(source, { node: "n1", module: "m0" }))).toBe(true)
  expect(Math.max(...plans.asked.values())).toBeLessThanOrEqual(2)
  expect(provisions.times).toBeLessThanOrEqual(2 * explainStepsMax)
})
