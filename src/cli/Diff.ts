/**
 * `diff`: what a change of facts would change in the decisions, before anyone makes it.
 */
import * as Effect from "effect/Effect"
import { decide } from "../core/Decide.ts"
import type { Decisions } from "../core/Decision.ts"
import type { Json } from "../core/Json.ts"
import { announced, isLongSnapshot } from "./Announce.ts"
import { changeLines, type Changes, changesOf, type DecisionChange, factLines, type Reread } from "./Changes.ts"
import { type Failure, usage } from "./Failure.ts"
import { type Line, printJson, printLines, styled } from "./Print.ts"
import { nameOf, readSnapshot } from "./Read.ts"
import { countText, headed, paragraphs } from "./Say.ts"

/** What `diff` is asked. */
export interface DiffConfig {
  readonly before: string
  readonly after: string
  readonly json: boolean
}

/** Runs `diff`. */
export const run = Effect.fnUntraced(function*({ after, before, json }: DiffConfig): Effect.fn.Return<void, Failure> {
  if (before === "-" && after === "-") {
    return yield* usage(
      "Only one of BEFORE and AFTER can be standard input (-). Give the path of a file for the other."
    )
  }
  const old = yield* decidedFrom(before)
  const now = yield* decidedFrom(after)
  const changes = changesOf(old, now)
  yield* json ? printJson(jsonOf(changes)) : printLines(linesOf(changes))
})

const decidedFrom = (path: string): Effect.Effect<Decisions, Failure> =>
  Effect.flatMap(
    readSnapshot(path),
    (snapshot) => announced(`deciding ${nameOf(path)}`, isLongSnapshot(snapshot), Effect.sync(() => decide(snapshot)))
  )

const jsonOf = ({ answersToDelete, conflicts, decisions, outOfShape, rereads }: Changes): Json => ({
  decisions: decisions.map((change) => ({ ...change })),
  rereads: rereads.map((reread) => ({ ...reread })),
  answersToDelete: [...answersToDelete],
  outOfShape: { appears: [...outOfShape.appears], goes: [...outOfShape.goes] },
  conflicts: { appears: [...conflicts.appears], goes: [...conflicts.goes] }
})

const linesOf = (changes: Changes): Iterable<Line> => {
  const { answersToDelete, decisions, rereads } = changes
  return paragraphs(
    decisions.filter(({ change }) => change !== "value").flatMap((change) => [...changeLines(change)]),
    headed("Would have to read their values again", rereads.map(rereadLine)),
    factLines(changes),
    headed("Answers that no longer count", answersToDelete.map((key) => [key])),
    [[totalText(decisions, rereads)]]
  )
}

const rereadLine = ({ build, key, needs }: Reread): Line => [
  styled("bold", key),
  "  ",
  [...(build ? ["its build"] : []), ...needs].join(", ")
]

const totalText = (decisions: ReadonlyArray<DecisionChange>, rereads: ReadonlyArray<Reread>): string => {
  const quiet = decisions.filter(({ change }) => change === "value").length
  const stated = decisions.length - quiet
  const parts = [
    stated > 0 && countText(stated, "decision appears, goes or changes state", "decisions appear, go or change state"),
    quiet > 0 && `${countText(quiet, "other changes", "others change")} in the same state (--json lists them)`,
    rereads.length > 0 && countText(rereads.length, "module reads its values again", "modules read their values again")
  ]
  return `${parts.filter((part) => part !== false).join("; ") || "No decision changes"}.`
}
