/**
 * Requests and writes, many at once: one subscription hears all answers, each is waited for so long and no longer, and
 * what the server refuses on its own (a denied publish has no answer) fails the request that it was of.
 *
 * The client's own `request` is not used: it reads an answer's headers where nothing catches what they throw, and one
 * stored message with a header that is none then leaves the whole connection deaf.
 */
import { createInbox, type Msg, type MsgHdrs, type Subscription } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Connection, News } from "./Connection.ts"
import { isOversized, type Trouble } from "./NatsErrors.ts"
import type { Settings } from "./Settings.ts"

/** A message that is sent to be answered. */
export interface Question {
  readonly subject: string
  readonly payload?: Uint8Array | string
  readonly headers?: MsgHdrs
  /** How long the answer may take; the settings say, where it is left out. */
  readonly millisMax?: number
}

/** The answer to a question, or why there is none. */
export type Answer = Result.Result<Msg, Trouble>

interface Pending {
  readonly subject: string
  /** Until when it is waited for; none where a timer of its own says that. */
  readonly untilMillis: number | undefined
  readonly timer: NodeJS.Timeout | undefined
  readonly answered: (answer: Answer) => void
}

/** The requests of a connection. */
export class Requests {
  readonly #connection: Connection
  readonly #settings: Settings
  readonly #inbox: string
  /** What waits for its answer, in the order in which it was sent. */
  readonly #pending = new Map<string, Pending>()
  #answers: Subscription | undefined
  #silence: NodeJS.Timeout | undefined
  #count = 0

  private constructor(connection: Connection, settings: Settings) {
    this.#connection = connection
    this.#settings = settings
    this.#inbox = createInbox(settings.inboxPrefix)
  }

  /** The requests of a connection, until the scope closes: those that wait then are not answered any more. */
  static readonly make = (
    connection: Connection,
    settings: Settings
  ): Effect.Effect<Requests, never, Scope.Scope> =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const requests = new Requests(connection, settings)
          return { requests, stop: connection.listen((news) => requests.#hear(news)) }
        }),
        ({ requests, stop }) =>
          Effect.sync(() => {
            stop()
            requests.#answers?.unsubscribe()
            requests.#failAll(silent)
            clearTimeout(requests.#silence)
          })
      ),
      ({ requests }) => requests
    )

  /**
   * Asks, and waits for the one answer. The question is made in the moment in which it is sent, and nothing is sent later:
   * where there is no connection, it is `Down`.
   */
  ask(make: () => Question): Effect.Effect<Msg, Trouble> {
    return Effect.callback<Msg, Trouble>((resume) => {
      const token = this.askNow(make(), (answer) => resume(Effect.fromResult(answer)))
      return Effect.sync(() => this.#forget(token))
    })
  }

  /** Asks now, and tells the one answer, perhaps before it returns. Gives what the question is known by here. */
  askNow(question: Question, answered: (answer: Answer) => void): string {
    const token = (this.#count += 1).toString(36)
    const trouble = this.#send(question, token)
    if (trouble !== undefined) {
      answered(Result.fail(trouble))
      return token
    }
    const { millisMax } = question
    this.#pending.set(token, {
      subject: question.subject,
      untilMillis: millisMax === undefined ? performance.now() + this.#settings.answerMillisMax : undefined,
      timer: millisMax === undefined ? undefined : setTimeout(() => this.#giveUp(token), millisMax),
      answered
    })
    this.#watchSilence()
    return token
  }

  // Most are waited for equally long, and so the first that is not answered is the first whose time is up: one timer does
  // for all of them.
  #watchSilence(): void {
    this.#silence ??= setTimeout(() => {
      this.#silence = undefined
      const now = performance.now()
      for (const [token, { untilMillis = Number.POSITIVE_INFINITY }] of this.#pending) {
        if (untilMillis <= now) {
          this.#giveUp(token)
        } else if (untilMillis < Number.POSITIVE_INFINITY) {
          break
        }
      }
      if (this.#pending.size > 0) {
        this.#watchSilence()
      }
    }, Math.ceil(this.#settings.answerMillisMax / silenceLooks))
  }

  // What has come while this process was busy is looked at before it counts as silence.
  #giveUp(token: string): void {
    setImmediate(() => this.#settle(token, silent))
  }

  /** Asks, as soon as there is a connection. Only for what can be asked twice: reading. */
  askWhenUp(question: Question): Effect.Effect<Msg, Trouble> {
    return Effect.andThen(this.#whenUp, this.ask(() => question))
  }

  readonly #whenUp: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.#connection.isUp) {
      resume(Effect.void)
      return
    }
    const timer = setTimeout(() => proceed(), this.#settings.answerMillisMax)
    const forget = this.#connection.listen(({ _tag }) => {
      if (_tag === "Up") {
        proceed()
      }
      return false
    })
    const stop = () => {
      clearTimeout(timer)
      forget()
    }
    const proceed = () => {
      stop()
      resume(Effect.void)
    }
    return Effect.sync(stop)
  })

  #send({ headers, payload, subject }: Question, token: string): Trouble | undefined {
    if (!this.#connection.isUp) {
      return { _tag: "Down" }
    }
    try {
      this.#answers ??= this.#connection.client.subscribe(`${this.#inbox}.*`, {
        callback: (error, answer) => this.#take(error, answer)
      })
      this.#connection.client.publish(subject, payload, {
        reply: `${this.#inbox}.${token}`,
        ...(headers === undefined ? {} : { headers })
      })
      return undefined
    } catch (error) {
      return { _tag: isOversized(error) ? "Oversized" : "Down" }
    }
  }

  // Nothing may be thrown here: the client reads no further after that.
  #take(error: Error | null, answer: Msg): void {
    if (error === null) {
      const token = answer.subject.slice(this.#inbox.length + 1)
      this.#settle(token, isNobody(answer) ? nobody : Result.succeed(answer))
    }
  }

  #hear(news: News): boolean {
    switch (news._tag) {
      case "Up":
        return false
      case "Down":
        this.#failAll(silent)
        return false
      case "Denied":
        return this.#deny(news)
    }
  }

  // The server refuses in the order of sending, and names the subject alone.
  #deny(denied: Trouble & { readonly _tag: "Denied" }): boolean {
    if (denied.operation === "subscription") {
      if (denied.subject === `${this.#inbox}.*`) {
        this.#answers = undefined
        this.#failAll(Result.fail(denied))
      }
      return false
    }
    for (const [token, { subject }] of this.#pending) {
      if (subject === denied.subject) {
        this.#settle(token, Result.fail(denied))
        return true
      }
    }
    return false
  }

  #failAll(answer: Answer): void {
    for (const token of this.#pending.keys()) {
      this.#settle(token, answer)
    }
  }

  #settle(token: string, answer: Answer): void {
    const pending = this.#pending.get(token)
    this.#forget(token)
    pending?.answered(answer)
  }

  #forget(token: string): void {
    clearTimeout(this.#pending.get(token)?.timer)
    this.#pending.delete(token)
  }
}

/** How often within the time that an answer may take it is looked whether it has passed. */
const silenceLooks = 10

const silent: Answer = Result.fail({ _tag: "Silent" })
const nobody: Answer = Result.fail({ _tag: "Nobody" })

const isNobody = (answer: Msg): boolean => answer.data.length === 0 && headersOf(answer)?.code === 503

/** A message's headers, where it has some that can be read: those of strangers need not be. */
export const headersOf = (message: Msg): MsgHdrs | undefined => {
  try {
    return message.headers
  } catch {
    return undefined
  }
}
