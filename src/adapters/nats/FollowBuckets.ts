/**
 * Follows the names of the buckets on NATS (`ports/Bus`, followBuckets): they are asked for from time to time, and at once
 * when JetStream tells that a stream was made or deleted.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { BucketsEvent } from "../../ports/Bus.ts"
import { BusError } from "../../ports/BusError.ts"
import { Follower } from "../memory/Follower.ts"
import type { Ground } from "./Follow.ts"
import { isPassing, readReasonOf } from "./NatsErrors.ts"

/** Follows the names of the buckets, until the scope closes. */
export const followBuckets = Effect.fnUntraced(function*(
  { advisories, jetStream, settings }: Ground
): Effect.fn.Return<Queue.Dequeue<BucketsEvent, BusError>, BusError, Scope.Scope> {
  const names = Effect.mapError(
    jetStream.buckets,
    (trouble) => new BusError({ operation: "followBuckets", reason: readReasonOf(trouble) })
  )
  const alarm = yield* advisories.about()
  const queue = yield* Effect.acquireRelease(Queue.unbounded<BucketsEvent, BusError>(), Queue.shutdown)
  const known = new Set(yield* names)
  const follower = new Follower(queue, nameOf, [
    ...Array.from(known, (bucket): BucketsEvent => ({ _tag: "Appeared", bucket })),
    { _tag: "End" }
  ])
  const look = names.pipe(
    Effect.retry({
      while: ({ reason }) => isPassing(reason),
      schedule: Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: settings.silenceMillisMax }))
    }),
    Effect.map((found) => tellDifferences(follower, known, new Set(found)))
  )
  yield* Effect.forkScoped(
    Effect.raceFirst(Queue.take(alarm), Effect.sleep(settings.bucketsEveryMillis)).pipe(
      Effect.andThen(look),
      Effect.forever,
      Effect.catch((error) => Effect.sync(() => follower.fail(error)))
    )
  )
  return Queue.asDequeue(queue)
})

const nameOf = (event: BucketsEvent): string | undefined => event._tag === "End" ? undefined : event.bucket

const tellDifferences = (follower: Follower<BucketsEvent>, known: Set<string>, found: ReadonlySet<string>): void => {
  for (const bucket of known) {
    if (!found.has(bucket)) {
      known.delete(bucket)
      follower.tell({ _tag: "Vanished", bucket })
    }
  }
  for (const bucket of found) {
    if (!known.has(bucket)) {
      known.add(bucket)
      follower.tell({ _tag: "Appeared", bucket })
    }
  }
}
