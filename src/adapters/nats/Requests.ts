/**
 * Requests and writes, many at once: one subscription hears all answers, each is waited for so long and no longer, and
 * what the server refuses on its own (a denied publish has no answer) fails the request that it was of.
 *
 * The client's own `request` is not used: it reads an answer's headers where nothing catches what they throw, and one
 * stored message with a header that is none then leaves the whole connection deaf.
 */
import { createInbox, type Msg, type MsgHdrs, type Subscription } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
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

interface Pending {
  readonly subject: string
  readonly timer: NodeJS.Timeout
  readonly resume: (answer: Effect.Effect<Msg, Trouble>) => void
}

/** The requests of a connection. */
export class Requests {
  readonly #connection: Connection
  readonly #settings: Settings
  readonly #inbox: string
  /** What waits for its answer, in the order in which it was sent. */
  readonly #pending = new Map<string, Pending>()
  #answers: Subscription | undefined
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
            requests.#failAll({ _tag: "Silent" })
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
      const question = make()
      const token = (this.#count += 1).toString(36)
      const trouble = this.#send(question, token)
      if (trouble !== undefined) {
        resume(Effect.fail(trouble))
        return
      }
      // What has come while this process was busy is looked at before it counts as silence.
      const timer = setTimeout(
        () => setImmediate(() => this.#settle(token, Effect.fail({ _tag: "Silent" }))),
        question.millisMax ?? this.#settings.answerMillisMax
      )
      this.#pending.set(token, { subject: question.subject, timer, resume })
      return Effect.sync(() => this.#forget(token))
    })
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
      this.#settle(token, isNobody(answer) ? Effect.fail({ _tag: "Nobody" }) : Effect.succeed(answer))
    }
  }

  #hear(news: News): boolean {
    switch (news._tag) {
      case "Up":
        return false
      case "Down":
        this.#failAll({ _tag: "Silent" })
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
        this.#failAll(denied)
      }
      return false
    }
    for (const [token, { subject }] of this.#pending) {
      if (subject === denied.subject) {
        this.#settle(token, Effect.fail(denied))
        return true
      }
    }
    return false
  }

  #failAll(trouble: Trouble): void {
    for (const token of this.#pending.keys()) {
      this.#settle(token, Effect.fail(trouble))
    }
  }

  #settle(token: string, answer: Effect.Effect<Msg, Trouble>): void {
    const pending = this.#pending.get(token)
    this.#forget(token)
    pending?.resume(answer)
  }

  #forget(token: string): void {
    clearTimeout(this.#pending.get(token)?.timer)
    this.#pending.delete(token)
  }
}

const isNobody = (answer: Msg): boolean => answer.data.length === 0 && headersOf(answer)?.code === 503

/** A message's headers, where it has some that can be read: those of strangers need not be. */
export const headersOf = (message: Msg): MsgHdrs | undefined => {
  try {
    return message.headers
  } catch {
    return undefined
  }
}
