/**
 * Answers from the bus: whoever holds the provisioner's seat is asked, by the verbs of protocol §8. It is loaded only where
 * a command asks the bus.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { seatBucket } from "../adapters/nats/SeatBucket.ts"
import type { VerbCallError } from "../adapters/nats/VerbCallError.ts"
import { type Notice, VerbClient } from "../adapters/nats/VerbClient.ts"
import { decisionBuckets } from "../core/Bucket.ts"
import { bucketName } from "../core/BucketName.ts"
import { readJson } from "../core/Decode.ts"
import { type Json, member, textMember } from "../core/Json.ts"
import { readKey } from "../core/Key.ts"
import { type QueryReply } from "../core/Query.ts"
import { queryWhat } from "../core/QueryWhat.ts"
import type { Decided } from "./Changes.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import { settingsOf } from "./Connect.ts"
import { type Failure, failure } from "./Failure.ts"
import {
  type Answered,
  type AnswerToAsk,
  asksHint,
  type Following,
  plansHint,
  refused,
  type Request,
  snapshotHint,
  type Source
} from "./Source.ts"

/** Connects, until the scope closes, and gives the source that the bus is. */
export const busSource = Effect.fnUntraced(function*(
  connection: BusConfig
): Effect.fn.Return<Source, Failure, Scope.Scope> {
  const settings = yield* settingsOf(connection)
  const client = yield* Effect.mapError(VerbClient.make(settings), ({ message }) => failure(message))
  return {
    provisioning: (request) => Effect.mapError(client.provisioning(request), failureOf("")),
    explain: (request) => Effect.mapError(client.explain(request), failureOf(plansHint(request))),
    retire: (answer) => retireOn(client, answer),
    whatIf: (changes) =>
      Effect.mapError(
        client.whatIf({ changes: changes.map((change) => ({ ...change }) as Json) }),
        failureOf(snapshotHint)
      ),
    decided: decidedOn(client),
    follow: (request) => followOn(client, request)
  }
})

const failureOf = (hint: string) => ({ message, reason }: VerbCallError): Failure =>
  reason._tag === "Refused" ? refused(reason.code, reason.words, hint) : failure(message)

// --- retire ------------------------------------------------------------------------------------------------------

/** Gives an answer, and looks what comes of it: the provisioner decides anew once it has seen it on the bus. */
const retireOn = Effect.fnUntraced(function*(
  client: VerbClient,
  { answer, by, key, words }: AnswerToAsk
): Effect.fn.Return<Answered, Failure> {
  const request = { key, answer, ...(by === undefined ? {} : { by }), ...(words === undefined ? {} : { words }) }
  const { value } = yield* Effect.mapError(client.retire(request), failureOf(asksHint()))
  const wanted = answer === "keep" ? "kept" : "retire"
  let ask = yield* askOf(client, key)
  for (let looks = 1; ask !== undefined && ask.state !== wanted && looks < looksMax; looks++) {
    yield* Effect.sleep(lookEveryMillis)
    ask = yield* askOf(client, key)
  }
  return { by: textMember(value, "by") ?? by ?? "", writtenTo: "the bus", ask }
})

/** An answer is seen within some 10 ms; 3 s after it, the ask is as it will be. */
const looksMax = 30
const lookEveryMillis = 100

const askOf = Effect.fnUntraced(function*(client: VerbClient, key: string): Effect.fn.Return<Answered["ask"], Failure> {
  const names = Result.getOrUndefined(readKey(decisionBuckets.asks, key))
  const narrowed = names === undefined ? {} : { node: names.providerNode, module: names.module }
  const { entries } = yield* Effect.mapError(
    client.provisioning({ what: "asks", ...narrowed }),
    ({ message }) => failure(`The answer is written to the bus. What came of it is not known: ${message}`)
  )
  const value = valueAt(entries, key)
  return value === undefined
    ? undefined
    : { state: textMember(value, "state") ?? "", why: textMember(value, "why") ?? "" }
})

const valueAt = (entries: QueryReply["entries"], key: string): Json | undefined => {
  const entry = entries.find((one) => one.key === key)
  return entry && member(entry, "value")
}

// --- diff --------------------------------------------------------------------------------------------------------

const decisions = ["registry", "provisions", "asks", "plans"] as const

/** All that the provisioner has decided, as its verb lists it. */
const decidedOn = Effect.fnUntraced(function*(client: VerbClient): Effect.fn.Return<Decided, Failure> {
  const replies: Array<QueryReply> = []
  for (const what of decisions) {
    replies.push(yield* Effect.mapError(client.provisioning({ what }), failureOf("")))
  }
  const buckets = new Map<string, ReadonlyMap<string, Json>>()
  for (const { entries, what } of replies) {
    const values = new Map<string, Json>()
    for (const entry of entries) {
      const value = member(entry, "value")
      if (value === undefined) {
        return yield* failure(
          `${bucketName[what]} has ${entry.key}, which is too large for the bus to tell: it cannot be compared. ` +
            "Compare two files instead."
        )
      }
      values.set(entry.key, value)
    }
    buckets.set(bucketName[what], values)
  }
  // The registry's listing is that of every fact out of shape.
  const [registry] = replies
  return {
    buckets,
    answersToDelete: undefined,
    outOfShape: registry?.outOfShape ?? [],
    conflicts: registry?.conflicts ?? []
  }
})

// --- show --watch ------------------------------------------------------------------------------------------------

const followOn = Effect.fnUntraced(function*(
  client: VerbClient,
  request: Request
): Effect.fn.Return<Following, Failure, Scope.Scope> {
  const what = queryWhat.find((one) => one === request["what"]) ?? "registry"
  // A node's account is told of its own keys alone, and is let in for nothing wider.
  const hints = yield* client.notices(bucketName[what], textMember(request, "node"))
  const seat = yield* client.notices(seatBucket)
  const news = yield* Effect.acquireRelease(Queue.sliding<string>(newsWaitingMax), Queue.shutdown)
  const returns = yield* client.returns
  yield* Effect.forkScoped(Effect.ignore(tellHolders(seat, news)))
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Queue.take(returns), Queue.offer(news, "The connection to the bus is back.")))
  )
  return {
    hints,
    news,
    read: Effect.mapError(client.provisioning(request), ({ message, reason }) => ({
      // A connection that is lost says so itself.
      sentence: reason._tag === "Unreachable" ? undefined : message
    }))
  }
})

const newsWaitingMax = 16

/** Tells each holder of the seat but the first that is heard of. */
const tellHolders = Effect.fnUntraced(function*(
  seat: Queue.Dequeue<Notice, VerbCallError>,
  news: Queue.Queue<string>
): Effect.fn.Return<never, VerbCallError> {
  let known: string | undefined
  while (true) {
    const notice = yield* Queue.take(seat)
    const holder = notice._tag === "Written" ? holderOf(notice.value) : undefined
    if (holder !== undefined && known !== undefined && holder.id !== known) {
      yield* Queue.offer(news, `The provisioner's seat is held by ${holder.name} now.`)
    }
    known = holder?.id ?? known
  }
})

const holderOf = (bytes: Uint8Array): { readonly name: string; readonly id: string } | undefined => {
  const value = Result.getOrUndefined(readJson(bytes))
  const [name, id] = [textMember(value, "name"), textMember(value, "id")]
  return name === undefined || id === undefined ? undefined : { name, id }
}
