/**
 * Words (protocol §5, §7): what is said to a person names modules, nodes and keys; a value of a fact is never said, neither
 * in a decision nor in what the verbs explain nor in a log. Every value of a coherent mesh holds a canary.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import type { Decisions } from "../../src/core/Decision.ts"
import { diff, storedIn } from "../../src/core/Diff.ts"
import { explain } from "../../src/core/Explain.ts"
import { Facts } from "../../src/core/Facts.ts"
import { query } from "../../src/core/Query.ts"
import { retire } from "../../src/core/Retire.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import type { VerbError } from "../../src/core/Verb.ts"
import { lineOf, notesOf } from "../../src/provisioner/Words.ts"
import { canary, canaryNumber } from "../arbitrary/CoherentDraft.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { lossOf } from "../arbitrary/Loss.ts"
import { put } from "../arbitrary/Snapshots.ts"
import { readTokens } from "../naive/name.ts"
import { check, Met } from "./Law.ts"

const anyMesh = fc.oneof(coherentMesh, lossOf(coherentMesh).map(({ after }) => after))

/** Fails where a text holds a value of a fact. */
const expectNoValue = (text: string): void => {
  const at = Math.max(text.indexOf(canary), text.indexOf(String(canaryNumber)))
  expect(at === -1 ? "" : text.slice(Math.max(0, at - 200), at + 40), "a value is said").toBe("")
}

const textOf = ({ asks, conflicts, outOfShape, plans, provisions, registry }: Decisions): string =>
  JSON.stringify([...[registry, provisions, asks, plans].map((decided) => [...decided]), outOfShape, conflicts])

const holdsValues = (snapshot: Snapshot): boolean => JSON.stringify(snapshot).includes(canary)

test("no value of a fact appears in a plan, an ask, a provision, or what is said of facts out of shape (§5, §7)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const decisions = decide(snapshot)
      expectNoValue(textOf(decisions))
      met.count("mesh with values", holdsValues(snapshot) ? 1 : 0)
      met.count("said out of shape", decisions.outOfShape.length)
    }),
    300
  )
  met.atLeast({ "mesh with values": 140, "said out of shape": 300 })
})

test("nor in a log line of what is written, which has no words of others either (§5)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      for (const write of diff(storedIn(snapshot), decide(snapshot))) {
        const logged = lineOf(notesOf(write)) + JSON.stringify(notesOf(write))
        expectNoValue(logged)
        expect(logged).not.toMatch(/no room left|it copies|disk full|moved away|𝄞/)
        met.count(write.bucket)
      }
    }),
    150
  )
  met.atLeast({ "mesh-provisioner_provisions": 200, "mesh-provisioner_asks": 200, "mesh-provisioner_answers": 20 })
})

const hostileRequests = [
  canary,
  { [canary]: 1 },
  { what: canary },
  { key: canary, answer: canary },
  { node: canary, module: canary }
]

const messageOf = <A>(reply: Result.Result<A, VerbError>): string =>
  Result.isFailure(reply) ? reply.failure.message : ""

test("nor in an explanation, an error of a verb, or a page of decisions (§8)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const source = { facts: Facts.fromSnapshot(snapshot), decisions: decide(snapshot) }
      for (const key of source.decisions.plans.keys()) {
        const [node, module] = readTokens(key) ?? []
        expectNoValue(JSON.stringify(explain(source, { node, module })))
        met.count("explanation")
      }
      for (const what of ["provisions", "plans", "asks", "registry"]) {
        expectNoValue(JSON.stringify(query(source, { what })))
      }
      for (const request of hostileRequests) {
        const errors = [
          messageOf(query(source, request)),
          messageOf(explain(source, request)),
          messageOf(retire(source, request))
        ]
        for (const message of errors) {
          expect(message).not.toBe("")
          expectNoValue(message)
          met.count("error")
        }
      }
    }),
    100
  )
  met.atLeast({ explanation: 200, error: 750 })
})

test("words of others are quoted to 256 code points, and a failure's own to 4,096 (§5)", () => {
  const met = new Met()
  const words = fc.string({ unit: fc.constantFrom("w", "𝄞", "é"), minLength: 300, maxLength: 5_000 })
  check(
    fc.property(coherentMesh, words, (snapshot, words) => {
      const marked = `«${words}»`
      const entries = Object.entries(snapshot.buckets).flatMap(([bucket, values]) =>
        Object.entries(values).map(([key, value]) => ({ bucket, key, value }))
      )
      const said = entries.reduce((so, { bucket, key, value }) => {
        const isSpeaking = typeof value === "object" && value !== null && ("state" in value || "health" in value)
        return isSpeaking ? put(so, { bucket, key }, { ...value, why: marked, words: marked }) : so
      }, snapshot)
      const [quoted, more] = [256, 257].map((count) => Array.from(marked).slice(0, count).join(""))
      const whole = Array.from(marked).slice(0, 4_096).join("")
      for (const { reason, state, why } of decide(said).provisions.values()) {
        if (why.includes("«")) {
          const isOwn = state === "failed" && reason !== "secret-in-bucket"
          expect(isOwn ? why === whole : why.includes(quoted ?? "") && !why.includes(more ?? "")).toBe(true)
          expect(why.isWellFormed()).toBe(true)
          met.count(isOwn ? "failed" : "quoted")
        }
      }
    }),
    150
  )
  met.atLeast({ failed: 10, quoted: 15 })
})
