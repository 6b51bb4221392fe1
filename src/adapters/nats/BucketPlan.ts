/**
 * How a bucket's stream should be, and what differs from that where it is not: the pure half of `setup`. A bucket as the
 * common clients make it lets whoever may write one key wipe all of them, and swallow another's write.
 */
import type * as Schema from "effect/Schema"
import { keyPrefixOf, type StreamConfig, streamOf } from "./JetStream.ts"
import { seatBucket, seatTimeToLiveMillis } from "./SeatBucket.ts"

/** What of the buckets is the operator's to choose. */
export interface BucketOptions {
  /** On how many servers each bucket is kept. Default: 1 of one that is made, and what it is of one that is there. */
  readonly replicas?: number
  /** Where it is kept: a `memory` bucket is gone with its servers. Default: `file`. */
  readonly storage?: "file" | "memory"
  /** The most bytes of a message, its headers counted. Default: 1 MiB. */
  readonly messageBytesMax?: number
  /**
   * How long the provisioner's seat is held after it was last renewed (protocol §9). Default: 10 s where its bucket is made,
   * and what it is where that is there.
   */
  readonly seatTimeToLiveMillis?: number
}

/** One setting of a bucket that is not as it should be. */
export interface BucketDifference {
  /** The setting, by JetStream's name. */
  readonly field: string
  /** What it is; not there where it was never set. */
  readonly is?: Schema.Json
  readonly shouldBe: Schema.Json
  /** What it is good for. */
  readonly why: string
  /** Whether the server lets it be changed while the bucket stays. */
  readonly isChangeable: boolean
}

/**
 * What is to be done with a bucket: nothing where it is as it should be; it is to be made where it is missing; it is to be
 * changed where it differs.
 */
export interface BucketPlan {
  readonly bucket: string
  readonly action: "none" | "make" | "change"
  readonly differences: ReadonlyArray<BucketDifference>
  /** The stream's configuration, as it is to be made or changed to. */
  readonly config: StreamConfig
}

/**
 * What is to be done with a bucket, by its stream's configuration as it is; without one, it is missing.
 *
 * @example
 * ```ts
 * import { planBucket } from "mesh-provisioner/adapters/nats"
 *
 * const plan = planBucket("postgres_bound", planBucket("postgres_bound").config)
 * plan.action // "none"
 * ```
 */
export const planBucket = (bucket: string, found?: StreamConfig, options: BucketOptions = {}): BucketPlan => {
  const rows = wanted(bucket, options)
  if (found === undefined) {
    const made = Object.fromEntries(rows.map(({ field, shouldBe }) => [field, shouldBe]))
    return { bucket, action: "make", differences: [], config: { name: streamOf(bucket), ...made } }
  }
  const differences = [...rows, ...unwanted].filter(({ field, isEnough = isSame, shouldBe }) =>
    !isEnough(found[field], shouldBe)
  )
    .map(({ field, isChangeable = true, shouldBe, why }) => {
      const is = found[field]
      return { field, ...(is === undefined ? {} : { is }), shouldBe, why, isChangeable }
    })
  const changed = differences.filter(({ isChangeable }) => isChangeable).map(({ field, shouldBe }) => [field, shouldBe])
  return {
    bucket,
    action: differences.length === 0 ? "none" : "change",
    differences,
    config: { ...found, ...Object.fromEntries(changed) }
  }
}

interface Row {
  readonly field: string
  readonly shouldBe: Schema.Json
  readonly why: string
  readonly isChangeable?: false
  /** Whether another value will do. */
  readonly isEnough?: (is: Schema.Json | undefined, shouldBe: Schema.Json) => boolean
}

const isUnset = (is: Schema.Json | undefined): boolean => is === undefined || is === false || is === 0

const isAbsent = (is: Schema.Json | undefined): boolean =>
  isUnset(is) || is === null || (Array.isArray(is) && is.length === 0)

const isBoundless = (is: Schema.Json | undefined): boolean => isUnset(is) || is === -1

const isPositive = (is: Schema.Json | undefined): boolean => typeof is === "number" && is > 0

const isSame = (is: Schema.Json | undefined, shouldBe: Schema.Json): boolean =>
  JSON.stringify(is) === JSON.stringify(shouldBe)

const wanted = (bucket: string, options: BucketOptions): ReadonlyArray<Row> => {
  const { messageBytesMax = 1_048_576, replicas, storage = "file" } = options
  return [
    { field: "subjects", shouldBe: [`${keyPrefixOf(bucket)}>`], why: "it takes the bucket's keys, and nothing else" },
    { field: "retention", shouldBe: "limits", why: "what was read stays", isChangeable: false },
    { field: "storage", shouldBe: storage, why: "it is kept where the operator wants it", isChangeable: false },
    {
      field: "num_replicas",
      shouldBe: replicas ?? 1,
      why: "it is kept on as many servers as the operator wants",
      isEnough: replicas === undefined ? isPositive : isSame
    },
    ...(bucket === seatBucket ? lastingOfSeat(options) : lastingOfFacts),
    { field: "max_msg_size", shouldBe: messageBytesMax, why: "no single value fills it" },
    {
      field: "discard",
      shouldBe: "new",
      why: "where it is full, what is new is refused, and what it holds stays"
    },
    {
      field: "discard_new_per_subject",
      shouldBe: false,
      why: "a key that has ten changes can be changed again",
      isEnough: isUnset
    },
    { field: "max_msgs", shouldBe: -1, why: "it is never full before its store is", isEnough: isBoundless },
    {
      field: "max_consumers",
      shouldBe: -1,
      why: "whoever may read it can",
      isChangeable: false,
      isEnough: isBoundless
    },
    { field: "duplicate_window", shouldBe: 100_000_000, why: "no write is swallowed because another's bore its id" },
    { field: "no_ack", shouldBe: false, why: "every write is answered", isEnough: isUnset },
    {
      field: "allow_rollup_hdrs",
      shouldBe: false,
      why: "who may write one key cannot wipe all of them",
      isEnough: isUnset
    },
    { field: "deny_delete", shouldBe: true, why: "nobody takes single changes out of it" },
    { field: "allow_direct", shouldBe: true, why: "a node can be let read its own keys, and no others" }
  ]
}

/** What no bucket that is made here has, and one that somebody else made may. Not every server lets it be taken away. */
const unwanted = [
  { field: "sealed", shouldBe: false, why: "it can be written" },
  { field: "mirror", shouldBe: null, why: "it takes what is written to it, and no other's" },
  { field: "sources", shouldBe: null, why: "it takes what is written to it, and no other's" },
  { field: "subject_transform", shouldBe: null, why: "a key is stored as it is written" },
  { field: "republish", shouldBe: null, why: "who may not read it is not told what it takes" },
  { field: "allow_msg_ttl", shouldBe: false, why: "no fact goes by itself" },
  { field: "allow_msg_schedules", shouldBe: false, why: "nothing is written later in another's name" },
  { field: "allow_msg_counter", shouldBe: false, why: "a value is stored as it is written" }
].map((row): Row => ({ ...row, isChangeable: false, isEnough: isAbsent }))

/** How much of the past a bucket keeps, and for how long. */
const lastingOfFacts: ReadonlyArray<Row> = [
  {
    field: "max_msgs_per_subject",
    shouldBe: 10,
    why: "the last ten changes of each key can be looked up",
    isEnough: (is) => typeof is === "number" && is >= 10
  },
  { field: "max_age", shouldBe: 0, why: "no fact goes by itself", isEnough: isUnset }
]

// Who holds the seat now is all that counts: of a holder before, nothing may come to light where the last one is deleted.
const lastingOfSeat = ({ seatTimeToLiveMillis: millis }: BucketOptions): ReadonlyArray<Row> => [
  { field: "max_msgs_per_subject", shouldBe: 1, why: "it says who holds the seat, and not who held it" },
  {
    field: "max_age",
    shouldBe: (millis ?? seatTimeToLiveMillis) * nanosPerMilli,
    why: "the seat is free when its holder has not renewed it for so long",
    isEnough: millis === undefined ? isPositive : isSame
  }
]

const nanosPerMilli = 1_000_000
