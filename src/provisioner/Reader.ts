/**
 * Reads one bucket, or the list of the buckets, and tells the loop of it: by the batch, in one fiber for each.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Bus } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import type { Heard, Order } from "./Heard.ts"
import { retryDelayMillis, type Settings } from "./Settings.ts"

/**
 * Follows what the order names, after a wait the longer the more often it failed, and tells what it hears, until it fails; then it tells that, and is done. It waits where the
 * loop falls behind, so that what waits to be heard is bounded by the keys (`ports/Bus`, follow).
 */
export const read = (
  bus: Bus["Service"],
  settings: Settings,
  { attempt, bucket, reader }: Order & { readonly _tag: "Start" },
  inbox: Queue.Enqueue<Heard>
): Effect.Effect<void> => {
  const told = bucket === undefined
    ? tell(bus.followBuckets, inbox, (events) => ({ _tag: "Buckets", reader, events }))
    : tell(bus.follow(bucket), inbox, (events) => ({ _tag: "Bucket", bucket, reader, events }))
  return Effect.scoped(told).pipe(
    Effect.delay(retryDelayMillis(settings, attempt)),
    Effect.catch((error) => Effect.asVoid(Queue.offer(inbox, { _tag: "Failed", bucket, reader, error })))
  )
}

const tell = <Event>(
  followed: Effect.Effect<Queue.Dequeue<Event, BusError>, BusError, Scope.Scope>,
  inbox: Queue.Enqueue<Heard>,
  as: (events: ReadonlyArray<Event>) => Heard
): Effect.Effect<never, BusError, Scope.Scope> =>
  Effect.flatMap(
    followed,
    (queue) =>
      Effect.forever(Effect.flatMap(
        Queue.takeAll(queue),
        (events) =>
          events.length <= eventsAtOnceMax ? Queue.offer(inbox, as(events)) : Effect.forEach(
            Array.from({ length: Math.ceil(events.length / eventsAtOnceMax) }, (_, part) => part * eventsAtOnceMax),
            (begin) => Queue.offer(inbox, as(events.slice(begin, begin + eventsAtOnceMax))),
            { discard: true }
          )
      ))
  )

/** The loop takes so many events in within a millisecond or two: a long start is heard in pieces. */
const eventsAtOnceMax = 128
