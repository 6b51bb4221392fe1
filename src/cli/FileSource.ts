/**
 * Answers from a file: what it holds, and what is decided from it. An answer to an ask is written into it.
 */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import { decide } from "../core/Decide.ts"
import { explain } from "../core/Explain.ts"
import { Facts } from "../core/Facts.ts"
import { query } from "../core/Query.ts"
import { retire } from "../core/Retire.ts"
import type { Snapshot } from "../core/Snapshot.ts"
import type { VerbError, VerbSource } from "../core/Verb.ts"
import { whatIfBetween } from "../core/WhatIf.ts"
import { withChanges } from "../provisioner/Trial.ts"
import { announced, isLongSnapshot } from "./Announce.ts"
import { decidedOf } from "./Changes.ts"
import { type Failure, usage } from "./Failure.ts"
import { withMember, withoutMember } from "./JsonEdit.ts"
import { nameOf, readSnapshot, readText, snapshotOf } from "./Read.ts"
import { type Answered, type AnswerToAsk, asksHint, plansHint, refused, type Source } from "./Source.ts"
import { replaceText } from "./Write.ts"

/** The source that a file is, or standard input. */
export const fileSource = (path: string): Source => {
  const source = Effect.flatMap(readSnapshot(path), sourceOf)
  const more = ` --from ${path}`
  return {
    provisioning: (request) =>
      request["history"] === true
        ? Effect.fail(noHistory)
        : Effect.flatMap(source, (source) => answered(query(source, request, unbounded))),
    explain: (request) =>
      Effect.flatMap(source, (source) => answered(explain(source, request, unbounded), plansHint(request, more))),
    retire: (answer) => retireIn(path, answer),
    whatIf: (changes) =>
      Effect.map(
        source,
        ({ decisions, facts }) => whatIfBetween(decisions, withChanges(facts, changes, () => decide(facts)))
      ),
    decided: Effect.map(
      Effect.flatMap(readSnapshot(path), (snapshot) => decidedFrom(path, snapshot)),
      (decisions) => decidedOf(decisions)
    ),
    follow: () => Effect.fail(noFollowing)
  }
}

/** A person is shown all of it at once. */
const unbounded = { replyBytesMax: Number.POSITIVE_INFINITY, pageEntriesMax: Number.POSITIVE_INFINITY }

const noHistory = usage("A file holds no earlier values: leave out --history, or leave out --from to ask the bus.")

const noFollowing = usage(
  "--watch follows the bus: leave out --from. mesh-provisioner serve --load FILE --follow shows what each edit of a file " +
    "changes."
)

const decidedFrom = (path: string, snapshot: Snapshot) =>
  announced(`deciding ${nameOf(path)}`, isLongSnapshot(snapshot), Effect.sync(() => decide(snapshot)))

/** The facts of a snapshot, and what is decided from them. */
const sourceOf = (snapshot: Snapshot): Effect.Effect<VerbSource & { readonly facts: Facts }> =>
  announced(
    "deciding",
    isLongSnapshot(snapshot),
    Effect.sync(() => {
      const facts = Facts.fromSnapshot(snapshot)
      return { facts, decisions: decide(facts) }
    })
  )

const answered = <A>(result: Result.Result<A, VerbError>, hint = ""): Effect.Effect<A, Failure> =>
  Effect.mapError(Effect.fromResult(result), ({ code, message }) => refused(code, message, hint))

/** Writes an answer into the file that the ask was decided from, and nothing else of it. */
const retireIn = Effect.fnUntraced(function*(
  path: string,
  { answer, by, key, words }: AnswerToAsk
): Effect.fn.Return<Answered, Failure> {
  if (path === "-") {
    return yield* usage("The answer is written into the file that --from names, so that cannot be standard input (-).")
  }
  if (by === undefined) {
    return yield* usage("--by is missing. Say who answers: --by NAME.")
  }
  const text = yield* readText(path)
  const source = yield* Effect.flatMap(snapshotOf(path, text), sourceOf)
  const { write } = yield* answered(
    retire(source, { key, answer, by, ...(words === undefined ? {} : { words }) }),
    asksHint(` --from ${path}`)
  )
  // What `raw` holds at the key would stand over what is written.
  const bare = withoutMember(text, ["raw", write.bucket, write.key])
  const answeredText = withMember(bare, ["buckets", write.bucket, write.key], write.value)
  // Not every answer has its way: a credential whose lock is gone is undone whatever is answered (protocol §6.1).
  const { decisions } = yield* Effect.flatMap(snapshotOf(path, answeredText), sourceOf)
  yield* replaceText(path, text, answeredText)
  return { by, writtenTo: path, ask: decisions.asks.get(key) }
})
