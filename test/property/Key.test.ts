/**
 * Keys (protocol §2, §3): tokens joined by `.`, of as many parts as their bucket's shape has.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decisionBuckets, factBuckets } from "../../src/core/Bucket.ts"
import { readKey, writeKey } from "../../src/core/Key.ts"
import { namesOf } from "../../src/testing/arbitrary/Keys.ts"
import { anyModuleName, anyName, anyText, nearToken } from "../../src/testing/arbitrary/Names.ts"
import * as naive from "../../src/testing/naive/name.ts"
import { check, Met } from "./Law.ts"

const shapes = [...Object.values(factBuckets), ...Object.values(decisionBuckets)]
  .map(({ local, name, parts }): Shape => ({ local, name, parts }))

interface Shape {
  readonly name: string
  readonly parts: ReadonlyArray<typeof factBuckets[keyof typeof factBuckets]["parts"][number] | "kind">
  readonly local: boolean
}

const isModulePart = (part: string): boolean => ["module", "providerModule", "contributor"].includes(part)

const shape = fc.constantFrom(...shapes)

/** A shape, and a name for each of its parts; where it may end in a local name, sometimes that too. */
const named = shape.chain((shape) => fc.tuple(fc.constant(shape), namesOf(shape)))

test("names written as a key read back, each as its part (§2, §3)", () => {
  const met = new Met()
  check(
    fc.property(named, ([shape, names]) => {
      const key = writeKey(...names)
      const local = names[shape.parts.length]
      const parts = Object.fromEntries(shape.parts.map((part, index) => [part, names[index]]))
      const read = readKey(shape, key)
      met.count(key.length > 1_024 ? "too long" : local === undefined ? "in shape" : "with a local name")
      expect(Result.getOrUndefined(read)).toEqual(
        key.length > 1_024 ? undefined : local === undefined ? parts : { ...parts, local }
      )
    }),
    2_000
  )
  met.atLeast({ "in shape": 800, "with a local name": 100 })
})

const isInShape = ({ local, parts }: Shape, key: string): boolean => {
  const names = naive.readTokens(key)
  return names !== undefined && !naive.isKeyTooLong(key) &&
    (names.length === parts.length || (local && names.length === parts.length + 1)) &&
    parts.every((part, index) => !isModulePart(part) || naive.isModule(names[index]))
}

const nearKey = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.oneof(nearToken, anyModuleName), { minLength: 1, maxLength: 6 }).map((tokens) =>
      tokens.join(".")
    )
  },
  { weight: 3, arbitrary: fc.array(anyModuleName, { minLength: 1, maxLength: 6 }).map((tokens) => tokens.join(".")) },
  { weight: 1, arbitrary: anyText }
)

test("a key of another number of tokens, or with one that is out of shape, is out of shape, and no other (§2)", () => {
  const met = new Met()
  check(
    fc.property(shape, nearKey, (shape, key) => {
      const read = readKey(shape, key)
      expect(Result.isSuccess(read)).toBe(isInShape(shape, key))
      if (Result.isSuccess(read)) {
        const names: { readonly [part: string]: string | undefined } = read.success
        expect(writeKey(...shape.parts.map((part) => names[part]), names["local"])).toBe(key)
      } else {
        expect(read.failure).not.toBe("")
      }
      met.count(Result.isSuccess(read) ? "in shape" : "out of shape")
    }),
    3_000
  )
  met.atLeast({ "in shape": 160, "out of shape": 1_000 })
})

test("a key has at most 1,024 bytes (§2)", () =>
  check(
    fc.property(fc.integer({ min: -3, max: 3 }), anyName(5), (more, name) => {
      const head = writeKey("n1", "shop", "bound", name)
      const key = head + "x".repeat(1_024 - head.length + more)
      expect(Result.isSuccess(readKey(factBuckets.needs, key))).toBe(more <= 0)
    }),
    200
  ))
