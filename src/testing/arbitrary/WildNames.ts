/**
 * Hostile names for a wild mesh: the mesh is drawn with a few plain names, so that its facts meet, and a few of those are
 * then renamed everywhere at once, in keys, tokens and values alike.
 */
import * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"
import { read, write } from "../naive/name.ts"

/** Plain names and what each may become. */
const hostile = {
  n2: ["\u00E9", "a.b", "__proto__", "\n"],
  n3: ["=", "constructor", "n".repeat(300), "n".repeat(998)],
  shop: ["constructor", "s".repeat(200)],
  mysql: ["__proto__", "constructor", "mysql_bound", "m".repeat(200), "m".repeat(201)],
  database: ["__proto__", "constructor", "a.b", "\u{1F511}"],
  licence: ["__proto__", "toString", "a.b", "k".repeat(1_024), "k".repeat(1_025)],
  host: ["__proto__", "a.b"],
  password: ["__proto__", "constructor"],
  db: ["__proto__", "a.b"],
  title: ["__proto__", "a:b", "t".repeat(990)]
} as const

/** Names so long that the keys they are part of lie on both sides of 1,024 bytes. */
const longName = fc.integer({ min: 930, max: 1_012 }).map((length) => "l".repeat(length))

const renamed = (plain: keyof typeof hostile): fc.Arbitrary<string> =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(plain) }, { weight: 1, arbitrary: fc.constantFrom(...hostile[plain]) })

const long = (plain: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 14, arbitrary: fc.constant(plain) },
    { weight: 1, arbitrary: longName },
    { weight: 1, arbitrary: fc.constantFrom("__proto__", "\u00E9.\u00E9") }
  )

/** From a plain name to the one that stands for it in this mesh. */
export type Renaming = ReadonlyMap<string, string>

export const renamings: fc.Arbitrary<Renaming> = fc.tuple(
  ...(["n2", "n3", "shop", "mysql", "database", "licence", "host", "password", "db", "title"] as const).map((plain) =>
    renamed(plain).map((name) => [plain, name] as const)
  ),
  long("main").map((name) => ["main", name] as const),
  long("api").map((name) => ["api", name] as const)
).map((pairs) => new Map(pairs))

/** A key, or a text of tokens: each token renamed, and within it each token of a credential's name. */
export const renameTokens = (renaming: Renaming, text: string): string =>
  text.split(".").map((token) => {
    const name = read(token)
    if (name === undefined) {
      return token
    }
    return write(name.includes(".") ? renameTokens(renaming, name) : renaming.get(name) ?? name)
  }).join(".")

/** A bucket's name, of which the module that it is of may be renamed. */
export const renameBucket = (renaming: Renaming, bucket: string): string => {
  const [, module, rest] = /^([a-z-]+)(_.*)$/.exec(bucket) ?? []
  return module === undefined || rest === undefined ? bucket : (renaming.get(module) ?? module) + rest
}

/** A value: names are renamed as they are, but for the two places where they stand in tokens. */
export const renameValue = (renaming: Renaming, value: Json, inTokens = false): Json => {
  if (typeof value === "string") {
    return inTokens ? renameTokens(renaming, value) : renaming.get(value) ?? renameBucket(renaming, value)
  }
  if (typeof value !== "object" || value === null) {
    return value
  }
  if (Array.isArray(value)) {
    return value.map((item: Json) => renameValue(renaming, item, inTokens))
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      inTokens ? renameTokens(renaming, name) : renaming.get(name) ?? name,
      name === "pins" ? renamePins(renaming, member) : renameValue(renaming, member, name === "own")
    ])
  )
}

const renamePins = (renaming: Renaming, pins: Json): Json =>
  typeof pins !== "object" || pins === null || Array.isArray(pins)
    ? pins
    : Object.fromEntries(
      Object.entries(pins).map(([claim, pin]) => [renameTokens(renaming, claim), renameValue(renaming, pin)])
    )
