/**
 * `setup`: the mesh's buckets, as they are and as they should be; made and changed where that is asked for.
 */
import * as Effect from "effect/Effect"
import type { BucketDifference, BucketPlan } from "../adapters/nats/BucketPlan.ts"
import type { NatsBus } from "../adapters/nats/NatsBus.ts"
import type { SetupOptions } from "../adapters/nats/Setup.ts"
import { boundBucket } from "../core/BucketName.ts"
import { answerBuckets, type Facts } from "../core/Facts.ts"
import { isModuleName } from "../core/Name.ts"
import { cut } from "../core/Words.ts"
import { readDefinitions } from "./BusSnapshot.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import { connected } from "./Connect.ts"
import { readMillis } from "./Duration.ts"
import { Failure, failure, usage } from "./Failure.ts"
import { type Line, printJson, printLines, styled } from "./Print.ts"
import { countText, paragraphs } from "./Say.ts"

/** What `setup` is asked. */
export interface SetupConfig {
  readonly apply: boolean
  readonly replicas: number | undefined
  readonly storage: "file" | "memory"
  readonly timeToLive: string | undefined
  readonly providers: ReadonlyArray<string>
  readonly buckets: ReadonlyArray<string>
  readonly json: boolean
  readonly connection: BusConfig
}

/** What came of it: how the buckets stand now, and which were made and changed. */
interface Outcome {
  readonly plans: ReadonlyArray<BucketPlan>
  readonly made: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
}

/** Runs `setup`. */
export const run = Effect.fnUntraced(function*(config: SetupConfig): Effect.fn.Return<void, Failure> {
  const options = yield* optionsOf(config)
  const outcome = yield* Effect.scoped(
    Effect.flatMap(connected(config.connection), (nats) => setUp(nats, config, options))
  )
  yield* config.json ? printJson(jsonOf(outcome)) : printLines(linesOf(outcome, config.apply))
  if (outcome.plans.some(({ action }) => action !== "none")) {
    yield* new Failure({ exitCode: 1 })
  }
})

/** What of the buckets is chosen. */
const optionsOf = Effect.fnUntraced(function*(
  { providers, replicas, storage, timeToLive }: SetupConfig
): Effect.fn.Return<Omit<SetupOptions, "buckets">, Failure> {
  const stranger = providers.find((module) => !isModuleName(module))
  if (stranger !== undefined) {
    return yield* usage(`--providers cannot be ${stranger}: no module is named so.`)
  }
  if (replicas !== undefined && (replicas < 1 || replicas > replicasMax)) {
    return yield* usage(`--replicas cannot be ${replicas}. Give a number from 1 to ${replicasMax}.`)
  }
  const millis = timeToLive === undefined ? undefined : yield* readMillis("--seat-time-to-live", timeToLive)
  if (millis !== undefined && (millis < seatMillisMin || millis > seatMillisMax)) {
    return yield* usage(`--seat-time-to-live cannot be ${timeToLive}. Give a time from 1s to 1h.`)
  }
  return {
    storage,
    ...(replicas === undefined ? {} : { replicas }),
    ...(millis === undefined ? {} : { seatTimeToLiveMillis: millis })
  }
})

/** What JetStream keeps a stream on at most. */
const replicasMax = 5

/** A seat is renewed three times within its time: sooner than this a busy machine loses it, later nobody would wait for. */
const seatMillisMin = 1_000
const seatMillisMax = 3_600_000

const setUp = Effect.fnUntraced(function*(
  nats: NatsBus["Service"],
  config: SetupConfig,
  options: Omit<SetupOptions, "buckets">
): Effect.fn.Return<Outcome, Failure> {
  const { standingBuckets } = yield* Effect.promise(() => import("../adapters/nats/Setup.ts"))
  const definitions = yield* readDefinitions(nats.bus)
  const buckets = new Set([
    ...standingBuckets,
    ...[...config.providers, ...providersIn(definitions)].map(boundBucket),
    ...answerBuckets(definitions),
    ...config.buckets
  ])
  const plan = Effect.mapError(nats.planBuckets({ ...options, buckets }), ({ message }) => failure(message))
  const plans = yield* plan
  if (!config.apply || plans.every(({ action }) => action === "none")) {
    return { plans, made: [], changed: [] }
  }
  yield* Effect.mapError(nats.applyPlans(plans), ({ message }) => failure(message))
  return {
    plans: yield* plan,
    made: plans.filter(({ action }) => action === "make").map(({ bucket }) => bucket),
    changed: plans.filter(isToChange).map(({ bucket }) => bucket)
  }
})

const isToChange = ({ action, differences }: BucketPlan): boolean =>
  action === "change" && differences.some(({ isChangeable }) => isChangeable)

/** The modules whose definition provides something, in shape or not: what they make is kept in a bucket of theirs. */
const providersIn = (facts: Facts): ReadonlyArray<string> =>
  [...facts.modules.sound()].flatMap(({ names: { module }, value }) =>
    value.provides.size > 0 || value.brokenProvisions.size > 0 || value.providesAnything ? [module] : []
  ).sort()

// --- what is said ------------------------------------------------------------------------------------------------

const jsonOf = ({ changed, made, plans }: Outcome) => ({
  buckets: plans.map(({ action, bucket, differences }) => ({
    bucket,
    action,
    differences: differences.map((difference) => ({ ...difference }))
  })),
  made: [...made],
  changed: [...changed]
})

const linesOf = ({ changed, made, plans }: Outcome, isApplied: boolean): Iterable<Line> =>
  paragraphs(
    [
      ...made.map((bucket): Line => [styled("green", "made     "), bucket]),
      ...changed.map((bucket): Line => [styled("green", "changed  "), bucket])
    ],
    plans.flatMap(planLines),
    [[totalText(plans, isApplied)]]
  )

const planLines = ({ action, bucket, differences }: BucketPlan): ReadonlyArray<Line> =>
  action === "none" ? [] : [
    [styled("yellow", action === "make" ? "missing  " : "differs  "), styled("bold", bucket)],
    ...differences.map(differenceLine)
  ]

const differenceLine = ({ field, is, isChangeable, shouldBe, why }: BucketDifference): Line => [
  `    ${field} is ${is === undefined ? "not set" : valueText(field, is)}, should be ${
    valueText(field, shouldBe)
  }: ${why}`,
  ...(isChangeable ? [] : [styled("yellow", "; no server changes this while the bucket stays")])
]

/** Settings that JetStream counts in nanoseconds. */
const nanosFields: ReadonlySet<string> = new Set(["max_age", "duplicate_window"])

const valueText = (field: string, value: BucketDifference["shouldBe"]): string =>
  nanosFields.has(field) && typeof value === "number"
    ? value === 0 ? "0 (never)" : `${(value / 1_000_000_000).toLocaleString("en-US", { maximumFractionDigits: 3 })} s`
    : cut(JSON.stringify(value), shownCharactersMax)

const shownCharactersMax = 120

const totalText = (plans: ReadonlyArray<BucketPlan>, isApplied: boolean): string => {
  const [missing, differing] = (["make", "change"] as const).map((action) =>
    plans.filter((plan) => plan.action === action).length
  )
  if (missing === 0 && differing === 0) {
    return `Each of ${countText(plans.length, "bucket", "buckets")} is as it should be.`
  }
  const parts = [
    ...(missing ? [countText(missing, "is missing", "are missing")] : []),
    ...(differing ? [countText(differing, "differs", "differ")] : [])
  ]
  return `Of ${countText(plans.length, "bucket", "buckets")} ${parts.join(" and ")}. ${
    isApplied
      ? "What could not be changed stays until the bucket is made anew, by whoever can spare what it holds."
      : "Nothing was changed: --apply makes and changes them."
  }`
}
