/**
 * `diff`: what a change of facts would change in the decisions, before anyone makes it.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { bucketName } from "../core/BucketName.ts"
import type { Json } from "../core/Json.ts"
import type { WhatIfReply } from "../core/WhatIf.ts"
import { readChanges } from "./ChangeFile.ts"
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
import { openFile, openSource, snapshotHint, type Source } from "./Source.ts"

/** What `diff` is asked: the snapshots, of which the one before is the bus where it is left out, or a file of changes. */
export interface DiffConfig {
  readonly files: ReadonlyArray<string>
  readonly change: string | undefined
  readonly connection: BusConfig
  readonly json: boolean
}

/** Runs `diff`. */
export const run = Effect.fnUntraced(function*(config: DiffConfig): Effect.fn.Return<void, Failure> {
  const { change, connection, files, json } = config
  const found = yield* change === undefined
    ? betweenFiles(files, connection)
    : byChange(files, change, connection)
  yield* json ? printJson(jsonOf(found)) : printLines(linesOf(found))
})

/** What changes, and how much more of it the bus had no room to tell. */
interface Found extends Changes {
  readonly more?: number
}

const betweenFiles = Effect.fnUntraced(function*(
  files: ReadonlyArray<string>,
  connection: BusConfig
): Effect.fn.Return<Found, Failure> {
  const [before, after] = files.length > 1 ? files : [undefined, ...files]
  if (after === undefined) {
    return yield* usage("AFTER is missing. Give a snapshot as it would be, or the changes alone: --change FILE.")
  }
  if (before === "-" && after === "-") {
    return yield* usage(
      "Only one of BEFORE and AFTER can be standard input (-). Give the path of a file for the other."
    )
  }
  const old = yield* decidedIn(openSource(before, connection))
  return changesFrom(old, yield* decidedIn(openFile(after)))
})

const byChange = Effect.fnUntraced(function*(
  files: ReadonlyArray<string>,
  change: string,
  connection: BusConfig
): Effect.fn.Return<Found, Failure> {
  const [before, after] = files
  if (after !== undefined) {
    return yield* usage("--change stands for AFTER: give BEFORE alone beside it, or leave it out to ask the bus.")
  }
  if (before === "-" && change === "-") {
    return yield* usage(
      "Only one of BEFORE and --change can be standard input (-). Give the path of a file for the other."
    )
  }
  const changes = yield* readChanges(change)
  const reply = yield* Effect.scoped(
    Effect.flatMap(openSource(before, connection), ({ whatIf }) => whatIf(changes))
  )
  const { answersToDelete, conflicts, more, outOfShape } = reply
  const [was, is] = (["before", "after"] as const).map((when): Decided => ({
    buckets: valuesOf(reply, when),
    answersToDelete: [],
    outOfShape: [],
    conflicts: []
  }))
  const decided = was === undefined || is === undefined ? undefined : changesFrom(was, is)
  return {
    decisions: decided?.decisions ?? [],
    rereads: decided?.rereads ?? [],
    answersToDelete,
    outOfShape,
    conflicts,
    ...(more === undefined ? {} : { more })
  }
})

/** The decisions of a reply as they are, or as they would be, by bucket. */
const valuesOf = ({ decisions }: WhatIfReply, when: "before" | "after"): Decided["buckets"] => {
  const { asks, plans, provisions, registry } = bucketName
  const buckets = new Map<string, Map<string, Json>>(
    [registry, provisions, asks, plans].map((bucket) => [bucket, new Map()])
  )
  for (const { bucket, key, [when]: value } of decisions) {
    if (value !== undefined) {
      buckets.get(bucket)?.set(key, value)
    }
  }
  return buckets
}

const decidedIn = (opened: Effect.Effect<Source, Failure, Scope.Scope>): Effect.Effect<Decided, Failure> =>
  Effect.scoped(Effect.flatMap(opened, ({ decided }) => decided))

const jsonOf = ({ answersToDelete, conflicts, decisions, more, outOfShape, rereads }: Found): Json => ({
  decisions: decisions.map((change) => ({ ...change })),
  rereads: rereads.map((reread) => ({ ...reread })),
  answersToDelete: [...answersToDelete],
  outOfShape: { appears: [...outOfShape.appears], goes: [...outOfShape.goes] },
  conflicts: { appears: [...conflicts.appears], goes: [...conflicts.goes] },
  ...(more === undefined ? {} : { more })
})

const linesOf = (changes: Found): Iterable<Line> => {
  const { answersToDelete, decisions, more, rereads } = changes
  return paragraphs(
    decisions.filter(({ change }) => change !== "value").flatMap((change) => [...changeLines(change)]),
    headed("Would have to read their values again", rereads.map(rereadLine)),
    factLines(changes),
    headed("Answers that no longer count", answersToDelete.map((key) => [key])),
    [[totalText(decisions, rereads)]],
    more === undefined ? [] : [[`${more} more than the bus had room to tell:${snapshotHint}`]]
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
