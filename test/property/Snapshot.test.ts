/**
 * Snapshots: read from a text with the line and column of what is wrong with it, and compared with another.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { Facts } from "../../src/core/Facts.ts"
import { changesBetween, parseSnapshot, type Snapshot } from "../../src/core/Snapshot.ts"
import { chosen } from "../../src/testing/arbitrary/Choose.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { reordered } from "../../src/testing/arbitrary/JsonValues.ts"
import { lossOf } from "../../src/testing/arbitrary/Loss.ts"
import { anyText } from "../../src/testing/arbitrary/Names.ts"
import { wildMesh } from "../../src/testing/arbitrary/WildMesh.ts"
import { check, Met } from "./Law.ts"

const anyMesh = fc.oneof(coherentMesh, wildMesh)
const space = fc.constantFrom<string | number | undefined>(undefined, 1, 2, "\t")

/** Where a place of a text is, by line and column from 1. */
const placeAt = (text: string, index: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, index).split("\n")
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 }
}

test("a snapshot's text reads back as the snapshot, whatever its names", () =>
  check(
    fc.property(anyMesh, space, (snapshot, indent) => {
      const read = Result.getOrThrow(parseSnapshot(JSON.stringify(snapshot, undefined, indent)))
      expect(isDeepStrictEqual(read, JSON.parse(JSON.stringify(snapshot)))).toBe(true)
    }),
    150
  ))

const given = () => anyMesh
const indents = () => space

/** A mark that stands in a text for what is wrong there. */
const mark = "\"what is wrong\""

/** A snapshot's text with one thing in it that has no place there, and where that is. */
const misplaced = chosen((choose) => {
  const { buckets, raw = {} } = choose.from(given)
  const indent = choose.from(indents)
  const wrong = choose.oneOf("7", "null", "[]", "\"text\"", "true")
  const withMark = choose.oneOf(
    { buckets: { ...buckets, wrong: "what is wrong" }, raw },
    { buckets, raw: { ...raw, wrong: "what is wrong" } },
    { what: {}, buckets: "what is wrong" },
    { raw: "what is wrong", buckets }
  )
  const text = JSON.stringify(withMark, undefined, indent)
  return { text: text.replace(mark, wrong), index: text.indexOf(mark) }
})

test("what is no snapshot is said with the line and column of what is wrong, and nothing of what stands there", () => {
  const met = new Met()
  check(
    fc.property(misplaced, ({ index, text }) => {
      const read = parseSnapshot(text)
      const fault = Result.isFailure(read) ? read.failure : undefined
      expect(fault).toEqual({ message: expect.stringMatching(/^expected/), ...placeAt(text, index) })
      met.count(fault?.line === 1 ? "on the first line" : "further down")
    }),
    150
  )
  met.atLeast({ "on the first line": 12, "further down": 50 })
})

/** A snapshot's text that stops being JSON at some place. */
const broken = chosen((choose) => {
  const text = JSON.stringify(choose.from(given), undefined, choose.from(indents))
  const index = choose.upTo(text.length - 1)
  return choose.chance(50)
    ? { text: text.slice(0, index), index, cut: true }
    : { text: `${text.slice(0, index)}\u0001${text.slice(index)}`, index, cut: false }
})

test("a text that is no JSON is said with the line and column where it stops being JSON", () => {
  const met = new Met()
  check(
    fc.property(broken, ({ cut, index, text }) => {
      const read = parseSnapshot(text)
      const fault = Result.isFailure(read) ? read.failure : undefined
      expect(fault?.message).toBe("this is not JSON")
      // In the midst of a number, a word or a text, what is wrong is known by where that begins, or right there.
      const begins = text.slice(0, index).search(/(?:"(?:[^"\\]|\\.)*\\?|[\w.+-]*)$/)
      const from = placeAt(text, begins)
      const to = placeAt(text, index)
      const { column = 0, line = 0 } = fault ?? {}
      const isThere = line >= from.line && line <= to.line && (line > from.line || column >= from.column) &&
        (line < to.line || column <= to.column + 1)
      expect(
        isThere,
        JSON.stringify({ at: { line, column }, from, to, around: text.slice(Math.max(0, begins - 20), index + 20) })
      ).toBe(true)
      met.count(cut ? "cut short" : "with a stray character")
    }),
    300
  )
  met.atLeast({ "cut short": 70, "with a stray character": 65 })
})

test("no text makes it fail otherwise, and what is said quotes nothing of it", () =>
  check(
    fc.property(
      fc.oneof(anyText, fc.json(), anyText.map((text) => JSON.stringify({ buckets: { [text]: text } }))),
      (text) => {
        const read = parseSnapshot(text)
        if (Result.isFailure(read)) {
          expect(read.failure.line).toBeGreaterThanOrEqual(1)
          expect(read.failure.column).toBeGreaterThanOrEqual(1)
        }
      }
    ),
    500
  ))

test("the changes between two snapshots lead from the one to the other (§9)", () => {
  const met = new Met()
  const pairs = fc.oneof(
    lossOf(coherentMesh, { buckets: () => true }).map((
      { after, before }
    ): readonly [Snapshot, Snapshot] => [before, after]),
    lossOf(coherentMesh, { buckets: () => true }).map((
      { after, before }
    ): readonly [Snapshot, Snapshot] => [after, before]),
    fc.tuple(wildMesh, wildMesh)
  )
  check(
    fc.property(pairs, ([before, after]) => {
      const { appeared, changes, vanished } = changesBetween(before, after)
      const facts = Facts.fromSnapshot(before)
      vanished.forEach((bucket) => facts.closeBucket(bucket))
      appeared.forEach((bucket) => facts.openBucket(bucket))
      changes.forEach((change) => facts.apply(change))
      expect(isDeepStrictEqual(decide(facts), decide(after))).toBe(true)
      expect(new Set(changes.map(({ bucket, key }) => `${bucket} ${key}`)).size).toBe(changes.length)
      met.count("change", changes.length)
      met.count("bucket", appeared.length + vanished.length)
    }),
    200
  )
  met.atLeast({ change: 500, bucket: 50 })
})

test("between a snapshot and a copy of it nothing has changed, in whatever order its fields are (§9)", () =>
  check(
    fc.property(lossOf(coherentMesh), ({ after }) => {
      const buckets = Object.fromEntries(
        Object.entries(after.buckets).map(([bucket, values]) => [
          bucket,
          Object.fromEntries(Object.entries(values).map(([key, value]) => [key, reordered(value)]))
        ])
      )
      expect(changesBetween(after, { ...structuredClone(after), buckets })).toEqual({
        appeared: [],
        vanished: [],
        changes: []
      })
    }),
    100
  ))
