/**
 * Who and what there is in a simulated mesh: its nodes, the modules with the definitions that each may have, and what a
 * consumer may need. A seed draws from these what happens; the same names come again and again, so that things meet.
 */
import type { Json, JsonObject } from "../core/Json.ts"

/** Every secret, and every value that no decision may show, has this in it. */
export const canary = "c4n4ry"

/** A module that provides. */
export interface ProviderRole {
  readonly module: string
  /** What it provides, each with the values of all fields that any definition of it names. */
  readonly provides: { readonly [provision: string]: JsonObject }
  /** The definitions that it may have: the first is sound. */
  readonly definitions: readonly [Json, ...ReadonlyArray<Json>]
}

/** A need that a consumer may have. */
export interface NeedRole {
  readonly kind: string
  /** The name, as a token. */
  readonly name: string
  /** What it may say: the first is sound. */
  readonly values: readonly [Json, ...ReadonlyArray<Json>]
  /** The provision and local name of its claim, in tokens, where it has one. */
  readonly claim?: string
}

const fields = { Zone: "string", host: "string", port: "integer", area: "string" }
const valuesOfFields = { Zone: `${canary} z`, host: `${canary}.home`, port: 5432, area: "north" }
const secretFields = { ...fields, password: "secret" }

const database = (more: JsonObject) => ({
  credential: "consumer",
  contract: { version: "1.4.0", fields: secretFields },
  ...more
})

/** The modules that provide. */
export const providers: ReadonlyArray<ProviderRole> = [
  {
    module: "postgres",
    provides: { database: valuesOfFields },
    definitions: [
      { provides: { database: database({}) }, note: canary },
      { provides: { database: database({ contract: { version: "2.0.0", fields: { host: "string" } } }) } },
      { provides: { database: database({ retire: "free" }) } },
      { provides: { database: { credential: "some" } } },
      { provides: 7 },
      { provides: {} },
      canary
    ]
  },
  {
    module: "maria",
    provides: { database: valuesOfFields, store: { area: "south" } },
    definitions: [
      {
        provides: { database: database({ contract: { version: "1.5.0", fields } }), store: { credential: "consumer" } }
      },
      { provides: { store: { credential: "consumer", retire: "free" } } },
      { provides: { database: database({ contract: { fields } }), store: { credential: "consumer", seat: "main" } } },
      { provides: { database: null, store: { credential: "consumer" } } }
    ]
  },
  {
    module: "Redis",
    provides: { cache: { port: 6379 } },
    definitions: [
      {
        provides: { cache: { credential: "consumer", retire: "free", contract: { fields: { port: "integer" } } } },
        answers: { licence: { bucket: "Redis_licences", key: "<name>.<node>" } }
      },
      { provides: { cache: { credential: "consumer", contract: { fields: { port: "integer" } } } } },
      {
        answers: {
          licence: { bucket: "Redis_licences", key: "<name>.shared" },
          token: { seat: "main", verb: "Redis.t" }
        }
      }
    ]
  },
  {
    module: "ledger",
    provides: { "book.s": { Zone: canary } },
    definitions: [
      { provides: { "book.s": { credential: "consumer", seat: "main", contract: { fields: { Zone: "string" } } } } },
      { provides: { "book.s": { credential: "consumer", contract: { fields: { Zone: "string" } } } } }
    ]
  },
  {
    module: "proxy",
    provides: {},
    definitions: [
      { provides: { web: { credential: "none", contract: { version: "3.1.0", fields: { address: "string" } } } } },
      {
        provides: { web: { credential: "none", seat: "main" } },
        answers: { licence: { seat: "main", verb: "proxy.l" } }
      }
    ]
  },
  { module: "mesh-vault", provides: { secret: { version: 1 }, credential: { version: 1 } }, definitions: [{}] }
]

/** The seats that there may be. */
export const seats = ["main", "vault"] as const

const need = (kind: string, name: string, ...values: NeedRole["values"]): NeedRole => ({ kind, name, values })

const bound = (name: string, claim: string, ...values: NeedRole["values"]): NeedRole => ({
  kind: "bound",
  name,
  values,
  claim
})

/** What a consumer may need. */
export const needs: ReadonlyArray<NeedRole> = [
  bound("database", "database", {}, { contract: "^1.4.0" }, { fields: ["host", "Zone", "area"] }, canary, {
    own: true
  }),
  bound("second", "database.two", { provision: "database", local: "two" }, {
    provision: "database",
    local: "two",
    optional: true
  }),
  bound("again", "database", { provision: "database", fields: ["port"] }, {
    provision: "database",
    contract: ">=1.5.0",
    optional: true
  }, { provision: "database", fields: ["colour"] }),
  bound("cache", "cache", { optional: true, own: true }, { fields: ["port"] }, {}),
  bound("store", "store", {}, { optional: true }),
  bound("book=2Es", "book=2Es", {}, { own: true }),
  bound("web", "web", {}, { contract: "^3.0.0", fields: ["address"] }, { contract: "^9.0.0" }),
  bound("nothing", "nothing", { own: true }, { optional: true }),
  { ...need("secret", "key", {}, { optional: true }), claim: "secret.key" },
  need("config", "color", {}, { default: canary }),
  need("port", "http", {}),
  need("shell", "zsh=3Anormal", {}),
  need("collected", "menu", {}),
  need("licence", "gold", {}, { default: 1 }),
  need("token", "one", { optional: true }),
  need("consumers", "all", { optional: true }),
  need("unheard", "of", { optional: true }, {})
]

/** What a buggy client may write as a need's key, after its node and module. */
export const brokenNeeds = ["bound", "bound.a.b", "b=6Fund.database", "bound.database.more"]

/** The nodes of a mesh, in tokens: one of them has a name that is written otherwise. */
export const nodesOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => at === 3 ? "hut=20=C3=A9=2E4" : `n${at + 1}`)

const consumerNames = ["shop", "Wiki", "chat", "mail", "constructor", "feed", "lab", "Zoo"]

/** The modules that need, of which one provides too. */
export const consumersOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => consumerNames[at] ?? `module${at}`)
