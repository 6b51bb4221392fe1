/**
 * The door of the verbs (protocol §8): every call has a reply, no larger than it may be, and nothing of a stranger's is
 * logged. What a request must be is tried on NATS, where it comes from (test/adapters/nats/verbsStrangers.test.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { Facts } from "../../src/core/Facts.ts"
import { decide, query } from "../../src/core/index.ts"
import type { VerbCall } from "../../src/ports/VerbServer.ts"
import { answerBy } from "../../src/provisioner/VerbDoor.ts"
import type { ReplyOptions, Verbs } from "../../src/provisioner/Verbs.ts"

const callOf = (call: Partial<VerbCall> & { readonly text?: string }): VerbCall => ({
  verb: "provisioning",
  payload: new TextEncoder().encode(call.text ?? ""),
  caller: undefined,
  replyBytesMax: 100_000,
  ...call
})

const facts = new Facts()
const source = { facts, decisions: decide(facts) }

/** Verbs that keep what they were asked, and answer a registry. */
const keeping = (kept: Array<readonly [verb: string, request: unknown, options: ReplyOptions | undefined]>): Verbs => {
  const take = (verb: string) => (request: unknown, options?: ReplyOptions) => {
    kept.push([verb, request, options])
    return Effect.fail({ code: 409, message: "taken" } as const)
  }
  return {
    provisioning: (request, options) =>
      Effect.andThen(Effect.ignore(take("provisioning")(request, options)), Effect.fromResult(query(source, {}))),
    explain: take("explain"),
    retire: take("retire"),
    whatIf: take("what-if")
  }
}

describe("a call", () => {
  it.effect("is handed to its verb, with who asks and what a reply may be", () =>
    Effect.gen(function*() {
      const kept: Parameters<typeof keeping>[0] = []
      const answer = answerBy(keeping(kept))
      yield* answer(callOf({}))
      yield* answer(callOf({ verb: "explain", text: `{"node":"n1"}`, caller: "node:n1" }))
      const refused = yield* answer(
        callOf({ verb: "retire", text: "[]", caller: "operator:a=2Eb", replyBytesMax: 900 })
      )
      assert.deepStrictEqual(kept, [
        ["provisioning", {}, { replyBytesMax: 100_000 }],
        ["explain", { node: "n1" }, { replyBytesMax: 100_000, caller: { role: "node", node: "n1" } }],
        ["retire", [], { replyBytesMax: 900, caller: { role: "operator", name: "a.b" } }]
      ])
      assert.deepStrictEqual(refused, { _tag: "Refusal", code: 409, message: "taken" })
    }))

  it.effect("of an account that is none of the mesh's reaches no verb", () =>
    Effect.gen(function*() {
      const kept: Parameters<typeof keeping>[0] = []
      for (const caller of ["", "guest", "node:", "operator:a.b", "mesh", "provider:postgres", "__proto__"]) {
        const reply = yield* answerBy(keeping(kept))(callOf({ caller }))
        assert.deepInclude(reply, { _tag: "Refusal", code: 400 })
      }
      assert.deepStrictEqual(kept, [])
    }))

  it.effect("is not read where it is too much, by a byte", () =>
    Effect.gen(function*() {
      const answer = answerBy(keeping([]))
      assert.strictEqual((yield* answer(callOf({ text: `{}${" ".repeat(65_534)}` })))._tag, "Answer")
      assert.deepInclude(yield* answer(callOf({ text: `{}${" ".repeat(65_535)}` })), { _tag: "Refusal", code: 400 })
    }))
})

describe("a reply", () => {
  it.effect("is refused where it has a byte more than it may, counted as UTF-8", () =>
    Effect.gen(function*() {
      const value = { what: "registry", entries: [{ key: "é".repeat(100) }], outOfShape: [] } as const
      const bytes = new TextEncoder().encode(JSON.stringify(value)).length
      const answer = answerBy({ ...keeping([]), provisioning: () => Effect.succeed(value) })
      const fitting = yield* answer(callOf({ replyBytesMax: bytes }))
      assert.deepStrictEqual(fitting, { _tag: "Answer", json: JSON.stringify(value) })
      assert.deepInclude(yield* answer(callOf({ replyBytesMax: bytes - 1 })), { _tag: "Refusal", code: 503 })
    }))

  it.effect("is a 503 where a verb throws or dies, and the log says where, and nothing of what was thrown", () =>
    Effect.gen(function*() {
      const defects: ReadonlyArray<() => Effect.Effect<never>> = [
        () => {
          throw new Error("plugh")
        },
        () => Effect.die(new Error("several\nlines of plugh\n    at plugh (a stranger's words)")),
        () => Effect.die("plugh"),
        () => Effect.die({ message: "plugh", stack: "plugh" })
      ]
      for (const explain of defects) {
        const lines: Array<string> = []
        const logger = Logger.make<unknown, void>(({ cause, logLevel, message }) => {
          lines.push(`${logLevel} ${String(message)} ${String(cause)}`)
        })
        const reply = yield* answerBy({ ...keeping([]), explain })(callOf({ verb: "explain" })).pipe(
          Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
        )
        assert.deepInclude(reply, { _tag: "Refusal", code: 503 })
        assert.notInclude(JSON.stringify(reply), "plugh")
        assert.lengthOf(lines, 1)
        assert.match(lines[0] ?? "", /^Error The verb explain failed by a defect.* It was thrown (at|by)/)
        assert.notInclude(lines[0], "plugh")
      }
    }))
})
