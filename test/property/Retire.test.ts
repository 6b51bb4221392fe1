/**
 * The verb `mesh-provisioner.retire` (protocol §8, §6): an operator's answer to an ask that is `unneeded`, `kept` or
 * `retire`, about exactly what the maker has now.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { Facts } from "../../src/core/Facts.ts"
import { retire } from "../../src/core/Retire.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import type { VerbSource } from "../../src/core/Verb.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { anyJson } from "../../src/testing/arbitrary/JsonValues.ts"
import { lossOf } from "../../src/testing/arbitrary/Loss.ts"
import { anyText } from "../../src/testing/arbitrary/Names.ts"
import { put } from "../../src/testing/arbitrary/Snapshots.ts"
import { wildMesh } from "../../src/testing/arbitrary/WildMesh.ts"
import { check, Met } from "./Law.ts"

const anyMesh = fc.oneof(coherentMesh, wildMesh, lossOf(coherentMesh).map(({ after }) => after))

const sourceOf = (snapshot: Snapshot): VerbSource => ({
  facts: Facts.fromSnapshot(snapshot),
  decisions: decide(snapshot)
})

const answers = fc.record({
  answer: fc.constantFrom("retire" as const, "keep" as const),
  words: fc.option(fc.string({ unit: "binary", maxLength: 10 }), { nil: undefined })
})

test("written, an answer makes its ask what was answered, unless a credential is undone with what it opened (§6, §8)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, answers, (snapshot, { answer, words }) => {
      const source = sourceOf(snapshot)
      for (const [key, { state }] of source.decisions.asks) {
        const request = { key, answer, by: "ann", ...(words === undefined ? {} : { words }) }
        const reply = retire(source, request)
        if (state === "wanted" || state === "held") {
          expect(Result.isFailure(reply) && reply.failure.code, key).toBe(409)
          met.count(state)
          continue
        }
        const { write } = Result.getOrThrow(reply)
        expect(write).toMatchObject({ op: "put", bucket: "mesh-provisioner_answers", key })
        const after = decide(put(snapshot, write, write.value))
        const isUndoneAnyway = state === "retire" && key.includes(".mesh-vault.") && key.includes(".credential.")
        expect(after.asks.get(key)?.state, key).toBeOneOf(
          answer === "retire" ? ["retire"] : isUndoneAnyway ? ["retire", "kept"] : ["kept"]
        )
        expect(after.answersToDelete).not.toContain(key)
        expect(after.outOfShape.filter(({ bucket }) => bucket === write.bucket && key === write.key)).toEqual(
          source.decisions.outOfShape.filter((place) => place.bucket === write.bucket && place.key !== key)
        )
        met.count(`${answer} of ${state}`)
      }
    }),
    200
  )
  met.atLeast({
    wanted: 150,
    held: 150,
    "retire of unneeded": 40,
    "keep of unneeded": 45,
    "keep of retire": 12,
    "retire of retire": 15,
    "retire of kept": 4,
    "keep of kept": 2
  })
})

test("an answer changes no other decision than the asks it is about and what they open (§6)", () => {
  const met = new Met()
  check(
    fc.property(coherentMesh, answers, (snapshot, { answer }) => {
      const source = sourceOf(snapshot)
      for (const key of source.decisions.asks.keys()) {
        const reply = retire(source, { key, answer }, { caller: { role: "operator", name: "ann" } })
        if (Result.isSuccess(reply)) {
          const { write } = reply.success
          const after = decide(put(snapshot, write, write.value))
          expect(after.provisions).toEqual(source.decisions.provisions)
          expect(after.plans).toEqual(source.decisions.plans)
          for (const [other, ask] of after.asks) {
            if (other !== key && !other.includes(".credential.")) {
              expect(ask).toEqual(source.decisions.asks.get(other))
              met.count("other ask")
            }
          }
        }
      }
    }),
    60
  )
  met.atLeast({ "other ask": 200 })
})

test("of an ask that is not there, 404, and of anything else that is no request, 400 (§8)", () => {
  const met = new Met()
  const requests = fc.oneof(
    fc.record({ key: anyText, answer: fc.constant("keep"), by: fc.constant("ann") }),
    fc.record({ key: anyText, answer: anyJson, by: anyJson }, { requiredKeys: [] }),
    anyJson
  )
  check(
    fc.property(coherentMesh, requests, (snapshot, request) => {
      const reply = retire(sourceOf(snapshot), request)
      const code = Result.isFailure(reply) ? reply.failure.code : undefined
      expect(code).toBeOneOf([400, 404])
      met.count(String(code))
    }),
    200
  )
  met.atLeast({ 400: 40, 404: 20 })
})

test("by is the caller as the bus names it, where it does (§8)", () => {
  const met = new Met()
  const names = fc.option(fc.string({ minLength: 0, maxLength: 5 }), { nil: undefined })
  check(
    fc.property(coherentMesh, names, names, (snapshot, caller, by) => {
      const source = sourceOf(snapshot)
      const [key] = [...source.decisions.asks].find(([, { state }]) => state === "unneeded") ?? []
      const options = caller === undefined ? {} : { caller: { role: "operator", name: caller } as const }
      const reply = retire(source, { key: key ?? "", answer: "keep", ...(by === undefined ? {} : { by }) }, options)
      const who = caller ?? by
      if (key !== undefined && who !== undefined && who !== "") {
        expect(Object(Result.getOrThrow(reply).write.value).by).toBe(who)
        met.count(caller === undefined ? "by" : "caller")
      } else {
        expect(Result.isFailure(reply)).toBe(true)
      }
    }),
    200
  )
  met.atLeast({ by: 3, caller: 30 })
})

test("an answer that a reply could not hold is refused before it is written, and no other (§8)", () => {
  const met = new Met()
  check(
    fc.property(coherentMesh, fc.string({ unit: "binary", maxLength: 60 }), fc.nat(200), (snapshot, words, offset) => {
      const source = sourceOf(snapshot)
      const [key] = [...source.decisions.asks].find(([, { state }]) => state === "unneeded") ?? []
      const request = { key, answer: "keep", by: "ann", words }
      const whole = retire(source, request)
      if (Result.isSuccess(whole)) {
        const bytes = Buffer.byteLength(JSON.stringify({ key, value: whole.success.write.value }))
        const replyBytesMax = bytes - 100 + offset
        const reply = retire(source, request, { replyBytesMax })
        expect(Result.isFailure(reply) ? reply.failure.code : "written").toBe(bytes > replyBytesMax ? 400 : "written")
        met.count(bytes > replyBytesMax ? "refused" : "written")
      }
    }),
    300
  )
  met.atLeast({ refused: 15, written: 15 })
})
