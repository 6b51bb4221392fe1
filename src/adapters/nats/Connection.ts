/**
 * One connection to NATS, kept up for ever: lost, it is tried again with growing waits; a server that has frozen is
 * noticed in 6 s. What the client says of it is read here and told on: that it is lost and back, and that the server
 * refused something. Each trouble is logged once.
 */
import { connect as connectClient, type NatsConnection, type Status } from "@nats-io/transport-node"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { authenticatorOf } from "./Authenticator.ts"
import type { NatsConnectError } from "./NatsConnectError.ts"
import { connectError, denialOf, type Denied, sayable } from "./NatsErrors.ts"
import { readServers, type Servers } from "./Servers.ts"
import type { NatsSettings } from "./Settings.ts"
import { tlsOf } from "./Tls.ts"

/** What a connection tells: that it is lost, that it is back, and that the server refused something. */
export type News = { readonly _tag: "Down" } | { readonly _tag: "Up" } | Denied

/** Takes news in; gives true where a refusal was of something that it waits for, and will say itself. */
export type Listener = (news: News) => boolean

/** A connection, and who listens to what becomes of it. */
export class Connection {
  readonly client: NatsConnection
  /** Whether there is one now. What is sent while there is none is never sent later. */
  isUp = true
  /** How often it was made anew. */
  reconnects = 0
  readonly #listeners = new Set<Listener>()
  readonly #said = new Set<string>()

  constructor(client: NatsConnection) {
    this.client = client
  }

  /** Tells the listener all news from now on. Gives what ends that. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether words are to be said: they were not since the connection was last made. */
  isNew(words: string): boolean {
    const isNew = !this.#said.has(words) && this.#said.size < saidMax
    this.#said.add(words)
    return isNew
  }

  /** It is lost; gives whether it was not already. */
  goDown(): boolean {
    const wasUp = this.isUp
    this.isUp = false
    if (wasUp) {
      this.tell({ _tag: "Down" })
    }
    return wasUp
  }

  /** It is back; gives whether it was not already. */
  comeUp(): boolean {
    const wasDown = !this.isUp
    this.isUp = true
    if (wasDown) {
      this.reconnects += 1
      this.#said.clear()
      this.tell({ _tag: "Up" })
    }
    return wasDown
  }

  /** Tells everyone. Gives whether anyone will say it. */
  tell(news: News): boolean {
    let isTaken = false
    for (const listener of this.#listeners) {
      isTaken = listener(news) || isTaken
    }
    return isTaken
  }
}

/**
 * Connects, and keeps connected until the scope closes.
 *
 * Fails where a setting cannot be used, where a server does not let this user in, and where none answers for
 * `connectFor`.
 */
export const connect = Effect.fnUntraced(function*(
  settings: NatsSettings
): Effect.fn.Return<Connection, NatsConnectError, Scope.Scope> {
  const servers = yield* Effect.fromResult(readServers(settings.servers ?? ["127.0.0.1:4222"]))
  const credentials = settings.credentials ?? servers.credentials
  const authenticator = credentials === undefined ? undefined : yield* authenticatorOf(credentials)
  const tls = yield* tlsOf(settings.tls, servers)
  const attempts = { count: 0 }
  const dial = dialOnce({
    ...fixedOptions,
    servers: [...servers.hostPorts],
    name: settings.name ?? "mesh-provisioner",
    reconnectDelayHandler: () => delayMillis(attempts.count),
    ...(settings.inboxPrefix === undefined ? {} : { inboxPrefix: settings.inboxPrefix }),
    ...(tls === undefined ? {} : { tls }),
    ...(authenticator === undefined ? {} : { authenticator })
  }, servers)
  const client = yield* Effect.acquireRelease(
    dialUntil(dial, settings.connectFor),
    (client) => Effect.promise(() => client.close()),
    { interruptible: true }
  )
  const connection = new Connection(client)
  yield* Effect.forkScoped(Stream.runForEach(
    Stream.fromAsyncIterable(client.status(), (error) => error),
    (status) => hear(connection, status, attempts)
  ))
  return connection
})

type ClientOptions = NonNullable<Parameters<typeof connectClient>[0]>

/** A server that says nothing is given up after three pings, 2 s apart; and one that is lost is looked for for ever. */
const fixedOptions = {
  pingInterval: 2_000,
  maxPingOut: 2,
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  noAsyncTraces: true,
  timeout: 5_000
} as const satisfies ClientOptions

// A client that was connected after all is closed where nobody waits for it any more.
const dialOnce = (options: ClientOptions, { hostPorts }: Servers): Effect.Effect<NatsConnection, NatsConnectError> =>
  Effect.callback<NatsConnection, NatsConnectError>((resume) => {
    let isWanted = true
    connectClient(options).then(
      (client) => isWanted ? resume(Effect.succeed(client)) : client.close(),
      (error: unknown) => resume(Effect.fail(connectError(error, hostPorts.join(", "))))
    )
    return Effect.sync(() => {
      isWanted = false
    })
  })

const isWorthRetrying = ({ reason }: NatsConnectError): boolean => reason === "unreachable" || reason === "silent"

const dialUntil = (
  dial: Effect.Effect<NatsConnection, NatsConnectError>,
  connectFor: Duration.Input | undefined
): Effect.Effect<NatsConnection, NatsConnectError> =>
  connectFor === undefined ? dial : Effect.suspend(() => {
    let isSaid = false
    const say = (error: NatsConnectError) => {
      const isNew = !isSaid && isWorthRetrying(error)
      isSaid ||= isNew
      return isNew ? Effect.logWarning(`${error.message} It is tried again.`) : Effect.void
    }
    return Effect.retry(Effect.tapError(dial, say), {
      while: isWorthRetrying,
      schedule: Schedule.spaced("1 second").pipe(Schedule.upTo({ duration: connectFor }))
    })
  })

/** The wait before an attempt: twice the last, to 5 s, each a little off, so that not all come back at once. */
const delayMillis = (attempt: number): number =>
  Math.min(5_000, 100 * 2 ** Math.min(attempt, 10)) * (0.75 + 0.5 * Math.random())

const hear = (connection: Connection, status: Status, attempts: { count: number }): Effect.Effect<void> => {
  switch (status.type) {
    // It is said of every attempt that fails, too, and of each of these again that the connection is back.
    case "disconnect":
      return connection.goDown()
        ? Effect.logWarning(
          `The connection to the NATS server at ${status.server} is lost. It is tried again for ever.`
        )
        : Effect.void
    case "reconnecting":
      attempts.count += 1
      return Effect.void
    case "reconnect":
      attempts.count = 0
      return connection.comeUp()
        ? Effect.logInfo(`Connected to the NATS server at ${status.server} again.`)
        : Effect.void
    case "error":
      return hearError(connection, status.error)
    default:
      return Effect.void
  }
}

const hearError = (connection: Connection, error: Error): Effect.Effect<void> => {
  const denial = denialOf(error)
  if (denial !== undefined && connection.tell(denial)) {
    return Effect.void
  }
  const words = denial === undefined
    ? `The NATS server says: ${sayable(error.message)}.`
    : `This account may not ${denial.operation === "publish" ? "publish" : "subscribe"} to ${sayable(denial.subject)}.`
  return connection.isNew(words) ? Effect.logWarning(words) : Effect.void
}

/** The most different words of trouble that are said of one connection before it is made anew. */
const saidMax = 100
