/**
 * The way of one fenced bucket's writes: many at once, each to follow the one before in the whole stream ({@link Fence}).
 *
 * Where one write is not stored, those behind it are refused too; then nothing more is sent until all are answered, and
 * the stream says whether it was another's write that came between. If so, or if it cannot be known, the term is over. If
 * not, those that were refused are sent again, one by one.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Write } from "../../ports/Write.ts"
import { type Failure, isConflict, reasonOf } from "./NatsErrors.ts"
import { send, sendNow, type Sent, type Way, type WriteGround } from "./Writing.ts"

/**
 * How many writes of a bucket may be on their way at once; and how many marks whoever takes over leaves. Who raises it
 * has the marks of one version answer for the writes of another: the marks go first.
 */
export const writesOnTheirWayMax = 256

/** Of these, so many are of those that are sent one by one: they have room though many are written at once. */
const sentOneByOneMax = 64

/** The fence of one bucket, from its marks on. */
export class Lane implements Way {
  readonly #ground: WriteGround
  readonly #bucket: string
  readonly #over: Deferred.Deferred<string>
  /** The last sequence that is known to be stored. */
  #stored: number
  /** The sequence that the next write is to follow, if all that are on their way are stored. */
  #next: number
  #onTheirWay = 0
  #recovering = 0
  /** For how many more that are sent at once there is room. */
  #roomAtOnce = writesOnTheirWayMax - sentOneByOneMax
  readonly #isOpen = Latch.makeUnsafe(true)
  readonly #isIdle = Latch.makeUnsafe(true)
  readonly #oneByOne = Semaphore.makeUnsafe(1)
  readonly #room = Semaphore.makeUnsafe(sentOneByOneMax)

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

  /** Sends a write now, where there is room and nothing is being recovered. One that is not stored takes up its room still. */
  sendNow(toWrite: Write, ofKey: number, sent: (sent: Sent) => void): boolean {
    if (this.#roomAtOnce === 0 || this.#recovering > 0 || Deferred.isDoneUnsafe(this.#over)) {
      return false
    }
    this.#roomAtOnce -= 1
    this.#begin()
    sendNow(this.#ground, toWrite, { ofKey, ofStream: this.#next++ }, (outcome) => {
      if (Result.isSuccess(outcome)) {
        this.#keep(outcome.success)
        this.#roomAtOnce += 1
      } else {
        this.#close()
        if (!isKnownUnstored(outcome.failure)) {
          Effect.runSync(this.#end)
        }
      }
      this.#answer()
      sent(outcome)
    })
    return true
  }

  /** Recovers a write that was sent now and not stored: a conflict is of its own key. */
  recover(toWrite: Write, ofKey: number, failure: Failure): Effect.Effect<number, Failure> {
    return this.#recoverClosed(toWrite, ofKey, failure).pipe(
      Effect.onInterrupt(() => this.#end),
      Effect.ensuring(Effect.sync(() => {
        this.#roomAtOnce += 1
      }))
    )
  }

  #sendAmongOthers(toWrite: Write, ofKey: number): Effect.Effect<number, Failure> {
    return Effect.suspend(() => {
      this.#begin()
      return send(this.#ground, toWrite, () => ({ ofKey, ofStream: this.#next++ }))
    }).pipe(
      Effect.tap((sequence) => Effect.sync(() => this.#keep(sequence))),
      Effect.ensuring(Effect.sync(() => this.#answer()))
    )
  }

  #recover(toWrite: Write, ofKey: number, failure: Failure): Effect.Effect<number, Failure> {
    return Effect.suspend(() => {
      this.#close()
      return this.#recoverClosed(toWrite, ofKey, failure)
    })
  }

  /** While it is closed, nothing new is sent. */
  #recoverClosed(toWrite: Write, ofKey: number, failure: Failure): Effect.Effect<number, Failure> {
    const recovered = failure._tag === "Fenced" || !isKnownUnstored(failure)
      ? Effect.andThen(this.#end, Effect.fail(failure))
      : Effect.andThen(this.#isIdle.await, this.#oneByOne.withPermit(this.#settle(toWrite, ofKey, failure)))
    return Effect.ensuring(recovered, Effect.sync(() => this.#open()))
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

  #begin(): void {
    this.#onTheirWay += 1
    this.#isIdle.closeUnsafe()
  }

  #answer(): void {
    this.#onTheirWay -= 1
    if (this.#onTheirWay === 0) {
      this.#isIdle.openUnsafe()
    }
  }

  #close(): void {
    this.#recovering += 1
    this.#isOpen.closeUnsafe()
  }

  #open(): void {
    this.#recovering -= 1
    if (this.#recovering === 0) {
      this.#isOpen.openUnsafe()
    }
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
