/**
 * The port of the bus (`ports/Bus`) on the bus of a simulated mesh: what a provisioner's fibers ask goes the way of all
 * messages there, late, lost and in doubt, and what they hear comes by it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { Bus as BusPort, type Put, type Revision } from "../../ports/Bus.ts"
import { BusError, type BusErrorReason, type Operation } from "../../ports/BusError.ts"
import type { Surroundings } from "../Run.ts"
import { type Follower, NamesWatch, Watch } from "../Watch.ts"
import type { Watches } from "../Watches.ts"
import { FiberWrites } from "./FiberWrites.ts"

/** How a bus is seen. */
export interface FiberBusOptions {
  /** The term within which is written, where there is one. */
  readonly term: number | undefined
  /** Whether it does many writes at once, or leaves that to who writes. */
  readonly writesMany: boolean
}

/** The bus as the fibers of a run see it, its watches kept where they may go wrong. */
export const fiberBusOf = (
  around: Surroundings,
  watches: Watches,
  { term, writesMany }: FiberBusOptions
): BusPort["Service"] => {
  const { bus, party } = around
  const writes = new FiberWrites(around, term)
  return BusPort.of({
    follow: (bucket) =>
      followed(
        around,
        watches,
        { operation: "follow", bucket },
        (follower) => Watch.follow(bus, { by: party, bucket, isOrdered: true }, follower)
      ),
    followBuckets: followed(
      around,
      watches,
      { operation: "followBuckets" },
      (follower) => NamesWatch.follow(bus, party, follower)
    ),
    get: (bucket, key) =>
      asked<Revision | undefined | BusErrorReason, Option.Option<Put>>(
        around,
        (heard) => bus.get(party, bucket, key, heard),
        (found) =>
          found === undefined || found._tag === "Delete"
            ? Effect.succeedNone
            : found._tag === "Put"
            ? Effect.succeedSome(found)
            : Effect.fail(new BusError({ operation: "get", bucket, key, reason: found }))
      ),
    history: () => Effect.succeed([]),
    create: (bucket, key, value) => writes.write({ operation: "create", bucket, key, value }),
    update: (bucket, key, value, revision) => writes.write({ operation: "update", bucket, key, value, revision }),
    delete: (bucket, key, revision) => writes.write({ operation: "delete", bucket, key, revision }),
    ...(writesMany ? { writeMany: (many) => writes.writeMany(many) } : {}),
    limits: { valueBytesMax: 1_048_576, keyBytesMax: 3_072 }
  })
}

/** Asks the bus, and waits for what it answers. */
const asked = <Answer, A>(
  { whenAwake }: Surroundings,
  ask: (heard: (answer: Answer) => void) => void,
  as: (answer: Answer) => Effect.Effect<A, BusError>
): Effect.Effect<A, BusError> => Effect.callback((resume) => ask((answer) => whenAwake(() => resume(as(answer)))))

/** Follows by a queue, until the scope closes. */
const followed = <Event>(
  { bus, whenAwake }: Surroundings,
  watches: Watches,
  what: { readonly operation: Operation; readonly bucket?: string },
  begin: (follower: Follower<Event>) => Watch | NamesWatch
): Effect.Effect<Queue.Dequeue<Event, BusError>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const queue = yield* Queue.unbounded<Event, BusError>()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const watch = begin({
          hear: (events) => whenAwake(() => Queue.offerAllUnsafe(queue, events)),
          end: (reason) => whenAwake(() => Queue.failCauseUnsafe(queue, Cause.fail(new BusError({ ...what, reason }))))
        })
        watches.add(watch)
        return watch
      }),
      (watch) => Effect.sync(() => watches.close(bus, watch))
    )
    return queue
  })
