/**
 * The command line's way to the bus: what the flags, the environment and a context say of it, and the connection.
 *
 * What only NATS needs is loaded when a connection is made, and not before.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { NatsBus } from "../adapters/nats/NatsBus.ts"
import type { NatsCredentials, NatsSettings, NatsTls } from "../adapters/nats/Settings.ts"
import { type BusConfig, type BusFlagName, busFlagTable } from "./command/BusFlags.ts"
import { readMillis } from "./Duration.ts"
import { type Failure, failure, usage } from "./Failure.ts"
import { nameOf, readText } from "./Read.ts"
import { visible } from "./Visible.ts"

/** The variables of the environment, by their names. */
export type Environment = { readonly [name: string]: string | undefined }

/**
 * Connects to the bus that the flags name, until the scope closes. `connectFor` is how long a server that does not answer is
 * looked for; each is tried once where it is left out.
 */
export const connected = Effect.fnUntraced(function*(
  config: BusConfig,
  connectFor?: Duration.Input
): Effect.fn.Return<NatsBus["Service"], Failure, Scope.Scope> {
  const settings = yield* settingsOf(config)
  const { NatsBus } = yield* Effect.promise(() => import("../adapters/nats/NatsBus.ts"))
  return yield* Effect.mapError(
    NatsBus.make({ ...settings, ...(connectFor === undefined ? {} : { connectFor }) }),
    ({ message }) => failure(message)
  )
})

/** That a command which reads a file says nothing of the bus, by a flag. */
export const notBoth = (from: string | undefined, config: BusConfig): Effect.Effect<void, Failure> => {
  const [flag] = Object.entries(config).find(([, value]) => value !== undefined) ?? []
  return from === undefined || flag === undefined
    ? Effect.void
    : Effect.fail(
      usage(`Either a file is read or the bus is asked, and --${flag} is of the bus. Give only one of them.`)
    )
}

/** What the flags come to, with the environment and, where one is named, a context: a flag wins over them, in this order. */
export const settingsOf = Effect.fnUntraced(function*(
  config: BusConfig,
  environment: Environment = process.env
): Effect.fn.Return<NatsSettings, Failure> {
  const given = new Given(config, environment)
  const servers = yield* serversOf(given)
  const context = yield* contextOf(given.text("context"), environment)
  const credentials = yield* credentialsOf(given, servers, context)
  const tls = present<NatsTls>({
    ...context.tls,
    ...present<NatsTls>({
      caFile: given.text("tls-ca"),
      certFile: given.text("tls-cert"),
      keyFile: given.text("tls-key")
    })
  })
  const timeout = given.text("timeout")
  const { credentials: _, ...rest } = context
  return {
    ...rest,
    ...present<NatsSettings>({
      servers,
      inboxPrefix: yield* subjectOf(given, "inbox-prefix"),
      apiPrefix: yield* subjectOf(given, "api-prefix"),
      keyPrefix: yield* subjectOf(given, "key-prefix"),
      credentials,
      tls: Object.keys(tls).length === 0 ? undefined : tls,
      answerWaitMax: timeout === undefined ? undefined : yield* readMillis(given.nameOf("timeout"), timeout)
    })
  }
})

/** What was given, by flags and by the environment; a variable without a value is none. */
class Given {
  readonly flags: BusConfig
  readonly #environment: Environment

  constructor(flags: BusConfig, environment: Environment) {
    this.flags = flags
    this.#environment = environment
  }

  /** A setting: its flag's, else its variable's. */
  text(name: BusFlagName): string | undefined {
    return this.flags[name] ?? this.variable(name)
  }

  variable(name: BusFlagName): string | undefined {
    return this.#environment[busFlagTable[name].variable] || undefined
  }

  /** A secret that a variable itself holds. */
  secret(name: "password-file" | "token-file"): Redacted.Redacted | undefined {
    const text = this.#environment[busFlagTable[name].secretVariable]
    return text === undefined || text === "" ? undefined : Redacted.make(text)
  }

  /** Where a setting was given, as sentences say it. */
  nameOf(name: BusFlagName): string {
    return this.flags[name] === undefined ? busFlagTable[name].variable : `--${name}`
  }
}

const serversOf = (given: Given): Effect.Effect<ReadonlyArray<string> | undefined, Failure> =>
  given.flags.bus?.includes("@") === true
    ? Effect.fail(usage(
      "--bus names a user or a token, and everyone on this machine sees what stands in a command line. " +
        "Give --user with --password-file, or --token-file, or set NATS_URL."
    ))
    : Effect.succeed(given.text("bus")?.split(","))

/** The beginning of subjects: tokens that stand for themselves. */
const subjectOf = (
  given: Given,
  name: "inbox-prefix" | "api-prefix" | "key-prefix"
): Effect.Effect<string | undefined, Failure> => {
  const subject = given.text(name)
  return subject === undefined || /^[^\s.*>]+(?:\.[^\s.*>]+)*$/.test(subject)
    ? Effect.succeed(subject)
    : Effect.fail(usage(
      `${given.nameOf(name)} cannot be ${
        visible(subject)
      }. Give it tokens joined by dots, without a dot at the end, as ${
        name === "inbox-prefix" ? "_INBOX.client:n1" : "$JS.mesh.API"
      }.`
    ))
}

const contextOf = (name: string | undefined, environment: Environment): Effect.Effect<NatsSettings, Failure> =>
  name === undefined
    ? Effect.succeed({})
    : Effect.flatMap(
      Effect.promise(() => import("../adapters/nats/Context.ts")),
      ({ readNatsContext }) => Effect.mapError(readNatsContext(name, environment), ({ message }) => failure(message))
    )

// --- who one is --------------------------------------------------------------------------------------------------

/** The ways to say who one is, of which one is taken. */
const ways = ["creds", "nkey", "user", "token-file"] as const

type Way = (typeof ways)[number]

/**
 * Who one is: by the one way that the flags say, else by the one that the environment says, else as the address of a server
 * or the context says.
 */
const credentialsOf = Effect.fnUntraced(function*(
  given: Given,
  servers: ReadonlyArray<string> | undefined,
  context: NatsSettings
): Effect.fn.Return<NatsCredentials | undefined, Failure> {
  const way = yield* wayOf(given)
  if (way !== undefined) {
    return yield* credentialsBy[way](given)
  }
  if (servers?.some((address) => address.includes("@")) === true) {
    return undefined
  }
  const password = yield* passwordOf(given)
  if (password === undefined) {
    return context.credentials
  }
  return context.credentials?._tag === "Password"
    ? { ...context.credentials, password }
    : yield* usage(`There is a password, but no user whose it is. Give --user, or set ${busFlagTable.user.variable}.`)
})

const wayOf = (given: Given): Effect.Effect<Way | undefined, Failure> => {
  const byFlags = ways.filter((way) => given.flags[way] !== undefined)
  const named = byFlags.length > 0 ? byFlags : ways.filter((way) => isInEnvironment(given, way))
  const [way, another] = named
  if (another !== undefined) {
    const names = named.map((one) => given.flags[one] === undefined ? variablesOf(one) : `--${one}`)
    return Effect.fail(usage(`${names.join(" and ")} each say who one is. Give only one of them.`))
  }
  return given.flags["password-file"] !== undefined && way !== undefined && way !== "user"
    ? Effect.fail(
      usage(`--password-file is of a user, and ${given.nameOf(way)} says who one is. Give only one of them.`)
    )
    : Effect.succeed(way)
}

const isInEnvironment = (given: Given, way: Way): boolean =>
  given.variable(way) !== undefined || (way === "token-file" && given.secret(way) !== undefined)

const variablesOf = (way: Way): string =>
  way === "token-file" ? `${busFlagTable[way].secretVariable} (or its file)` : busFlagTable[way].variable

const credentialsBy: { readonly [Name in Way]: (given: Given) => Effect.Effect<NatsCredentials | undefined, Failure> } =
  {
    creds: (given) => Effect.succeed({ _tag: "CredentialsFile", path: given.text("creds") ?? "" }),
    nkey: (given) => Effect.succeed({ _tag: "NkeyFile", path: given.text("nkey") ?? "" }),
    user: (given) =>
      Effect.flatMap(passwordOf(given), (password) =>
        password === undefined
          ? Effect.fail(usage(
            `${given.nameOf("user")} is given without a password. Give --password-file, or set ` +
              `${busFlagTable["password-file"].secretVariable}.`
          ))
          : Effect.succeed({ _tag: "Password", user: given.text("user") ?? "", password })),
    "token-file": (given) =>
      Effect.map(secretOf(given, "token-file"), (token) => token === undefined ? undefined : { _tag: "Token", token })
  }

const passwordOf = (given: Given) => secretOf(given, "password-file")

/** A secret: from the file that is named, else from the variable that holds it. */
const secretOf = (
  given: Given,
  name: "password-file" | "token-file"
): Effect.Effect<Redacted.Redacted | undefined, Failure> => {
  const path = given.text(name)
  return path === undefined ? Effect.succeed(given.secret(name)) : readSecret(path)
}

/** Reads a secret from a file, without the line's end that editors leave there. */
const readSecret = (path: string): Effect.Effect<Redacted.Redacted, Failure> =>
  Effect.flatMap(readText(path), (text) => {
    const secret = text.replace(/\r?\n$/, "")
    return secret === "" || secret.length > secretCharactersMax || /[\r\n]/.test(secret)
      ? Effect.fail(
        failure(`${nameOf(path)} holds no secret: that is one line, of ${secretCharactersMax} characters at most.`)
      )
      : Effect.succeed(Redacted.make(secret))
  })

const secretCharactersMax = 4_096

type Present<Fields> = { readonly [Name in keyof Fields]: Exclude<Fields[Name], undefined> }

/** The fields that hold something. */
const present = <Fields extends object>(fields: { readonly [Name in keyof Fields]: Fields[Name] | undefined }) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>
