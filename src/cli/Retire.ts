/**
 * `retire`: an operator's answer to an ask, written into the file that the ask was decided from.
 */
import * as Effect from "effect/Effect"
import { retire } from "../core/Retire.ts"
import { type Failure, usage } from "./Failure.ts"
import { withMember, withoutMember } from "./JsonEdit.ts"
import { printLines, styled } from "./Print.ts"
import { readText, snapshotOf } from "./Read.ts"
import { stateWord } from "./Say.ts"
import { answered, sourceOf } from "./Source.ts"
import { replaceText } from "./Write.ts"

/** What `retire` is asked. */
export interface RetireConfig {
  readonly key: string
  readonly answer: "retire" | "keep"
  readonly by: string
  readonly words: string | undefined
  readonly from: string
}

/** Runs `retire`. */
export const run = Effect.fnUntraced(function*(config: RetireConfig): Effect.fn.Return<void, Failure> {
  const { answer, by, from, key, words } = config
  if (from === "-") {
    return yield* usage("The answer is written into the file that --from names, so that cannot be standard input (-).")
  }
  const text = yield* readText(from)
  const source = yield* Effect.flatMap(snapshotOf(from, text), sourceOf)
  const { write } = yield* answered(
    retire(source, { key, answer, by, ...(words === undefined ? {} : { words }) }),
    ` mesh-provisioner show asks --from ${from} lists what is asked, and why.`
  )
  // What `raw` holds at the key would stand over what is written.
  const bare = withoutMember(text, ["raw", write.bucket, write.key])
  const answeredText = withMember(bare, ["buckets", write.bucket, write.key], write.value)
  // Not every answer has its way: a credential whose lock is gone is undone whatever is answered (protocol §6.1).
  const { decisions } = yield* Effect.flatMap(snapshotOf(from, answeredText), sourceOf)
  const ask = decisions.asks.get(key)
  yield* replaceText(from, text, answeredText)
  const asAnswered = ask?.state === (answer === "keep" ? "kept" : "retire")
  yield* printLines([
    [stateWord(ask?.state ?? "gone"), "  ", styled("bold", key), `  by ${by}, written to ${from}`],
    ...(asAnswered || ask === undefined ? [] : [["    ", `The answer changes nothing: ${ask.why}`]])
  ])
})
