/**
 * The verbs as a NATS micro service (protocol §8): the port {@link VerbServer} on a connection. NATS' own tools find it,
 * and what they are told is written here by hand (docs/decisions/micro-service.md).
 *
 * A message's headers are never looked at: the client throws at those that are none.
 */
import type { Msg, Subscription } from "@nats-io/transport-node"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { VerbServer, VerbServerError } from "../../ports/VerbServer.ts"
import type { Connection, News } from "./Connection.ts"
import { Desk } from "./NatsVerbsDesk.ts"
import { discovery, endpointsOf } from "./NatsVerbsMicro.ts"
import { isAnswerable, Replies } from "./NatsVerbsReplies.ts"
import type { Settings } from "./Settings.ts"

/** The port on a connection. */
export const verbServerOn = (connection: Connection, settings: Settings): VerbServer["Service"] =>
  VerbServer.of({
    serve: Effect.fnUntraced(function*(answer): Effect.fn.Return<void, VerbServerError, Scope.Scope> {
      const context = yield* Effect.context<never>()
      const started = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
      const identity = { id: crypto.randomUUID().replaceAll("-", ""), version: packageVersion(), started }
      const endpoints = endpointsOf()
      const replies = new Replies(connection)
      const desk = yield* Effect.acquireRelease(
        Effect.sync(() => new Desk(answer, replies, context)),
        (desk) => Effect.andThen(desk.close, flushed(connection, "500 millis"))
      )
      yield* sayUnsent(connection, replies)
      yield* listen(connection, settings, [
        ...endpoints.map((endpoint) => ({
          subject: endpoint.subject,
          take: (message: Msg) => desk.take(endpoint, message)
        })),
        ...discovery(identity, endpoints).map(({ json, subject }) => ({
          subject,
          take: ({ reply }: Msg) => isAnswerable(reply) ? replies.publish(reply, json()) : undefined
        }))
      ])
    })
  })

interface Listener {
  readonly subject: string
  /** May throw nothing: the client reads no further after that. */
  readonly take: (message: Msg) => void
}

/** Listens until the scope closes, and through every reconnection; once this returns, the server has taken it all. */
const listen = Effect.fnUntraced(function*(
  connection: Connection,
  { answerMillisMax }: Settings,
  listeners: ReadonlyArray<Listener>
): Effect.fn.Return<void, VerbServerError, Scope.Scope> {
  const [{ subject } = { subject: "" }] = listeners
  if (!connection.isUp) {
    return yield* new VerbServerError({ reason: "unreachable", subject })
  }
  const ears = yield* Effect.acquireRelease(
    Effect.sync(() => new Ears(connection, listeners)),
    (ears) => ears.close
  )
  const isHeard = yield* flushed(connection, answerMillisMax)
  const [refused] = ears.refused
  if (refused !== undefined || !isHeard) {
    return yield* new VerbServerError({
      reason: refused === undefined ? "unreachable" : "refused",
      subject: refused ?? subject
    })
  }
})

/** Subscriptions that the client keeps up, but for those that a server refuses: these are tried again on the next one. */
class Ears {
  readonly #connection: Connection
  readonly #listeners: ReadonlyArray<Listener>
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #forget: () => void
  /** The subjects that were refused. */
  readonly refused = new Set<string>()

  constructor(connection: Connection, listeners: ReadonlyArray<Listener>) {
    this.#connection = connection
    this.#listeners = listeners
    this.#subscribe()
    this.#forget = connection.listen((news) => this.#hear(news))
  }

  /** Hears no more, once all that the server had sent before is heard; not for long, where the connection is lost. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#forget()
    const subscriptions = [...this.#subscriptions.values()]
    return Effect.tryPromise(() => Promise.all(subscriptions.map((subscription) => subscription.drain()))).pipe(
      Effect.timeout("500 millis"),
      Effect.ignore,
      Effect.andThen(Effect.sync(() => {
        for (const subscription of subscriptions) {
          subscription.unsubscribe()
        }
      }))
    )
  })

  #subscribe(): void {
    for (const { subject, take } of this.#listeners) {
      if (!this.#subscriptions.has(subject) && !this.#connection.client.isClosed()) {
        const subscription = this.#connection.client.subscribe(subject, {
          callback: (error, message) => error === null ? take(message) : this.#lose(subject)
        })
        this.#subscriptions.set(subject, subscription)
      }
    }
  }

  // The client has ended the subscription by itself.
  #lose(subject: string): void {
    this.#subscriptions.delete(subject)
    this.refused.add(subject)
  }

  #hear({ _tag }: News): boolean {
    if (_tag === "Up") {
      this.refused.clear()
      this.#subscribe()
    }
    return false
  }
}

/** Says, once, that replies are not sent because this account may not: who asks chooses where. */
const sayUnsent = Effect.fnUntraced(function*(connection: Connection, replies: Replies) {
  const context = yield* Effect.context<never>()
  let isSaid = false
  const hear = (news: News): boolean => {
    if (news._tag !== "Denied" || news.operation !== "publish" || !replies.isOf(news.subject)) {
      return false
    }
    if (!isSaid) {
      Effect.runForkWith(context)(Effect.logWarning(
        "A verb was asked whose reply this account may not send: where it is awaited is not among the subjects that it " +
          "may publish to. Grant it the inboxes of those who ask (allow_responses does)."
      ))
    }
    isSaid = true
    return true
  }
  yield* Effect.acquireRelease(Effect.sync(() => connection.listen(hear)), (forget) => Effect.sync(forget))
})

/** Whether all that was sent has reached the server, in so long. */
const flushed = (connection: Connection, wait: number | "500 millis"): Effect.Effect<boolean> =>
  connection.isUp
    ? Effect.tryPromise(() => connection.client.flush()).pipe(
      Effect.as(true),
      Effect.timeoutOrElse({ duration: wait, orElse: () => Effect.succeed(false) }),
      Effect.orElseSucceed(() => false)
    )
    : Effect.succeed(false)

// The package knows itself by its name, however deep in it this runs.
const packageVersion = (): string => {
  try {
    const path = createRequire(import.meta.url).resolve("mesh-provisioner/package.json")
    const { version }: { readonly version?: unknown } = JSON.parse(readFileSync(path, "utf8"))
    return typeof version === "string" ? version : unknownVersion
  } catch {
    return unknownVersion
  }
}

const unknownVersion = "0.0.0"
