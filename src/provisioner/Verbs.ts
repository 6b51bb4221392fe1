/**
 * The verbs of protocol §8, on the bus: their pure halves are the core's; here is what they need of the bus.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { bucketName } from "../core/BucketName.ts"
import type { Caller } from "../core/Caller.ts"
import { explain, type ExplainReply } from "../core/Explain.ts"
import { isJsonObject, type Json } from "../core/Json.ts"
import { replyBytesMax } from "../core/Limits.ts"
import { query, type QueryReply } from "../core/Query.ts"
import { queryWhat } from "../core/QueryWhat.ts"
import { retire, type RetireReply } from "../core/Retire.ts"
import { writeUtf8 } from "../core/Utf8.ts"
import type { VerbError, VerbSource } from "../core/Verb.ts"
import { fitted, readWhatIf, type WhatIfReply } from "../core/WhatIf.ts"
import type { Bus } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import { type Histories, historiesOf } from "./Histories.ts"
import type { Loop } from "./Loop.ts"
import { lineOf, notesOf, shown } from "./Words.ts"

/** Why a request is not answered: what the core refuses, and 503 while nothing can be answered (protocol §8). */
export interface Refusal {
  readonly code: VerbError["code"] | 503
  readonly message: string
}

/** Who asks, and what a reply may be. */
export interface ReplyOptions {
  /** Who asks, where the bus says so; it narrows what is answered. */
  readonly caller?: Caller
  /** The bytes that a reply may have, as JSON; NATS' own default where left out. */
  readonly replyBytesMax?: number
}

/** What the verb `retire` answers: the ask's key, and the answer as it was written. */
export interface Retired {
  readonly key: string
  readonly value: Json
}

/** The verbs of protocol §8. A request is decoded JSON, `{}` where it was empty. */
export interface Verbs {
  /** `mesh-provisioner.provisioning`. Fails with 400, or 503 before everything was read once, or where the bus lost the history. */
  readonly provisioning: (request: unknown, options?: ReplyOptions) => Effect.Effect<QueryReply, Refusal>

  /** `mesh-provisioner.explain`. Fails with 400, 404, or 503 before everything was read once. */
  readonly explain: (request: unknown, options?: ReplyOptions) => Effect.Effect<ExplainReply, Refusal>

  /**
   * `mesh-provisioner.retire`: writes the answer by compare-and-set.
   *
   * Fails with 400, 404, 409, or 503 where nothing may be written now, or the bus did not take it.
   */
  readonly retire: (request: unknown, options?: ReplyOptions) => Effect.Effect<Retired, Refusal>

  /**
   * `mesh-provisioner.what-if`, beside the three of the protocol: what a change of facts would change. It writes nothing.
   *
   * Fails with 400, 409 where it would be more than is decided at once, or 503 before everything was read once, or while the
   * provisioner is at many changes.
   */
  readonly whatIf: (request: unknown, options?: ReplyOptions) => Effect.Effect<WhatIfReply, Refusal>
}

/** The verbs of a loop. */
export const verbsOf = (bus: Bus["Service"], loop: Loop, conflictTriesMax: number): Verbs => {
  const source = Effect.suspend(() =>
    loop.source === undefined ? Effect.fail(notNow(loop.health.sentence)) : Effect.succeed(loop.source)
  )
  // Operators who answer at once are answered one after the other.
  const oneByOne = Semaphore.makeUnsafe(1)
  const historiesOn = historiesOf(bus)
  return {
    provisioning: (request, options = {}) =>
      Effect.flatMap(source, (source) => provisioning(historiesOn, source, request, options)),
    explain: (request, options = {}) =>
      Effect.flatMap(source, (source) => Effect.fromResult(explain(source, request, options))),
    retire: Effect.fnUntraced(function*(request, options = {}) {
      const { sentence, state } = loop.health
      if (state !== "live") {
        return yield* Effect.fail(notNow(sentence))
      }
      const { write } = yield* answer(bus, source, request, options).pipe(
        Effect.retry({ while: ({ code }) => code === "Conflict", times: conflictTriesMax - 1 }),
        Effect.mapError(({ code, message }): Refusal => ({ code: code === "Conflict" ? 409 : code, message })),
        oneByOne.withPermit
      )
      yield* Effect.annotateLogs(Effect.logInfo(lineOf(notesOf(write))), { ...notesOf(write) })
      return { key: write.key, value: write.value }
    }),
    whatIf: Effect.fnUntraced(function*(request, options = {}) {
      yield* source
      const changes = yield* Effect.fromResult(readWhatIf(request, options))
      for (let tries = 0; tries < whatIfTriesMax; tries++) {
        const tried = loop.whatIf(changes)
        if (tried !== "busy") {
          return fitted(yield* Effect.fromResult(tried), options.replyBytesMax ?? replyBytesMax)
        }
        yield* Effect.sleep(whatIfEveryMillis)
      }
      const { lost, sentence } = loop.health
      return yield* Effect.fail(notNow(lost.length > 0 ? sentence : atChanges))
    })
  }
}

/** What is asked while many changes are worked off waits for them, a second at most. */
const whatIfTriesMax = 100
const whatIfEveryMillis = 10

const atChanges = "the provisioner is at many changes: ask again"

const lookingForSeat = "the provisioner looks who holds the seat now, and nothing is written meanwhile: ask again"

const writtenByOthers = "is written by another again and again: look what it is now, and answer anew"

const notNow = (message: string): Refusal => ({ code: 503, message })

const sayBusError = ({ message }: BusError): Refusal => notNow(message)

// --- history -------------------------------------------------------------------------------------------------------

/** The page first without what was earlier, so that only what is on it is asked of the bus. */
const provisioning = Effect.fnUntraced(function*(
  historiesOn: Histories,
  source: VerbSource,
  request: unknown,
  options: ReplyOptions
): Effect.fn.Return<QueryReply, Refusal> {
  const { page, request: asked } = yield* pageInPieces(source, request, options)
  if (!isJsonObject(request) || request["history"] !== true) {
    return page
  }
  const bucket = bucketName[page.what]
  const histories = yield* Effect.mapError(
    historiesOn(bucket, page.entries, options.replyBytesMax ?? replyBytesMax),
    sayBusError
  )
  return yield* Effect.fromResult(
    query(source, asked, { ...options, looksMax: keysLookedAtOnceMax, history: (_bucket, key) => histories.get(key) })
  )
})

/** The first page that has entries, or the last: what is looked through for it is looked through some at a time. */
const pageInPieces = Effect.fnUntraced(function*(
  source: VerbSource,
  request: unknown,
  options: ReplyOptions
): Effect.fn.Return<{ readonly page: QueryReply; readonly request: unknown }, Refusal> {
  const asked = isJsonObject(request) ? request : {}
  const order = source.order?.(queryWhat.find((what) => what === asked["what"]) ?? "registry")
  while (order?.fill(keysFilledAtOnceMax) === false) {
    yield* Effect.sleep(0)
  }
  let further: unknown = request
  while (true) {
    const page = yield* Effect.fromResult(query(source, further, { ...options, looksMax: keysLookedAtOnceMax }))
    if (page.entries.length > 0 || page.outOfShape.length > 0 || page.next === undefined) {
      return { page, request: further }
    }
    further = { ...asked, after: page.next }
    yield* Effect.sleep(0)
  }
})

/** So many keys are brought in order, or looked at, within some 10 ms: others are answered in between. */
const keysFilledAtOnceMax = 5_000
const keysLookedAtOnceMax = 10_000

// --- an answer -----------------------------------------------------------------------------------------------------

interface AnswerError {
  readonly code: Refusal["code"] | "Conflict"
  readonly message: string
}

/** One try to write an operator's answer, upon what the bus holds now. */
const answer = Effect.fnUntraced(function*(
  bus: Bus["Service"],
  source: Effect.Effect<VerbSource, Refusal>,
  request: unknown,
  options: ReplyOptions
): Effect.fn.Return<RetireReply, AnswerError> {
  const reply = yield* Effect.fromResult(retire(yield* source, request, options))
  const { bucket, key, value } = reply.write
  const bytes = writeUtf8(JSON.stringify(value))
  yield* bus.get(bucket, key).pipe(
    Effect.flatMap(Option.match({
      onNone: () => bus.create(bucket, key, bytes),
      onSome: ({ revision }) => bus.update(bucket, key, bytes, revision)
    })),
    Effect.mapError((error): AnswerError =>
      error.reason._tag === "Conflict"
        ? { code: "Conflict", message: `the answer to ${shown(key)} ${writtenByOthers}` }
        : { code: 503, message: error.reason._tag === "Fenced" ? lookingForSeat : error.message }
    )
  )
  return reply
})
