/**
 * Writes on NATS (`ports/Bus`: create, update, delete): each by compare-and-set of the key's last sequence, as many at once
 * as are asked for, each answered for by its own acknowledgement.
 *
 * A write whose answer does not come is `Unreachable`: it may be stored, even later. It is never sent again here.
 */
import { type Msg, type MsgHdrs, MsgHdrsImpl } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BusLimits } from "../../ports/Bus.ts"
import type { BusError, BusErrorReason } from "../../ports/BusError.ts"
import { unsendable, type Write, writeError } from "../../ports/Write.ts"
import { isBucketName, type JetStream, keyPrefixOf, readStored, streamOf } from "./JetStream.ts"
import { lastChange } from "./Keys.ts"
import { type Failure, isConflict, reasonOf, type Trouble } from "./NatsErrors.ts"
import type { Question, Requests } from "./Requests.ts"

/** What writes stand on. */
export interface WriteGround {
  readonly requests: Requests
  readonly jetStream: JetStream
  readonly keyPrefix: string
  readonly limits: BusLimits
}

/** The sequence of a write that was stored, or why it was not. */
export type Sent = Result.Result<number, Failure>

/**
 * The way by which a bucket's writes are sent. A write is to follow a sequence of its key's, `ofKey`, 0 where the key is to
 * have no message; it is given its own.
 */
export interface Way {
  readonly send: (toWrite: Write, ofKey: number) => Effect.Effect<number, Failure>
  /** Sends now, and tells what came of it; gives whether, for there may be no way just now: then nothing is told. */
  readonly sendNow: (toWrite: Write, ofKey: number, sent: (sent: Sent) => void) => boolean
  /** Makes the best of a write that was sent now and not stored: it is to be asked for each. */
  readonly recover: (toWrite: Write, ofKey: number, failure: Failure) => Effect.Effect<number, Failure>
}

/** The way of writes that are not fenced: each for itself. */
export const plainWay = (ground: WriteGround): Way => ({
  send: (toWrite, ofKey) => send(ground, toWrite, () => ({ ofKey })),
  sendNow: (toWrite, ofKey, sent) => {
    sendNow(ground, toWrite, { ofKey }, sent)
    return true
  },
  recover: (_, __, failure) => Effect.fail(failure)
})

/** Does a write; gives its revision. */
export const write = (ground: WriteGround, toWrite: Write, way: Way): Effect.Effect<number, BusError> =>
  Effect.suspend(() => {
    const unsent = unwritable(toWrite, ground.limits)
    return unsent === undefined
      ? store(ground, toWrite, way, way.send(toWrite, ofKeyOf(toWrite)))
      : Effect.fail(unsent)
  })

/** The sequence of its key's that a write is to follow. */
export const ofKeyOf = ({ revision = 0 }: Write): number => revision

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
  ground: WriteGround,
  toWrite: Write,
  expected: () => Expected
): Effect.Effect<number, Trouble> =>
  Effect.flatMap(
    ground.requests.ask(() => questionOf(ground, toWrite, expected())),
    (answer) => Effect.fromResult(sequenceOf(toWrite, answer))
  )

/** Sends a write now, and tells its sequence once that is known, perhaps before it returns. */
export const sendNow = (
  ground: WriteGround,
  toWrite: Write,
  expected: Expected,
  sent: (sent: Result.Result<number, Trouble>) => void
): void => {
  ground.requests.askNow(
    questionOf(ground, toWrite, expected),
    (answer) => sent(Result.flatMap(answer, (message) => sequenceOf(toWrite, message)))
  )
}

const questionOf = (
  { keyPrefix }: WriteGround,
  { bucket, key, operation, value }: Write,
  expected: Expected
): Question => ({
  subject: `${keyPrefix}${keyPrefixOf(bucket)}${key}`,
  headers: headersOf(operation, expected),
  ...(value === undefined ? {} : { payload: value })
})

const sequenceOf = ({ bucket }: Write, answer: Msg): Result.Result<number, Trouble> =>
  readStored(answer, streamOf(bucket))

// Names and values are of here: they are not looked through again, as the client's own `set` does with every one of them.
const headersOf = (operation: Write["operation"], { ofKey, ofStream }: Expected): MsgHdrs => {
  const made = new MsgHdrsImpl()
  if (ofKey !== undefined) {
    made.headers.set("Nats-Expected-Last-Subject-Sequence", [`${ofKey}`])
  }
  if (ofStream !== undefined) {
    made.headers.set("Nats-Expected-Last-Sequence", [`${ofStream}`])
  }
  if (operation === "delete") {
    made.headers.set("KV-Operation", ["DEL"])
  }
  return made
}

/** What a server takes as one message where nothing else is set. */
export const messageBytesMax = 1_048_576

/** What a write's headers have at most, of what the server takes as one message. */
export const headerBytesMax = 256

/** Stores what is sent, if not at first, then as it may be; gives its revision. */
export const store = (
  ground: WriteGround,
  toWrite: Write,
  way: Way,
  sent: Effect.Effect<number, Failure>
): Effect.Effect<number, BusError> =>
  sent.pipe(
    Effect.catch((failure) => storeAfter(ground, toWrite, way, failure)),
    Effect.catch((failure) =>
      Effect.flatMap(failureReason(ground, toWrite, failure), (reason) => Effect.fail(writeError(toWrite, reason)))
    )
  )

const storeAfter = (
  ground: WriteGround,
  toWrite: Write,
  way: Way,
  failure: Failure
): Effect.Effect<number, Failure> => {
  if (failure._tag === "Nobody") {
    return afterNobody(ground, toWrite, way)
  }
  return isConflict(failure) && toWrite.operation === "create"
    ? createUponMarker(ground, toWrite, way, markersMax)
    : Effect.fail(failure)
}

// A key that was deleted has a message, its marker. It can be written again, and deleted again, before it is looked at.
const createUponMarker = (
  ground: WriteGround,
  toWrite: Write,
  way: Way,
  triesLeft: number
): Effect.Effect<number, Failure> =>
  Effect.flatMap(
    lastChange(ground.jetStream, toWrite.bucket, toWrite.key),
    (last) =>
      last?._tag === "Put" || triesLeft === 0
        ? Effect.fail<Failure>({ _tag: "Conflict" })
        : Effect.catchIf(
          way.send(toWrite, last?.revision ?? 0),
          isConflict,
          () => createUponMarker(ground, toWrite, way, triesLeft - 1)
        )
  )

const markersMax = 3

/**
 * Nobody heard it, so it was not written: there is no such bucket; or its stream has no leader now; or, of a bucket of
 * another account, this account may not.
 */
const afterNobody = (ground: WriteGround, toWrite: Write, way: Way): Effect.Effect<number, Failure> =>
  Effect.flatMap(
    ground.jetStream.info(toWrite.bucket),
    ({ cluster }) =>
      cluster !== undefined && (cluster.leader ?? "") === ""
        ? Effect.fail<Failure>({ _tag: "Unreachable" })
        : Effect.mapError(
          way.send(toWrite, ofKeyOf(toWrite)),
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
