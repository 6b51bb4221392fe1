/**
 * The door of the verbs (protocol §8): from a stranger's bytes, and who the bus says sent them, to what is replied. There
 * is a reply to everything that comes, never larger than it may be, and nothing that comes makes it fail.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readAccountName } from "../core/Caller.ts"
import { readJson } from "../core/Decode.ts"
import type { Json } from "../core/Json.ts"
import { requestBytesMax, whatIfRequestBytesMax } from "../core/Limits.ts"
import { writeUtf8 } from "../core/Utf8.ts"
import { doorWhy } from "../ports/DoorWords.ts"
import type { VerbCall, VerbReply } from "../ports/VerbServer.ts"
import type { Refusal, ReplyOptions, Verbs } from "./Verbs.ts"

/**
 * Answers calls by the verbs: 400 where the account is none of the mesh's or the request cannot be read, 503 where no
 * reply so large may be sent, and where a verb fails by a defect, which is logged.
 */
export const answerBy = (verbs: Verbs) => (call: VerbCall): Effect.Effect<VerbReply> =>
  Effect.suspend(() => answer(verbs, call)).pipe(
    Effect.match({
      onSuccess: (value) => replyOf(value, call.replyBytesMax),
      onFailure: ({ code, message }): VerbReply => refusal(code, message)
    }),
    Effect.catchCause((cause) => Effect.as(sayDefect(call, cause), refusal(503, doorWhy.defect())))
  )

const answer = (verbs: Verbs, call: VerbCall): Effect.Effect<unknown, Refusal> => {
  const caller = call.caller === undefined ? undefined : readAccountName(call.caller)
  if (call.caller !== undefined && caller === undefined) {
    return Effect.fail({ code: 400, message: doorWhy.noAccount() })
  }
  const request = readRequest(call)
  if (Result.isFailure(request)) {
    return Effect.fail({ code: 400, message: request.failure })
  }
  const options: ReplyOptions = { replyBytesMax: call.replyBytesMax, ...(caller === undefined ? {} : { caller }) }
  return verbs[call.verb === "what-if" ? "whatIf" : call.verb](request.success, options)
}

const readRequest = ({ payload, verb }: VerbCall): Result.Result<Json, string> => {
  const bytesMax = verb === "what-if" ? whatIfRequestBytesMax : requestBytesMax
  if (payload.length > bytesMax) {
    return Result.fail(doorWhy.longRequest(bytesMax))
  }
  return payload.length === 0 ? Result.succeed({}) : Result.mapError(readJson(payload), doorWhy.notJson)
}

const replyOf = (value: unknown, bytesMax: number): VerbReply => {
  const json = JSON.stringify(value)
  return writeUtf8(json).length > bytesMax ? refusal(503, doorWhy.noRoom()) : { _tag: "Answer", json }
}

const refusal = (code: number, message: string): VerbReply => ({ _tag: "Refusal", code, message })

// What a defect says may quote what it was about: where it was thrown says as much of the fault, and nothing of others.
const sayDefect = ({ verb }: VerbCall, cause: Cause.Cause<never>): Effect.Effect<void> =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Effect.logError(
      `The verb ${verb} failed by a defect, and answers 503. It was thrown ${placeOf(Cause.squash(cause))}.`
    )

// A stack begins with the message, of which any line may look like a frame.
const placeOf = (defect: unknown): string => {
  const { message = "", stack = "" } = defect instanceof Error ? defect : {}
  const start = stack.indexOf(message)
  const frames = (start === -1 ? "" : stack.slice(start + message.length)).split("\n").filter((line) =>
    /^ {4}at /.test(line)
  )
  return frames.length === 0
    ? "by what does not say where"
    : frames.slice(0, framesSaidMax).map((line) => line.trim()).join(", ")
}

const framesSaidMax = 4
