/**
 * Words (protocol §5, §7): what is said to a person names modules, nodes and keys; a value of a fact is never said, neither
 * in a decision nor in what the verbs explain nor in a log. Every value of a coherent mesh holds a canary.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { diff, storedIn } from "../../src/core/Diff.ts"
import { explain } from "../../src/core/Explain.ts"
import { Facts } from "../../src/core/Facts.ts"
import { query } from "../../src/core/Query.ts"
import { retire } from "../../src/core/Retire.ts"
import type { VerbError } from "../../src/core/Verb.ts"
import { lineOf, notesOf } from "../../src/provisioner/Words.ts"
import { canary } from "../../src/testing/arbitrary/CoherentDraft.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { lossOf } from "../../src/testing/arbitrary/Loss.ts"
import { mustSayNoValue, wordLaws } from "../../src/testing/laws/WordLaws.ts"
import { readTokens } from "../../src/testing/naive/name.ts"
import { check, Met, testLaws } from "./Law.ts"

const anyMesh = fc.oneof(coherentMesh, lossOf(coherentMesh).map(({ after }) => after))

testLaws(wordLaws)

test("nor is one in a log line of what is written, which has no words of others either (§5)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      for (const write of diff(storedIn(snapshot), decide(snapshot))) {
        const logged = lineOf(notesOf(write)) + JSON.stringify(notesOf(write))
        mustSayNoValue(logged)
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
        mustSayNoValue(JSON.stringify(explain(source, { node, module })))
        met.count("explanation")
      }
      for (const what of ["provisions", "plans", "asks", "registry"]) {
        mustSayNoValue(JSON.stringify(query(source, { what })))
      }
      for (const request of hostileRequests) {
        const errors = [
          messageOf(query(source, request)),
          messageOf(explain(source, request)),
          messageOf(retire(source, request))
        ]
        for (const message of errors) {
          expect(message).not.toBe("")
          mustSayNoValue(message)
          met.count("error")
        }
      }
    }),
    100
  )
  met.atLeast({ explanation: 200, error: 750 })
})
