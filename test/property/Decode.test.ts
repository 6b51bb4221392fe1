/**
 * Decoding (protocol §3): a value is UTF-8 JSON without a byte order mark, of at most 64 containers inside each other; what
 * is out of shape is listed, says nothing of what a stranger wrote, and never touches another fact.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { readJson } from "../../src/core/Decode.ts"
import { Facts } from "../../src/core/Facts.ts"
import type { Json } from "../../src/core/Json.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { anyJson, reordered } from "../../src/testing/arbitrary/JsonValues.ts"
import { lossOf } from "../../src/testing/arbitrary/Loss.ts"
import { anyText } from "../../src/testing/arbitrary/Names.ts"
import { wildMesh } from "../../src/testing/arbitrary/WildMesh.ts"
import { readFacts } from "../../src/testing/naive/facts.ts"
import { check, Met } from "./Law.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What bytes say as JSON, by Node's own reader of texts; nothing where they say nothing. */
const said = (bytes: Uint8Array): { readonly json: Json } | undefined => {
  const text = Buffer.from(bytes).toString("utf8")
  if (!Buffer.from(text, "utf8").equals(bytes)) {
    return undefined
  }
  try {
    const json: Json = JSON.parse(text)
    return holdsEndlessNumber(json) ? undefined : { json }
  } catch {
    return undefined
  }
}

const holdsEndlessNumber = (json: Json): boolean =>
  typeof json === "object" && json !== null
    ? Object.values(json).some(holdsEndlessNumber)
    : typeof json === "number" && !Number.isFinite(json)

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }),
  anyJson.map((value) => bytesOf(JSON.stringify(value))),
  anyJson.map((value) => bytesOf(`\uFEFF${JSON.stringify(value)}`)),
  fc.tuple(anyJson, fc.nat(), fc.nat({ max: 255 })).map(([value, at, byte]) => {
    const bytes = bytesOf(JSON.stringify(value))
    bytes[at % bytes.length] = byte
    return bytes
  })
)

test("bytes are a value where they are UTF-8 JSON without a byte order mark, and else are said to be none (§3)", () => {
  const met = new Met()
  check(
    fc.property(anyBytes, (bytes) => {
      const read = readJson(bytes)
      const expected = said(bytes)
      expect(Result.isSuccess(read)).toBe(expected !== undefined)
      if (Result.isSuccess(read)) {
        expect(read.success).toEqual(expected?.json)
      }
      met.count(Result.isSuccess(read) ? "a value" : read.failure)
    }),
    2_000
  )
  met.atLeast({
    "a value": 200,
    "the value is not JSON": 100,
    "the value is not UTF-8": 100,
    "the value begins with a byte order mark; write it without": 100
  })
})

const nested = (value: Json, depth: number): Json =>
  depth === 0 ? value : nested(depth % 3 === 0 ? { "__proto__x": value } : [value, depth], depth - 1)

test("a value has at most 64 containers inside each other, and no number beyond a double's (§3)", () =>
  check(
    fc.property(fc.integer({ min: 55, max: 75 }), fc.constantFrom("[]", "7", "1e400"), (depth, inmost) => {
      const text = JSON.stringify(nested("inmost", depth)).replace(`"inmost"`, inmost)
      const containers = depth + (inmost === "[]" ? 1 : 0)
      for (const value of [bytesOf(text), JSON.parse(text)]) {
        expect(Result.isSuccess(readJson(value))).toBe(containers <= 64 && inmost !== "1e400")
      }
    }),
    300
  ))

test("and so it is however short the text: containers alone, and a number written in any way (§3)", () => {
  const met = new Met()
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 5 })
  const number = fc.tuple(fc.constantFrom("", "-"), fc.constantFrom("1", "0", "9.75", "0.001", "123456"), digits)
    .chain(([sign, mantissa, exponent]) =>
      fc.constantFrom("e", "E", "e+", "e-").map((power) => `${sign}${mantissa}${power}${exponent}`)
    )
  const containers = fc.tuple(fc.integer({ min: 60, max: 68 }), fc.constantFrom("", "1")).map(([depth, inmost]) =>
    "[".repeat(depth) + inmost + "]".repeat(depth)
  )
  check(
    fc.property(fc.oneof(number, containers, number.map((text) => `{"a":[${text}]}`)), (text) => {
      const isSound = text.split("[").length - 1 <= 64 && !holdsEndlessNumber(JSON.parse(text))
      expect(Result.isSuccess(readJson(bytesOf(text)))).toBe(isSound)
      met.count(isSound ? "sound" : text.includes("[[") ? "too deep" : "endless")
    }),
    1_000
  )
  met.atLeast({ sound: 300, "too deep": 80, endless: 100 })
})

test("what many keys hold is kept once, and is another fact where the key says so (§3)", () => {
  const facts = new Facts()
  const needs = "mesh-provisioner_needs"
  const put = (key: string, text: string) => facts.apply({ bucket: needs, key, value: bytesOf(text) })
  const text = `{"contract":"^1.0.0","fields":["host"]}`
  put("n1.shop.bound.database", text)
  put("n2.till.bound.cache", text)
  put("n1.shop.config.title", text)
  put("n1.shop.bound.secret", text)
  const valueAt = (key: string) => facts.needs.value(key)
  expect(valueAt("n1.shop.bound.database")).toEqual({ contract: "^1.0.0", fields: ["host"] })
  expect(valueAt("n2.till.bound.cache")).toBe(valueAt("n1.shop.bound.database"))
  expect(valueAt("n1.shop.config.title")).toEqual({})
  expect(facts.needs.fact("n1.shop.config.title")?.json).toEqual(JSON.parse(text))
  expect(valueAt("n1.shop.bound.secret")).toBeUndefined()
  put("n1.shop.bound.credential", "{}")
  facts.apply({ bucket: needs, key: "n1.shop.bound.empty", value: {} })
  put("n1.shop.bound.empty-too", "{}")
  expect(valueAt("n1.shop.bound.credential")).toBeUndefined()
  expect(valueAt("n1.shop.bound.empty-too")).toBe(valueAt("n1.shop.bound.empty"))
  expect(facts.needs.fact("n1.shop.bound.secret")?.why).toContain("provision")
})

test("more different texts than are kept are all read right, and so are more names (§2, §3)", () => {
  const facts = new Facts()
  for (let index = 0; index < 3_000; index++) {
    const bytes = bytesOf(JSON.stringify({ build: `b${index}`, health: "healthy" }))
    facts.apply({ bucket: "mesh-host_haves", key: `n${index}=2Ex.shop`, value: bytes })
  }
  for (const index of [0, 1_023, 1_024, 2_999]) {
    const fact = facts.haves.fact(`n${index}=2Ex.shop`)
    expect(fact?.value?.build).toBe(`b${index}`)
    expect({ ...fact?.names }).toEqual({ node: `n${index}.x`, module: "shop" })
  }
  // The first was forgotten meanwhile: what strangers write never takes more room than there is.
  const again = bytesOf(JSON.stringify({ build: "b0", health: "healthy" }))
  facts.apply({ bucket: "mesh-host_haves", key: "again.shop", value: again })
  facts.apply({ bucket: "mesh-host_haves", key: "once-more.shop", value: again })
  expect(facts.haves.value("again.shop")).toEqual(facts.haves.value("n0=2Ex.shop"))
  expect(facts.haves.value("again.shop")).not.toBe(facts.haves.value("n0=2Ex.shop"))
  expect(facts.haves.value("once-more.shop")).toBe(facts.haves.value("again.shop"))
})

test("the names of a fact are those of its key, and nothing else (§2)", () => {
  const facts = new Facts()
  facts.apply({ bucket: "postgres_bound", key: "n1.shop.database.main=2Eold", value: { state: "provided", by: "n2" } })
  facts.apply({ bucket: "postgres_bound", key: "n1.shop.database", value: { state: "provided", by: "n2" } })
  const names = [...facts.bound.get("postgres")?.named() ?? []].map((fact) => ({ ...fact.names }))
  expect(names).toEqual([
    { node: "n1", module: "shop", provision: "database", local: "main.old" },
    { node: "n1", module: "shop", provision: "database" }
  ])
})

test("what is out of shape is listed, each fact once, by bucket and key, and nothing else is (§3)", () => {
  const met = new Met()
  check(
    fc.property(fc.oneof(wildMesh, lossOf(coherentMesh).map(({ after }) => after)), (snapshot) => {
      const { outOfShape } = decide(snapshot)
      const facts = readFacts(snapshot)
      const strangers = outOfShape.filter(({ bucket }) =>
        /_(?:licences|values)$/.test(bucket) && bucket !== "mesh-config_values"
      )
      expect(
        outOfShape.filter((place) => !strangers.includes(place)).map(({ bucket, key }) => JSON.stringify([bucket, key]))
          .sort()
      )
        .toEqual(facts.outOfShape.map(({ bucket, key }) => JSON.stringify([bucket, key])).sort())
      for (const { why } of outOfShape) {
        expect(why).not.toBe("")
      }
      met.count("out of shape", outOfShape.length)
    }),
    250
  )
  met.atLeast({ "out of shape": 450 })
})

test("one fact out of shape never touches another: without it all else is decided as with it, but for what it holds (§3)", () => {
  const met = new Met()
  // Machines, seats, config values, haves and applied entries only ever say what they say: garbled is absent.
  const buckets = ["mesh-controller_machines", "mesh-config_values", "mesh-host_haves", "mesh-provisioner_applied"]
  check(
    fc.property(
      lossOf(coherentMesh, { absent: () => false, garbled: ({ bucket }) => buckets.includes(bucket) }),
      ({ after, lost }) => {
        const garbled = decide(after)
        const facts = Facts.fromSnapshot(after)
        lost.forEach(({ bucket, key }) => facts.apply({ bucket, key }))
        const absent = decide(facts)
        const withoutWhy = (decided: ReadonlyMap<string, { readonly why: string }>) =>
          new Map([...decided].map(([key, { why: _why, ...rest }]) => [key, rest]))
        for (const what of ["provisions", "asks", "plans"] as const) {
          expect(withoutWhy(garbled[what])).toEqual(withoutWhy(absent[what]))
        }
        met.count("garbled", lost.length)
      }
    ),
    150
  )
  met.atLeast({ garbled: 100 })
})

test("fields that nobody named are ignored, and so is the order of all fields (§3)", () => {
  const met = new Met()
  check(
    fc.property(coherentMesh, anyText, anyJson, (snapshot, name, value) => {
      const extra = Object.fromEntries([[`x${name}`, value]])
      const facts = new Facts()
      for (const [bucket, values] of Object.entries(snapshot.buckets)) {
        facts.openBucket(bucket)
        for (const [key, fact] of Object.entries(values)) {
          // A collect item, and an entry of a definition's own bucket, is any JSON: each of its fields counts.
          const isObject = typeof fact === "object" && fact !== null && !(fact instanceof Array)
          const isAny = bucket === "mesh-provisioner_collect" || bucket.endsWith("_licences")
          facts.apply({ bucket, key, value: isObject && !isAny ? reordered({ ...fact, ...extra }) : fact })
        }
      }
      const { outOfShape: _listed, ...decisions } = decide(facts)
      const { outOfShape: _plainly, ...plain } = decide(snapshot)
      expect(decisions).toEqual(plain)
      met.count("mesh")
    }),
    100
  )
  met.atLeast({ mesh: 50 })
})
