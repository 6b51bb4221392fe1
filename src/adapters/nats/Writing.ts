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
import { apiCode, reasonOf, type Trouble } from "./NatsErrors.ts"
import type { Requests } from "./Requests.ts"

/** What writes stand on. */
export interface WriteGround {
  readonly requests: Requests
  readonly jetStream: JetStream
  readonly keyPrefix: string
  readonly limits: BusLimits
}

/** Does a write; gives its revision. */
export const write = (ground: WriteGround, toWrite: Write): Effect.Effect<number, BusError> =>
  Effect.suspend(() => {
    const unsent = unwritable(toWrite, ground.limits)
    if (unsent !== undefined) {
      return Effect.fail(unsent)
    }
    return Effect.catch(
      send(ground, toWrite, toWrite.revision ?? 0),
      (trouble) => afterTrouble(ground, toWrite, trouble)
    )
  })

/** Why a write cannot be sent, if it cannot. No change has a revision below one: what is to follow such conflicts. */
export const unwritable = (toWrite: Write, limits: BusLimits): BusError | undefined => {
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

/** Sends a write that is to follow a sequence of its key's; 0 where the key is to have no message at all. */
export const send = (
  { keyPrefix, requests }: WriteGround,
  { bucket, key, operation, value }: Write,
  sequence: number,
  streamSequence?: number
): Effect.Effect<number, Trouble> =>
  requests.ask({
    subject: `${keyPrefix}${keyPrefixOf(bucket)}${key}`,
    headers: headersOf(operation, sequence, streamSequence),
    ...(value === undefined ? {} : { payload: value })
  }).pipe(
    Effect.flatMap(readStored),
    Effect.filterOrFail(
      ({ duplicate, stream }) => stream === streamOf(bucket) && duplicate !== true,
      (): Trouble => ({ _tag: "Unreadable" })
    ),
    Effect.map(({ seq }) => seq)
  )

const headersOf = (operation: Write["operation"], sequence: number, streamSequence: number | undefined): MsgHdrs => {
  const headers = makeHeaders()
  headers.set("Nats-Expected-Last-Subject-Sequence", `${sequence}`)
  if (streamSequence !== undefined) {
    headers.set("Nats-Expected-Last-Sequence", `${streamSequence}`)
  }
  if (operation === "delete") {
    headers.set("KV-Operation", "DEL")
  }
  return headers
}

/** What a write's headers have at most, of what the server takes as one message. */
export const headerBytesMax = 256

const afterTrouble = (ground: WriteGround, toWrite: Write, trouble: Trouble): Effect.Effect<number, BusError> => {
  if (trouble._tag === "Nobody") {
    return afterNobody(ground, toWrite)
  }
  if (trouble._tag === "Api" && trouble.code === apiCode.wrongSequence && toWrite.operation === "create") {
    return createUponMarker(ground, toWrite, markersMax)
  }
  return Effect.flatMap(
    troubleReason(ground, toWrite, trouble),
    (reason) => Effect.fail(writeError(toWrite, reason))
  )
}

/** Why a write came to nothing. */
export const troubleReason = (
  { jetStream, limits }: WriteGround,
  { bucket, revision, value }: Write,
  trouble: Trouble
): Effect.Effect<BusErrorReason> => {
  const sizes = { bytes: value?.length ?? 0, bytesMax: limits.valueBytesMax }
  const reason = reasonOf(trouble, { expected: revision, sizes })
  // The bucket takes less than the server does: it says how much.
  return trouble._tag !== "Api" || reason._tag !== "TooLarge" ? Effect.succeed(reason) : jetStream.info(bucket).pipe(
    Effect.map(({ config }) => Number(config["max_msg_size"]) - headerBytesMax),
    Effect.orElseSucceed(() => 0),
    Effect.map((bytesMax) => ({ ...reason, bytesMax: Math.max(0, bytesMax) }))
  )
}

// A key that was deleted has a message, its marker. It can be written again, and deleted again, before it is looked at.
const createUponMarker = (ground: WriteGround, toWrite: Write, triesLeft: number): Effect.Effect<number, BusError> =>
  lastChange(ground.jetStream, toWrite.bucket, toWrite.key).pipe(
    Effect.mapError((trouble) => writeError(toWrite, reasonOf(trouble))),
    Effect.flatMap((last) =>
      last?._tag === "Put" || triesLeft === 0
        ? Effect.fail(writeError(toWrite, { _tag: "Conflict" }))
        : Effect.catch(send(ground, toWrite, last?.revision ?? 0), (trouble) =>
          trouble._tag === "Api" && trouble.code === apiCode.wrongSequence
            ? createUponMarker(ground, toWrite, triesLeft - 1)
            : afterTrouble(ground, toWrite, trouble))
    )
  )

const markersMax = 3

/**
 * Nobody heard it, so it was not written: there is no such bucket; or its stream has no leader now; or, of a bucket of
 * another account, this account may not.
 */
const afterNobody = (ground: WriteGround, toWrite: Write): Effect.Effect<number, BusError> =>
  ground.jetStream.info(toWrite.bucket).pipe(
    Effect.mapError((trouble) => writeError(toWrite, reasonOf(trouble))),
    Effect.flatMap(({ cluster }) =>
      cluster !== undefined && (cluster.leader ?? "") === ""
        ? Effect.fail(writeError(toWrite, { _tag: "Unreachable" }))
        : Effect.catch(
          send(ground, toWrite, toWrite.revision ?? 0),
          (trouble) =>
            trouble._tag === "Nobody"
              ? Effect.fail(writeError(toWrite, { _tag: "Refused", because: "account" }))
              : afterTrouble(ground, toWrite, trouble)
        )
    )
  )
