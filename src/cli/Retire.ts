/**
 * `retire`: an operator's answer to an ask, written on the bus, or into the file that the ask was decided from.
 */
import * as Effect from "effect/Effect"
import type { BusConfig } from "./command/BusFlags.ts"
import type { Failure } from "./Failure.ts"
import { printLines, styled } from "./Print.ts"
import { stateWord } from "./Say.ts"
import { openSource } from "./Source.ts"

/** What `retire` is asked. */
export interface RetireConfig {
  readonly key: string
  readonly answer: "retire" | "keep"
  readonly by: string | undefined
  readonly words: string | undefined
  readonly from: string | undefined
  readonly connection: BusConfig
}

/** Runs `retire`. */
export const run = Effect.fnUntraced(function*(config: RetireConfig): Effect.fn.Return<void, Failure> {
  const { answer, connection, from, key } = config
  const { ask, by, writtenTo } = yield* Effect.scoped(
    Effect.flatMap(openSource(from, connection), (source) => source.retire(config))
  )
  const asAnswered = ask?.state === (answer === "keep" ? "kept" : "retire")
  yield* printLines([
    [stateWord(ask?.state ?? "gone"), "  ", styled("bold", key), `  by ${by}, written to ${writtenTo}`],
    ...(asAnswered || ask === undefined ? [] : [["    ", `The answer changes nothing: ${ask.why}`]])
  ])
})
