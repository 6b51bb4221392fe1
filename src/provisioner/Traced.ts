/**
 * What is traced of the verbs: a span for each call, by names and sizes alone.
 */
import * as Effect from "effect/Effect"
import type { VerbCall, VerbReply } from "../ports/VerbServer.ts"
import { escaped, shownCharactersMax } from "./Words.ts"

/** What answers a call of a verb. */
export type Answering = (call: VerbCall) => Effect.Effect<VerbReply>

/** Answers as before, in a span for each call: which verb, who called, how much came and went, and the code. */
export const tracedVerbs = (answer: Answering): Answering => (call) => {
  const noted = Effect.tap(answer(call), (reply) => Effect.annotateCurrentSpan(notesOfReply(reply)))
  return Effect.withSpan(noted, `verb ${call.verb}`, {
    captureStackTrace: false,
    kind: "server",
    root: true,
    attributes: {
      verb: call.verb,
      "request.bytes": call.payload.length,
      ...(call.caller === undefined ? {} : { caller: escaped(call.caller.slice(0, shownCharactersMax)) })
    }
  })
}

const notesOfReply = (reply: VerbReply): Record<string, number> =>
  reply._tag === "Answer" ? { code: 200, "reply.characters": reply.json.length } : { code: reply.code }
