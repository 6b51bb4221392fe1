/**
 * The one table from what NATS and its client say to the errors of the port: codes of JetStream, classes and texts of the
 * client, and texts of servers of either version.
 */
import {
  AuthorizationError,
  InvalidArgumentError,
  PermissionViolationError,
  TimeoutError,
  UserAuthenticationExpiredError
} from "@nats-io/transport-node"
import type { BusErrorReason } from "../../ports/BusError.ts"
import { NatsConnectError, type NatsConnectReason } from "./NatsConnectError.ts"

/** The server refused a publish or a subscription: it says so on its own, and not in an answer. */
export interface Denied {
  readonly _tag: "Denied"
  readonly operation: "publish" | "subscription"
  readonly subject: string
}

/**
 * Why a request got no answer that helps:
 * - `Denied`: this account may not ask;
 * - `Nobody`: nobody listens there, so that nothing was done;
 * - `Silent`: no answer came in time, or the connection was lost: it may have been done;
 * - `Down`: there is no connection, and it was not sent;
 * - `Oversized`: the server takes no message so large;
 * - `Unreadable`: what came is no answer of JetStream's;
 * - `Api`: JetStream's own error, by its code.
 */
export type Trouble =
  | Denied
  | { readonly _tag: "Nobody" | "Silent" | "Down" | "Oversized" | "Unreadable" }
  | { readonly _tag: "Api"; readonly code: number; readonly description: string }

/** Why something went wrong: as NATS says it, or in the port's terms already. */
export type Failure = Trouble | BusErrorReason

/** Whether a write was refused because another came before it. */
export const isConflict = (failure: Failure): boolean =>
  failure._tag === "Api" && (failure.code === apiCode.wrongSequence || failure.code === apiCode.wrongSequenceUnknown)

/** The codes of JetStream's errors that mean something to the port. */
export const apiCode = {
  noMessage: 10037,
  noJetStreamForAccount: 10039,
  tooLarge: 10054,
  noStream: 10059,
  wrongSequence: 10071,
  wrongSequenceUnknown: 10164,
  noJetStream: 10076
} as const

/** Where the store holds no more, or an account has used up its share of it. */
const fullCodes: ReadonlySet<number> = new Set([10002, 10023, 10028, 10047, 10077])

/** What of a write is known that an error of its is told by. */
export interface Sizes {
  readonly bytes: number
  readonly bytesMax: number
}

/**
 * Why it went wrong, in the port's terms. `expected` is the revision that a write was to follow, `sizes` what its value
 * has and may have.
 *
 * An unknown error of JetStream's is `Unreachable`: of a write, nobody knows until it is read again.
 */
export const reasonOf = (
  failure: Failure,
  write: { readonly expected?: number | undefined; readonly sizes?: Sizes } = {}
): BusErrorReason => {
  switch (failure._tag) {
    case "Denied":
      return { _tag: "Refused", because: "account" }
    case "Oversized":
      return { _tag: "TooLarge", what: "value", ...write.sizes ?? { bytes: 0, bytesMax: 0 } }
    case "Api":
      return apiReason(failure.code, write)
    case "Nobody":
    case "Silent":
    case "Down":
    case "Unreadable":
      return { _tag: "Unreachable" }
    default:
      return failure
  }
}

/**
 * Why something was not read, in the port's terms. Here JetStream's error is an answer, and said to be one: nothing is at
 * stake that would have to be read again.
 */
export const readReasonOf = (failure: Failure): BusErrorReason =>
  failure._tag === "Api" && failure.code !== apiCode.noStream
    ? { _tag: "Failed", code: failure.code }
    : reasonOf(failure)

/** Whether what was not read may be there for the asking a moment later. */
export const isPassing = ({ _tag }: BusErrorReason): boolean => _tag === "Unreachable" || _tag === "Failed"

const apiReason = (
  code: number,
  { expected, sizes = { bytes: 0, bytesMax: 0 } }: { readonly expected?: number | undefined; readonly sizes?: Sizes }
): BusErrorReason => {
  switch (code) {
    case apiCode.wrongSequence:
    case apiCode.wrongSequenceUnknown:
      return { _tag: "Conflict", ...(expected === undefined ? {} : { expected }) }
    case apiCode.tooLarge:
      return { _tag: "TooLarge", what: "value", ...sizes }
    case apiCode.noStream:
      return { _tag: "Lost", how: "missing" }
    default:
      return fullCodes.has(code) ? { _tag: "Full" } : { _tag: "Unreachable" }
  }
}

/** Why there is no connection, by what the client threw. */
export const connectError = (error: unknown, where: string): NatsConnectError => {
  const found = connectReason(error)
  const code = codeOf(error)
  return new NatsConnectError({ reason: found, where, ...(code === undefined ? {} : { detail: code }) })
}

const connectReason = (error: unknown): NatsConnectReason => {
  if (error instanceof UserAuthenticationExpiredError || /expired/i.test(textOf(error))) {
    return "expired"
  }
  if (error instanceof AuthorizationError) {
    return "refused"
  }
  if (error instanceof TimeoutError) {
    return "silent"
  }
  if (error instanceof SyntaxError || /unexpected response from server/.test(textOf(error))) {
    return "not-nats"
  }
  return error instanceof InvalidArgumentError || isOfTls(error) ? "tls" : "unreachable"
}

// The codes are Node's and OpenSSL's; of the client's own texts, those that speak of TLS.
const isOfTls = (error: unknown): boolean =>
  /CERT|SIGNATURE|^ERR_(?:TLS|SSL)|^EPROTO$/.test(codeOf(error) ?? "") || /\btls\b/i.test(textOf(error))

const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) {
    return undefined
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined
  return code ?? codeOf(error.cause)
}

const textOf = (error: unknown): string => error instanceof Error ? error.message : ""

/** What was refused, where an error of the client says that something was. */
export const denialOf = (error: Error): Denied | undefined =>
  error instanceof PermissionViolationError
    ? { _tag: "Denied", operation: error.operation, subject: error.subject }
    : undefined

/** Whether a text of the client's means that the message is larger than the server takes. */
export const isOversized = (error: unknown): boolean =>
  error instanceof InvalidArgumentError && /max_payload/.test(error.message)

/** Words of a server or of strangers, as they are shown: cut, and without the characters that steer a terminal. */
export const sayable = (text: string): string =>
  text.slice(0, 256).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
