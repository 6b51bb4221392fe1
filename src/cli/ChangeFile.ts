/**
 * Changes of facts in a file, as `diff --change` takes them: one JSON object, a list of them, or one on each line.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readJson } from "../core/Decode.ts"
import type { EngineChange } from "../core/Engine.ts"
import { isJsonObject, type Json } from "../core/Json.ts"
import { writeUtf8 } from "../core/Utf8.ts"
import { readChange } from "../core/WhatIf.ts"
import { type Failure, failure } from "./Failure.ts"
import { nameOf, readText } from "./Read.ts"

/** Reads the changes of a file, or of standard input. */
export const readChanges = Effect.fnUntraced(function*(
  path: string
): Effect.fn.Return<ReadonlyArray<EngineChange>, Failure> {
  const text = yield* readText(path)
  const whole = Result.getOrUndefined(readJson(writeUtf8(text)))
  const found = Array.isArray(whole)
    ? whole.map((json: Json, index) => [`change ${index + 1}`, Result.succeed(json)] as const)
    : isJsonObject(whole)
    ? [["the change", Result.succeed(whole)] as const]
    : text.split("\n").flatMap((line, index) =>
      line.trim() === "" ? [] : [[`line ${index + 1}`, readJson(writeUtf8(line))] as const]
    )
  if (found.length === 0) {
    return yield* failure(
      `${
        nameOf(path)
      } holds no changes. Write each as { "bucket", "key", "value" }, without the value where the key is gone.`
    )
  }
  return yield* Effect.forEach(found, ([place, json]) => {
    const change = Result.flatMap(json, (change) => Result.mapError(readChange(change), ({ message }) => message))
    return Result.isSuccess(change)
      ? Effect.succeed(change.success)
      : Effect.fail(failure(`${nameOf(path)}, ${place}: ${change.failure}. Mend it there and try again.`))
  })
})
