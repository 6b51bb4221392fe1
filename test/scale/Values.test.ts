/**
 * Goal: one enormous value, or one nested without end, brings nothing down, wherever a stranger may write one, and costs what
 * reading it costs.
 *
 * Method: such values in every place of a small mesh; what is decided is compared with what is decided without them, and
 * the time with that of a value of a quarter of the size, in one run.
 */
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { diff, storedIn } from "../../src/core/Diff.ts"
import { explain } from "../../src/core/Explain.ts"
import { Facts } from "../../src/core/Facts.ts"
import type { Json } from "../../src/core/Json.ts"
import { query } from "../../src/core/Query.ts"
import { changesBetween, parseSnapshot, type Snapshot } from "../../src/core/Snapshot.ts"
import { growthOf } from "./Growth.ts"

const megabytes = 1_048_576

const factBucketNames = [
  "mesh-controller_modules",
  "mesh-controller_assignments",
  "mesh-controller_machines",
  "mesh-controller_seats",
  "mesh-config_values",
  "mesh-host_haves",
  "mesh-provisioner_needs",
  "mesh-provisioner_applied",
  "mesh-provisioner_collect",
  "mesh-provisioner_answers",
  "postgres_bound",
  "mesh-vault_bound",
  "postgres_licences"
]

/** A key in shape of each bucket. */
const keyOf: { readonly [bucket: string]: string } = {
  "mesh-controller_modules": "postgres",
  "mesh-controller_machines": "n1",
  "mesh-controller_seats": "vault",
  "mesh-config_values": "n1.shop.theme",
  "mesh-provisioner_needs": "n1.shop.bound.database",
  "mesh-provisioner_collect": "n1.shell=3Azsh.shop",
  "mesh-provisioner_answers": "n1.postgres.n1.shop.database",
  postgres_bound: "n1.shop.database",
  "mesh-vault_bound": "n1.shop.secret.api",
  postgres_licences: "seat"
}

/** A small mesh, each of whose values holds one more field, which nobody named. */
const meshWith = (extra: Json): Snapshot => ({
  buckets: {
    "mesh-controller_modules": {
      postgres: {
        provides: { database: { credential: "consumer", contract: { fields: { host: "string" } } } },
        answers: { licence: { bucket: "postgres_licences", key: "<name>" } },
        extra
      }
    },
    "mesh-controller_assignments": {
      "n1.shop": { build: "b1", placement: { dir: { state: extra } }, extra },
      "n1.postgres": { build: "b1", extra }
    },
    "mesh-controller_machines": { n1: { site: "home", extra } },
    "mesh-controller_seats": { vault: { node: "n1", module: "mesh-vault", extra } },
    "mesh-config_values": { "n1.shop.theme": { value: extra } },
    "mesh-host_haves": { "n1.postgres": { build: "b1", health: "healthy", words: "w", extra } },
    "mesh-provisioner_needs": {
      "n1.shop.bound.database": { extra },
      "n1.shop.config.theme": { extra },
      "n1.shop.config.other": { default: extra },
      "n1.shop.dir.state": {},
      "n1.shop.shell.zsh": {},
      "n1.shop.licence.seat": {}
    },
    "mesh-provisioner_applied": { "n1.shop": { plan: "0".repeat(32), extra } },
    "mesh-provisioner_collect": { "n1.shell=3Azsh.shop": extra },
    postgres_bound: { "n1.shop.database": { state: "provided", by: "n1", values: { host: "h", extra }, extra } },
    "mesh-vault_bound": { "n1.shop.secret.api": { state: "provided", by: "n1", values: { extra } } },
    postgres_licences: { seat: extra }
  }
})

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

describe("values of 5 MB", () => {
  const text = "é".repeat(2.5 * megabytes)
  const decisions = decide(meshWith(text))

  test("in every place, are decided on as small ones are", () => {
    const small = decide(meshWith("é"))
    expect([...decisions.provisions].map(([key, { reason, state }]) => ({ key, reason, state })))
      .toEqual([...small.provisions].map(([key, { reason, state }]) => ({ key, reason, state })))
    expect(decisions.provisions.size).toBe(6)
    expect(decisions.outOfShape).toEqual([])
    expect(new Map([...decisions.provisions].map(([key, { version }]) => [key, version]))).toEqual(
      new Map([
        ["n1.shop.bound.database", sha256(`{"extra":"${text}","host":"h"}`)],
        ["n1.shop.config.theme", sha256(`"${text}"`)],
        ["n1.shop.config.other", sha256(`"${text}"`)],
        ["n1.shop.dir.state", sha256(`"${text}"`)],
        ["n1.shop.shell.zsh", sha256(`{"shop":"${text}"}`)],
        ["n1.shop.licence.seat", sha256(`"${text}"`)]
      ])
    )
  })

  test("are never said: what is decided stays small", () => {
    const said = [decisions.registry, decisions.provisions, decisions.asks, decisions.plans].map((
      decided
    ) => [...decided])
    expect(JSON.stringify(said).length).toBeLessThan(20_000)
  })

  test("as bytes are decided on as well, and take no longer than their size", () => {
    const mesh = (size: number) => {
      const value = Buffer.from(JSON.stringify({ value: "x".repeat(size) })).toString("base64")
      return {
        buckets: {
          "mesh-controller_assignments": { "n1.shop": { build: "b1" } },
          "mesh-provisioner_needs": { "n1.shop.config.theme": {} }
        },
        raw: { "mesh-config_values": { "n1.shop.theme": value } }
      }
    }
    expect(decide(mesh(5 * megabytes)).provisions.get("n1.shop.config.theme")?.version).toBe(
      sha256(`"${"x".repeat(5 * megabytes)}"`)
    )
    expect(growthOf(megabytes, 10, mesh, decide)).toBeLessThan(10)
  })

  test("that many needs share are read once: four times the needs take no four times as long", () => {
    const entry = "x".repeat(5 * megabytes)
    const mesh = (size: number): Snapshot => ({
      buckets: {
        "mesh-controller_modules": { cad: { answers: { licence: { bucket: "cad_licences", key: "shared" } } } },
        cad_licences: { shared: entry },
        "mesh-controller_assignments": { "n1.shop": { build: "b1" } },
        "mesh-provisioner_needs": Object.fromEntries(
          Array.from({ length: size }, (_, index) => [`n1.shop.licence.s${index}`, {}])
        )
      }
    })
    expect(growthOf(5, 3, mesh, decide)).toBeLessThan(3)
    expect(decide(mesh(5_000)).provisions.get("n1.shop.licence.s4999")?.version).toBe(sha256(`"${entry}"`))
  })

  test("in a file are read, and compared with another", () => {
    const before = JSON.stringify(meshWith("x".repeat(megabytes)))
    const after = JSON.stringify(meshWith("y".repeat(megabytes)))
    const { changes } = changesBetween(
      Result.getOrThrow(parseSnapshot(before)),
      Result.getOrThrow(parseSnapshot(after))
    )
    expect(changes.length).toBeGreaterThan(10)
    const fault = parseSnapshot(`${before.slice(0, -1)},`)
    expect(Result.isFailure(fault) && fault.failure.column).toBeGreaterThan(10 * megabytes)
  })
})

describe("values of containers inside each other without end", () => {
  const depth = 100_000
  const arrays = `${"[".repeat(depth)}${"]".repeat(depth)}`
  const objects = `${"{\"a\":".repeat(depth)}1${"}".repeat(depth)}`
  const unended = "[{\"a\":".repeat(depth)

  for (const [name, text] of Object.entries({ arrays, objects, unended })) {
    test(`${name}, as bytes in every bucket, are listed out of shape, and nothing else changes`, () => {
      const facts = Facts.fromSnapshot(meshWith("x"))
      const bytes = new TextEncoder().encode(text)
      for (const bucket of factBucketNames) {
        facts.apply({ bucket, key: keyOf[bucket] ?? "n1.shop", value: bytes })
      }
      const { outOfShape } = decide(facts)
      // The definition is one of them, so nobody asks for what is in its bucket.
      expect(outOfShape.map(({ bucket }) => bucket).sort()).toEqual(
        factBucketNames.filter((bucket) => bucket !== "postgres_licences").sort()
      )
      expect(new Set(outOfShape.map(({ why }) => why))).toEqual(
        new Set([name === "unended" ? "the value is not JSON" : "it has more than 64 containers inside each other"])
      )
    })
  }

  test("in a snapshot of plain data are listed, diffed, asked for and explained", () => {
    const deep: Json = JSON.parse(arrays)
    const snapshot: Snapshot = {
      buckets: Object.fromEntries([
        ...factBucketNames.map((bucket) => [bucket, { [keyOf[bucket] ?? "n1.shop"]: deep }]),
        ...["registry", "provisions", "plans", "asks"].map((
          what
        ) => [`mesh-provisioner_${what}`, { "n1.shop": deep, config: deep }])
      ])
    }
    const facts = Facts.fromSnapshot(snapshot)
    const decisions = decide(facts)
    const source = { facts, decisions }
    expect(decisions.outOfShape.length).toBe(factBucketNames.length - 1)
    expect(diff(storedIn(snapshot), decisions).filter(({ op }) => op === "delete").length).toBeGreaterThan(3)
    for (const what of ["registry", "needs", "applied", "collect", "provisions", "plans", "asks"]) {
      expect(Result.isSuccess(query(source, { what }))).toBe(true)
    }
    expect(Result.isSuccess(explain(source, { node: "n1", module: "shop" }))).toBe(true)
    expect(changesBetween(snapshot, { buckets: {} }).vanished.length).toBe(factBucketNames.length + 4)
    expect(changesBetween(snapshot, { buckets: { ...snapshot.buckets, more: {} } }).appeared).toEqual(["more"])
  })

  test("in a file are read, and where it is broken, that is said", () => {
    const text = (value: string): string => `{"buckets":{"mesh-provisioner_collect":{"n1.a.b":${value}}}}`
    expect(Result.isSuccess(parseSnapshot(text(arrays)))).toBe(true)
    const cut = text(arrays).slice(0, -10)
    const fault = parseSnapshot(cut)
    expect(Result.isFailure(fault) && fault.failure).toEqual({
      message: "this is not JSON",
      line: 1,
      column: cut.length + 1
    })
    const misplaced = parseSnapshot(`{"raw":${arrays}, "buckets":{}}`)
    expect(Result.isFailure(misplaced) && misplaced.failure).toMatchObject({ line: 1, column: 8 })
  })
})
