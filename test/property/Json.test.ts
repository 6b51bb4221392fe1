/**
 * Comparing values, by which it is seen whether anything is to be decided and written anew (protocol §9): the same is what is
 * the same as canonical JSON, and each comparison looks at no member twice.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalJson } from "../../src/core/Digest.ts"
import { type Json, type JsonObject, sameJson } from "../../src/core/Json.ts"
import { anyJson, reordered } from "../../src/testing/arbitrary/JsonValues.ts"
import { check, Met } from "./Law.ts"

/** Values of few parts, so that two of them are often the same, under names that JavaScript's objects inherit. */
const fewJson: fc.Arbitrary<Json> = fc.letrec<{ readonly json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 0, 1, "", "a"),
    fc.array(tie("json"), { maxLength: 2 }),
    fc.array(fc.tuple(fc.constantFrom("a", "b", "__proto__", "toString", "constructor", "length", "0"), tie("json")), {
      maxLength: 3
    }).map((members): JsonObject => Object.fromEntries(members))
  )
})).json

const pairs = fc.oneof(
  fc.tuple(fewJson, fewJson),
  fc.tuple(anyJson, anyJson),
  anyJson.map((json): [Json, Json] => [json, reordered(json)]),
  fewJson.map((json): [Json, Json] => [json, reordered(json)])
)

test("two values are the same where their canonical JSON is, whatever they name and in whatever order (§9)", () => {
  const met = new Met()
  check(
    fc.property(pairs, ([one, other]) => {
      const same = canonicalJson(one) === canonicalJson(other)
      expect(sameJson(one, other)).toBe(same)
      expect(sameJson(other, one)).toBe(same)
      const isObject = typeof one === "object" && one !== null
      met.count(`${same ? "same" : "other"}${isObject ? " containers" : ""}`)
    }),
    3_000
  )
  met.atLeast({ "same containers": 300, "other containers": 300, same: 100, other: 100 })
})

test("what an object inherits is no member of it", () => {
  const named: Json = JSON.parse(`{ "__proto__": {} }`)
  expect(sameJson(named, { a: 1 })).toBe(false)
  expect(sameJson({ a: 1 }, named)).toBe(false)
  expect(sameJson(named, JSON.parse(`{ "__proto__": {} }`))).toBe(true)
})

/** The same value, and how many of its members are looked at. */
const watched = (value: JsonObject): { readonly value: JsonObject; readonly reads: () => number } => {
  let reads = 0
  const watch = (json: Json): Json =>
    typeof json === "object" && json !== null
      ? new Proxy(Array.isArray(json) ? json.map(watch) : Object.fromEntries(Object.entries(json).map(watchMember)), {
        get: (target, name, receiver): unknown => {
          reads += typeof name === "string" && name !== "length" && Object.hasOwn(target, name) ? 1 : 0
          return Reflect.get(target, name, receiver)
        }
      })
      : json
  const watchMember = ([name, json]: readonly [string, Json]): readonly [string, Json] => [name, watch(json)]
  return { value: watch(value) as JsonObject, reads: () => reads }
}

test("a comparison looks at each member once, and at none after one that differs", () => {
  const provision = (why: string, version: string): JsonObject => ({
    kind: "bound",
    state: "provided",
    reason: "bound",
    why,
    provider: { node: "n2", module: "postgres" },
    find: { bucket: "postgres_bound", key: "n1.shop.database" },
    candidates: [{ node: "n3" }, { node: "n4" }],
    version
  })
  const one = watched(provision("postgres on n2 provides it", "v1"))
  const same = watched(provision("postgres on n2 provides it", "v1"))
  expect(sameJson(one.value, same.value)).toBe(true)
  const members = 16
  expect([one.reads(), same.reads()]).toEqual([members, members])
  const before = watched(provision("postgres on n2 provides it", "v1"))
  const after = watched(provision("postgres on n2 failed", "v2"))
  expect(sameJson(before.value, after.value)).toBe(false)
  expect([before.reads(), after.reads()]).toEqual([4, 4])
})
