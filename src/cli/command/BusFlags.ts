/**
 * The flags of every command that goes to the bus: where it is, who one is there, and how it is reached.
 *
 * A flag wins over the environment, and the environment over a context of the `nats` command line. The variables are those
 * of that command line where it has one. No secret is ever a flag's value: what stands in a command line is seen by all.
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { file } from "./Parts.ts"

/** A flag with a variable that stands for it, as it is said to a person. */
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

const flagOf = ([name, row]: readonly [string, BusFlag]) => {
  const { byDefault, metavar, secretVariable, variable, words } = row
  const otherwise = [`$${variable}`, secretVariable && `$${secretVariable}`, byDefault]
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

/** The flags of a table, each a text or left out. */
export const flagsOf = <Name extends string>(table: { readonly [One in Name]: BusFlag }) =>
  Object.fromEntries(Object.entries<BusFlag>(table).map(flagOf)) as {
    readonly [One in Name]: Flag.Flag<string | undefined>
  }

/** All of them, by name. */
export const busFlagTable = {
  bus: {
    metavar: "URL[,URL…]",
    variable: "NATS_URL",
    words: "Where the servers are, each as nats://host:port",
    byDefault: "nats://127.0.0.1:4222"
  },
  context: {
    metavar: "NAME",
    variable: "NATS_CONTEXT",
    words: "A context of the nats command line, for what is not said here"
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
    words: "The password, or - for standard input"
  },
  "token-file": {
    metavar: file,
    variable: "MESH_PROVISIONER_TOKEN_FILE",
    secretVariable: "NATS_TOKEN",
    words: "The token, or - for standard input"
  },
  "tls-ca": {
    metavar: file,
    variable: "NATS_CA",
    words: "The certificates of the servers' authority",
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
    words: "What the subjects of answers begin with",
    byDefault: "_INBOX"
  },
  "api-prefix": {
    metavar: "SUBJECT",
    variable: "MESH_PROVISIONER_API_PREFIX",
    words: "What JetStream's requests begin with",
    byDefault: "$JS.API"
  },
  "key-prefix": {
    metavar: "SUBJECT",
    variable: "MESH_PROVISIONER_KEY_PREFIX",
    words: "What stands before the subjects of keys",
    byDefault: "nothing"
  },
  timeout: {
    metavar: "DURATION",
    variable: "MESH_PROVISIONER_TIMEOUT",
    words: "How long an answer is waited for, as 5s",
    byDefault: "5s"
  }
} as const satisfies { readonly [name: string]: BusFlag }

/** The name of one of these flags. */
export type BusFlagName = keyof typeof busFlagTable

/** What of them stands in the command line. */
export type BusConfig = { readonly [Name in BusFlagName]: string | undefined }

/**
 * The flags, as a command takes them: `{ connection: busFlags, … }` among its own. What they come to is made of them by
 * `Connect.ts`.
 */
export const busFlags = flagsOf(busFlagTable)
