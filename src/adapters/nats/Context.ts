/**
 * The contexts of the `nats` command line: where servers are and who one is there, kept by that tool in files of its own,
 * `nats/context/<name>.json` under `$XDG_CONFIG_HOME` or `~/.config`. Read as that tool reads them, and never written.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { NatsConnectError } from "./NatsConnectError.ts"
import type { NatsCredentials, NatsSettings, NatsTls } from "./Settings.ts"

const text = Schema.optionalKey(Schema.String)

const Context = Schema.Struct({
  url: text,
  user: text,
  password: text,
  token: text,
  creds: text,
  nkey: text,
  user_jwt: text,
  user_seed: text,
  cert: text,
  key: text,
  ca: text,
  tls_first: Schema.optionalKey(Schema.Boolean),
  jetstream_domain: text,
  jetstream_api_prefix: text,
  inbox_prefix: text,
  nsc: text,
  socks_proxy: text
})

type Context = typeof Context.Type

/** The variables of the environment, by their names. */
export type Environment = { readonly [name: string]: string | undefined }

/**
 * Reads a context of the `nats` command line; without a name, the one that is selected there.
 *
 * Fails with {@link NatsConnectError} where there is none, or it holds what only that tool can resolve (`nsc`, a proxy,
 * `op://…`).
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { readNatsContext } from "mesh-provisioner/adapters/nats"
 *
 * const error = await Effect.runPromise(Effect.flip(readNatsContext("nowhere", { HOME: "/nonexistent" })))
 * error.message
 * // "Context \"nowhere\" of the nats command line cannot be used (there is no file /nonexistent/.config/nats/context/nowhere.json). Give another, or mend it."
 * ```
 */
export const readNatsContext = Effect.fnUntraced(function*(
  name?: string,
  environment: Environment = process.env
): Effect.fn.Return<NatsSettings, NatsConnectError> {
  const folder = join(filled(environment["XDG_CONFIG_HOME"]) ?? join(homeOf(environment), ".config"), "nats")
  const chosen = name ?? (yield* readNamed("The selected context", join(folder, "context.txt"))).trim()
  const where = `Context ${JSON.stringify(chosen)}`
  if (!/^[^/\\]+$/.test(chosen) || chosen.includes("..")) {
    return yield* unusable(where, "no context is named so")
  }
  const path = join(folder, "context", `${chosen}.json`)
  const read = yield* readNamed(where, path)
  const context = Result.flatMap(
    Result.try((): unknown => JSON.parse(read)),
    Schema.decodeUnknownResult(Context)
  )
  return Result.isFailure(context)
    ? yield* unusable(where, `${path} is not as that tool writes it`)
    : yield* Effect.mapError(
      Effect.fromResult(settingsOfContext(context.success, environment)),
      (detail) => unusableError(where, detail)
    )
})

const readNamed = (where: string, path: string): Effect.Effect<string, NatsConnectError> =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) =>
      unusableError(
        where,
        error instanceof Error && "code" in error && error.code === "ENOENT"
          ? `there is no file ${path}`
          : `${path} cannot be read`
      )
  })

const unusableError = (where: string, detail: string): NatsConnectError =>
  new NatsConnectError({ reason: "settings", where: `${where} of the nats command line`, detail })

const unusable = (where: string, detail: string) => Effect.fail(unusableError(where, detail))

/** A context as settings, or why it is none here. */
const settingsOfContext = (
  context: Context,
  environment: Environment
): Result.Result<NatsSettings, string> => {
  const beyond = notDone(context)
  if (beyond !== undefined) {
    return Result.fail(beyond)
  }
  const path = (given: string | undefined) => given === undefined ? undefined : expand(given, environment)
  const url = filled(context.url)
  const domain = filled(context.jetstream_domain)
  const apiPrefix = filled(context.jetstream_api_prefix) ?? (domain === undefined ? undefined : `$JS.${domain}.API`)
  return Result.succeed(present({
    servers: url?.split(","),
    credentials: credentialsOf(context, path),
    tls: tlsOf(context, path),
    inboxPrefix: filled(context.inbox_prefix),
    apiPrefix,
    // Where JetStream is reached by a prefix, that tool writes keys by it too.
    keyPrefix: apiPrefix
  }))
}

const notDone = (context: Context): string | undefined => {
  if (filled(context.nsc) !== undefined) {
    return "it takes its credentials from nsc: name the credentials file itself, as creds"
  }
  if (filled(context.socks_proxy) !== undefined) {
    return "it goes by a proxy, which is not done here"
  }
  const foreign = (["creds", "nkey", "password", "token", "user_jwt", "user_seed"] as const).find((name) =>
    /^[a-z]+:(?:\/\/|;)/i.test((context[name] ?? "").replace(/^file:\/\//i, ""))
  )
  return foreign === undefined ? undefined : `its ${foreign} stands elsewhere, where only that tool finds it`
}

type ExpandPath = (given: string | undefined) => string | undefined

// In the order in which that tool looks for them.
const credentialsOf = (context: Context, path: ExpandPath): NatsCredentials | undefined => {
  const { token, user, user_jwt, user_seed } = context
  const creds = path(filled(context.creds))
  const nkey = path(filled(context.nkey))
  if (filled(user) !== undefined) {
    return { _tag: "Password", user: user ?? "", password: Redacted.make(context.password ?? "") }
  }
  if (creds !== undefined) {
    return { _tag: "CredentialsFile", path: creds }
  }
  if (nkey !== undefined) {
    return { _tag: "NkeyFile", path: nkey }
  }
  if (filled(user_jwt) !== undefined) {
    const seed = filled(user_seed)
    return {
      _tag: "Jwt",
      jwt: Redacted.make(user_jwt ?? ""),
      ...(seed === undefined ? {} : { seed: Redacted.make(seed) })
    }
  }
  return filled(token) === undefined ? undefined : { _tag: "Token", token: Redacted.make(token ?? "") }
}

const tlsOf = (context: Context, path: ExpandPath): NatsTls | undefined => {
  const tls = present({
    caFile: path(filled(context.ca)),
    certFile: path(filled(context.cert)),
    keyFile: path(filled(context.key)),
    handshakeFirst: context.tls_first === true ? true : undefined
  })
  return Object.keys(tls).length === 0 ? undefined : tls
}

/** A path as that tool writes them: with `~` and variables. */
const expand = (given: string, environment: Environment): string =>
  given
    .replace(/^file:\/\//i, "")
    .replaceAll(
      /\$(?:\{(\w+)\}|(\w+))/g,
      (_, braced?: string, bare?: string) => environment[braced ?? bare ?? ""] ?? ""
    )
    .replace(/^~/, homeOf(environment))

const homeOf = (environment: Environment): string => filled(environment["HOME"]) ?? homedir()

const filled = (given: string | undefined): string | undefined => given === "" ? undefined : given

type Present<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** The fields that hold something. */
const present = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>
