/**
 * A memory bus as a snapshot, and the changes of a snapshot into a memory bus.
 */
import * as Result from "effect/Result"
import type { Change } from "../../core/Facts.ts"
import { changesBetween, type Snapshot, snapshotFrom } from "../../core/Snapshot.ts"
import { writeUtf8 } from "../../core/Utf8.ts"
import { BusError } from "../../ports/BusError.ts"
import type { State } from "./State.ts"
import { bytesOfJson } from "./Value.ts"

/** Makes what lies between two snapshots: all of it, or nothing where one key or value is larger than the bus holds. */
export const edit = (
  state: State,
  before: Snapshot,
  after: Snapshot,
  timeMillis: number
): Result.Result<void, BusError> => {
  const { appeared, changes, vanished } = changesBetween(before, withStanding(state, after))
  const encoded = changes.map(encode)
  for (const change of encoded) {
    const error = tooLarge(state, change)
    if (error !== undefined) {
      return Result.fail(error)
    }
  }
  for (const bucket of appeared) {
    state.makeBucket(bucket)
  }
  for (const change of encoded) {
    make(state, change, timeMillis)
  }
  for (const bucket of vanished) {
    state.deleteBucket(bucket)
  }
  return Result.void
}

/** The snapshot with the buckets that were there from the start: leaving one out means that it is empty. */
const withStanding = (state: State, snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  buckets: Object.fromEntries([
    ...Array.from(state.standing, (bucket) => [bucket, {}] as const),
    ...Object.entries(snapshot.buckets)
  ])
})

interface EncodedChange {
  readonly bucket: string
  readonly key: string
  readonly value: Uint8Array | undefined
}

// The bytes are copied: they are the caller's own, who may use them again.
const encode = ({ bucket, key, value }: Change): EncodedChange => ({
  bucket,
  key,
  value: value instanceof Uint8Array ? value.slice() : value === undefined ? undefined : bytesOfJson(value)
})

const tooLarge = ({ limits }: State, { bucket, key, value }: EncodedChange): BusError | undefined => {
  const sizes = [
    { what: "key", bytes: writeUtf8(key).length, bytesMax: limits.keyBytesMax },
    { what: "value", bytes: value?.length ?? 0, bytesMax: limits.valueBytesMax }
  ] as const
  const over = sizes.find(({ bytes, bytesMax }) => bytes > bytesMax)
  return over && new BusError({ operation: "load", bucket, key, reason: { _tag: "TooLarge", ...over } })
}

// A bucket that was deleted meanwhile is made again for what is put into it; there is nothing to delete in it.
const make = (state: State, { bucket: name, key, value }: EncodedChange, timeMillis: number): void => {
  if (value !== undefined) {
    state.makeBucket(name)
  }
  const bucket = state.buckets.get(name)
  if (value !== undefined || bucket?.last(key)?._tag === "Put") {
    bucket?.take({ key, value, timeMillis })
  }
}

/** What a memory bus holds now. */
export const readSnapshot = (state: State): Snapshot =>
  snapshotFrom(
    Array.from(
      state.buckets,
      ([name, bucket]) => [name, Array.from(bucket.puts(), ({ key, value }) => [key, value] as const)] as const
    )
  )
