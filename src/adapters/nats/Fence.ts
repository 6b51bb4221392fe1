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
 *
 * Where one write is not stored, those behind it are refused too; then nothing more is sent until all are answered, and
 * the stream says whether it was another's write that came between. If so, or if it cannot be known, the term is over. If
 * not, those that were refused are sent again, one by one.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Semaphore from "effect/Semaphore"
import { epochKey } from "../../core/Bucket.ts"
import type { BusError } from "../../ports/BusError.ts"
import { type Write, writeError } from "../../ports/Write.ts"
import { type Failure, isConflict, reasonOf } from "./NatsErrors.ts"
import { send, type WriteGround } from "./Writing.ts"

/**
 * How many writes of a bucket may be on their way at once; and how many marks whoever takes over leaves. Who raises it
 * has the marks of one version answer for the writes of another: the marks go first.
 */
const writesOnTheirWayMax = 256

/** The fence of one bucket, from its marks on. */
class Lane {
  readonly #ground: WriteGround
  readonly #bucket: string
  readonly #over: Deferred.Deferred<string>
  /** The last sequence that is known to be stored. */
  #stored: number
  /** The sequence that the next write is to follow, if all that are on their way are stored. */
  #next: number
  #onTheirWay = 0
  #recovering = 0
  readonly #isOpen = Latch.makeUnsafe(true)
  readonly #isIdle = Latch.makeUnsafe(true)
  readonly #oneByOne = Semaphore.makeUnsafe(1)
  readonly #room = Semaphore.makeUnsafe(writesOnTheirWayMax)

  constructor(ground: WriteGround, bucket: string, mark: number, over: Deferred.Deferred<string>) {
    this.#ground = ground
    this.#bucket = bucket
    this.#over = over
    this.#stored = mark
    this.#next = mark
  }

  /**
   * Sends a write; a conflict is of its own key. It takes up room until it is stored, or known not to be and done with:
   * no sequence is named that is further from the last than there is room.
   */
  send(toWrite: Write, ofKey: number): Effect.Effect<number, Failure> {
    return this.#isOpen.await.pipe(
      Effect.andThen(this.#unlessOver),
      Effect.andThen(this.#sendAmongOthers(toWrite, ofKey)),
      Effect.catch((failure) => this.#recover(toWrite, ofKey, failure)),
      Effect.onInterrupt(() => this.#end),
      this.#room.withPermit
    )
  }

  #sendAmongOthers(toWrite: Write, ofKey: number): Effect.Effect<number, Failure> {
    return Effect.suspend(() => {
      this.#onTheirWay += 1
      this.#isIdle.closeUnsafe()
      return send(this.#ground, toWrite, () => ({ ofKey, ofStream: this.#next++ }))
    }).pipe(
      Effect.tap((sequence) => Effect.sync(() => this.#keep(sequence))),
      Effect.ensuring(Effect.sync(() => {
        this.#onTheirWay -= 1
        if (this.#onTheirWay === 0) {
          this.#isIdle.openUnsafe()
        }
      }))
    )
  }

  #recover(toWrite: Write, ofKey: number, failure: Failure): Effect.Effect<number, Failure> {
    if (failure._tag === "Fenced" || !isKnownUnstored(failure)) {
      return Effect.andThen(this.#end, Effect.fail(failure))
    }
    return Effect.suspend(() => {
      this.#recovering += 1
      this.#isOpen.closeUnsafe()
      return Effect.andThen(this.#isIdle.await, this.#oneByOne.withPermit(this.#settle(toWrite, ofKey, failure)))
    }).pipe(Effect.ensuring(Effect.sync(() => {
      this.#recovering -= 1
      if (this.#recovering === 0) {
        this.#isOpen.openUnsafe()
      }
    })))
  }

  /** All are answered: if nobody else wrote, what was refused is sent once more, alone. */
  #settle(toWrite: Write, ofKey: number, failure: Failure): Effect.Effect<number, Failure> {
    return this.#checkNobodyElseWrote.pipe(
      Effect.andThen(isConflict(failure) ? this.#sendAlone(toWrite, ofKey) : Effect.fail(failure)),
      Effect.catchIf(isConflict, (conflict) => Effect.andThen(this.#checkNobodyElseWrote, Effect.fail(conflict)))
    )
  }

  #sendAlone(toWrite: Write, ofKey: number): Effect.Effect<number, Failure> {
    return send(this.#ground, toWrite, () => ({ ofKey, ofStream: this.#stored })).pipe(
      Effect.tap((sequence) => Effect.sync(() => this.#keep(sequence))),
      Effect.tapError((failure) => isKnownUnstored(failure) ? Effect.void : this.#end),
      Effect.ensuring(Effect.sync(() => {
        this.#next = this.#stored
      }))
    )
  }

  get #checkNobodyElseWrote(): Effect.Effect<void, Failure> {
    return Effect.andThen(this.#unlessOver, this.#ground.jetStream.info(this.#bucket)).pipe(
      Effect.filterOrFail(({ state }) => state.last_seq === this.#stored, () => fenced),
      Effect.tapError(() => this.#end),
      Effect.andThen(Effect.sync(() => {
        this.#next = this.#stored
      }))
    )
  }

  get #unlessOver(): Effect.Effect<void, Failure> {
    return Effect.suspend(() => Deferred.isDoneUnsafe(this.#over) ? Effect.fail(fenced) : Effect.void)
  }

  get #end(): Effect.Effect<void> {
    return Effect.asVoid(Deferred.succeed(this.#over, this.#bucket))
  }

  #keep(sequence: number): void {
    this.#stored = Math.max(this.#stored, sequence)
  }
}

const fenced: Failure = { _tag: "Fenced" }

/** Whether a failure says for certain that nothing was stored. */
const isKnownUnstored = (failure: Failure): boolean => {
  switch (failure._tag) {
    case "Denied":
    case "Nobody":
    case "Down":
    case "Oversized":
      return true
    case "Api":
      return isConflict(failure) || reasonOf(failure)._tag !== "Unreachable"
    default:
      return false
  }
}

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

  /** How a bucket's writes are sent in this term; not otherwise where the bucket is not fenced. */
  sendIn(bucket: string): ((toWrite: Write, ofKey: number) => Effect.Effect<number, Failure>) | undefined {
    const lane = this.#lanes.get(bucket)
    return lane === undefined ? undefined : (toWrite, ofKey) => lane.send(toWrite, ofKey)
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
