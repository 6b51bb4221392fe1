/**
 * `diff`: what a change of facts would change in the decisions, before anyone makes it.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Json } from "../core/Json.ts"
import {
  changeLines,
  type Changes,
  changesFrom,
  type Decided,
  type DecisionChange,
  factLines,
  type Reread
} from "./Changes.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import { type Failure, usage } from "./Failure.ts"
import { type Line, printJson, printLines, styled } from "./Print.ts"
import { countText, headed, paragraphs } from "./Say.ts"
import { openFile, openSource, type Source } from "./Source.ts"

/** What `diff` is asked. Without `before`, that is what the bus has decided. */
export interface DiffConfig {
  readonly before: string | undefined
  readonly after: string
  readonly connection: BusConfig
  readonly json: boolean
}

/** Runs `diff`. */
export const run = Effect.fnUntraced(function*(config: DiffConfig): Effect.fn.Return<void, Failure> {
  const { after, before, connection, json } = config
  if (before === "-" && after === "-") {
    return yield* usage(
      "Only one of BEFORE and AFTER can be standard input (-). Give the path of a file for the other."
    )
  }
  const old = yield* decidedIn(openSource(before, connection))
  const now = yield* decidedIn(openFile(after))
  const changes = changesFrom(old, now)
  yield* json ? printJson(jsonOf(changes)) : printLines(linesOf(changes))
})

const decidedIn = (opened: Effect.Effect<Source, Failure, Scope.Scope>): Effect.Effect<Decided, Failure> =>
  Effect.scoped(Effect.flatMap(opened, ({ decided }) => decided))

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
