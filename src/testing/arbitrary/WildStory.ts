/**
 * The thread through a wild mesh: a shop with a database, its credentials and a resolver, of which each part is mostly
 * there and right. Without it the last rows of the protocol's tables, behind all the others, would hardly ever be met.
 */
import * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"
import { pick, wild } from "./WildFacts.ts"

type Part = readonly [bucket: string, key: string, value: fc.Arbitrary<Json>]

/** An object whose one member may be left out. */
const rest = <Name extends string>(name: Name, value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.option(value, { nil: undefined }).map((value) => value === undefined ? {} : { [name]: value })

const state = pick([8, "provided"], [2, "failed"], [1, "retired"], [1, "making"])
const why = pick([2, "no space left"], [1, ""], [1, `\uDC00${"\u{1F511}".repeat(5_000)}`])
const secretEntry = fc.record({ state, by: pick([9, "n3"], [1, "n2"]), why, values: fc.constant({ version: 1 }) }, {
  requiredKeys: ["state", "by"]
})

const database = fc.record({
  credential: fc.constant("consumer"),
  contract: fc.record({
    version: fc.constant("1.4.0"),
    fields: fc.record({
      host: fc.constant("string"),
      port: fc.constant("integer"),
      password: fc.constant("secret"),
      key: fc.constant("secret")
    }, { requiredKeys: ["host"] })
  }),
  retire: fc.constantFrom("ask", "free")
}, { requiredKeys: ["credential", "contract"] })

const databaseEntry = fc.record({
  state,
  by: pick([9, "n2"], [1, "n1"]),
  why,
  for: pick([5, "i1"], [1, "i2"]),
  also: fc.constantFrom(["n1"], ["n3", "n2"]),
  values: pick<Json>(
    [10, { host: "h", port: 5_432 }],
    [1, { host: "h", port: 5_432, password: "hunter2" }],
    [1, { host: 1, port: 5_432 }],
    [1, { host: "h", port: 1.5 }],
    [1, { host: "h", port: 1 - 2 ** 53 }],
    [1, { host: "h", port: 2 ** 53 }]
  )
}, { requiredKeys: ["state", "by", "values"] })

const resolverHave = fc.record({
  build: pick([4, "b1"], [1, "b2"]),
  health: pick([4, "healthy"], [1, "starting"], [2, "failed"]),
  words: why
}, { requiredKeys: ["build", "health"] })

const build = fc.constant("b1")

const shop = fc.record({
  build,
  instance: fc.constant("i1"),
  placement: fc.constant({ port: { title: 8_080 }, dir: { api: "/var/lib" } }),
  pins: pick<Json>([2, { cache: {} }], [1, { database: { node: "n3" } }], [1, { database: { module: "postgres" } }])
}, { requiredKeys: ["build"] })

const applied = fc.record({
  plan: fc.constant("0".repeat(32)),
  instance: pick([2, "i1"], [1, "i2"]),
  own: fc.constantFrom(["cache"], ["database.main", "cache"])
}, { requiredKeys: ["plan", "own"] })

/** Another need of the shop's one claim. */
const alias = fc.record({
  provision: fc.constant("database"),
  contract: pick([2, "^1.0.0"], [1, "^2.0.0"]),
  fields: fc.constantFrom(["host"], ["nothing"]),
  optional: fc.boolean()
}, { requiredKeys: ["provision"] })

const parts: ReadonlyArray<Part> = [
  [
    "mesh-controller_modules",
    "postgres",
    fc.record({
      provides: fc.record({ database, cache: fc.constant({ credential: "consumer" }) }, { requiredKeys: ["database"] })
    })
  ],
  ["mesh-controller_modules", "dns", fc.constant({ provides: { resolver: { credential: "none" } } })],
  ["mesh-controller_assignments", "n1.shop", shop],
  ["mesh-controller_assignments", "n2.postgres", fc.record({ build })],
  ["mesh-controller_assignments", "n3.dns", fc.record({ build, placement: fc.constant({ port: { dns: 53 } }) })],
  ["mesh-controller_machines", "n3", rest("lost", pick([4, false], [1, true]))],
  ["mesh-controller_seats", "vault", fc.constant({ node: "n3", module: "mesh-vault" })],
  ["mesh-host_haves", "n3.dns", resolverHave],
  ["mesh-provisioner_needs", "n1.shop.bound.database", rest("fields", fc.constantFrom(["host"], ["password"], []))],
  ["mesh-provisioner_needs", "n1.shop.bound.alias", alias],
  ["mesh-provisioner_needs", "n1.shop.port.title", rest("default", fc.constant(80))],
  ["mesh-provisioner_needs", "n1.shop.bound.cache", pick([4, { own: true }], [1, {}])],
  ["mesh-provisioner_needs", "n1.shop.bound.resolver", rest("optional", fc.boolean())],
  ["mesh-provisioner_needs", "n1.shop.secret.api", rest("optional", fc.boolean())],
  ["mesh-provisioner_applied", "n1.shop", applied],
  ["postgres_bound", "n1.shop.database", databaseEntry],
  ["mesh-vault_bound", "n1.shop.credential.postgres=2Edatabase=2Epassword", secretEntry],
  ["mesh-vault_bound", "n1.shop.credential.postgres=2Edatabase=2Ekey", secretEntry],
  ["mesh-vault_bound", "n1.shop.secret.api", secretEntry]
]

interface Told {
  readonly bucket: string
  readonly key: string
  readonly value: Json
}

/** The parts of the story that are told in this mesh: mostly almost all of them, or none. */
export const story: fc.Arbitrary<ReadonlyArray<Told>> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      ...parts.map(([bucket, key, value]) =>
        fc.oneof(
          { withCrossShrink: true },
          { weight: 1, arbitrary: fc.constant([]) },
          {
            weight: /alias|title|applied/.test(`${bucket}.${key}`) ? 1 : 14,
            arbitrary: wild(value, 200).map((value) => [{ bucket, key, value }])
          }
        )
      )
    ).map((all) => all.flat())
  }
)
