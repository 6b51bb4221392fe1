/**
 * What `show`, `explain` and `retire` answer from, and how they say that a request is refused.
 */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import { decide } from "../core/Decide.ts"
import { Facts } from "../core/Facts.ts"
import type { Snapshot } from "../core/Snapshot.ts"
import type { VerbError, VerbSource } from "../core/Verb.ts"
import { announced, isLongSnapshot } from "./Announce.ts"
import { type Failure, failure, usage } from "./Failure.ts"
import { readSnapshot } from "./Read.ts"

/** The facts of a file, and what is decided from them. */
export const readSource = (path: string): Effect.Effect<VerbSource, Failure> =>
  Effect.flatMap(readSnapshot(path), sourceOf)

/** The facts of a snapshot, and what is decided from them. */
export const sourceOf = (snapshot: Snapshot): Effect.Effect<VerbSource> =>
  announced(
    "deciding",
    isLongSnapshot(snapshot),
    Effect.sync(() => {
      const facts = Facts.fromSnapshot(snapshot)
      return { facts, decisions: decide(facts) }
    })
  )

/** What a verb answers, or its refusal as a sentence, with what to do about it where the verb does not say. */
export const answered = <A>(result: Result.Result<A, VerbError>, hint = ""): Effect.Effect<A, Failure> =>
  Effect.mapError(
    Effect.fromResult(result),
    ({ code, message }) => code === 400 ? usage(sentence(message)) : failure(`${sentence(message)}${hint}`)
  )

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
