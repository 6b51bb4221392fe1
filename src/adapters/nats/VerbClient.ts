/**
 * The verbs of protocol §8, asked over NATS of whoever holds the seat; and, for who follows what they answer, the notices
 * that something was written.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { ExplainReply } from "../../core/Explain.ts"
import type { Json } from "../../core/Json.ts"
import { writeToken } from "../../core/Name.ts"
import type { QueryEntry, QueryReply } from "../../core/Query.ts"
import type { WhatIfReply } from "../../core/WhatIf.ts"
import type { VerbName } from "../../ports/VerbServer.ts"
import { connect, type Connection } from "./Connection.ts"
import { copyOf } from "./Frame.ts"
import { keyPrefixOf } from "./JetStream.ts"
import type { NatsConnectError } from "./NatsConnectError.ts"
import type { Trouble } from "./NatsErrors.ts"
import { Requests } from "./Requests.ts"
import { type NatsSettings, type Settings, settingsOf } from "./Settings.ts"
import { subjectOf, VerbCallError, type VerbCallReason } from "./VerbCallError.ts"
import { readAnswer, readExplanation, readPage, readRetired, readWouldChange, type Retired } from "./VerbReply.ts"

/** A request of a verb, as JSON. */
export type VerbRequest = { readonly [field: string]: Json }

/**
 * What whoever follows a bucket is told: something was `Written` there, by the bytes that it holds now; or there was no
 * connection for a while, and nobody knows what was missed (`Again`).
 */
export type Notice = { readonly _tag: "Written"; readonly value: Uint8Array } | { readonly _tag: "Again" }

/** The verbs, on a connection of their own. Nothing is asked of JetStream: an account need not have it. */
export class VerbClient {
  readonly #connection: Connection
  readonly #requests: Requests
  readonly #settings: Settings

  private constructor(connection: Connection, requests: Requests, settings: Settings) {
    this.#connection = connection
    this.#requests = requests
    this.#settings = settings
  }

  /** Connects, until the scope closes. Fails where no connection was made. */
  static readonly make = Effect.fnUntraced(function*(
    options: NatsSettings
  ): Effect.fn.Return<VerbClient, NatsConnectError, Scope.Scope> {
    const settings = settingsOf(options)
    const connection = yield* connect(options)
    return new VerbClient(connection, yield* Requests.make(connection, settings), settings)
  })

  /** Asks `mesh-provisioner.provisioning`, and for every page that follows: all of it in one. */
  readonly provisioning = Effect.fnUntraced({ self: this }, function*(
    request: VerbRequest
  ): Effect.fn.Return<QueryReply, VerbCallError> {
    const all: Array<QueryReply> = []
    let after: string | undefined
    do {
      const page: QueryReply = yield* this.#ask(
        "provisioning",
        { ...request, ...(after === undefined ? {} : { after }) },
        readPage
      )
      // Whoever answers must come to an end.
      if (all.length === pagesMax || (page.next !== undefined && page.next === after)) {
        return yield* fail("provisioning", { _tag: "Unreadable" })
      }
      all.push(page)
      after = page.next
    } while (after !== undefined)
    return inOne(all)
  })

  /** Asks `mesh-provisioner.explain`. */
  readonly explain = (request: VerbRequest): Effect.Effect<ExplainReply, VerbCallError> =>
    this.#ask("explain", request, readExplanation)

  /** Asks `mesh-provisioner.retire`. Where it fails with `Silent`, it may have been done. */
  readonly retire = (request: VerbRequest): Effect.Effect<Retired, VerbCallError> =>
    this.#ask("retire", request, readRetired)

  /** Asks `mesh-provisioner.what-if`: what a change of facts would change. */
  readonly whatIf = (request: VerbRequest): Effect.Effect<WhatIfReply, VerbCallError> =>
    this.#ask("what-if", request, readWouldChange)

  /**
   * Tells of each write into a bucket, where `node` is given of its keys alone (those that begin with it), until the scope
   * closes; of those that wait to be taken, the last few alone. The queue
   * fails with `Denied` where this account may not hear of them. An account that is let in and hears nothing is not told so.
   */
  readonly notices = (
    bucket: string,
    node?: string
  ): Effect.Effect<Queue.Dequeue<Notice, VerbCallError>, never, Scope.Scope> =>
    Effect.gen({ self: this }, function*() {
      const notices = yield* Effect.acquireRelease(
        Queue.sliding<Notice, VerbCallError>(noticesWaitingMax),
        Queue.shutdown
      )
      const keys = node === undefined ? ">" : `${writeToken(node)}.>`
      const subject = `${this.#settings.keyPrefix}${keyPrefixOf(bucket)}${keys}`
      yield* Effect.acquireRelease(Effect.sync(() => this.#listen(subject, notices)), (stop) => Effect.sync(stop))
      return Queue.asDequeue(notices)
    })

  /** Tells each time that the connection was lost and is back, until the scope closes. */
  readonly returns: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope> = Effect.gen({ self: this }, function*() {
    const returns = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
    const hear = () =>
      this.#connection.listen(({ _tag }) => {
        if (_tag === "Up") {
          Queue.offerUnsafe(returns, undefined)
        }
        return false
      })
    yield* Effect.acquireRelease(Effect.sync(hear), (forget) => Effect.sync(forget))
    return Queue.asDequeue(returns)
  })

  #listen(subject: string, notices: Queue.Queue<Notice, VerbCallError>): () => void {
    const client = this.#connection.client
    const subscription = client.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) {
          Queue.offerUnsafe(notices, { _tag: "Written", value: copyOf(message.data) })
        }
      }
    })
    const forget = this.#connection.listen((news) => {
      if (news._tag === "Up") {
        Queue.offerUnsafe(notices, { _tag: "Again" })
      }
      const isDenied = news._tag === "Denied" && news.operation === "subscription" && news.subject === subject
      if (isDenied) {
        Queue.failCauseUnsafe(notices, Cause.fail(errorOf("provisioning", { _tag: "Denied" })))
      }
      return isDenied
    })
    return () => {
      forget()
      subscription.unsubscribe()
    }
  }

  #ask<A>(verb: VerbName, request: VerbRequest, read: (json: Json) => A | undefined): Effect.Effect<A, VerbCallError> {
    const question = { subject: subjectOf(verb), payload: JSON.stringify(request) }
    // What may be done twice may wait for a connection; an answer is given now, or not at all.
    const asked = verb === "retire" ? this.#requests.ask(() => question) : this.#requests.askWhenUp(question)
    return asked.pipe(
      Effect.mapError(reasonOf),
      Effect.flatMap((message) => Effect.fromResult(readAnswer(message))),
      Effect.flatMap((json) => {
        const answer = read(json)
        return answer === undefined ? Effect.fail<VerbCallReason>({ _tag: "Unreadable" }) : Effect.succeed(answer)
      }),
      Effect.mapError((reason) => errorOf(verb, reason))
    )
  }
}

/** More pages than this are no listing of a mesh: ten million entries. */
const pagesMax = 10_000

const noticesWaitingMax = 16

const errorOf = (verb: VerbName, reason: VerbCallReason): VerbCallError => new VerbCallError({ verb, reason })

const fail = (verb: VerbName, reason: VerbCallReason): Effect.Effect<never, VerbCallError> =>
  Effect.fail(errorOf(verb, reason))

const reasonOf = (trouble: Trouble): VerbCallReason => {
  switch (trouble._tag) {
    case "Nobody":
    case "Silent":
      return { _tag: trouble._tag }
    case "Denied":
      return { _tag: trouble.operation === "publish" ? "Denied" : "Deaf" }
    case "Down":
      return { _tag: "Unreachable" }
    case "Oversized":
      return { _tag: "TooLarge" }
    case "Api":
    case "Unreadable":
      return { _tag: "Unreadable" }
  }
}

const inOne = (pages: ReadonlyArray<QueryReply>): QueryReply => {
  const [first] = pages
  const entries: ReadonlyArray<QueryEntry> = pages.flatMap((page) => page.entries)
  return {
    what: first?.what ?? "registry",
    entries,
    outOfShape: pages.flatMap(({ outOfShape }) => outOfShape),
    ...(first?.conflicts === undefined ? {} : { conflicts: pages.flatMap(({ conflicts = [] }) => conflicts) })
  }
}
