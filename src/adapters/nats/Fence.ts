/**
 * Writes that land only while nobody else has written (protocol §9): the term of whoever holds the seat.
 *
 * A lease does not fence: what a holder wrote before it froze arrives when it thaws, and keys that its successor has not
 * touched take it. So each write also names the last sequence of the whole stream, and whoever takes over first leaves
 * marks in each bucket: what an earlier holder sent then follows a sequence that is not the last any more.
 *
 * Many writes are sent at once, each to follow the one before, and so the later of them name sequences that were not
 * there yet. One mark is not enough, then: it makes the first of them wrong, and the second right. There are as many
 * marks as writes may be on their way; that leaves every sequence that an earlier holder can have named behind.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { epochKey } from "../../core/Bucket.ts"
import type { BusError } from "../../ports/BusError.ts"
import { type Write, writeError } from "../../ports/Write.ts"
import { Lane, writesOnTheirWayMax } from "./Lane.ts"
import { type Failure, reasonOf } from "./NatsErrors.ts"
import { send, type Way, type WriteGround } from "./Writing.ts"

/** Where a term begins. */
export interface TermOptions {
  /** The buckets that it leaves its mark in, as their key `_epoch` (protocol §9). */
  readonly buckets: ReadonlyArray<string>
  /** The buckets in which no such key may stand: a delete of it fences as well, and leaves none. */
  readonly unmarked?: ReadonlyArray<string>
  readonly mark: Uint8Array
}

/** The fenced buckets of one term. */
export class Fence {
  readonly #lanes: ReadonlyMap<string, Lane>
  readonly #over: Deferred.Deferred<string>

  private constructor(lanes: ReadonlyMap<string, Lane>, over: Deferred.Deferred<string>) {
    this.#lanes = lanes
    this.#over = over
  }

  /** Begins a term: leaves marks in each bucket, upon whatever is there. Fails as writes do. */
  static begin(ground: WriteGround, { buckets, mark, unmarked = [] }: TermOptions): Effect.Effect<Fence, BusError> {
    const over = Deferred.makeUnsafe<string>()
    const marks: ReadonlyArray<Write> = [
      ...buckets.map((bucket): Write => ({ operation: "update", bucket, key: epochKey, value: mark })),
      ...unmarked.map((bucket): Write => ({ operation: "delete", bucket, key: epochKey }))
    ]
    return Effect.map(
      Effect.forEach(marks, (toWrite) => {
        const { bucket } = toWrite
        return leaveMarks(ground, toWrite).pipe(
          Effect.map((sequence) => [bucket, new Lane(ground, bucket, sequence, over)] as const),
          Effect.mapError((failure) => writeError(toWrite, reasonOf(failure)))
        )
      }, { concurrency: "unbounded" }),
      (lanes) => new Fence(new Map(lanes), over)
    )
  }

  /** The way of a bucket's writes in this term; none where the bucket is not fenced. */
  wayOf(bucket: string): Way | undefined {
    return this.#lanes.get(bucket)
  }

  /** Waits until the term is over, and gives the bucket by which it was seen. */
  get over(): Effect.Effect<string> {
    return Deferred.await(this.#over)
  }
}

/** Leaves marks; gives the sequence of the last. */
const leaveMarks = (ground: WriteGround, toWrite: Write): Effect.Effect<number, Failure> =>
  Effect.map(
    Effect.all(Array.from({ length: writesOnTheirWayMax }, () => send(ground, toWrite, () => ({}))), {
      concurrency: "unbounded"
    }),
    (sequences) => Math.max(...sequences)
  )
