/**
 * What of a connection to NATS can be set, and what it is where it is not.
 */
import * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * By what a connection says who it is: a credentials file, an nkey (its seed, or a file of it), a user and password, a
 * token, or a user's JWT, with its seed where it is not one for whoever bears it. Files are read again whenever the connection is made anew.
 */
export type NatsCredentials =
  | { readonly _tag: "CredentialsFile"; readonly path: string }
  | { readonly _tag: "NkeyFile"; readonly path: string }
  | { readonly _tag: "Nkey"; readonly seed: Redacted.Redacted }
  | { readonly _tag: "Password"; readonly user: string; readonly password: Redacted.Redacted }
  | { readonly _tag: "Token"; readonly token: Redacted.Redacted }
  | { readonly _tag: "Jwt"; readonly jwt: Redacted.Redacted; readonly seed?: Redacted.Redacted }

/** How a connection is encrypted: the files of an authority, and of a certificate of one's own with its key. */
export interface NatsTls {
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
  /** The server expects TLS before it says anything. */
  readonly handshakeFirst?: boolean
}

/** What of a connection to NATS can be set. */
export interface NatsSettings {
  /**
   * Where the servers are: `nats://host:port`, `tls://host:port` or `host:port`. A URL may hold a user and password, or
   * a token. Default: `nats://127.0.0.1:4222`.
   */
  readonly servers?: ReadonlyArray<string>
  readonly credentials?: NatsCredentials
  readonly tls?: NatsTls
  /** The name that the server's own tools show this connection by. Default: `mesh-provisioner`. */
  readonly name?: string
  /** How long a server is looked for at first, where none answers; `Infinity` for ever. Default: each is tried once. */
  readonly connectFor?: Duration.Input
  /** The first tokens of the subjects that answers come to. Give each user one of its own. Default: `_INBOX`. */
  readonly inboxPrefix?: string
  /** The first tokens of the requests of JetStream, where it is reached through another account. Default: `$JS.API`. */
  readonly apiPrefix?: string
  /** What stands before the subject of a key (`$KV.<bucket>.<key>`), where it is written through another account. */
  readonly keyPrefix?: string
  /** The most bytes of a value. Default, and at most: what the server takes as one message, less its headers. */
  readonly valueBytesMax?: number
  /** How long an answer is waited for. Default: 5 s. */
  readonly answerWaitMax?: Duration.Input
  /** How long a reading may hear nothing, or the connection be lost, before the reading fails. Default: 5 s. */
  readonly silenceMax?: Duration.Input
  /** How often what was read is compared with what the stream says that it holds. Default: every 30 s. */
  readonly auditEvery?: Duration.Input
  /** How often it is asked which buckets there are, where no notice came. Default: every 5 s. */
  readonly bucketsEvery?: Duration.Input
}

/** The settings of all that is done on a connection, each with its value. */
export interface Settings {
  readonly inboxPrefix: string
  readonly apiPrefix: string
  readonly keyPrefix: string
  readonly valueBytesMax: number
  readonly answerMillisMax: number
  readonly silenceMillisMax: number
  readonly auditEveryMillis: number
  readonly bucketsEveryMillis: number
}

/** The settings by what was set of them. */
export const settingsOf = (settings: NatsSettings): Settings => ({
  inboxPrefix: settings.inboxPrefix ?? "_INBOX",
  apiPrefix: settings.apiPrefix ?? "$JS.API",
  keyPrefix: settings.keyPrefix === undefined || settings.keyPrefix === "" ? "" : `${settings.keyPrefix}.`,
  valueBytesMax: settings.valueBytesMax ?? Infinity,
  answerMillisMax: Duration.toMillis(settings.answerWaitMax ?? "5 seconds"),
  silenceMillisMax: Duration.toMillis(settings.silenceMax ?? "5 seconds"),
  auditEveryMillis: Duration.toMillis(settings.auditEvery ?? "30 seconds"),
  bucketsEveryMillis: Duration.toMillis(settings.bucketsEvery ?? "5 seconds")
})
