/**
 * Goal: pages that are read from keys kept in order are those that are read from all there is (protocol §8), however the mesh
 * changes in between; and they cost what is on them, not the mesh.
 *
 * Method: random walks with an engine whose keys are filled while it changes, beside the same decisions without order; requests of
 * every kind and filter, by every kind of caller, page by page. What is looked at is counted.
 */
import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import type { Caller } from "../../src/core/Caller.ts"
import { decide } from "../../src/core/Decide.ts"
import { Engine, type EngineChange } from "../../src/core/Engine.ts"
import { Facts } from "../../src/core/Facts.ts"
import { OrderedKeys } from "../../src/core/OrderedKeys.ts"
import { query, type QueryReply } from "../../src/core/Query.ts"
import { queryWhat } from "../../src/core/QueryWhat.ts"
import type { VerbSource } from "../../src/core/Verb.ts"
import { costMesh } from "./CostMesh.ts"
import { seeded } from "./Seeded.ts"
import { walk } from "./Walk.ts"

const callers: ReadonlyArray<Caller | undefined> = [
  undefined,
  { role: "node", node: "n1" },
  { role: "provider", module: "postgres", node: "n2" },
  { role: "reader", name: "ann" }
]

type Request = { readonly [field: string]: string | number }

/** Every page, from the first on. */
const pagesOf = (
  source: VerbSource,
  request: Request,
  options: Parameters<typeof query>[2]
): ReadonlyArray<QueryReply> => {
  const pages: Array<QueryReply> = []
  let after: string | undefined
  do {
    const page = Result.getOrThrow(query(source, { ...request, ...(after === undefined ? {} : { after }) }, options))
    pages.push(page)
    after = page.next
  } while (after !== undefined && pages.length < 500)
  return pages
}

/** All that pages hold, whatever page it is on. */
const together = (pages: ReadonlyArray<QueryReply>) => ({
  entries: pages.flatMap(({ entries }) => entries),
  outOfShape: pages.flatMap(({ outOfShape }) => outOfShape),
  conflicts: pages.flatMap(({ conflicts = [] }) => conflicts)
})

test("pages by order are those of all there is, for every request, at every time (§8)", () => {
  let entries = 0
  for (let seed = 1; seed <= 25; seed++) {
    const choose = seeded(seed)
    const pick = <A>(items: ReadonlyArray<A>): A => items[choose.below(items.length)] as A
    const engine = new Engine()
    const facts = new Facts()
    const changes: ReadonlyArray<EngineChange> = walk(seed, 80)
    for (const [at, change] of changes.entries()) {
      engine.step([change])
      facts.apply(change)
      // Some keys are there before the order is asked for, some come while it is filled, some after.
      queryWhat.forEach((what) => at > 5 && engine.order(what)?.fill(3))
      if (at % 16 !== 15) {
        continue
      }
      queryWhat.forEach((what) => engine.order(what)?.fill(Number.POSITIVE_INFINITY))
      const plain = { facts, decisions: decide(facts) }
      for (const what of queryWhat) {
        const caller = pick(callers)
        const request: Request = {
          what,
          limit: 1 + choose.below(9),
          ...(choose.chance(40) && what !== "registry" ? { node: pick(["n1", "n2", "n3", "nowhere"]) } : {}),
          ...(choose.chance(30) ? { module: pick(["shop", "postgres", "wiki", "mesh-vault"]) } : {}),
          ...(choose.chance(40) && what === "provisions" ? { state: pick(["asked", "provided", "refused"]) } : {})
        }
        const options = {
          ...(caller === undefined ? {} : { caller }),
          replyBytesMax: pick([700, 5_000, 1_000_000])
        }
        const expected = pagesOf(plain, request, options)
        const note = `seed ${seed}, change ${at}: ${JSON.stringify({ request, caller })}`
        expect(pagesOf(engine, request, options), note).toEqual(expected)
        const few = pagesOf(engine, request, { ...options, looksMax: 1 + choose.below(4) })
        expect(together(few), note).toEqual(together(expected))
        entries += together(expected).entries.length
      }
    }
  }
  expect(entries).toBeGreaterThan(1_000)
})

describe("what a page costs", () => {
  test("is what is on it, wherever it begins, and with a filter by node what is of the node", () => {
    const engine = new Engine()
    engine.step(costMesh(2_000))
    engine.order("provisions")?.fill(Number.POSITIVE_INFINITY)
    let looks = 0
    const source: VerbSource = {
      facts: engine.facts,
      order: (what) => engine.order(what),
      decisions: {
        ...engine.decisions,
        provisions: new Proxy(engine.decisions.provisions, {
          get: (map, name) => {
            looks += name === "get" ? 1 : 0
            const member: unknown = Reflect.get(map, name)
            return typeof member === "function" ? member.bind(map) : member
          }
        })
      }
    }
    const looked = (request: Request) => {
      looks = 0
      const page = Result.getOrThrow(query(source, { what: "provisions", limit: 50, ...request }))
      return { looks, count: page.entries.length }
    }
    expect(looked({})).toEqual({ looks: 51, count: 50 })
    expect(looked({ after: "n300." })).toEqual({ looks: 51, count: 50 })
    const { count, looks: ofNode } = looked({ node: "n100" })
    expect(count).toBeGreaterThan(10)
    expect(ofNode).toBeLessThanOrEqual(count + 1)
  })
})

test("keys stay in order, whatever comes and goes", () => {
  const choose = seeded(7)
  const known = new Set<string>(Array.from({ length: 3_000 }, () => `n${choose.below(100_000)}`))
  const order = new OrderedKeys([...known])
  for (let turn = 0; turn < 6_000; turn++) {
    order.fill(1)
    const key = `n${choose.below(9_000)}`
    if (choose.chance(60)) {
      known.add(key)
      order.add(key)
    } else if (order.isWhole) {
      known.delete(key)
      order.remove(key)
    }
  }
  expect([...order.from("")]).toEqual([...known].sort())
  const from = "n5"
  expect([...order.from(from)]).toEqual([...known].sort().filter((key) => key >= from))
  known.forEach((key) => order.remove(key))
  expect([...order.from("")]).toEqual([])
})
