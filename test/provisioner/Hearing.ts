/**
 * Buses that hear badly: what a follower is told goes through a hand that repeats, drops, or holds it back.
 */
import { type Duration, Effect, Queue } from "effect"
import { type BucketEvent, type Bus, type BusError } from "../../src/adapters/memory/index.ts"

type Follow = ReturnType<Bus["Service"]["follow"]>

/** A follower whose every batch goes through `hand`, which says what is heard of it. */
const through = (
  follow: Follow,
  hand: (batch: ReadonlyArray<BucketEvent>, queue: Queue.Queue<BucketEvent, BusError>) => ReadonlyArray<BucketEvent>
): Follow =>
  Effect.gen(function*() {
    const from = yield* follow
    const queue = yield* Queue.unbounded<BucketEvent, BusError>()
    yield* Queue.takeAll(from).pipe(
      Effect.tap((batch) => Effect.sync(() => Queue.offerAllUnsafe(queue, hand(batch, queue)))),
      Effect.forever,
      Effect.catchCause((cause) => Effect.sync(() => Queue.failCauseUnsafe(queue, cause))),
      Effect.forkScoped
    )
    return queue
  })

/** Followers of these buckets hear everything so much later. */
export const slowly =
  (by: Duration.Input, ...slow: ReadonlyArray<string>) => (bucket: string, follow: Follow): Follow =>
    slow.includes(bucket)
      ? Effect.gen(function*() {
        const from = yield* follow
        const queue = yield* Queue.unbounded<BucketEvent, BusError>()
        const later = (batch: ReadonlyArray<BucketEvent>) =>
          Effect.forkScoped(Effect.delay(Effect.sync(() => Queue.offerAllUnsafe(queue, batch)), by))
        yield* Queue.takeAll(from).pipe(Effect.tap(later), Effect.forever, Effect.ignore, Effect.forkScoped)
        return queue
      })
      : follow

/** Keeps the events of every bucket, to say them all again. */
export const echo = () => {
  const said = new Map<
    string,
    { readonly queue: Queue.Queue<BucketEvent, BusError>; readonly events: Array<BucketEvent> }
  >()
  return {
    follow: (bucket: string, follow: Follow): Follow =>
      through(follow, (batch, queue) => {
        const events = said.get(bucket)?.events ?? []
        said.set(bucket, { queue, events })
        events.push(...batch.filter(({ _tag }) => _tag !== "End"))
        return batch
      }),
    /** Says all that was said of a bucket once more, and how many events those are. */
    again: (bucket: string): number => {
      const heard = said.get(bucket)
      return heard === undefined ? 0 : Queue.offerAllUnsafe(heard.queue, [...heard.events]).length + heard.events.length
    }
  }
}

/** Followers that hear nothing more from a moment on, and do not fail either; those that follow later hear well. */
export const deafness = () => {
  let deafened = 0
  return {
    follow: (_bucket: string, follow: Follow): Follow =>
      Effect.suspend(() => {
        const since = deafened
        return through(follow, (batch) => deafened > since ? [] : batch)
      }),
    begin: Effect.sync(() => {
      deafened += 1
    })
  }
}
