/**
 * The port {@link Bus} as one account of a memory bus has it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import { type Account, mayWrite } from "../../ports/Account.ts"
import { type BucketEvent, type BucketsEvent, Bus } from "../../ports/Bus.ts"
import { BusError } from "../../ports/BusError.ts"
import { unsendable, type Write, writeError } from "../../ports/Write.ts"
import { Follower } from "./Follower.ts"
import type { MemoryBucket } from "./MemoryBucket.ts"
import type { State } from "./State.ts"

/** The bus as an account sees it. */
export const connect = (state: State, account: Account): Bus["Service"] => {
  const write = (write: Write) =>
    Clock.clockWith((clock) => Effect.fromResult(take(state, account, write, clock.currentTimeMillisUnsafe())))
  return Bus.of({
    follow: (bucket) => follow(state, bucket),
    followBuckets: followBuckets(state),
    get: (bucket, key) => Effect.map(read(state, "get", bucket, key), (found) => last(found, key)),
    history: (bucket, key) => Effect.map(read(state, "history", bucket, key), (found) => found.history(key)),
    create: (bucket, key, value) => write({ operation: "create", bucket, key, value }),
    update: (bucket, key, value, revision) => write({ operation: "update", bucket, key, value, revision }),
    delete: (bucket, key, revision) => write({ operation: "delete", bucket, key, revision }),
    limits: state.limits
  })
}

const follow = (state: State, name: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.flatMap(Queue.unbounded<BucketEvent, BusError>(), (queue) =>
        Effect.map(read(state, "follow", name), (bucket) => {
          const follower = new Follower(queue, keyOf, [...bucket.puts(), { _tag: "End" }])
          bucket.followers.add(follower)
          return { bucket, follower }
        })),
      ({ bucket, follower }) => {
        bucket.followers.delete(follower)
        return Queue.shutdown(follower.queue)
      }
    ),
    ({ follower }) =>
      Queue.asDequeue(follower.queue)
  )

const keyOf = (event: BucketEvent): string | undefined => event._tag === "End" ? undefined : event.key

const followBuckets = (state: State) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.flatMap(Queue.unbounded<BucketsEvent, BusError>(), (queue) =>
        Effect.suspend(() => {
          if (!state.reachable) {
            return Effect.fail(new BusError({ operation: "followBuckets", reason: { _tag: "Unreachable" } }))
          }
          const start = [...state.buckets.keys()].map((bucket): BucketsEvent => ({ _tag: "Appeared", bucket }))
          const follower = new Follower(queue, nameOf, [...start, { _tag: "End" }])
          state.namesFollowers.add(follower)
          return Effect.succeed(follower)
        })),
      (follower) => {
        state.namesFollowers.delete(follower)
        return Queue.shutdown(follower.queue)
      }
    ),
    (follower) => Queue.asDequeue(follower.queue)
  )

const nameOf = (event: BucketsEvent): string | undefined => event._tag === "End" ? undefined : event.bucket

/** The bucket that is to be read. */
const read = (
  state: State,
  operation: "follow" | "get" | "history",
  name: string,
  key?: string
): Effect.Effect<MemoryBucket, BusError> =>
  Effect.suspend(() => {
    const bucket = state.buckets.get(name)
    if (state.reachable && bucket !== undefined) {
      return Effect.succeed(bucket)
    }
    const at = key === undefined ? { operation, bucket: name } : { operation, bucket: name, key }
    return Effect.fail(
      new BusError({ ...at, reason: state.reachable ? { _tag: "Lost", how: "missing" } : { _tag: "Unreachable" } })
    )
  })

const last = (bucket: MemoryBucket, key: string) => {
  const change = bucket.last(key)
  return change?._tag === "Put" ? Option.some(change) : Option.none()
}

/** Takes a write, and gives its revision, or why it could not be taken. */
const take = (state: State, account: Account, write: Write, timeMillis: number): Result.Result<number, BusError> => {
  const unsent = unsendable(write, state.limits)
  if (unsent !== undefined) {
    return Result.fail(unsent)
  }
  if (!state.reachable) {
    return Result.fail(writeError(write, { _tag: "Unreachable" }))
  }
  if (!mayWrite(account, write.bucket, write.key)) {
    return Result.fail(writeError(write, { _tag: "Refused", because: "account" }))
  }
  const bucket = state.buckets.get(write.bucket)
  if (bucket === undefined) {
    return Result.fail(writeError(write, { _tag: "Lost", how: "missing" }))
  }
  if (!isExpected(bucket, write)) {
    const expected = write.revision === undefined ? {} : { expected: write.revision }
    return Result.fail(writeError(write, { _tag: "Conflict", ...expected }))
  }
  const loss = state.losses.shift()
  if (loss === "write") {
    return Result.fail(writeError(write, { _tag: "Unreachable" }))
  }
  // The bytes are the writer's own, who may use them again.
  const revision = bucket.take({ key: write.key, value: write.value?.slice(), timeMillis })
  return loss === "answer" ? Result.fail(writeError(write, { _tag: "Unreachable" })) : Result.succeed(revision)
}

const isExpected = (bucket: MemoryBucket, { key, revision }: Write): boolean => {
  const last = bucket.last(key)
  return revision === undefined ? last?._tag !== "Put" : last?.revision === revision
}
