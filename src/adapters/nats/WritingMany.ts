/**
 * Many writes at once on NATS (`ports/Bus`, writeMany), without a fiber for each: what is stored as it was sent, as nearly
 * all is, is answered for in the step in which its acknowledgement comes. Where one is not, nothing more is sent until all
 * that are on their way are answered; then each that was not stored is seen to by itself, as a single write is.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ManyWrites } from "../../ports/Bus.ts"
import type { Write } from "../../ports/Write.ts"
import type { Failure } from "./NatsErrors.ts"
import { ofKeyOf, type Sent, store, unwritable, type Way, write, type WriteGround } from "./Writing.ts"

/** Does many writes, each by the way of its bucket. */
export const writeMany = <One extends Write>(
  ground: WriteGround,
  wayOf: (bucket: string) => Way,
  many: ManyWrites<One>
): Effect.Effect<void> => Effect.suspend(() => new Many(ground, wayOf, many).run)

class Many<One extends Write> {
  readonly #ground: WriteGround
  readonly #wayOf: (bucket: string) => Way
  readonly #many: ManyWrites<One>
  #onTheirWay = 0
  /** Whether more are sent; not from when there is no more room until half of it is there again. */
  #isFilling = true
  /** A write that was asked for, and has no way just now. */
  #held: One | undefined
  /** There is no more to be asked for, or no more is. */
  #isOver = false
  #isSending = false
  /** What is to be seen to by itself: without a failure, it was not sent. */
  #aside: Array<{ readonly toWrite: One; readonly failure?: Failure }> = []
  #idle: () => void = () => {}

  constructor(ground: WriteGround, wayOf: (bucket: string) => Way, many: ManyWrites<One>) {
    this.#ground = ground
    this.#wayOf = wayOf
    this.#many = many
  }

  readonly run: Effect.Effect<void> = Effect.uninterruptibleMask((restore) =>
    Effect.gen({ self: this }, function*() {
      while (!this.#isOver) {
        yield* Effect.onInterrupt(restore(this.#sendAll), () => this.#seeToOthers)
        yield* this.#seeToOthers
      }
    })
  )

  /** Sends until there is no more, or one was not stored; ends when all that are on their way are answered. */
  readonly #sendAll: Effect.Effect<void> = Effect.callback<void>((resume) => {
    this.#idle = () => resume(Effect.void)
    this.#send()
    return Effect.callback<void>((resume) => {
      this.#isOver = true
      this.#idle = () => resume(Effect.void)
      this.#send()
    })
  })

  #send(): void {
    if (this.#isSending) {
      return
    }
    this.#isSending = true
    this.#isFilling ||= this.#onTheirWay <= this.#many.onTheirWayMax / 2
    while (this.#mayAsk) {
      const toWrite = this.#many.next()
      if (toWrite === undefined) {
        this.#isOver = true
      } else {
        this.#sendOne(toWrite)
      }
      this.#isFilling = this.#onTheirWay < this.#many.onTheirWayMax
    }
    this.#isSending = false
    if (this.#onTheirWay === 0) {
      this.#putHeldAside()
      this.#idle()
    }
  }

  // Many go out by one call to the system that way, and not each as another is answered: that took most of the time.
  get #mayAsk(): boolean {
    return this.#isFilling && !this.#isOver && this.#held === undefined && this.#aside.length === 0
  }

  #sendOne(toWrite: One): void {
    const unsent = unwritable(toWrite, this.#ground.limits)
    if (unsent !== undefined) {
      return this.#many.settled(toWrite, Result.fail(unsent))
    }
    this.#onTheirWay += 1
    if (!this.#wayOf(toWrite.bucket).sendNow(toWrite, ofKeyOf(toWrite), (sent) => this.#take(toWrite, sent))) {
      this.#onTheirWay -= 1
      this.#held = toWrite
    }
  }

  #take(toWrite: One, sent: Sent): void {
    this.#onTheirWay -= 1
    if (Result.isSuccess(sent)) {
      this.#many.settled(toWrite, Result.succeed(sent.success))
    } else {
      this.#aside.push({ toWrite, failure: sent.failure })
    }
    this.#sendHeldOrMore()
  }

  #sendHeldOrMore(): void {
    const held = this.#held
    if (held !== undefined && this.#aside.length === 0 && !this.#isSending) {
      this.#held = undefined
      this.#sendOne(held)
    }
    this.#send()
  }

  // With nothing on its way that would make room, it waits for its turn among the writes of others.
  #putHeldAside(): void {
    if (this.#held !== undefined) {
      this.#aside.push({ toWrite: this.#held })
      this.#held = undefined
    }
  }

  readonly #seeToOthers: Effect.Effect<void> = Effect.suspend(() => {
    const aside = this.#aside
    this.#aside = []
    return Effect.forEach(aside, ({ failure, toWrite }) => {
      const way = this.#wayOf(toWrite.bucket)
      const done = failure === undefined
        ? write(this.#ground, toWrite, way)
        : store(this.#ground, toWrite, way, way.recover(toWrite, ofKeyOf(toWrite), failure))
      return Effect.map(Effect.result(done), (outcome) => this.#many.settled(toWrite, outcome))
    }, { concurrency: "unbounded", discard: true })
  })
}
