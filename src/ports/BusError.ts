/**
 * What can go wrong at the bus (protocol §9): one tagged error, with a tagged `reason`.
 *
 * An error names the operation, the bucket and the key, and nothing else of what was written or read: it may be
 * printed, logged and counted, with everything it carries, and never shows a fact's value. It has no `cause`: what a
 * client of a bus throws can hold the payload.
 */
import * as Schema from "effect/Schema"

const operation = Schema.Literals([
  "follow",
  "followBuckets",
  "get",
  "history",
  "create",
  "update",
  "delete",
  "load"
])

/** What was being done when it went wrong. */
export type Operation = typeof operation.Type

/**
 * Compare-and-set found another revision than was expected, so nothing was written. `expected` is the revision that the
 * write was to follow; it is left out where the key was to be absent (`create`).
 */
const Conflict = Schema.TaggedStruct("Conflict", { expected: Schema.optionalKey(Schema.Int) })

/**
 * The bus would not do it, and would not if asked again: `account` where this account may not, `key` where no key is
 * written so (protocol §2: tokens joined by single dots).
 */
const Refused = Schema.TaggedStruct("Refused", { because: Schema.Literals(["account", "key"]) })

/**
 * The bucket cannot be read or written: it is `missing`, it was `deleted` while it was read, the reading of it was `ended`
 * while it may well be there, or what is called so is `no-bucket`: it does not take and keep a bucket's keys.
 */
const Lost = Schema.TaggedStruct("Lost", { how: Schema.Literals(["missing", "deleted", "ended", "no-bucket"]) })

/** The bus answered that it did not read it, by an error of its own: `code` is its number there. No write fails so. */
const Failed = Schema.TaggedStruct("Failed", { code: Schema.Int })

/** The bus did not answer. Of a write it is not known whether it was done. */
const Unreachable = Schema.TaggedStruct("Unreachable", {})

/** The `value` or the `key` has more bytes than the bus holds, so nothing was written. */
const TooLarge = Schema.TaggedStruct("TooLarge", {
  what: Schema.Literals(["value", "key"]),
  bytes: Schema.Int,
  bytesMax: Schema.Int
})

/** The bucket, or the bus as a whole, holds no more, so nothing was written. */
const Full = Schema.TaggedStruct("Full", {})

/**
 * Another may hold the seat: the bucket was written by another since this holder's term began, or it cannot be said that
 * it was not. So nothing was written, and nothing will be in this term.
 */
const Fenced = Schema.TaggedStruct("Fenced", {})

const reason = Schema.Union([Conflict, Refused, Lost, Failed, Unreachable, TooLarge, Full, Fenced])

/** Why it went wrong. */
export type BusErrorReason = typeof reason.Type

/**
 * The one error of the bus: what was being done to which bucket and key, and the `reason`. Its `message` is a sentence
 * for a person: what happened, and what to do.
 *
 * Take a reason apart with `Effect.catchReason("BusError", "Conflict", …)`.
 *
 * @example
 * ```ts
 * import { BusError } from "mesh-provisioner/adapters/memory"
 *
 * const error = new BusError({ operation: "get", bucket: "postgres_bound", reason: { _tag: "Lost", how: "missing" } })
 * error.reason._tag // "Lost"
 * error.message.startsWith("Bucket postgres_bound was not read: there is no such bucket.") // true
 * ```
 */
export class BusError extends Schema.TaggedError<BusError>("mesh-provisioner/ports/BusError")("BusError", {
  operation,
  bucket: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(Schema.String),
  reason
}) {
  override get message(): string {
    return `${subject(this)} ${done(this.operation)}: ${why(this)}`
  }
}

// Bucket and key are strangers' words: as JSON they are shown without the characters that steer a terminal.
const subject = ({ bucket, key }: BusError): string => {
  const where = bucket === undefined
    ? "the buckets"
    : `bucket ${/^[\w-]+$/.test(bucket) ? bucket : JSON.stringify(bucket)}`
  return key === undefined ? where.replace(/^./, (first) => first.toUpperCase()) : `Key ${quoted(key)} of ${where}`
}

const quoted = (key: string): string => {
  const shown = [...key]
  return JSON.stringify(
    shown.length <= keyShownCodePointsMax ? key : `${shown.slice(0, keyShownCodePointsMax).join("")}…`
  )
}

const keyShownCodePointsMax = 256

const done = (operation: Operation): string => {
  switch (operation) {
    case "follow":
    case "get":
    case "history":
      return "was not read"
    case "followBuckets":
      return "were not read"
    case "create":
      return "was not created"
    case "update":
      return "was not updated"
    case "delete":
      return "was not deleted"
    case "load":
      return "was not loaded"
  }
}

const why = ({ operation, reason }: BusError): string => {
  switch (reason._tag) {
    case "Conflict":
      return reason.expected === undefined
        ? "it is there already. Read it again and decide anew."
        : `its last change is not revision ${reason.expected}. Read it again and decide anew.`
    case "Refused":
      return reason.because === "account"
        ? "this account may not. Use the account that may (protocol §3 says whose each bucket is), or have it granted."
        : "no key is written so. A key is names joined by single dots, each written as its token (protocol §2)."
    case "Lost":
      return lost[reason.how]
    case "Failed":
      return `the bus answered by its error ${reason.code}. Look what that says of it, and in the log of the bus.`
    case "Unreachable":
      return isWrite(operation)
        ? "the bus did not answer, and it may have been done all the same. Read it again before it is written again."
        : "the bus did not answer. Try again when it is back."
    case "TooLarge":
      return `its ${reason.what} has ${reason.bytes} bytes, and the bus holds ${reason.bytesMax} at most. Make it smaller.`
    case "Full":
      return "the bucket, or the bus that holds it, is full. Make room there, or let it hold more."
    case "Fenced":
      return "another may hold the seat now. Look who holds it, and read all again before anything is written."
  }
}

const lost = {
  missing: "there is no such bucket. Make it, or wait until its maker has.",
  deleted: "the bucket was deleted. Follow it again once it is made anew, and take nothing of it as still there.",
  ended: "the reading of it was ended. Follow it again: it is then read anew from the start.",
  "no-bucket":
    "what is called so is no bucket: it does not take and keep a bucket's keys. Make it one, by mesh-provisioner setup, or take it away."
}

const isWrite = (operation: Operation): boolean =>
  operation === "create" || operation === "update" || operation === "delete"
