/**
 * What a caller sees (protocol §8): a node what is the node's, a provider what is the module's on its node and its
 * bucket's, an operator and a reader everything; all the registry. Held against a list that is written out.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Caller } from "../../src/core/Caller.ts"
import { decide } from "../../src/core/Decide.ts"
import type { OutOfShape } from "../../src/core/Decision.ts"
import { explain } from "../../src/core/Explain.ts"
import { Facts } from "../../src/core/Facts.ts"
import { query, type QueryEntry, type QueryReply } from "../../src/core/Query.ts"
import { queryWhat } from "../../src/core/QueryWhat.ts"
import { retire } from "../../src/core/Retire.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import type { VerbSource } from "../../src/core/Verb.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { readTokens } from "../../src/testing/naive/name.ts"
import { check, Met } from "./Law.ts"

const sourceOf = (snapshot: Snapshot): VerbSource => {
  const facts = Facts.fromSnapshot(snapshot)
  return { facts, decisions: decide(facts) }
}

/** Keys out of shape of every kind, of some node, of some module, and of none. */
const broken: ReadonlyArray<readonly [bucket: string, key: string]> = [
  ["mesh-provisioner_needs", "n1.shop"],
  ["mesh-provisioner_needs", "n1.=2f.bound.x"],
  ["mesh-provisioner_needs", "=2f.shop.bound.x"],
  ["mesh-provisioner_applied", "n2.shop.x"],
  ["mesh-provisioner_collect", "n1.n2"],
  ["mesh-provisioner_collect", "n2.shop.postgres.x"],
  ["mesh-provisioner_answers", "n2.postgres.n1"],
  ["mesh-provisioner_answers", "n1.postgres.n2"],
  ["mesh-controller_seats", "n1.x"],
  ["mesh-controller_seats", "n2.postgres"],
  ["mesh-controller_modules", "n1.x"],
  ["mesh-controller_machines", "n1.x"],
  ["mesh-config_values", "n2.postgres"],
  ["postgres_bound", "n1.shop"],
  ["postgres_bound", "n2"],
  ["postgres_x_bound", "n1.shop"],
  ["postgres_x_bound", "n3.postgres"]
]

const crowded = fc.tuple(coherentMesh, fc.subarray([...broken], { minLength: 8 })).map(([snapshot, keys]): Snapshot => {
  const buckets = new Map(Object.entries(snapshot.buckets))
  for (const [bucket, key] of keys) {
    buckets.set(bucket, { ...buckets.get(bucket), [key]: 7 })
  }
  return { ...snapshot, buckets: Object.fromEntries(buckets) }
})

const callers: fc.Arbitrary<Caller> = fc.oneof(
  fc.record({ role: fc.constant("node"), node: fc.constantFrom("n1", "n2", "n9") }),
  fc.record({
    role: fc.constant("provider"),
    module: fc.constantFrom("postgres", "shop", "postgres_x"),
    node: fc.constantFrom("n1", "n2")
  }),
  fc.record({ role: fc.constantFrom("operator", "reader"), name: fc.constant("n1") })
)

/** Whose a key is, by the shape of its bucket's keys. */
const ownerOf = (bucket: string, key: string): readonly [node?: string | undefined, module?: string | undefined] => {
  const tokens = key.split(".").map((token) => readTokens(token)?.[0])
  switch (bucket) {
    case "mesh-controller_modules":
    case "mesh-controller_seats":
      return []
    case "mesh-provisioner_collect":
      return [tokens[0], tokens[2]]
    default:
      return [tokens[0], tokens[1]]
  }
}

const isSeen = (caller: Caller, bucket: string, key: string): boolean => {
  const [node, module] = ownerOf(bucket, key)
  switch (caller.role) {
    case "operator":
    case "reader":
      return true
    case "node":
      return bucket === "mesh-controller_modules" || node === caller.node
    case "provider":
      return bucket === "mesh-controller_modules" || bucket === `${caller.module}_bound` ||
        (node === caller.node && module === caller.module)
  }
}

const pagesOf = (source: VerbSource, request: object, caller: Caller | undefined, replyBytesMax: number) => {
  const entries: Array<QueryEntry> = []
  const outOfShape: Array<OutOfShape> = []
  const conflicts: Array<unknown> = []
  let page: QueryReply | undefined
  for (let count = 0; count < 500 && (count === 0 || page?.next !== undefined); count++) {
    page = Result.getOrThrow(query(
      source,
      { ...request, ...(page?.next === undefined ? {} : { after: page.next }) },
      { replyBytesMax, ...(caller === undefined ? {} : { caller }) }
    ))
    entries.push(...page.entries)
    outOfShape.push(...page.outOfShape)
    conflicts.push(...page.conflicts ?? [])
  }
  return { entries, outOfShape, conflicts, next: page?.next }
}

test("a caller's pages are those of the whole without what is another's (§8)", () => {
  const met = new Met()
  check(
    fc.property(
      crowded,
      callers,
      fc.constantFrom(...queryWhat),
      fc.constantFrom(4_000, 1_000_000),
      fc.integer({ min: 1, max: 9 }),
      (
        snapshot,
        caller,
        what,
        replyBytesMax,
        limit
      ) => {
        const source = sourceOf(snapshot)
        const whole = pagesOf(source, { what }, undefined, 1_000_000)
        const own = pagesOf(source, { what, limit }, caller, replyBytesMax)
        const seen = (bucket: string) => ({ key }: { readonly key: string }) => isSeen(caller, bucket, key)
        expect(own.next).toBeUndefined()
        expect(own.entries.map(({ key }) => key)).toEqual(
          whole.entries.filter((entry) => what === "registry" || seen(`mesh-provisioner_${what}`)(entry)).map((
            { key }
          ) => key)
        )
        expect(own.outOfShape).toEqual(whole.outOfShape.filter((item) => seen(item.bucket)(item)))
        expect(own.conflicts).toEqual(whole.conflicts)
        met.count(`${caller.role} entries`, what === "registry" ? 0 : own.entries.length)
        met.count(`${caller.role} out of shape`, own.outOfShape.length)
        met.count(`${caller.role} hidden`, whole.outOfShape.length - own.outOfShape.length)
      }
    ),
    600
  )
  met.atLeast({
    "node entries": 100,
    "node out of shape": 100,
    "node hidden": 300,
    "provider entries": 30,
    "provider out of shape": 50,
    "provider hidden": 300,
    "operator out of shape": 200
  })
})

test("what is another's is explained as what is not there is (§8)", () => {
  const met = new Met()
  check(
    fc.property(coherentMesh, callers, fc.nat(), (snapshot, caller, choice) => {
      const source = sourceOf(snapshot)
      const needs = [...source.decisions.provisions.keys()]
      const [node, module, kind, name] = readTokens(needs[choice % needs.length] ?? "n1.shop.bound.x") ?? []
      for (const request of [{ node, module }, { node, module, kind, name }]) {
        const reply = explain(source, request, { caller })
        const known = explain(source, request)
        const missing = explain(source, { ...request, node: "nowhere" })
        expect(reply).toEqual(isSeen(caller, "mesh-provisioner_plans", `${node}.${module}`) ? known : missing)
        met.count(Result.isSuccess(reply) ? `${caller.role} told` : `${caller.role} not told`)
      }
    }),
    400
  )
  met.atLeast({ "node told": 30, "node not told": 60, "provider told": 5, "provider not told": 60, "reader told": 30 })
})

test("nobody but an operator retires, whatever there is to retire (§8)", () =>
  check(
    fc.property(coherentMesh, callers, (snapshot, caller) => {
      const source = sourceOf(snapshot)
      for (const [key, { state }] of source.decisions.asks) {
        const reply = retire(source, { key, answer: "keep", by: "somebody" }, { caller })
        if (caller.role !== "operator") {
          expect(Result.isFailure(reply) && reply.failure.code).toBe(400)
        } else if (Result.isSuccess(reply)) {
          expect(Object(reply.success.write.value).by).toBe(caller.name)
        } else {
          expect(["wanted", "held"]).toContain(state)
        }
      }
    }),
    200
  ))
