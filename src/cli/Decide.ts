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
import { countText, heading, stateCounts, stateWord } from "./Say.ts"

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
const summaryOf = function*(decisions: Decisions, writes: ReadonlyArray<Write>): Iterable<Line> {
  yield* stateCounts(decisions)
  yield* notWell(decisions)
  yield []
  yield [writesText(writes)]
}

const notWell = function*(decisions: Decisions): Iterable<Line> {
  const consumers = [...consumersOf(decisions)]
  if (consumers.length > 0) {
    yield* heading("Not as it should be")
    for (const { key, needs, plan } of consumers) {
      yield* consumerLines(key, plan, needs)
    }
  }
  const asks = [...decisions.asks].filter(([, { state }]) => state !== "wanted" && state !== "kept")
  if (asks.length > 0) {
    yield* heading("What was made and is not needed, or not known to be")
    for (const [key, ask] of asks) {
      yield* stated(key, ask)
    }
  }
  if (decisions.conflicts.length > 0) {
    yield* heading("Kinds that more than one module would answer")
    for (const { kind, module, why } of decisions.conflicts) {
      yield [styled("red", kind), "  ", module, "  ", why]
    }
  }
  if (decisions.outOfShape.length > 0) {
    yield* heading("Facts out of shape")
    for (const { bucket, key, why } of decisions.outOfShape) {
      yield [styled("red", bucket), "  ", key, "  ", why]
    }
  }
  if (consumers.length + asks.length + decisions.conflicts.length + decisions.outOfShape.length === 0) {
    yield []
    yield [styled("green", "All is well.")]
  }
}

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
const consumerLines = function*(key: string, plan: Plan | undefined, needs: Consumer["needs"]): Iterable<Line> {
  const state = plan?.state ?? "waiting"
  yield [stateWord(state, 10), styled("bold", key)]
  if (plan !== undefined && plan.build === undefined && plan.state === "waiting") {
    yield ["    ", plan.why]
  }
  for (const [need, provision] of needs) {
    yield ["    ", stateWord(provision.state, 10), need.slice(key.length + 1)]
    yield ["        ", provision.why]
  }
}

const stated = function*(key: string, { state, why }: Ask): Iterable<Line> {
  yield [stateWord(state, 10), styled("bold", key)]
  yield ["    ", why]
}

const writesText = (writes: ReadonlyArray<Write>): string => {
  const puts = writes.filter(({ op }) => op === "put").length
  return writes.length === 0
    ? "The snapshot holds these decisions already: nothing would be written."
    : `Against the decisions that the snapshot holds: ${countText(puts, "put", "puts")}, ` +
      `${countText(writes.length - puts, "delete", "deletes")}.`
}
