/**
 * `grants`: the accounts and permissions of a mesh, as a nats-server's configuration or as JSON, with the keys of its users
 * where a folder for their seeds is named.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type GrantedAccount, type Grants, grantsOf } from "../adapters/nats/Grants.ts"
import { grantsConfig, type PublicKeys, variablesOf } from "../adapters/nats/GrantsConfig.ts"
import type { Json } from "../core/Json.ts"
import { type Failure, failure } from "./Failure.ts"
import { type PartiesConfig, readParties } from "./Parties.ts"
import { jsonPieces, printError, printJson, printLines, printText, styled } from "./Print.ts"
import { codeOf } from "./Read.ts"
import { countText } from "./Say.ts"
import { writeText } from "./Write.ts"

/** What `grants` is asked. */
export interface GrantsConfig extends PartiesConfig {
  readonly singleAccount: boolean
  readonly seeds: string | undefined
  readonly out: string | undefined
  readonly json: boolean
}

/** Runs `grants`. */
export const run = Effect.fnUntraced(function*(config: GrantsConfig): Effect.fn.Return<void, Failure> {
  const grants = grantsOf(config.singleAccount ? "single-account" : "accounts", yield* readParties(config))
  const keys = config.seeds === undefined ? new Map<string, string>() : yield* keysIn(config.seeds, usersOf(grants))
  for (const hole of grants.holes) {
    yield* printError(`with one account for all, this is not closed: ${hole}`)
  }
  yield* config.out === undefined ? print(config, grants, keys) : writeOut(config.out, config, grants, keys)
})

const usersOf = ({ accounts }: Grants): ReadonlyArray<string> =>
  accounts.flatMap(({ users }) => users.map(({ name }) => name))

const print = ({ json }: GrantsConfig, grants: Grants, keys: PublicKeys): Effect.Effect<void> =>
  json ? printJson(jsonOf(grants, keys)) : printText(grantsConfig(grants, keys))

const writeOut = (
  out: string,
  { json, seeds }: GrantsConfig,
  grants: Grants,
  keys: PublicKeys
): Effect.Effect<void, Failure> =>
  Effect.andThen(
    writeText(out, json ? jsonText(jsonOf(grants, keys)) : [grantsConfig(grants, keys)]),
    printLines([[
      `${countText(grants.accounts.length, "account", "accounts")} with `,
      `${countText(usersOf(grants).length, "user", "users")}, written to `,
      styled("bold", out),
      ...(seeds === undefined ? [] : ["; each user's seed is in ", styled("bold", seeds)])
    ]])
  )

const jsonText = function*(json: Json): Iterable<string> {
  yield* jsonPieces(json, "  ")
  yield "\n"
}

const jsonOf = (grants: Grants, keys: PublicKeys): Json => {
  const variables = variablesOf(grants)
  const accountJson = ({ exports, imports, jetStream, name, users }: GrantedAccount): Json => ({
    name,
    jetStream,
    users: users.map(({ apiPrefix, inboxPrefix, name, publish, subscribe }) => {
      const nkey = keys.get(name)
      return {
        name,
        ...(nkey === undefined ? { variable: variables.get(name) ?? "" } : { nkey }),
        inboxPrefix,
        apiPrefix,
        publish: [...publish],
        subscribe: [...subscribe]
      }
    }),
    exports: exports.map(({ accounts, ...exported }) => ({ ...exported, accounts: [...accounts] })),
    imports: imports.map((imported) => ({ ...imported }))
  })
  return { kind: grants.kind, holes: [...grants.holes], accounts: grants.accounts.map(accountJson) }
}

// --- seeds ---------------------------------------------------------------------------------------------------------

/** The public keys of users whose seeds are in a folder. A seed that is not there is made; one that is there stays. */
const keysIn = Effect.fnUntraced(function*(
  folder: string,
  users: ReadonlyArray<string>
): Effect.fn.Return<PublicKeys, Failure> {
  const seeds = yield* Effect.promise(() => import("../adapters/nats/Seeds.ts"))
  yield* Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true, mode: 0o700 }),
    catch: (error) => failure(`The folder ${folder} cannot be made (${codeOf(error)}). Name one that can be.`)
  })
  const keyOf = (user: string) =>
    Effect.tryPromise({
      try: async () => {
        const path = join(folder, seedFile(user))
        const made = seeds.createSeed()
        const isNew = await writeNew(path, `${Redacted.value(made.seed)}\n`)
        return isNew ? made.publicKey : seeds.publicKeyIn(await readFile(path, "utf8"))
      },
      catch: (error) =>
        failure(
          `The seed ${seedFile(user)} in ${folder} can be neither read nor made (${
            codeOf(error)
          }). Let whoever runs this.`
        )
    })
  const keys = new Map<string, string>()
  for (const user of users) {
    const key = yield* keyOf(user)
    if (key === undefined) {
      return yield* failure(
        `${join(folder, seedFile(user))} holds no seed of a user's nkey (SU…). Mend it, or remove it to have one made.`
      )
    }
    keys.set(user, key)
  }
  return keys
})

/** The name of a user's file. A token holds no `.` and no `=2F`: no two users have the same. */
const seedFile = (user: string): string => `${user.replace(":", ".").replaceAll("/", "=2F")}.nk`

const writeNew = async (path: string, text: string): Promise<boolean> => {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") {
      return false
    }
    throw error
  }
}
