/**
 * What a live bus holds, read as a snapshot: each bucket to its end, so that everything that reads a file works on it.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { epochKey } from "../core/Bucket.ts"
import { bucketName, isDecisionBucket, moduleOfBoundBucket } from "../core/BucketName.ts"
import { answerBuckets, Facts } from "../core/Facts.ts"
import { type Snapshot, snapshotFrom } from "../core/Snapshot.ts"
import type { Bus } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import { progressing } from "./Announce.ts"
import { type Failure, failure } from "./Failure.ts"
import { countText } from "./Say.ts"

/** What a bucket holds, by key. */
type Values = ReadonlyMap<string, Uint8Array>

/**
 * Reads the facts and decisions of a bus (protocol §3 to §7): the buckets that every mesh has, every provider's, and those
 * that definitions name in `answers`. The marks of who holds the seat are left out. Each bucket is read to its end; they are
 * not all read at one instant.
 *
 * Fails, naming the bucket, where one is missing that every mesh has, or one may not be read.
 */
export const readBus = (bus: Bus["Service"]): Effect.Effect<Snapshot, Failure> => {
  const progress = new Progress()
  return progressing(() => progress.text, Effect.scoped(readAll(bus, progress)))
}

/** The facts of the modules' definitions; none where their bucket is not there yet. */
export const readDefinitions = (bus: Bus["Service"]): Effect.Effect<Facts, Failure> =>
  readBucket(bus, bucketName.modules, new Progress()).pipe(
    Effect.catchIf(isMissing, () => Effect.succeed<Values>(new Map())),
    Effect.map((values) => Facts.fromSnapshot(snapshotFrom([[bucketName.modules, values]]))),
    Effect.mapError(({ message }) => failure(message)),
    Effect.scoped
  )

/** How much is read so far, for a person who waits. */
class Progress {
  buckets = 0
  bucketsAll = 0
  keys = 0

  get text(): string {
    const keys = countText(this.keys, "key", "keys")
    return this.bucketsAll === 0
      ? "looking which buckets there are"
      : `reading the bus: ${this.buckets} of ${countText(this.bucketsAll, "bucket", "buckets")}, ${keys}`
  }
}

const readAll = Effect.fnUntraced(function*(
  bus: Bus["Service"],
  progress: Progress
): Effect.fn.Return<Snapshot, Failure, Scope.Scope> {
  const there = yield* Effect.mapError(bucketsThere(bus), ({ message }) => failure(message))
  const missing = Object.values(bucketName).filter((bucket) => !there.has(bucket))
  if (missing.length > 0) {
    return yield* failure(`There is no bucket ${missing.join(", ")} on this bus. Make them, by mesh-provisioner setup.`)
  }
  const first = [
    ...Object.values(bucketName),
    ...[...there].filter((bucket) => moduleOfBoundBucket(bucket) !== undefined)
  ]
  progress.bucketsAll = first.length
  const values = yield* readBuckets(bus, first, progress)
  const definitions = snapshotFrom([[bucketName.modules, values.get(bucketName.modules) ?? new Map()]])
  const named = [...answerBuckets(Facts.fromSnapshot(definitions))].filter((bucket) => there.has(bucket))
  progress.bucketsAll += named.length
  const answers = yield* readBuckets(bus, named, progress)
  return snapshotFrom(inOrder(new Map([...values, ...answers])))
})

/** Reads buckets, some at once. One that every mesh has must be there; another may have gone meanwhile, and is then none. */
const readBuckets = (
  bus: Bus["Service"],
  buckets: ReadonlyArray<string>,
  progress: Progress
): Effect.Effect<ReadonlyMap<string, Values>, Failure> =>
  Effect.map(
    Effect.forEach(buckets, (bucket) =>
      readBucket(bus, bucket, progress).pipe(
        Effect.map((values): ReadonlyArray<readonly [string, Values]> => [[bucket, values]]),
        Effect.catchIf((error) => isMissing(error) && !standing.has(bucket), () => Effect.succeed([])),
        Effect.mapError(({ message }) => failure(message))
      ), { concurrency: readAtOnceMax }),
    (read) => new Map(read.flat())
  )

const standing: ReadonlySet<string> = new Set(Object.values(bucketName))

const isMissing = ({ reason }: BusError): boolean => reason._tag === "Lost" && reason.how !== "ended"

/** So many that no bucket waits for a large one, and no server is asked for all at once. */
const readAtOnceMax = 8

/** Reads a bucket to its end. */
const readBucket = (bus: Bus["Service"], bucket: string, progress: Progress): Effect.Effect<Values, BusError> =>
  Effect.scoped(Effect.gen(function*() {
    const events = yield* bus.follow(bucket)
    const values = new Map<string, Uint8Array>()
    while (true) {
      for (const event of yield* Queue.takeAll(events)) {
        if (event._tag === "End") {
          progress.buckets += 1
          return values
        }
        if (isDecisionBucket(bucket) && event.key === epochKey) {
          continue
        }
        if (event._tag === "Put") {
          progress.keys += 1
          values.set(event.key, event.value)
        } else {
          values.delete(event.key)
        }
      }
    }
  }))

/** The names of the buckets that are there. */
const bucketsThere = (bus: Bus["Service"]): Effect.Effect<ReadonlySet<string>, BusError> =>
  Effect.scoped(Effect.gen(function*() {
    const events = yield* bus.followBuckets
    const there = new Set<string>()
    while (true) {
      for (const event of yield* Queue.takeAll(events)) {
        if (event._tag === "End") {
          return there
        }
        if (event._tag === "Appeared") {
          there.add(event.bucket)
        } else {
          there.delete(event.bucket)
        }
      }
    }
  }))

/** By name and key, so that two snapshots of one bus are alike, whatever was written first. */
const inOrder = (
  index: ReadonlyMap<string, Values>
): ReadonlyArray<readonly [string, ReadonlyArray<readonly [string, Uint8Array]>]> =>
  [...index].sort(byName).map(([bucket, values]) => [bucket, [...values].sort(byName)] as const)

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : one > other ? 1 : 0
