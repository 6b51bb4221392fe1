/**
 * Requests, answered: so many at once and no more, so many waiting and no more, and one begun at a time, so that a flood
 * of them holds up nothing else that this process does. What is beyond that is refused at once.
 */
import type { Msg } from "@nats-io/transport-node"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { VerbCall, VerbReply } from "../../ports/VerbServer.ts"
import { copyOf } from "./Frame.ts"
import { type Endpoint, sayCode } from "./NatsVerbsMicro.ts"
import { isAnswerable, type Replies } from "./NatsVerbsReplies.ts"

type Answer = (call: VerbCall) => Effect.Effect<VerbReply>

interface Waiting {
  readonly endpoint: Endpoint
  readonly caller: string | undefined
  readonly payload: Uint8Array
  readonly reply: string
}

/** Answers requests by a function. */
export class Desk {
  readonly #answer: Answer
  readonly #replies: Replies
  readonly #context: Context.Context<never>
  readonly #waiting = new Set<Waiting>()
  readonly #atWork = new Map<Fiber.Fiber<VerbReply>, Waiting>()
  #waitingBytes = 0
  #isBeginning = false
  #tellIdle: (() => void) | undefined

  /** The context is what the answers run in: the loggers are those of whoever serves. */
  constructor(answer: Answer, replies: Replies, context: Context.Context<never>) {
    this.#answer = answer
    this.#replies = replies
    this.#context = context
  }

  /** Takes a request in. One that nobody awaits an answer of costs nothing. */
  take(endpoint: Endpoint, { data, reply, subject }: Pick<Msg, "data" | "reply" | "subject">): void {
    if (!isAnswerable(reply)) {
      return
    }
    endpoint.requests += 1
    const caller = endpoint.callerBehind === undefined ? undefined : subject.slice(endpoint.callerBehind.length)
    if (this.#waiting.size >= waitingMax || this.#waitingBytes + data.length > waitingBytesMax) {
      this.#reply({ endpoint, reply }, tooMany)
      return
    }
    this.#waiting.add({ endpoint, caller, payload: copyOf(data), reply })
    this.#waitingBytes += data.length
    this.#beginNext()
  }

  /** Waits until all is answered, but not for long: what is left then is refused. */
  readonly close: Effect.Effect<void> = Effect.suspend(() =>
    this.#idle.pipe(
      Effect.timeoutOrElse({ duration: closingWaitMax, orElse: () => Effect.void }),
      Effect.andThen(Effect.suspend(() => {
        for (const waiting of this.#waiting) {
          this.#reply(waiting, stopping)
        }
        this.#waiting.clear()
        return Fiber.interruptAll(this.#atWork.keys())
      }))
    )
  )

  get #idle(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      this.#tellIdle = () => resume(Effect.void)
      this.#lookIdle()
    })
  }

  #lookIdle(): void {
    if (this.#waiting.size === 0 && this.#atWork.size === 0) {
      this.#tellIdle?.()
    }
  }

  // Between two that begin, whatever else is to be done has its turn.
  #beginNext(): void {
    if (!this.#isBeginning && this.#waiting.size > 0 && this.#atWork.size < atWorkMax) {
      this.#isBeginning = true
      setImmediate(() => {
        this.#isBeginning = false
        for (const next of this.#waiting) {
          this.#waiting.delete(next)
          this.#waitingBytes -= next.payload.length
          this.#begin(next)
          break
        }
        this.#beginNext()
      })
    }
  }

  #begin(request: Waiting): void {
    const { caller, endpoint, payload } = request
    const began = performance.now()
    const call: VerbCall = { verb: endpoint.verb, payload, caller, replyBytesMax: this.#replies.bytesMax }
    const answered = Effect.suspend(() => this.#answer(call)).pipe(
      Effect.timeoutOrElse({ duration: answerWaitMax, orElse: () => Effect.succeed(tooLong) })
    )
    const fiber = Effect.runForkWith(this.#context)(answered)
    this.#atWork.set(fiber, request)
    fiber.addObserver((exit) => {
      this.#atWork.delete(fiber)
      endpoint.nanoseconds += (performance.now() - began) * 1e6
      this.#reply(request, Exit.isSuccess(exit) ? exit.value : Exit.hasInterrupts(exit) ? stopping : failed)
      this.#beginNext()
      this.#lookIdle()
    })
  }

  #reply({ endpoint, reply }: Pick<Waiting, "endpoint" | "reply">, answer: VerbReply): void {
    if (answer._tag === "Refusal") {
      endpoint.errors += 1
      endpoint.lastError = sayCode(answer.code)
    }
    this.#replies.send(reply, answer)
  }
}

/** So many requests are answered at once, and so many wait, with so many bytes of all of them. */
const atWorkMax = 32
const waitingMax = 1_024
const waitingBytesMax = 8_388_608

/** An answer may take so long, and so long is waited for those that are at work when it is closed. */
const answerWaitMax = "20 seconds"
const closingWaitMax = "2 seconds"

const unavailable = (message: string): VerbReply => ({ _tag: "Refusal", code: 503, message })

const tooMany = unavailable("more is asked than can be answered: ask again a little later")
const tooLong = unavailable(
  "the answer took too long and was given up; of an answer to an ask, look whether it is there"
)
const failed = unavailable("the provisioner could not answer, by a fault of its own")
const stopping = unavailable("this instance stops answering: ask again, and whoever holds the seat answers")
