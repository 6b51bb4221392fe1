/**
 * The flags of every command that goes to the bus: where it is, who one is there, and how it is reached.
 *
 * A flag wins over the environment, and the environment over a context of the `nats` command line. The variables are those
 * of that command line where it has one. No secret is ever a flag's value: what stands in a command line is seen by all.
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { file } from "./Parts.ts"

/** One of these flags, as it is said to a person. */
export interface BusFlag {
  readonly metavar: string
  /** The variable of the environment that stands for it. */
  readonly variable: string
  /** The variable that holds the secret itself, of a flag that names a file of it. */
  readonly secretVariable?: string
  readonly words: string
  /** What it is where neither it nor its variable is given, nor a context has it. */
  readonly byDefault?: string
}

/** All of them, by name. */
export const busFlagTable = {
  bus: {
    metavar: "URL[,URL…]",
    variable: "NATS_URL",
    words: "Where the NATS servers are: nats://host:port, or tls://host:port",
    byDefault: "nats://127.0.0.1:4222"
  },
  context: {
    metavar: "NAME",
    variable: "NATS_CONTEXT",
    words: "The context of the nats command line that says what is not said otherwise"
  },
  creds: {
    metavar: file,
    variable: "NATS_CREDS",
    words: "The credentials file of the user"
  },
  nkey: {
    metavar: file,
    variable: "NATS_NKEY",
    words: "The file of the user's nkey seed"
  },
  user: {
    metavar: "NAME",
    variable: "NATS_USER",
    words: "The user, who has a password"
  },
  "password-file": {
    metavar: file,
    variable: "MESH_PROVISIONER_PASSWORD_FILE",
    secretVariable: "NATS_PASSWORD",
    words: "The file of the user's password, or - for standard input"
  },
  "token-file": {
    metavar: file,
    variable: "MESH_PROVISIONER_TOKEN_FILE",
    secretVariable: "NATS_TOKEN",
    words: "The file of the token that the servers ask for, or - for standard input"
  },
  "tls-ca": {
    metavar: file,
    variable: "NATS_CA",
    words: "The certificates of the authority that the servers' are issued by",
    byDefault: "those that Node.js trusts"
  },
  "tls-cert": {
    metavar: file,
    variable: "NATS_CERT",
    words: "The certificate to show to the servers"
  },
  "tls-key": {
    metavar: file,
    variable: "NATS_KEY",
    words: "The key of that certificate"
  },
  "inbox-prefix": {
    metavar: "SUBJECT",
    variable: "MESH_PROVISIONER_INBOX_PREFIX",
    words: "What the subjects begin with that answers come to",
    byDefault: "_INBOX"
  },
  "api-prefix": {
    metavar: "SUBJECT",
    variable: "MESH_PROVISIONER_API_PREFIX",
    words: "What requests of JetStream begin with, where the buckets are in another account",
    byDefault: "$JS.API"
  },
  "key-prefix": {
    metavar: "SUBJECT",
    variable: "MESH_PROVISIONER_KEY_PREFIX",
    words: "What stands before the subjects of keys, where they are written through another account",
    byDefault: "nothing"
  },
  timeout: {
    metavar: "DURATION",
    variable: "MESH_PROVISIONER_TIMEOUT",
    words: "How long an answer is waited for, as 500ms, 5s or 1m",
    byDefault: "5s"
  }
} as const satisfies { readonly [name: string]: BusFlag }

/** The name of one of these flags. */
export type BusFlagName = keyof typeof busFlagTable

/** What of them stands in the command line. */
export type BusConfig = { readonly [Name in BusFlagName]: string | undefined }

const flagOf = ([name, row]: readonly [string, BusFlag]) => {
  const { byDefault, metavar, secretVariable, variable, words } = row
  const otherwise = [`$${variable}`, secretVariable && `what $${secretVariable} holds`, byDefault]
  return [
    name,
    Flag.String(name).pipe(
      Flag.withMetavar(metavar),
      Flag.withDescription(`${words} (else ${otherwise.filter((one) => one !== undefined).join(", ")})`),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    )
  ] as const
}

/**
 * The flags, as a command takes them: `{ connection: busFlags, … }` among its own. What they come to is made of them by
 * `Connect.ts`.
 */
export const busFlags = Object.fromEntries(Object.entries(busFlagTable).map(flagOf)) as {
  readonly [Name in BusFlagName]: Flag.Flag<string | undefined>
}
