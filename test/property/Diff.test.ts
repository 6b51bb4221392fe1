/**
 * The diff (protocol §4, §9): minimal, and applied it gives exactly what is wanted; a mark of the seat's holder is passed
 * over.
 */
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { decidedBuckets, diff, type Stored, type Write } from "../../src/core/Diff.ts"
import type { Json } from "../../src/core/Json.ts"
import { type Choose, chosen } from "../../src/testing/arbitrary/Choose.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { anyJson, reordered } from "../../src/testing/arbitrary/JsonValues.ts"
import { lossOf } from "../../src/testing/arbitrary/Loss.ts"
import { hostileNames } from "../../src/testing/arbitrary/Names.ts"
import { check, Met } from "./Law.ts"

const buckets = ["registry", "provisions", "asks", "plans"].map((what) => `mesh-provisioner_${what}`)

const lossy = () => lossOf(coherentMesh)
const json = () => anyJson

/** What is stored, of an earlier time, with garbage among it; and what is wanted now. */
const storedAndWanted = chosen((choose) => {
  const { after, before } = choose.from(lossy)
  const wanted = decide(after)
  const earlier = decidedBuckets(choose.chance(50) ? wanted : decide(before))
  const stored = new Map(
    choose.some([...earlier], 90).map(([bucket, values]) => [bucket, new Map(spoiled(choose, [...values]))] as const)
  )
  for (const values of stored.values()) {
    for (const key of choose.some(["_epoch", "", "a..b", "\ud800", ...hostileNames], 25)) {
      values.set(key, choose.chance(20) ? undefined : choose.from(json))
    }
  }
  return { stored, wanted }
})

const spoiled = (choose: Choose, values: ReadonlyArray<readonly [string, Json]>) =>
  values.filter(() => choose.chance(92)).map(([key, value]): readonly [string, Json | undefined] => [
    key,
    choose.chance(75)
      ? value
      : choose.oneOf<Json | undefined>(reordered(value), { ...Object(value), "__proto__": 1 }, undefined, null, [value])
  ])

/** What is stored once the writes are made; the deletes of answers are of another bucket. */
const applied = (stored: Stored, writes: ReadonlyArray<Write>): Map<string, Map<string, Json | undefined>> => {
  const result = new Map(buckets.map((bucket) => [bucket, new Map(stored.get(bucket) ?? [])]))
  for (const write of writes) {
    if (write.op === "put") {
      result.get(write.bucket)?.set(write.key, write.value)
    } else {
      result.get(write.bucket)?.delete(write.key)
    }
  }
  return result
}

const withoutMarks = (stored: Stored) =>
  new Map([...stored].map(([bucket, values]) => [bucket, new Map([...values].filter(([key]) => key !== "_epoch"))]))

test("applied, the writes give exactly what is wanted, and a second diff is empty (§4, §9)", () => {
  const met = new Met()
  check(
    fc.property(storedAndWanted, ({ stored, wanted }) => {
      const writes = diff(stored, wanted)
      const result = applied(stored, writes)
      expect(isDeepStrictEqual(withoutMarks(result), new Map(decidedBuckets(wanted)))).toBe(true)
      expect(diff(result, wanted).filter(({ bucket }) => buckets.includes(bucket))).toEqual([])
      for (const { op } of writes) {
        met.count(op)
      }
    }),
    250
  )
  met.atLeast({ put: 1_000, delete: 300 })
})

test("the mark of the seat's holder is left as it is (§9)", () => {
  const met = new Met()
  check(
    fc.property(storedAndWanted, ({ stored, wanted }) => {
      const marks = [...stored.values()].filter((values) => values.has("_epoch"))
      expect(diff(stored, wanted).filter(({ key }) => key === "_epoch")).toEqual([])
      met.count("mark", marks.length)
    }),
    150
  )
  met.atLeast({ mark: 50 })
})

test("nothing is written but what differs, is missing or is wanted no more, once each (§4, §9)", () => {
  const met = new Met()
  check(
    fc.property(storedAndWanted, ({ stored, wanted }) => {
      const writes = diff(stored, wanted)
      expect(new Set(writes.map(({ bucket, key }) => `${bucket} ${key}`)).size).toBe(writes.length)
      for (const write of writes.filter(({ bucket }) => buckets.includes(bucket))) {
        const isStored = stored.get(write.bucket)?.has(write.key) === true
        expect(write.op === "put" || isStored).toBe(true)
        expect(
          write.op === "put" && isStored && isDeepStrictEqual(write.value, stored.get(write.bucket)?.get(write.key))
        )
          .toBe(false)
        met.count(isStored ? "of a stored key" : "of a missing key")
      }
      const untouched = [...decidedBuckets(wanted)].flatMap(([bucket, values]) =>
        [...values.keys()].filter((key) => !writes.some((write) => write.bucket === bucket && write.key === key))
      )
      met.count("untouched", untouched.length)
    }),
    150
  )
  met.atLeast({ "of a stored key": 200, "of a missing key": 350, untouched: 1_000 })
})

test("answers that no longer count are deleted, each once (§6)", () => {
  const met = new Met()
  check(
    fc.property(storedAndWanted, ({ stored, wanted }) => {
      const deletes = diff(stored, wanted).filter(({ bucket }) => bucket === "mesh-provisioner_answers")
      expect(deletes).toEqual(
        wanted.answersToDelete.map((key) => ({ op: "delete", bucket: "mesh-provisioner_answers", key }))
      )
      met.count("deleted", deletes.length)
    }),
    100
  )
  met.atLeast({ deleted: 14 })
})
