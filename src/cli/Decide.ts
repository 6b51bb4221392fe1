/**
 * `decide`: a snapshot in, everything that follows from it out; of many, one a line.
 */
import * as Effect from "effect/Effect"
import { decide } from "../core/Decide.ts"
import type { Ask, Decisions, Plan, Provision } from "../core/Decision.ts"
import { decidedBuckets, diff, storedIn, type Write } from "../core/Diff.ts"
import type { Json } from "../core/Json.ts"
import type { Snapshot } from "../core/Snapshot.ts"
import { announced, isLongSnapshot } from "./Announce.ts"
import type { Failure } from "./Failure.ts"
import { type Line, printJson, printJsonLine, printLines, styled } from "./Print.ts"
import { forEachLine, readSnapshot, snapshotOf } from "./Read.ts"
import { conflictLines, countText, headed, outOfShapeLines, paragraphs, stateCounts, stateWord } from "./Say.ts"

/** What `decide` is asked. */
export interface DecideConfig {
  readonly file: string
  readonly json: boolean
  readonly lines: boolean
}

/** Runs `decide`. */
export const run = ({ file, json, lines }: DecideConfig): Effect.Effect<void, Failure> =>
  lines
    ? forEachLine(file, ({ line, text }) =>
      Effect.flatMap(snapshotOf(file, text, line), (snapshot) => printJsonLine(answerTo(snapshot))))
    : Effect.flatMap(readSnapshot(file), (snapshot) =>
      Effect.flatMap(
        announced(
          "deciding",
          isLongSnapshot(snapshot),
          Effect.sync(() =>
            decided(snapshot)
          )
        ),
        ({ decisions, writes }) =>
          json ? printJson(answerOf(decisions, writes)) : printLines(summaryOf(decisions, writes))
      ))

const decided = (snapshot: Snapshot) => {
  const decisions = decide(snapshot)
  return { decisions, writes: diff(storedIn(snapshot), decisions) }
}

const answerTo = (snapshot: Snapshot): Json => {
  const { decisions, writes } = decided(snapshot)
  return answerOf(decisions, writes)
}

/** The answer as JSON: `{ "decisions", "writes", "outOfShape", "conflicts" }`. */
const answerOf = (decisions: Decisions, writes: ReadonlyArray<Write>): Json => ({
  decisions: Object.fromEntries(
    [...decidedBuckets(decisions)].map(([bucket, values]) => [bucket, Object.fromEntries(values)])
  ),
  writes: [...writes],
  outOfShape: [...decisions.outOfShape],
  conflicts: [...decisions.conflicts]
})

/** The answer for a person: how much there is of each state, then what is not well, each with its why. */
const summaryOf = (decisions: Decisions, writes: ReadonlyArray<Write>): Iterable<Line> => {
  const notWell = [...notWellLines(decisions)]
  return paragraphs(
    stateCounts(decisions),
    notWell.length === 0 ? [[styled("green", "All is well.")]] : notWell,
    [[writesText(writes)]]
  )
}

const notWellLines = (decisions: Decisions): Iterable<Line> =>
  paragraphs(
    headed("Not as it should be", flattened(consumersOf(decisions), consumerLines)),
    headed("What was made and is not needed, or not known to be", flattened(openAsks(decisions), askLines)),
    headed("Kinds that more than one module would answer", conflictLines(decisions.conflicts)),
    headed("Facts out of shape", outOfShapeLines(decisions.outOfShape))
  )

const flattened = function*<A>(items: Iterable<A>, lines: (item: A) => Iterable<Line>): Iterable<Line> {
  for (const item of items) {
    yield* lines(item)
  }
}

const openAsks = ({ asks }: Decisions): ReadonlyArray<readonly [key: string, ask: Ask]> =>
  [...asks].filter(([, { state }]) => state !== "wanted" && state !== "kept")

const askLines = ([key, { state, why }]: readonly [key: string, ask: Ask]): ReadonlyArray<Line> => [
  [stateWord(state, 10), styled("bold", key)],
  ["    ", why]
]

interface Consumer {
  readonly key: string
  readonly plan: Plan | undefined
  readonly needs: ReadonlyArray<readonly [key: string, provision: Provision]>
}

/** The modules on nodes whose plan is not ready, or that have a need which is not provided: by key. */
const consumersOf = function*({ plans, provisions }: Decisions): Iterable<Consumer> {
  const needs = Map.groupBy(
    [...provisions].filter(([, { state }]) => state !== "provided"),
    ([key]) => key.split(".", 2).join(".")
  )
  const unready = [...plans].filter(([, { state }]) => state !== "ready").map(([key]) => key)
  for (const key of [...new Set([...unready, ...needs.keys()])].sort()) {
    yield { key, plan: plans.get(key), needs: needs.get(key) ?? [] }
  }
}

/** A consumer with each of its needs that is not provided; where its plan waits for more than them, for what. */
const consumerLines = function*({ key, needs, plan }: Consumer): Iterable<Line> {
  yield [stateWord(plan?.state ?? "waiting", 10), styled("bold", key)]
  if (plan !== undefined && plan.build === undefined && plan.state === "waiting") {
    yield ["    ", plan.why]
  }
  for (const [need, provision] of needs) {
    const name = need.slice(key.length + 1)
    const isOptional = plan !== undefined && plan.blocked?.includes(name) !== true
    yield ["    ", stateWord(provision.state, 10), name, ...(isOptional ? [styled("dim", " (optional)")] : [])]
    yield ["        ", provision.why]
  }
}

const writesText = (writes: ReadonlyArray<Write>): string => {
  const puts = writes.filter(({ op }) => op === "put").length
  return writes.length === 0
    ? "The snapshot holds these decisions already: nothing would be written."
    : `Against the decisions that the snapshot holds: ${countText(puts, "put", "puts")}, ` +
      `${countText(writes.length - puts, "delete", "deletes")}.`
}
