/**
 * Goal: whoever answers a verb is a stranger: what is no answer is said to be none, and nothing that stands in one steers a terminal.
 *
 * Method: a real server, on which the test answers the verbs itself.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answering, onBus, printed, sentence } from "./Bus.ts"
import { asked, askKey } from "./Mesh.ts"

describe("whoever answers is a stranger", () => {
  const unreadable =
    /What answers mesh-provisioner\.\w+ is no provisioner of this protocol: its answer cannot be read\./

  it.live("an answer that is none of the verb's is said to be one, whatever it is", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      const deep = `{"what":"registry","entries":[{"key":"a","value":${"[".repeat(100_000)}${
        "]".repeat(100_000)
      }}],"outOfShape":[]}`
      const steps = `{"bucket":"b","key":"k","why":"w","causes":[`
      const tree = `{"node":"n1","module":"shop","tree":${steps.repeat(5_000)}${"]}".repeat(5_000)}}`
      const answers = [
        "",
        "no JSON",
        "{}",
        "[]",
        `{"what":"shops","entries":[],"outOfShape":[]}`,
        `{"what":"registry","entries":[7],"outOfShape":[]}`,
        `{"what":"registry","entries":[],"outOfShape":[{}]}`,
        `{"what":"registry","entries":[],"outOfShape":[],"conflicts":{}}`,
        `{"what":"registry","entries":[],"outOfShape":[],"next":"a"}`,
        deep
      ]
      let json = ""
      yield* answering(on.admin, () => ({ _tag: "Answer", json }))
      for (const answer of answers) {
        json = answer
        assert.match(yield* sentence(["show", "--bus", on.server.url], 1), unreadable, answer.slice(0, 60))
      }
      for (const answer of ["{}", `{"node":"n1","module":"shop","tree":{}}`, tree]) {
        json = answer
        assert.match(
          yield* sentence(["explain", "n1.shop", "--bus", on.server.url], 1),
          unreadable,
          answer.slice(0, 60)
        )
      }
    }))

  it.live("a tree as deep as one can be is drawn, and printed as JSON", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      const step = (depth: number) => `{"bucket":"b","key":"k${depth}","why":"w","causes":[`
      const deep = Array.from({ length: 2_000 }, (_, depth) => step(depth)).join("")
      const json = `{"node":"n1","module":"shop","tree":${deep}${"]}".repeat(2_000)}}`
      yield* answering(on.admin, () => ({ _tag: "Answer", json }))
      assert.include(yield* printed(on.server.url, ["explain", "n1.shop"]), "└─ b  k1999\n")
      const printedJson = JSON.parse(yield* printed(on.server.url, ["explain", "n1.shop", "--json"]))
      assert.isTrue(JSON.stringify(printedJson) === json)
    }))

  it.live("its words cannot steer a terminal, in tables, trees and refusals", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      const hostile = "\u001b[2J\u202eboo"
      const shown = "\\u001b[2J\\u202eboo"
      const answers = new Map<string, string>([
        [
          "provisioning",
          JSON.stringify({
            what: "asks",
            entries: [{ key: hostile, value: { state: hostile, why: hostile } }],
            outOfShape: [{ bucket: hostile, key: hostile, why: hostile }]
          })
        ],
        [
          "explain",
          JSON.stringify({
            node: "n1",
            module: "shop",
            tree: { bucket: hostile, key: hostile, why: hostile, state: hostile, reason: hostile, causes: [] }
          })
        ]
      ])
      yield* answering(on.admin, (verb) => {
        const json = answers.get(verb)
        return json === undefined ? { _tag: "Refusal", code: 409, message: hostile } : { _tag: "Answer", json }
      })
      const said = [
        yield* printed(on.server.url, ["show", "asks"]),
        yield* printed(on.server.url, ["show", "asks", "--json"]),
        yield* printed(on.server.url, ["explain", "n1.shop"]),
        yield* sentence(["retire", askKey, "--answer", "keep", "--by", "ann", "--bus", on.server.url], 1)
      ]
      for (const text of said) {
        assert.include(text, shown)
        assert.isFalse(["\u001b", "\u202e"].some((character) => text.includes(character)))
      }
    }))
})
