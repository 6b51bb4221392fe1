/**
 * Why no connection to NATS was made: one tagged error, with what was found and what to do.
 *
 * It names servers and files, never a password, token or seed.
 */
import * as Schema from "effect/Schema"

/**
 * Why there is no connection:
 * - `settings`: an address or a file that was named cannot be taken;
 * - `unreachable`: nobody listens there, or the way there is not found;
 * - `silent`: whoever listens there did not speak as a NATS server in time;
 * - `not-nats`: whoever listens there is no NATS server;
 * - `refused`: the server knows no such user, password, token or key;
 * - `expired`: the credentials have run out;
 * - `tls`: the two ends do not agree on how to encrypt, or one does not trust the other;
 * - `no-jetstream`: the server, or this account of it, keeps no buckets.
 */
export type NatsConnectReason = typeof reason.Type

const reason = Schema.Literals([
  "settings",
  "unreachable",
  "silent",
  "not-nats",
  "refused",
  "expired",
  "tls",
  "no-jetstream"
])

/**
 * The error of a connection that was not made. `where` is the servers that were tried, without users and passwords, or
 * the file; `detail` is what the system or the server said, where that says more.
 *
 * @example
 * ```ts
 * import { NatsConnectError } from "mesh-provisioner/adapters/nats"
 *
 * new NatsConnectError({ reason: "unreachable", where: "127.0.0.1:4222", detail: "ECONNREFUSED" }).message
 * // "No NATS server answers at 127.0.0.1:4222 (ECONNREFUSED). Start it there, or name where it is."
 * ```
 */
export class NatsConnectError extends Schema.TaggedError<NatsConnectError>(
  "mesh-provisioner/adapters/nats/NatsConnectError"
)("NatsConnectError", {
  reason,
  where: Schema.String,
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return sentences[this.reason](this.where, this.detail === undefined ? "" : ` (${this.detail})`)
  }
}

const sentences: { readonly [Reason in NatsConnectReason]: (where: string, detail: string) => string } = {
  settings: (where, detail) => `${where} cannot be used${detail}. Give another, or mend it.`,
  unreachable: (where, detail) => `No NATS server answers at ${where}${detail}. Start it there, or name where it is.`,
  silent: (where, detail) =>
    `Whoever listens at ${where} did not speak as a NATS server in time${detail}. Look whether that is one, and is well.`,
  "not-nats": (where, detail) =>
    `Whoever listens at ${where} is no NATS server${detail}. Name where one is: its client port is 4222 where nothing else is set.`,
  refused: (where, detail) =>
    `The NATS server at ${where} did not let this user in${detail}. Look at the credentials, and at the users that it knows.`,
  expired: (where, detail) =>
    `The NATS server at ${where} takes these credentials no more: they have expired${detail}. Have them issued anew.`,
  tls: (where, detail) =>
    `No encrypted connection to the NATS server at ${where} was agreed on${detail}. Look at the certificates, and at who trusts whom.`,
  "no-jetstream": (where, detail) =>
    `The NATS server at ${where} keeps no buckets: JetStream is off there, or for this account${detail}. Turn it on.`
}
