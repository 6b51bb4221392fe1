/**
 * The registry (protocol §4): what is compiled in is never replaced, and where several modules answer a kind none of them
 * stands.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { chosen } from "../arbitrary/Choose.ts"
import { hostileNames } from "../arbitrary/Names.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { write } from "../naive/name.ts"
import { check, Met } from "./Law.ts"

const compiledIn = [
  "config",
  "secret",
  "consumers",
  "bound",
  "collected",
  "shell",
  "environment",
  "contribution",
  "dir",
  "access",
  "port",
  "seat",
  "machine"
]

const own = decide({ buckets: {} }).registry

test("without definitions the registry is what is compiled in (§4)", () => {
  expect([...own.keys()].sort()).toEqual([...compiledIn].sort())
  // A secret is never in a bucket.
  expect(["secret", "consumers"].map((kind) => own.get(kind)?.find)).toEqual([
    { seat: "vault", verb: "mesh-vault.secret" },
    { seat: "vault", verb: "mesh-vault.consumers" }
  ])
})

const kinds = ["licence", ...hostileNames, "_epoch", ...compiledIn.slice(0, 4)]

/** Definitions of several modules, whose answers meet, and now and then are out of shape. */
const answering = chosen((choose) => {
  const modules = ["postgres", "__proto__", "toString", "cad"].map((module) => {
    const answers = choose.some(kinds, 20).map((kind) => {
      const answer = choose.oneOf<Json>(
        { bucket: `${module}_values`, key: "<node>.<module>.<kind>.<name>" },
        { seat: "git", verb: "answer" },
        { bucket: "mesh-host_haves", key: "<node>" },
        { bucket: `${module}_bound`, key: "<node>" },
        { bucket: `${module}_values`, key: "<node>..x" },
        { seat: "git" }
      )
      return [kind, answer] as const
    })
    return [module, { answers: Object.fromEntries(answers) }] as const
  })
  return { buckets: { "mesh-controller_modules": Object.fromEntries(modules) } }
})

const isInShape = (module: string, kind: string, answer: Json): boolean =>
  kind !== "_epoch" &&
  (JSON.stringify(answer).includes("\"verb\"") || JSON.stringify(answer).includes(`${module}_values","key":"<node>.<m`))

const answersOf = (snapshot: Snapshot) =>
  Object.entries(snapshot.buckets["mesh-controller_modules"] ?? {}).flatMap(([module, definition]) =>
    Object.entries(Object(definition).answers ?? {}).map(([kind, answer]) => ({ module, kind, answer: answer as Json }))
  ).filter(({ answer, kind, module }) => isInShape(module, kind, answer))

test("a kind that one module answers is its; one that several do is nobody's, and each is listed; one compiled in stays (§4)", () => {
  const met = new Met()
  check(
    fc.property(answering, (snapshot) => {
      const { conflicts, registry } = decide(snapshot)
      const answers = answersOf(snapshot)
      const expected = new Map(own)
      const left: Array<string> = []
      for (const { answer, kind, module } of answers) {
        const isAlone = answers.filter((other) => other.kind === kind).length === 1 && !compiledIn.includes(kind)
        if (isAlone) {
          expected.set(write(kind), { kind, module, find: Object(answer) })
        } else {
          left.push(JSON.stringify({ kind, module }))
        }
        met.count(isAlone ? "alone" : compiledIn.includes(kind) ? "compiled in" : "contested")
      }
      expect(registry).toEqual(expected)
      expect(conflicts.map(({ kind, module }) => JSON.stringify({ kind, module })).sort()).toEqual(left.sort())
      for (const { kind, module, why } of conflicts) {
        expect(why).toContain(kind)
        expect(why).toContain(module)
      }
    }),
    300
  )
  met.atLeast({ alone: 60, "compiled in": 60, contested: 60 })
})

test("whatever the facts, what is compiled in stands as it is (§4)", () =>
  check(
    fc.property(wildMesh, (snapshot) => {
      const { registry } = decide(snapshot)
      expect([...own].filter(([kind, entry]) => JSON.stringify(registry.get(kind)) !== JSON.stringify(entry))).toEqual(
        []
      )
    }),
    100
  ))
