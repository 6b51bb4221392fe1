/**
 * Goal: names, keys, versions and ranges of any length and kind are read in time that grows with their length, and a module
 * may have 100,000 keys.
 *
 * Method: each is read at one size and at four times that size, in one run; only the ratio of the two times counts.
 */
import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import { factBuckets } from "../../src/core/Bucket.ts"
import { decide } from "../../src/core/Decide.ts"
import { diff, storedIn } from "../../src/core/Diff.ts"
import { Facts } from "../../src/core/Facts.ts"
import type { Json } from "../../src/core/Json.ts"
import { readKey, writeKey } from "../../src/core/Key.ts"
import { isModuleName, readToken, writeToken } from "../../src/core/Name.ts"
import { query } from "../../src/core/Query.ts"
import { changesBetween, type Snapshot } from "../../src/core/Snapshot.ts"
import { growthOf } from "./Growth.ts"

const keys = (count: number, key: (index: number) => string, value: Json): { readonly [key: string]: Json } =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), value]))

describe("100,000 keys of one module", () => {
  const crowded = (size: number): Snapshot => ({
    buckets: {
      "mesh-controller_assignments": { "n1.shop": { build: "b1" } },
      "mesh-config_values": keys(size, (index) => `n1.shop.c${index}`, { value: 1 }),
      "mesh-provisioner_needs": keys(size, (index) => `n1.shop.config.c${index}`, {}),
      "mesh-provisioner_collect": keys(size, (index) => `n1.c${index}.shop`, 1),
      shop_bound: keys(size, (index) => `n1.shop.database.l${index}`, { state: "provided", by: "n1" })
    }
  })
  const whole = crowded(100_000)
  const decisions = decide(whole)

  test("are all decided on", () => {
    expect(decisions.provisions.size).toBe(100_000)
    expect([...decisions.provisions.values()].every(({ reason }) => reason === "entry")).toBe(true)
    expect(Object.keys(decisions.plans.get("n1.shop")?.needs ?? {}).length).toBe(100_000)
    expect(decisions.asks.size).toBe(100_000)
    expect(decisions.outOfShape).toEqual([])
  })

  test("take four times as long as a quarter of them: to decide, to diff, to compare and to ask for", () => {
    expect(growthOf(2_000, 10, crowded, decide)).toBeLessThan(10)
    const decided = (size: number) => {
      const snapshot = crowded(size)
      const decisions = decide(snapshot)
      return { snapshot, decisions, facts: Facts.fromSnapshot(snapshot), stored: storedIn(snapshot) }
    }
    expect(growthOf(2_000, 10, decided, ({ decisions, stored }) => diff(stored, decisions))).toBeLessThan(10)
    expect(growthOf(2_000, 10, decided, ({ snapshot }) => changesBetween(snapshot, structuredClone(snapshot))))
      .toBeLessThan(10)
    expect(growthOf(2_000, 10, decided, (source) => query(source, { what: "provisions" }))).toBeLessThan(10)
  })

  test("are taken in one change after another, each of them at the same cost", () => {
    const arriving = (size: number) =>
      Array.from({ length: size }, (_, index) => ({
        bucket: "mesh-provisioner_needs",
        key: `n1.shop.config.c${index % (size / 2)}`,
        ...(index % 3 === 0 ? {} : { value: {} })
      }))
    const take = (changes: ReturnType<typeof arriving>) => {
      const facts = new Facts()
      changes.forEach((change) => facts.apply(change))
      return facts
    }
    expect(growthOf(10_000, 10, arriving, take)).toBeLessThan(10)
  })

  test("are given in pages, every one of them", () => {
    const source = { facts: Facts.fromSnapshot(whole), decisions }
    let seen = 0
    let after: string | undefined
    do {
      const reply = Result.getOrThrow(query(source, { what: "provisions", ...(after === undefined ? {} : { after }) }))
      seen += reply.entries.length
      after = reply.next
      // As many pages as can be, of 1,000 each: a few of them tell.
    } while (after !== undefined && seen < 3_000)
    expect(seen).toBe(3_000)
  })
})

describe("texts that could be names, tokens or keys", () => {
  const texts: { readonly [name: string]: (size: number) => string } = {
    "letters": (size) => "a".repeat(size),
    "escapes": (size) => "=3A".repeat(size),
    "escapes of what needs none": (size) => "=41".repeat(size),
    "escapes that never end": (size) => `${"=".repeat(size)}3`,
    "bytes that are no UTF-8": (size) => "=C3".repeat(size),
    "dots": (size) => ".".repeat(size),
    "tokens": (size) => "a.".repeat(size),
    "letters with a space at the end": (size) => `${"aB-_/0".repeat(size)} `,
    "lone surrogates": (size) => "\ud834".repeat(size),
    "astral characters": (size) => "𝄞".repeat(size)
  }

  for (const [name, text] of Object.entries(texts)) {
    test(`${name}: are read and written in time that grows with their length`, () => {
      const read = (given: string) => {
        readToken(given)
        readToken(writeToken(given))
        isModuleName(given)
        readKey(factBuckets.needs, given)
        return writeKey(given, given)
      }
      expect(growthOf(20_000, 12, text, read)).toBeLessThan(12)
    })
  }

  test("a key of a megabyte is out of shape, and so is one of a million tokens", () => {
    const { outOfShape } = decide({
      buckets: {
        "mesh-provisioner_needs": { ["a.".repeat(500_000)]: {}, ["n1.shop.bound.".padEnd(1_000_000, "x")]: {} },
        "mesh-host_haves": { ["=3A".repeat(300_000)]: {} }
      }
    })
    expect(outOfShape.length).toBe(3)
    expect(JSON.stringify(outOfShape.map(({ why }) => why)).length).toBeLessThan(1_000)
  })
})

describe("versions and ranges", () => {
  const meshOf = (needs: { readonly [key: string]: Json }, version = "1.4.0"): Snapshot => ({
    buckets: {
      "mesh-controller_modules": {
        postgres: { provides: { database: { credential: "consumer", contract: { version } } } }
      },
      "mesh-controller_assignments": { "n1.shop": { build: "b1" }, "n1.postgres": { build: "b1" } },
      "mesh-provisioner_needs": needs
    }
  })

  test("a range of a megabyte is out of shape, whatever is in it", () => {
    const ranges = [
      "1".repeat(1e6),
      "^".repeat(1e6),
      "1||".repeat(4e5),
      "1 - 2 ".repeat(2e5),
      " ".repeat(1e6),
      "1.x.".repeat(2e5),
      `1.0.0-${"a.".repeat(5e5)}`
    ]
    const { outOfShape } = decide(
      meshOf(Object.fromEntries(ranges.map((contract, index) => [`n1.shop.bound.d${index}`, { contract }])))
    )
    expect(outOfShape.length).toBe(ranges.length)
  })

  test("a version of a megabyte is out of shape, whatever is in it", () => {
    for (
      const version of [
        "1".repeat(1e6),
        "1.".repeat(5e5),
        `1.0.0-${"a.".repeat(5e5)}a`,
        `1.0.0-${"0".repeat(1e6)}`,
        ` ${" ".repeat(1e6)}1.0.0`
      ]
    ) {
      expect(decide(meshOf({}, version)).outOfShape.map(({ key }) => key)).toEqual(["postgres"])
    }
  })

  const worst: { readonly [name: string]: (length: number) => string } = {
    "many alternatives": (length) => Array.from({ length: length / 6 }, (_, index) => `>${index % 10}.0`).join("||"),
    "many comparators": (length) => Array.from({ length: length / 9 }, (_, index) => `<9${index % 10}.0.0`).join(" "),
    "many hyphens": (length) => Array.from({ length: length / 8 }, (_, index) => `${index % 10} - 9`).join("||"),
    "many spaces": (length) => `>=${" ".repeat(length - 3)}1`,
    "a long label": (length) => `>=1.0.0-${"a.".repeat((length - 9) / 2)}a`,
    "many x": (length) => "x||".repeat(length / 3).slice(0, -2)
  }

  for (const [name, range] of Object.entries(worst)) {
    test(`a range in shape, of ${name}, is read in time that grows with its length`, () => {
      // Ranges that were not seen before: what was read of one is of no use for another.
      let count = 0
      const fresh = (length: number) => () =>
        meshOf({
          "n1.shop.bound.a": { provision: "database", contract: range(length) },
          [`n1.shop.bound.b${count++}`]: { provision: "database", contract: `${range(length - 24)}||${count}.1.2` }
        })
      expect(range(1_000).length).toBeLessThanOrEqual(1_024)
      expect(growthOf(240, 12, fresh, (mesh) => decide(mesh()))).toBeLessThan(12)
    })
  }

  test("thousands of needs with ranges of their own, as long as can be, take as long as they are many", () => {
    const many = (size: number): Snapshot =>
      meshOf(Object.fromEntries(
        Array.from({ length: size }, (_, index) => [
          `n1.shop.bound.d${index}`,
          { provision: "database", contract: `${"1||".repeat(300)}>${index}.0.0` }
        ])
      ))
    const { provisions } = decide(many(1_000))
    expect([...provisions.values()].filter(({ reason }) => reason === "not-bound").length).toBe(1_000)
    expect(growthOf(100, 10, many, decide)).toBeLessThan(10)
  })
})
