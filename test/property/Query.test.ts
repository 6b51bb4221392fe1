/**
 * The verb `mesh-provisioner.provisioning` (protocol §8): what is asked for, by key in code-unit order, in pages that never
 * exceed the server's message size, and with nothing dropped between two of them.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { Facts } from "../../src/core/Facts.ts"
import type { Json } from "../../src/core/Json.ts"
import { type Earlier, query, type QueryEntry, type QueryOptions, type QueryReply } from "../../src/core/Query.ts"
import { queryWhat } from "../../src/core/QueryWhat.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import type { VerbSource } from "../../src/core/Verb.ts"
import { chosen } from "../../src/testing/arbitrary/Choose.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { anyJson } from "../../src/testing/arbitrary/JsonValues.ts"
import { lossOf } from "../../src/testing/arbitrary/Loss.ts"
import { anyText } from "../../src/testing/arbitrary/Names.ts"
import { asObject, put } from "../../src/testing/arbitrary/Snapshots.ts"
import { readFacts } from "../../src/testing/naive/facts.ts"
import { readTokens } from "../../src/testing/naive/name.ts"
import { check, Met } from "./Law.ts"

const given = () => fc.oneof(coherentMesh, lossOf(coherentMesh).map(({ after }) => after))
const text = () => anyText

/** A mesh with keys of all kinds in the buckets that can be listed, many of them out of shape, and some large values. */
const crowded = chosen((choose) => {
  const buckets = ["mesh-provisioner_needs", "mesh-provisioner_applied", "mesh-provisioner_collect", "mesh-host_haves"]
  let snapshot = choose.from(given)
  for (let count = choose.upTo(12); count > 0; count--) {
    const key = choose.oneOf(
      "n1.shop",
      "n1.shop\n1",
      "n1.shop.bound.database",
      "n1.shop.bound",
      "",
      "\n2",
      "n1.title.shop"
    )
    const value = choose.oneOf<Json>(7, { lines: "x".repeat(choose.oneOf(10, 3_000, 20_000)) })
    snapshot = put(
      snapshot,
      { bucket: choose.among(buckets) ?? "", key: choose.chance(60) ? key : choose.from(text) },
      value
    )
  }
  return snapshot
})

const sourceOf = (snapshot: Snapshot): VerbSource => ({
  facts: Facts.fromSnapshot(snapshot),
  decisions: decide(snapshot)
})

const bytesOf = (reply: QueryReply): number => Buffer.byteLength(JSON.stringify(reply))

const replyTo = (source: VerbSource, request: object, options?: QueryOptions): QueryReply =>
  Result.getOrThrow(query(source, request, options))

/** Every page of a request's answer, one after another. */
const pagesOf = (source: VerbSource, request: object, options: QueryOptions): ReadonlyArray<QueryReply> => {
  const pages: Array<QueryReply> = []
  let after: string | undefined
  do {
    const page = replyTo(source, { ...request, ...(after === undefined ? {} : { after }) }, options)
    pages.push(page)
    after = page.next
  } while (after !== undefined && pages.length < 500)
  return pages
}

const requests = fc.record({
  what: fc.constantFrom(...queryWhat),
  limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1_000 })),
  history: fc.boolean()
})

const earlier: fc.Arbitrary<ReadonlyArray<Earlier>> = fc.array(
  fc.record({
    value: fc.option(fc.oneof(anyJson, fc.constant("earlier ".repeat(130))), { nil: undefined }),
    time: fc.constant("2026-01-01T00:00:00Z")
  }),
  { maxLength: 4 }
)

/** An entry as a page has it that holds it whole or not: what is left of it where a page has room for no more. */
const cutAs = (whole: QueryEntry, page: QueryEntry): object => {
  const { history, value, ...parts } = whole
  if (page["tooLarge"] !== undefined) {
    return { ...parts, tooLarge: page["tooLarge"] }
  }
  const kept = page["history"] instanceof Array && history instanceof Array
    ? history.slice(history.length - page["history"].length)
    : history
  return { ...parts, value: value ?? null, ...(kept === undefined ? {} : { history: kept }) }
}

test("the pages put together are the whole, whatever the limit and the size of a page (§8)", () => {
  const met = new Met()
  const sizes = fc.integer({ min: 1_500, max: 12_000 })
  check(
    fc.property(crowded, requests, sizes, earlier, (snapshot, request, replyBytesMax, history) => {
      const source = sourceOf(snapshot)
      const pages = pagesOf(source, request, { replyBytesMax, history: () => history })
      const unlimited = { replyBytesMax: 100_000_000, history: () => history }
      const whole = replyTo(source, { ...request, limit: 1_000 }, unlimited)
      expect(whole.next).toBeUndefined()
      expect(pages.at(-1)?.next, "the pages end").toBeUndefined()
      const entries = pages.flatMap((page) => page.entries)
      expect(entries).toEqual(whole.entries.map((entry, index) => cutAs(entry, entries[index] ?? { key: "" })))
      expect(pages.flatMap(({ outOfShape }) => outOfShape)).toEqual(whole.outOfShape)
      expect(pages.flatMap(({ conflicts = [] }) => conflicts)).toEqual(whole.conflicts ?? [])
      met.count("page", pages.length)
      met.count("out of shape", whole.outOfShape.length)
    }),
    200
  )
  met.atLeast({ page: 250, "out of shape": 200 })
})

test("a page with history ends before what was not looked up, but for its first (§8)", () => {
  const source = sourceOf({
    buckets: { "mesh-provisioner_needs": { "n1.shop.a.a": {}, "n1.shop.b.b": {}, "n1.shop.c.c": {} } }
  })
  const history = (_bucket: string, key: string) => key === "n1.shop.a.a" ? [] : undefined
  const pages = pagesOf(source, { what: "needs", history: true }, { history })
  expect(pages.map(({ entries }) => entries.map(({ history, key }) => [key, history]))).toEqual([
    [["n1.shop.a.a", []]],
    [["n1.shop.b.b", undefined]],
    [["n1.shop.c.c", undefined]]
  ])
})

test("a value is left out only where no page could hold it, and of earlier values the oldest (§8)", () => {
  const met = new Met()
  // What every page needs around its entries.
  const room = 600
  check(
    fc.property(crowded, fc.constantFrom("needs", "collect", "plans"), earlier, (snapshot, what, history) => {
      const source = sourceOf(snapshot)
      const replyBytesMax = 2_100
      const whole = replyTo(source, { what }).entries
      const entries = pagesOf(source, { what, history: true }, { replyBytesMax, history: () => history }).flatMap((
        page
      ) => page.entries)
      for (const [index, entry] of entries.entries()) {
        const bytes = Buffer.byteLength(JSON.stringify(whole[index]))
        const withAll = bytes + Buffer.byteLength(JSON.stringify(history))
        expect(bytes > replyBytesMax - room || entry["tooLarge"] === undefined).toBe(true)
        expect(bytes < replyBytesMax || entry["tooLarge"] !== undefined).toBe(true)
        const kept = entry["history"] instanceof Array ? entry["history"].length : 0
        expect(entry["tooLarge"] !== undefined || kept === history.length || withAll > replyBytesMax - room).toBe(true)
        met.count(
          entry["tooLarge"] !== undefined ? "too large" : kept < history.length ? "with some of its history" : "whole"
        )
      }
    }),
    200
  )
  met.atLeast({ "too large": 4, "with some of its history": 20, whole: 100 })
})

test("no page is larger than the server takes, or has more than was asked for (§8)", () => {
  const met = new Met()
  check(
    fc.property(crowded, requests, fc.integer({ min: 1_500, max: 12_000 }), (snapshot, request, replyBytesMax) => {
      for (const page of pagesOf(sourceOf(snapshot), request, { replyBytesMax })) {
        expect(bytesOf(page)).toBeLessThanOrEqual(replyBytesMax)
        const { conflicts = [], entries, outOfShape } = page
        const items = entries.length + outOfShape.length + conflicts.length
        expect(items).toBeLessThanOrEqual(request.limit)
        met.count(page.next !== undefined && items < request.limit ? "page cut by its size" : "page")
      }
    }),
    200
  )
  met.atLeast({ "page cut by its size": 14, page: 200 })
})

const isInOrder = (keys: ReadonlyArray<string>): boolean =>
  keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") <= key)

test("entries are by key in code-unit order, each part of the key by its name, and none twice (§8)", () => {
  const met = new Met()
  check(
    fc.property(crowded, fc.constantFrom(...queryWhat), (snapshot, what) => {
      const { entries, outOfShape } = replyTo(sourceOf(snapshot), { what })
      expect(isInOrder(entries.map(({ key }) => key))).toBe(true)
      expect(isInOrder(outOfShape.map(({ key }) => key))).toBe(true)
      expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length)
      for (const { key, value, ...parts } of entries) {
        expect(Object.values(parts)).toEqual(readTokens(key))
        expect(value).toBeDefined()
      }
      met.count(what, entries.length)
    }),
    250
  )
  met.atLeast({ registry: 160, needs: 50, applied: 16, collect: 12, provisions: 50, plans: 100, asks: 50 })
})

test("a key out of its bucket's shape is said in the answer, never dropped quietly (§8)", () => {
  const met = new Met()
  check(
    fc.property(crowded, fc.constantFrom("needs", "applied", "collect"), (snapshot, what) => {
      const bucket = `mesh-provisioner_${what}`
      const { entries, outOfShape } = replyTo(sourceOf(snapshot), { what })
      const said = new Set([...entries, ...outOfShape].map(({ key }) => key))
      expect(Object.keys(snapshot.buckets[bucket] ?? {}).filter((key) => !said.has(key))).toEqual([])
      const listed = readFacts(snapshot).outOfShape.filter((place) => place.bucket === bucket).map(({ key }) => key)
        .sort()
      expect(outOfShape.map(({ key }) => key)).toEqual(listed)
      met.count("out of shape", listed.length)
    }),
    200
  )
  met.atLeast({ "out of shape": 120 })
})

/** What each part of a key is asked for by: the provider's node for asks, the contributor for collect (§8). */
const filterPart: { readonly [filter: string]: { readonly [what: string]: string } } = {
  node: { needs: "node", applied: "node", collect: "node", provisions: "node", plans: "node", asks: "providerNode" },
  module: {
    needs: "module",
    applied: "module",
    collect: "contributor",
    provisions: "module",
    plans: "module",
    asks: "module"
  },
  collection: { collect: "collection" }
}

test("narrowed, there is every entry that is asked for and no other (§8)", () => {
  const met = new Met()
  check(
    fc.property(
      crowded,
      fc.constantFrom(...queryWhat),
      fc.constantFrom("node", "module", "collection", "state"),
      fc.nat(),
      (snapshot, what, filter, choice) => {
        const source = sourceOf(snapshot)
        const all = replyTo(source, { what }).entries
        const partOf = (entry: QueryEntry) => {
          const part = filterPart[filter]?.[what]
          return part === undefined ? Object(entry["value"])[filter] : entry[part]
        }
        const sought = all.length === 0 ? "n1" : partOf(all[choice % all.length] ?? { key: "" })
        const reply = query(source, { what, [filter]: sought ?? "n1" })
        const isOffered = filter === "state"
          ? ["provisions", "plans", "asks"].includes(what)
          : what === "registry"
          ? filter === "module"
          : filterPart[filter]?.[what] !== undefined
        if (all.length > 0) {
          expect(Result.isSuccess(reply)).toBe(isOffered)
        }
        if (Result.isSuccess(reply)) {
          expect(reply.success.entries).toEqual(all.filter((entry) => partOf(entry) === sought))
          met.count(filter, reply.success.entries.length)
        } else {
          expect(reply.failure.code).toBe(400)
          met.count("refused")
        }
      }
    ),
    400
  )
  met.atLeast({ node: 90, module: 100, collection: 3, state: 60, refused: 50 })
})

test("a request that is not understood is refused, and the refusal names what is allowed (§8)", () =>
  check(
    fc.property(
      coherentMesh,
      fc.oneof(
        anyJson,
        fc.dictionary(fc.constantFrom("what", "node", "limit", "after", "nodes", "__proto__"), anyJson)
      ),
      (snapshot, request) => {
        const reply = query(sourceOf(snapshot), request)
        if (Result.isFailure(reply)) {
          expect(reply.failure.code).toBe(400)
          expect(reply.failure.message).toMatch(/allowed|expected|only/i)
        } else {
          expect(asObject(JSON.parse(JSON.stringify(request)))).toBeDefined()
        }
      }
    ),
    200
  ))
