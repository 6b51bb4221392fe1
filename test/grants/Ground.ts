/**
 * A server that was started from what `grants` prints, with the mesh's buckets made by the adapter, and a raw connection for
 * every user: no client of this project's stands between a try and the server.
 */
import { connect, type MsgHdrs, type NatsConnection, nkeyAuthenticator, nkeys } from "@nats-io/transport-node"
import { Effect, Redacted, type Scope } from "effect"
import { type Grants, type GrantsKind, grantsOf } from "../../src/adapters/nats/Grants.ts"
import { grantsConfig } from "../../src/adapters/nats/GrantsConfig.ts"
import { NatsBus, type NatsSettings } from "../../src/adapters/nats/index.ts"
import { bucketsOf, type Parties } from "../../src/ports/Grants.ts"
import { natsServer } from "../nats/Server.ts"

/** The mesh of these tests. Node n10's name begins as n1's does. */
export const mesh: Parties = {
  nodes: ["n1", "n2", "n10"],
  providers: [{ module: "postgres", node: "n2" }, { module: "dns", node: "n1" }, { module: "postgres", node: "n10" }],
  operators: ["ann"],
  readers: ["board"],
  buckets: [{ bucket: "dns_zones", module: "dns" }]
}

/** All buckets of the mesh, and the seat's. */
export const buckets: ReadonlyArray<string> = [...bucketsOf(mesh), "mesh-provisioner_seat"]

/** A user's raw connection. */
export interface User {
  readonly name: string
  readonly apiPrefix: string
  readonly client: NatsConnection
  /** What the server refused it since the connection was made. */
  readonly denials: ReadonlyArray<string>
}

/** What came of a request: an answer, its text and the code of its headers; or nothing at all. */
export type Reply =
  | { readonly _tag: "Answered"; readonly text: string; readonly code: number }
  | { readonly _tag: "Denied" | "Nobody" | "Silent" }

export interface Ground {
  readonly grants: Grants
  readonly url: string
  readonly user: (name: string) => User
  /** How the adapter connects as a user. */
  readonly settings: (name: string) => NatsSettings
  /** A user of no party's, in the account of the buckets, who may do everything: who looks and plants. */
  readonly admin: NatsConnection
}

const adminUser = "{ user: admin, password: admin }"

/** A server by grants of a kind, and everyone connected. */
export const granted = Effect.fnUntraced(function*(
  kind: GrantsKind,
  edit: (config: string) => string = (config) => config
): Effect.fn.Return<Ground, never, Scope.Scope> {
  const grants = grantsOf(kind, mesh)
  const names = grants.accounts.flatMap(({ users }) => users)
  const pairs = new Map(names.map(({ name }) => [name, nkeys.createUser()]))
  const config = edit(grantsConfig(grants, new Map([...pairs].map(([name, pair]) => [name, pair.getPublicKey()]))))
  // The admin is these tests' own: what grants prints has none.
  const server = yield* natsServer({ config: config.replace("users: [", `users: [\n      ${adminUser}`) })
  const seedOf = (name: string) => new TextDecoder().decode(pairs.get(name)?.getSeed())
  const settings = (name: string): NatsSettings => ({
    servers: [server.url],
    credentials: { _tag: "Nkey", seed: Redacted.make(seedOf(name)) },
    inboxPrefix: `_INBOX.${name}`
  })
  yield* Effect.scoped(Effect.gen(function*() {
    const setup = yield* NatsBus.make(settings("setup"))
    yield* setup.applyPlans(yield* setup.planBuckets({ buckets }))
  })).pipe(Effect.orDie)
  const admin = yield* closing(() => connect({ servers: server.url, user: "admin", pass: "admin" }))
  const users = new Map<string, User>()
  for (const { apiPrefix, inboxPrefix, name } of names) {
    const client = yield* closing(() =>
      connect({
        servers: server.url,
        authenticator: nkeyAuthenticator(new TextEncoder().encode(seedOf(name))),
        inboxPrefix
      })
    )
    users.set(name, { name, apiPrefix, client, denials: denialsOf(client) })
  }
  return { grants, url: server.url, admin, settings, user: (name) => users.get(name) ?? missing(name) }
})

/** The same configuration without the permissions of the parties' users: what is left is the borders of the accounts. */
export const withoutPermissions = (config: string): string =>
  config.replace(
    /(nkey: \w+), permissions: \{[\s\S]*?\n\s*\} \}/g,
    (whole, user: string, at: number) => at < config.indexOf(`"controller": {`) ? whole : `${user} }`
  )

const missing = (name: string): never => {
  throw new Error(`grants has no user ${name}`)
}

const closing = (open: () => Promise<NatsConnection>): Effect.Effect<NatsConnection, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(open), (client) => Effect.promise(() => client.close()))

const denialsOf = (client: NatsConnection): ReadonlyArray<string> => {
  const denials: Array<string> = []
  void (async () => {
    for await (const status of client.status()) {
      if (status.type === "error") {
        denials.push(status.error.message)
      }
    }
  })()
  return denials
}

/** Asks, and says what came of it. */
export const ask = async (
  { client, denials }: Pick<User, "client" | "denials">,
  subject: string,
  payload: Uint8Array | string = "",
  headers?: MsgHdrs
): Promise<Reply> => {
  const denied = denials.length
  try {
    const answer = await client.request(subject, payload, {
      timeout: 400,
      ...(headers === undefined ? {} : { headers })
    })
    return { _tag: "Answered", text: answer.string(), code: answer.headers?.code ?? 0 }
  } catch (error) {
    const text = String(error)
    if (denials.length > denied || /permission/i.test(text) || /permission/i.test(causeOf(error))) {
      return { _tag: "Denied" }
    }
    return { _tag: /no responders/i.test(text) ? "Nobody" : "Silent" }
  }
}

const causeOf = (error: unknown): string => error instanceof Error ? String(error.cause) : ""
