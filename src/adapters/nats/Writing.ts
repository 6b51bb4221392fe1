/**
 * Writes on NATS (`ports/Bus`: create, update, delete): each by compare-and-set of the key's last sequence, as many at once
 * as are asked for, each answered for by its own acknowledgement.
 *
 * A write whose answer does not come is `Unreachable`: it may be stored, even later. It is never sent again here.
 */
import { headers as makeHeaders, type MsgHdrs } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import type { BusLimits } from "../../ports/Bus.ts"
import type { BusError, BusErrorReason } from "../../ports/BusError.ts"
import { unsendable, type Write, writeError } from "../../ports/Write.ts"
import { isBucketName, type JetStream, keyPrefixOf, readStored, streamOf } from "./JetStream.ts"
import { lastChange } from "./Keys.ts"
import { type Failure, isConflict, reasonOf, type Trouble } from "./NatsErrors.ts"
import type { Requests } from "./Requests.ts"

/** What writes stand on. */
export interface WriteGround {
  readonly requests: Requests
  readonly jetStream: JetStream
  readonly keyPrefix: string
  readonly limits: BusLimits
}

/** Sends a write that is to follow a sequence of its key's, 0 where the key is to have no message; gives its own. */
export type SendAfter = (ofKey: number) => Effect.Effect<number, Failure>

/** Does a write, sent as it is by default, or by what is given; gives its revision. */
export const write = (
  ground: WriteGround,
  toWrite: Write,
  sendAfter: SendAfter = (ofKey) => send(ground, toWrite, () => ({ ofKey }))
): Effect.Effect<number, BusError> =>
  Effect.suspend(() => {
    const unsent = unwritable(toWrite, ground.limits)
    return unsent === undefined
      ? Effect.catch(store(ground, toWrite, sendAfter), (failure) =>
        Effect.flatMap(
          failureReason(ground, toWrite, failure),
          (reason) => Effect.fail(writeError(toWrite, reason))
        ))
      : Effect.fail(unsent)
  })

/** Why a write cannot be sent, if it cannot. No change has a revision below one: what is to follow such conflicts. */
const unwritable = (toWrite: Write, limits: BusLimits): BusError | undefined => {
  const { bucket, revision } = toWrite
  const unsent = unsendable(toWrite, limits)
  if (unsent !== undefined) {
    return unsent
  }
  if (!isBucketName(bucket)) {
    return writeError(toWrite, { _tag: "Lost", how: "missing" })
  }
  return revision !== undefined && (!Number.isSafeInteger(revision) || revision < 1)
    ? writeError(toWrite, { _tag: "Conflict", expected: Math.trunc(revision) })
    : undefined
}

/**
 * What a write is to follow: a sequence of its key's, 0 where the key is to have no message at all; and, where it is
 * fenced, a sequence of the whole stream's. Without the first it follows whatever the key holds.
 */
export interface Expected {
  readonly ofKey?: number
  readonly ofStream?: number
}

/** Sends a write; gives its sequence. What it is to follow is asked for in the moment in which it is sent. */
export const send = (
  { keyPrefix, requests }: WriteGround,
  { bucket, key, operation, value }: Write,
  expected: () => Expected
): Effect.Effect<number, Trouble> =>
  requests.ask(() => ({
    subject: `${keyPrefix}${keyPrefixOf(bucket)}${key}`,
    headers: headersOf(operation, expected()),
    ...(value === undefined ? {} : { payload: value })
  })).pipe(
    Effect.flatMap(readStored),
    Effect.filterOrFail(
      ({ duplicate, stream }) => stream === streamOf(bucket) && duplicate !== true,
      (): Trouble => ({ _tag: "Unreadable" })
    ),
    Effect.map(({ seq }) => seq)
  )

const headersOf = (operation: Write["operation"], { ofKey, ofStream }: Expected): MsgHdrs => {
  const headers = makeHeaders()
  if (ofKey !== undefined) {
    headers.set("Nats-Expected-Last-Subject-Sequence", `${ofKey}`)
  }
  if (ofStream !== undefined) {
    headers.set("Nats-Expected-Last-Sequence", `${ofStream}`)
  }
  if (operation === "delete") {
    headers.set("KV-Operation", "DEL")
  }
  return headers
}

/** What a server takes as one message where nothing else is set. */
export const messageBytesMax = 1_048_576

/** What a write's headers have at most, of what the server takes as one message. */
export const headerBytesMax = 256

const store = (ground: WriteGround, toWrite: Write, sendAfter: SendAfter): Effect.Effect<number, Failure> =>
  Effect.catch(sendAfter(toWrite.revision ?? 0), (failure) => {
    if (failure._tag === "Nobody") {
      return afterNobody(ground, toWrite, sendAfter)
    }
    return isConflict(failure) && toWrite.operation === "create"
      ? createUponMarker(ground, toWrite, sendAfter, markersMax)
      : Effect.fail(failure)
  })

// A key that was deleted has a message, its marker. It can be written again, and deleted again, before it is looked at.
const createUponMarker = (
  ground: WriteGround,
  toWrite: Write,
  sendAfter: SendAfter,
  triesLeft: number
): Effect.Effect<number, Failure> =>
  Effect.flatMap(
    lastChange(ground.jetStream, toWrite.bucket, toWrite.key),
    (last) =>
      last?._tag === "Put" || triesLeft === 0
        ? Effect.fail<Failure>({ _tag: "Conflict" })
        : Effect.catchIf(
          sendAfter(last?.revision ?? 0),
          isConflict,
          () => createUponMarker(ground, toWrite, sendAfter, triesLeft - 1)
        )
  )

const markersMax = 3

/**
 * Nobody heard it, so it was not written: there is no such bucket; or its stream has no leader now; or, of a bucket of
 * another account, this account may not.
 */
const afterNobody = (ground: WriteGround, toWrite: Write, sendAfter: SendAfter): Effect.Effect<number, Failure> =>
  Effect.flatMap(
    ground.jetStream.info(toWrite.bucket),
    ({ cluster }) =>
      cluster !== undefined && (cluster.leader ?? "") === ""
        ? Effect.fail<Failure>({ _tag: "Unreachable" })
        : Effect.mapError(
          sendAfter(toWrite.revision ?? 0),
          (failure): Failure => failure._tag === "Nobody" ? { _tag: "Refused", because: "account" } : failure
        )
  )

/** Why a write came to nothing, in the port's terms. */
const failureReason = (
  { jetStream, limits }: WriteGround,
  { bucket, revision, value }: Write,
  failure: Failure
): Effect.Effect<BusErrorReason> => {
  const sizes = { bytes: value?.length ?? 0, bytesMax: limits.valueBytesMax }
  const reason = reasonOf(failure, { expected: revision, sizes })
  // The bucket takes less than the server does: it says how much.
  return failure._tag !== "Api" || reason._tag !== "TooLarge" ? Effect.succeed(reason) : jetStream.info(bucket).pipe(
    Effect.map(({ config }) => Number(config["max_msg_size"]) - headerBytesMax),
    Effect.orElseSucceed(() => 0),
    Effect.map((bytesMax) => ({ ...reason, bytesMax: Math.max(0, bytesMax) }))
  )
}
