/**
 * `diff`: what a change of facts would change in the decisions, before anyone makes it.
 */
import * as Effect from "effect/Effect"
import { decide } from "../core/Decide.ts"
import type { Decisions } from "../core/Decision.ts"
import type { Json } from "../core/Json.ts"
import { announced, isLongSnapshot } from "./Announce.ts"
import { changeLines, type Changes, changesOf, type DecisionChange, type Reread } from "./Changes.ts"
import { type Failure, usage } from "./Failure.ts"
import { type Line, printJson, printLines, styled } from "./Print.ts"
import { nameOf, readSnapshot } from "./Read.ts"
import { countText, heading } from "./Say.ts"

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

const linesOf = function*(changes: Changes): Iterable<Line> {
  const { answersToDelete, conflicts, decisions, outOfShape, rereads } = changes
  const stated = decisions.filter(({ change }) => change !== "value")
  for (const change of stated) {
    yield* changeLines(change)
  }
  if (rereads.length > 0) {
    yield* heading("Would have to read their values again")
    for (const { build, key, needs } of rereads) {
      yield [styled("bold", key), "  ", [...(build ? ["its build"] : []), ...needs].join(", ")]
    }
  }
  yield* listLines("Facts that come out of shape", outOfShape.appears.map(({ bucket, key, why }) => [bucket, key, why]))
  yield* listLines("Facts that come in shape or go", outOfShape.goes.map(({ bucket, key }) => [bucket, key]))
  yield* listLines("Conflicts that appear", conflicts.appears.map(({ kind, module, why }) => [kind, module, why]))
  yield* listLines("Conflicts that go", conflicts.goes.map(({ kind, module }) => [kind, module]))
  yield* listLines("Answers that no longer count", answersToDelete.map((key) => [key]))
  if (decisions.length + rereads.length + outOfShape.appears.length + outOfShape.goes.length === 0) {
    yield ["Nothing changes: the decisions are the same."]
  } else {
    yield []
    yield [totalText(decisions, rereads)]
  }
}

const listLines = function*(title: string, rows: ReadonlyArray<ReadonlyArray<string>>): Iterable<Line> {
  if (rows.length > 0) {
    yield* heading(title)
    yield* rows.map((row) => [row.join("  ")])
  }
}

const totalText = (decisions: ReadonlyArray<DecisionChange>, rereads: ReadonlyArray<Reread>): string => {
  const quiet = decisions.filter(({ change }) => change === "value").length
  return `${
    countText(
      decisions.length - quiet,
      "decision appears, goes or changes state",
      "decisions appear, go or change state"
    )
  }; ` +
    `${countText(quiet, "other changes", "others change")} in the same state (--json lists them); ` +
    `${countText(rereads.length, "module reads its values again", "modules read their values again")}.`
}
