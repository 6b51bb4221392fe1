/**
 * Wild meshes: small, of so few names that their facts meet, with everything in them that a stranger may write: garbage
 * keys, values and bytes in every bucket, hostile and overlong names, missing buckets, answers right and wrong.
 */
import * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { join } from "../naive/name.ts"
import { leavingFactsOut } from "./LeavingOut.ts"
import { type Answering, answerings, answerTo, type Draft } from "./WildAnswers.ts"
import { contest, crowd } from "./WildContest.ts"
import {
  applied,
  assignment,
  bound,
  configValue,
  definition,
  garbage,
  have,
  holder,
  item,
  local,
  machine,
  need,
  node,
  pick,
  providerModule,
  provision,
  wild
} from "./WildFacts.ts"
import { renameBucket, renameTokens, renameValue, type Renaming, renamings } from "./WildNames.ts"
import { story } from "./WildStory.ts"

/** A fact to be put: its value, or bytes; with neither, its bucket is merely there. */
interface Piece {
  readonly bucket: string
  readonly key?: string
  readonly value?: Json
  /** Bytes in base64; with a value as well, the value's own text as bytes. */
  readonly raw?: string | true
}

const base64 = (...bytes: ReadonlyArray<number>): string => Buffer.from(bytes).toString("base64")

const badBytes = fc.constantFrom(
  base64(),
  base64(0xef, 0xbb, 0xbf, 0x7b, 0x7d),
  base64(0x22, 0xff, 0x22),
  base64(0x22, 0xed, 0xa0, 0x80, 0x22),
  Buffer.from("{").toString("base64"),
  Buffer.from(`{ "build": "b1", "provision": 1e400, "value": 1e400 }`).toString("base64"),
  Buffer.from(` { "build": "b2", "build": "b1", "value": 1, "value": 2.0 }\n`).toString("base64")
)

const badKey = fc.constantFrom(
  "",
  ".",
  "n1",
  "n1.shop",
  "n1.shop.bound",
  "n1.shop.b=6Fund.database",
  "n1.shop.bound.=c3=a9",
  "n1.shop.bound.database.main.more.and.more",
  "n1.s.hop",
  "n1.\u00E9",
  "n1.shop.=FF",
  "n2..database",
  "n1.shop=2E.database",
  "__proto__",
  `n1.shop.bound.${"k".repeat(1_024)}`
)

const facts = (bucket: string, key: fc.Arbitrary<string>, value: fc.Arbitrary<Json>): fc.Arbitrary<Piece> =>
  fc.oneof(
    { weight: 40, arbitrary: fc.record({ bucket: fc.constant(bucket), key, value }) },
    { weight: 1, arbitrary: fc.record({ bucket: fc.constant(bucket), key, value, raw: fc.constant(true as const) }) },
    { weight: 1, arbitrary: fc.record({ bucket: fc.constant(bucket), key, raw: badBytes }) },
    { weight: 1, arbitrary: fc.record({ bucket: fc.constant(bucket), key: badKey, value: fc.oneof(value, garbage) }) },
    { weight: 1, arbitrary: fc.record({ bucket: fc.constant(bucket) }) }
  )

const some = (piece: fc.Arbitrary<Piece>, maxLength: number): fc.Arbitrary<Array<Piece>> =>
  fc.array(piece, { maxLength })

/** So often that nine of ten, or so many of ten, have it. */
const often = (piece: fc.Arbitrary<Piece>, ofTen = 9): fc.Arbitrary<Array<Piece>> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 10 - ofTen, arbitrary: fc.constant<Array<Piece>>([]) },
    { weight: ofTen, arbitrary: piece.map((one) => [one]) }
  )

const key = (...parts: ReadonlyArray<fc.Arbitrary<string | undefined>>): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((names) => names.filter((name) => name !== undefined).join("."))

const consumer = pick([16, "n1.shop"], [2, "n2.shop"], [1, "n1.dns"], [1, "n2.postgres"])
const contributor = pick([3, "shop"], [2, "dns"], [1, "mysql"])
const claim = key(consumer, provision, local)

const definitions = ["postgres", "mysql", "dns", "mesh-vault", "shop"].map((module) =>
  often(facts("mesh-controller_modules", fc.constant(module), definition(module)))
)

const assigned = (key: fc.Arbitrary<string>): fc.Arbitrary<Piece> =>
  facts("mesh-controller_assignments", key, assignment)

const needAt = (key: fc.Arbitrary<string>): fc.Arbitrary<Piece> => facts("mesh-provisioner_needs", key, need)

const needs = needAt(
  fc.oneof(
    {
      weight: 10,
      arbitrary: key(consumer, fc.constant("bound"), pick([6, "database"], [2, "cache"], [2, "resolver"]))
    },
    { weight: 1, arbitrary: key(consumer, fc.constant("bound"), fc.constantFrom("alias", "secret")) },
    {
      weight: 3,
      arbitrary: key(consumer, fc.constantFrom("secret", "consumers", "config"), fc.constantFrom("api", "title"))
    },
    { weight: 2, arbitrary: key(consumer, fc.constantFrom("licence", "verbal"), fc.constantFrom("api", "title")) },
    {
      weight: 1,
      arbitrary: key(consumer, fc.constantFrom("collected", "shell", "contribution"), fc.constant("title"))
    },
    { weight: 2, arbitrary: key(consumer, fc.constantFrom("port", "dir", "seat"), fc.constantFrom("api", "title")) },
    { weight: 1, arbitrary: key(consumer, fc.constantFrom("_epoch", "nobodys"), fc.constant("title")) }
  )
)

/** A credential's name in tokens: mostly one, sometimes nothing that reads as one. */
const credentialName = fc.oneof(
  {
    weight: 9,
    arbitrary: key(
      pick([6, "postgres"], [3, "mysql"], [1, "dns"]),
      provision,
      local,
      pick([3, "password"], [2, "key"], [1, "host"])
    )
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "postgres.database",
      "postgres..password",
      "postgres.data=62ase.password",
      "postgres.database.main.more.password",
      "a=2Eb.database.password"
    )
  }
).map((name) => join(name))

const byVault = bound(pick([1, "n2"], [9, "n3"]))

const vaultBound = facts(
  "mesh-vault_bound",
  fc.oneof(
    { weight: 6, arbitrary: key(consumer, fc.constant("credential"), credentialName) },
    { weight: 4, arbitrary: key(consumer, fc.constant("secret"), fc.constantFrom("api", "title")) },
    { weight: 1, arbitrary: key(consumer, fc.constantFrom("secret", "credential", "database")) }
  ),
  byVault
)

const boundIn = (module: string): fc.Arbitrary<Piece> => facts(`${module}_bound`, claim, bound(node))

const pieces: fc.Arbitrary<Array<Piece>> = fc.tuple(
  ...definitions,
  often(assigned(fc.constant("n1.shop"))),
  often(assigned(fc.constant("n2.postgres"))),
  some(assigned(key(node, providerModule)), 3),
  some(assigned(consumer), 1),
  some(facts("mesh-controller_machines", node, machine), 3),
  often(facts("mesh-controller_seats", fc.constant("vault"), holder("vault"))),
  some(facts("mesh-controller_seats", fc.constant("db"), holder("db")), 1),
  some(facts("mesh-config_values", key(consumer, fc.constantFrom("api", "title")), configValue), 2),
  some(
    facts("mesh-host_haves", key(node, pick([2, "dns"], [2, "postgres"], [1, "mysql"], [1, "mesh-vault"])), have),
    5
  ),
  often(needAt(fc.constant("n1.shop.bound.database")), 8),
  some(needs, 5),
  some(facts("mesh-provisioner_applied", consumer, applied), 1),
  some(facts("mesh-provisioner_collect", key(node, fc.constantFrom("title", "shell=3Atitle"), contributor), item), 3),
  some(
    facts(
      "mesh-provisioner_answers",
      key(node, providerModule, claim),
      wild(fc.record({
        answer: fc.constantFrom("retire", "keep"),
        entry: fc.constant("0".repeat(32)),
        by: fc.constant("ann")
      }))
    ),
    1
  ),
  some(
    fc.oneof({ weight: 5, arbitrary: boundIn("postgres") }, { weight: 3, arbitrary: boundIn("mysql") }, {
      weight: 1,
      arbitrary: fc.oneof(boundIn("dns"), boundIn("shop"), boundIn("acme"), boundIn("no.module"))
    }),
    4
  ),
  some(vaultBound, 4),
  some(facts("postgres_licences", key(node, fc.constantFrom("api", "title")), garbage), 2),
  some(facts("mesh-provisioner_provisions", key(consumer), garbage), 1),
  crowd,
  story,
  contest
).map((all) => all.flat())

/**
 * Wild meshes (protocol §3): of so few names that their facts meet, with everything in them that a stranger may write: keys,
 * values and bytes of no shape, hostile and overlong names, missing buckets. They shrink as coherent meshes do.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { decide } from "mesh-provisioner/core"
 * import { wildMesh } from "mesh-provisioner/testing"
 *
 * // What is compiled into the registry stands, whatever anybody writes.
 * fc.assert(fc.property(wildMesh, (mesh) => decide(mesh).registry.has("bound")), { numRuns: 20 })
 * ```
 */
export const wildMesh: fc.Arbitrary<Snapshot> = leavingFactsOut(
  fc.tuple(pieces, answerings, renamings).map(([pieces, answerings, renaming]) => built(pieces, answerings, renaming))
)

const built = (
  pieces: ReadonlyArray<Piece>,
  answerings: ReadonlyArray<Answering>,
  renaming: Renaming
): Snapshot => {
  const buckets: Draft = new Map()
  const raw: Draft = new Map()
  const put = (draft: Draft, bucket: string, key: string, value: Json): void => {
    draft.set(bucket, (draft.get(bucket) ?? new Map()).set(key, value))
  }
  for (const piece of pieces) {
    const bucket = renameBucket(renaming, piece.bucket)
    if (piece.key === undefined) {
      buckets.set(bucket, buckets.get(bucket) ?? new Map())
      continue
    }
    const key = renameTokens(renaming, piece.key)
    buckets.get(bucket)?.delete(key)
    raw.get(bucket)?.delete(key)
    const value = piece.value === undefined ? undefined : renameValue(renaming, piece.value)
    if (value === undefined || piece.raw !== undefined) {
      const bytes = typeof piece.raw === "string" ? piece.raw : Buffer.from(JSON.stringify(value)).toString("base64")
      put(raw, bucket, key, bytes)
    } else {
      put(buckets, bucket, key, value)
    }
  }
  for (const answering of answerings) {
    const given = answerTo(buckets, answering)
    if (given !== undefined) {
      raw.get("mesh-provisioner_answers")?.delete(given.key)
      put(buckets, "mesh-provisioner_answers", given.key, given.value)
    }
  }
  return plain(buckets, raw)
}

const plain = (buckets: Draft, raw: Draft): Snapshot => {
  const asObject = (draft: Draft) =>
    Object.fromEntries(Array.from(draft, ([name, map]) => [name, Object.fromEntries(map)]))
  const texts = Object.fromEntries(
    Array.from(
      raw,
      ([name, map]) => [name, Object.fromEntries(Array.from(map, ([key, bytes]) => [key, String(bytes)]))]
    )
  )
  return { buckets: asObject(buckets), ...(raw.size === 0 ? {} : { raw: texts }) }
}
