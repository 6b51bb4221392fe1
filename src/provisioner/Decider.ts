/**
 * What decides, as the loop asks it: the facts as they are taken in, the decisions as they stand, and the keys of which the
 * decision may be another than before. By the engine that is what a change affects; by a plain function it is everything.
 */
import * as Result from "effect/Result"
import type { Decisions } from "../core/Decision.ts"
import { Engine, type EngineChange, type EngineOptions } from "../core/Engine.ts"
import { Facts, type FactsView } from "../core/Facts.ts"
import { type Json, sameJson } from "../core/Json.ts"
import type { OrderedKeys } from "../core/OrderedKeys.ts"
import type { QueryWhat } from "../core/QueryWhat.ts"
import type { VerbError } from "../core/Verb.ts"
import { whatIfBetween, whatIfOf, type WhatIfReply } from "../core/WhatIf.ts"
import { withChanges } from "./Trial.ts"

/** A key of a bucket. */
export interface KeyOf {
  readonly bucket: string
  readonly key: string
}

/** What was decided: all of it, and what of it may be another. */
export interface Decided {
  readonly decisions: Decisions
  /** The keys that may be another, deleted ones and ended answers among them; or every one. */
  readonly changed: ReadonlyArray<KeyOf> | "all"
  /** There is more to be decided: decide again, and let others have their turn before. */
  readonly isPending: boolean
}

/** What decides. */
export interface Decider {
  readonly facts: FactsView
  /** Takes a change of facts in, and says whether it changes any. */
  readonly take: (change: EngineChange) => boolean
  /** Decides, of so many things at the most and some more; a plain function decides all. */
  readonly decide: (thingsMax: number) => Decided
  /** The keys of what a verb lists in order, where they are kept so: they are to be filled before a page is read from them. */
  readonly order?: (what: QueryWhat) => OrderedKeys | undefined
  /** Whether an operator's answer is to be deleted, by what was decided last. */
  readonly isAnswerOver: (key: string) => boolean
  /**
   * What a change of the facts would change, which are then what they were; 409 where it would be more than is decided at once,
   * and "busy" while more than that is to be decided anyway.
   */
  readonly whatIf: (changes: ReadonlyArray<EngineChange>) => Result.Result<WhatIfReply, VerbError> | "busy"
}

/** The engine: a change costs what it affects. What it decided is seen through, and changes as it decides on. */
export const byEngine = (options?: EngineOptions): Decider => {
  const engine = new Engine(options)
  return {
    facts: engine.facts,
    take: (change) => engine.take([change]) > 0,
    decide: (thingsMax) => {
      const { pending, writes } = engine.step([], thingsMax)
      return { decisions: engine.decisions, changed: writes, isPending: pending > 0 }
    },
    isAnswerOver: (key) => engine.isAnswerOver(key),
    order: (what) => engine.order(what),
    whatIf: (changes) => engine.whatIf([], pendingMax).pending > 0 ? "busy" : whatIfOf(engine, changes)
  }
}

/** So many things that are to be decided anyway are decided at most before a verb tells what would be: with more, it waits. */
const pendingMax = 500

/** A plain function of the facts: what it decided once stays as it is. */
export const byFunction = (decide: (facts: Facts) => Decisions): Decider => {
  const facts = new Facts()
  let over: ReadonlySet<string> = new Set()
  return {
    facts,
    take: (change) => {
      const before = heldOf(facts, change)
      facts.apply(change)
      return !sameHeld(before, heldOf(facts, change))
    },
    decide: () => {
      const decisions = decide(facts)
      over = new Set(decisions.answersToDelete)
      return { decisions, changed: "all", isPending: false }
    },
    isAnswerOver: (key) => over.has(key),
    whatIf: (changes) => Result.succeed(whatIfBetween(decide(facts), withChanges(facts, changes, () => decide(facts))))
  }
}

/** What a key says, where it says anything, and whether its bucket is there. */
interface Held {
  readonly isThere: boolean
  readonly json?: Json | undefined
  readonly why?: string | undefined
}

const heldOf = (facts: Facts, change: EngineChange): Held => {
  const isThere = facts.isThere(change.bucket)
  if ("isThere" in change) {
    return { isThere }
  }
  const fact = facts.table(change.bucket)?.fact(change.key)
  const read = facts.stranger(change.bucket, change.key)
  return fact === undefined && read !== undefined
    ? { isThere, ...Result.match(read, { onSuccess: (json) => ({ json }), onFailure: (why) => ({ why }) }) }
    : { isThere, json: fact?.json, why: fact?.why }
}

const sameHeld = (one: Held, other: Held): boolean =>
  one.isThere === other.isThere && one.why === other.why && sameJson(one.json, other.json)
