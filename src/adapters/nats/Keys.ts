/**
 * What single keys hold, and held (`ports/Bus`: get, history), as the stream's leader has it.
 */
import { type MsgHdrs, MsgHdrsImpl } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Put, Revision } from "../../ports/Bus.ts"
import { BusError } from "../../ports/BusError.ts"
import { copyOf, isMarker } from "./Frame.ts"
import { isBucketName, type JetStream, keyPrefixOf, type StoredMessage } from "./JetStream.ts"
import { apiCode, readReasonOf, type Trouble } from "./NatsErrors.ts"

/** What a key holds now. */
export const get = (jetStream: JetStream, bucket: string, key: string): Effect.Effect<Option.Option<Put>, BusError> =>
  Effect.map(
    asKeyOf(lastChange(jetStream, bucket, key), "get", bucket, key),
    (last) => last?._tag === "Put" ? Option.some(last) : Option.none()
  )

/** A key's last ten changes, the oldest first. */
export const history = (
  jetStream: JetStream,
  bucket: string,
  key: string
): Effect.Effect<ReadonlyArray<Revision>, BusError> =>
  asKeyOf(
    Effect.flatMap(
      lastChange(jetStream, bucket, key),
      (last) => last === undefined ? Effect.succeed([]) : changesTo(last, jetStream, bucket)
    ),
    "history",
    bucket,
    key
  )

const historyMax = 10

const changesTo = Effect.fnUntraced(function*(last: Revision, jetStream: JetStream, bucket: string) {
  const changes: Array<Revision> = []
  const next_by_subj = `${keyPrefixOf(bucket)}${last.key}`
  let seq = 1
  while (seq <= last.revision) {
    const message = yield* jetStream.message(bucket, { seq, next_by_subj })
    if (message === undefined) {
      break
    }
    changes.push(changeOf(message, last.key))
    seq = message.seq + 1
  }
  return changes.slice(-historyMax)
})

/** A key's last change, be it a delete; none where it never was. */
export const lastChange = (
  jetStream: JetStream,
  bucket: string,
  key: string
): Effect.Effect<Revision | undefined, Trouble> => {
  if (!isBucketName(bucket)) {
    return Effect.fail({ _tag: "Api", code: apiCode.noStream, description: "" })
  }
  // The server would answer for all that a pattern stands for. What strangers wrote under such a key is heard by who
  // follows the bucket.
  if (isPattern(key)) {
    return Effect.as(jetStream.info(bucket), undefined)
  }
  const last_by_subj = `${keyPrefixOf(bucket)}${key}`
  return Effect.map(
    jetStream.message(bucket, { last_by_subj }),
    (message) => message?.subject === last_by_subj ? changeOf(message, key) : undefined
  )
}

const isPattern = (key: string): boolean => key.split(".").some((token) => token === "*" || token === ">")

const changeOf = ({ data = "", hdrs, seq, time }: StoredMessage, key: string): Revision => {
  const common = { key, revision: seq, timeMillis: Date.parse(time) }
  return isMarker(storedHeaders(hdrs))
    ? { _tag: "Delete", ...common }
    : { _tag: "Put", ...common, value: copyOf(Buffer.from(data, "base64")) }
}

// Those of strangers need not be such as can be read.
const storedHeaders = (base64: string | undefined): MsgHdrs | undefined => {
  try {
    return base64 === undefined ? undefined : MsgHdrsImpl.decode(Buffer.from(base64, "base64"))
  } catch {
    return undefined
  }
}

const asKeyOf = <A>(
  asked: Effect.Effect<A, Trouble>,
  operation: "get" | "history",
  bucket: string,
  key: string
): Effect.Effect<A, BusError> =>
  Effect.mapError(asked, (trouble) => new BusError({ operation, bucket, key, reason: readReasonOf(trouble) }))
