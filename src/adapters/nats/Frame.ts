/**
 * What a consumer delivers, read: a message of the stream, or one of the consumer's own about itself. Pure, and nothing
 * that anybody sends makes it throw.
 */
import type { Msg } from "@nats-io/transport-node"
import type { Revision } from "../../ports/Bus.ts"
import { headersOf } from "./Requests.ts"

/** A message of the stream: which it is of those that this consumer delivered, and what it says of its key. */
export interface Delivered {
  readonly _tag: "Delivered"
  readonly consumerSequence: number
  readonly change: Revision
}

/** The consumer has nothing to deliver, or waits for an answer to its flow control: where it stands. */
export interface Heartbeat {
  readonly _tag: "Heartbeat"
  readonly consumerSequence: number
  readonly streamSequence: number
  /** What to answer where it waits for an answer. */
  readonly stalled: string | undefined
}

/** The consumer asks whether what it sent was taken in. */
export interface FlowControl {
  readonly _tag: "FlowControl"
  readonly reply: string
}

/** The consumer has ended: it was deleted, or its server gives it up. */
export interface Ended {
  readonly _tag: "Ended"
}

/** What is none of these: a stranger has written to it. */
export interface Other {
  readonly _tag: "Other"
}

/** What a consumer delivers. */
export type Frame = Delivered | Heartbeat | FlowControl | Ended | Other

/** Reads a message; `prefix` is what stands before a key in its subject. */
export const readFrame = (message: Msg, prefix: string): Frame => {
  const reply = message.reply ?? ""
  return reply.startsWith("$JS.ACK.") ? readDelivered(message, reply, prefix) : readStatus(message, reply)
}

// $JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<nanoseconds>.<pending>; of newer servers
// with <domain>.<account> before the stream, and more behind.
const readDelivered = (message: Msg, reply: string, prefix: string): Frame => {
  const [revision, consumerSequence, timeMillis] = numbersOf(reply)
  const subject = message.subject
  if (!Number.isSafeInteger(revision) || !Number.isSafeInteger(timeMillis) || !subject.startsWith(prefix)) {
    return other
  }
  const key = keyOf(subject, prefix)
  return {
    _tag: "Delivered",
    consumerSequence,
    change: isMarker(headersOf(message))
      ? { _tag: "Delete", key, revision, timeMillis }
      : { _tag: "Put", key, value: copyOf(message.data), revision, timeMillis }
  }
}

/** The sequence in the stream, that of the consumer, and the time in milliseconds. Read in place: a start has a million. */
const numbersOf = (reply: string): readonly [number, number, number] => {
  let dots = 0
  for (let at = reply.indexOf("."); at !== -1; at = reply.indexOf(".", at + 1)) {
    dots += 1
  }
  let before = -1
  for (let skipped = dots === dotsOfOlder ? 5 : 7; skipped > 0; skipped--) {
    before = reply.indexOf(".", before + 1)
  }
  const first = reply.indexOf(".", before + 1)
  const second = reply.indexOf(".", first + 1)
  const third = reply.indexOf(".", second + 1)
  return dots < dotsOfOlder || third === -1 ? [Number.NaN, Number.NaN, Number.NaN] : [
    Number(reply.slice(before + 1, first)),
    Number(reply.slice(first + 1, second)),
    Number(reply.slice(second + 1, third - nanosecondDigits))
  ]
}

const dotsOfOlder = 8

/** So many digits of a time in nanoseconds are less than a millisecond. */
const nanosecondDigits = 6

// A key that was cut off would keep all of its subject, as long as it is kept itself: it is written out and read again.
const keyOf = (subject: string, prefix: string): string => {
  const bytes = subject.length > charactersWrittenMax ? 0 : written.write(subject)
  return bytes === 0 ? subject.slice(prefix.length) : written.toString("utf8", prefix.length, bytes)
}

const charactersWrittenMax = 1_024
const written = Buffer.alloc(3 * charactersWrittenMax)

/**
 * A value of its own: what the client hands out is a slice of all that came by the socket, and would keep all of it. Small
 * ones are kept many in one piece of memory: a piece for each takes longer than the rest of reading it.
 */
export const copyOf = (data: Uint8Array): Uint8Array => {
  if (data.length > pieceBytes / 8) {
    return new Uint8Array(data)
  }
  if (piece.used + data.length > pieceBytes) {
    piece.bytes = new Uint8Array(pieceBytes)
    piece.used = 0
  }
  piece.bytes.set(data, piece.used)
  piece.used += data.length
  return piece.bytes.subarray(piece.used - data.length, piece.used)
}

const pieceBytes = 16_384
const piece = { bytes: new Uint8Array(pieceBytes), used: 0 }

/** Whether headers say that the key is gone: deleted or purged by a client, or expired. */
export const isMarker = (headers: { readonly get: (name: string) => string } | undefined): boolean =>
  headers !== undefined &&
  (/^(?:DEL|PURGE)$/.test(headers.get("KV-Operation")) || headers.get("Nats-Marker-Reason") !== "")

const readStatus = (message: Msg, reply: string): Frame => {
  const headers = headersOf(message)
  if (headers?.code !== 100) {
    return headers !== undefined && headers.code >= 400 ? { _tag: "Ended" } : other
  }
  if (isFlowControl(reply)) {
    return { _tag: "FlowControl", reply }
  }
  const stalled = headers.get("Nats-Consumer-Stalled")
  return {
    _tag: "Heartbeat",
    consumerSequence: Number(headers.get("Nats-Last-Consumer")),
    streamSequence: Number(headers.get("Nats-Last-Stream")),
    stalled: isFlowControl(stalled) ? stalled : undefined
  }
}

// Only these are answered: whoever can write to this connection's inbox could else have it write elsewhere.
const isFlowControl = (subject: string): boolean => /^\$JS\.FC\.[^\s*>]+$/.test(subject)

const other: Other = { _tag: "Other" }
