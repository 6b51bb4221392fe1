/**
 * What of the loop can be set, and what it is where it is not.
 */
import * as Duration from "effect/Duration"
import type { Decisions } from "../core/Decision.ts"
import type { EngineOptions } from "../core/Engine.ts"
import type { Facts } from "../core/Facts.ts"
import { byEngine, byFunction, type Decider } from "./Decider.ts"

/** What of the loop can be set. */
export interface ProvisionerOptions {
  /** How often the whole is read and compared again. Default: every hour (protocol §9). */
  readonly compareEvery?: Duration.Input
  /** The most that a change waits for others, to be decided with them. Default: 10 ms. */
  readonly batchWaitMax?: Duration.Input
  /** A batch is settled as soon as nothing came for so long. Default: none, as soon as nothing more is there. */
  readonly quiet?: Duration.Input
  /** How long to wait before what failed is tried again: at first, and at most, as each wait is twice the last. Default: 100 ms to 10 s. */
  readonly retryFirst?: Duration.Input
  readonly retryMax?: Duration.Input
  /** How often in a row a key that others keep writing is tried, a turn each, before it waits. Default: 5. */
  readonly conflictTriesMax?: number
  /** How many writes may wait for their answer at once. Default: 256. */
  readonly writesInFlightMax?: number
  /**
   * A plain function that decides all of it at each turn, such as the core's `decide`, or that with a rule of your own. Each
   * turn then gives decisions that stay as they are. Default: the core's engine, to which a change costs what it affects.
   */
  readonly decide?: (facts: Facts) => Decisions
  /** What the engine is handed in. */
  readonly engine?: EngineOptions
  /** Makes what decides instead, for whoever looks on at each step of it. */
  readonly makeDecider?: () => Decider
}

/** The settings, each with its value. */
export interface Settings {
  readonly compareEveryMillis: number
  readonly batchWaitMillisMax: number
  readonly quietMillis: number
  readonly retryFirstMillis: number
  readonly retryMillisMax: number
  readonly conflictTriesMax: number
  readonly writesInFlightMax: number
  readonly makeDecider: () => Decider
}

/** The settings by what was set of them. */
export const settingsOf = (options: ProvisionerOptions): Settings => ({
  compareEveryMillis: Duration.toMillis(options.compareEvery ?? "1 hour"),
  batchWaitMillisMax: Duration.toMillis(options.batchWaitMax ?? "10 millis"),
  quietMillis: Duration.toMillis(options.quiet ?? 0),
  retryFirstMillis: Duration.toMillis(options.retryFirst ?? "100 millis"),
  retryMillisMax: Duration.toMillis(options.retryMax ?? "10 seconds"),
  conflictTriesMax: options.conflictTriesMax ?? 5,
  writesInFlightMax: options.writesInFlightMax ?? 256,
  makeDecider: options.makeDecider ??
    (() => options.decide === undefined ? byEngine(options.engine) : byFunction(options.decide))
})

/** How long to wait before an attempt, after so many in a row that failed. */
export const retryDelayMillis = (settings: Settings, attempt: number): number =>
  attempt === 0 ? 0 : Math.min(settings.retryMillisMax, settings.retryFirstMillis * 2 ** Math.min(attempt - 1, 30))
