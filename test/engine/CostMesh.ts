/**
 * A mesh on which what a change costs is counted: consumers on nodes of two sites, each with a database of its own and a
 * cache that is held, a resolver that is judged by its have, a secret, values of configuration, a collection, a place, and a
 * licence that a module answers.
 */
import type { EngineChange } from "../../src/core/Engine.ts"
import type { Json } from "../../src/core/Json.ts"

/** A change that puts a value. */
export const put = (bucket: string, key: string, value: Json): EngineChange => ({ bucket, key, value })

/** A change that takes a key away. */
export const gone = (bucket: string, key: string): EngineChange => ({ bucket, key })

export const bucket = {
  modules: "mesh-controller_modules",
  assignments: "mesh-controller_assignments",
  machines: "mesh-controller_machines",
  seats: "mesh-controller_seats",
  configValues: "mesh-config_values",
  haves: "mesh-host_haves",
  needs: "mesh-provisioner_needs",
  applied: "mesh-provisioner_applied",
  collect: "mesh-provisioner_collect",
  answers: "mesh-provisioner_answers",
  postgres: "postgres_bound",
  vault: "mesh-vault_bound",
  licences: "acme_licences"
} as const

/** What a definition provides beside what it is asked about. */
const more = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { credential: "consumer" }]))

export const postgres = (database: { readonly [name: string]: Json } = {}, others = 0) => ({
  provides: {
    database: {
      credential: "consumer",
      contract: { version: "1.4.0", fields: { host: "string", password: "secret" } },
      ...database
    },
    ...more(others)
  }
})

export const entryBy = (by: string, also: { readonly [name: string]: Json } = {}): Json => ({
  state: "provided",
  by,
  values: { host: "db.example.org" },
  ...also
})

const consumersANode = 5
const providerNodes = 4

/** The node of a consumer, by its number. */
export const nodeOf = (index: number): string => `n${providerNodes + Math.floor(index / consumersANode)}`

/** A consumer, by its number. */
export const consumer = (index: number): string => `${nodeOf(index)}.shop${index % consumersANode}`

const providers: ReadonlyArray<EngineChange> = [
  put(bucket.modules, "postgres", postgres({}, 200)),
  put(bucket.modules, "dns", { provides: { resolver: { credential: "none" } } }),
  put(bucket.modules, "acme", { answers: { licence: { bucket: bucket.licences, key: "<node>.<name>" } } }),
  put(bucket.seats, "vault", { node: "n0", module: "mesh-vault" }),
  put(bucket.assignments, "n0.mesh-vault", { build: "v1" }),
  ...Array.from({ length: providerNodes }, (_, node) => [
    put(bucket.machines, `n${node}`, { site: node % 2 === 0 ? "home" : "away" }),
    put(bucket.assignments, `n${node}.postgres`, { build: "p1" }),
    put(bucket.assignments, `n${node}.dns`, { build: "d1" }),
    put(bucket.haves, `n${node}.dns`, { build: "d1", health: "healthy" })
  ]).flat()
]

const ofConsumer = (index: number): ReadonlyArray<EngineChange> => {
  const key = consumer(index)
  return [
    put(bucket.machines, nodeOf(index), { site: Math.floor(index / consumersANode) % 2 === 0 ? "home" : "away" }),
    put(bucket.assignments, key, { build: "s1", instance: "i1", placement: { port: { web: 80 } } }),
    put(bucket.applied, key, { plan: "0".repeat(32), instance: "i1" }),
    put(bucket.needs, `${key}.bound.database`, {}),
    put(bucket.needs, `${key}.bound.archive`, { provision: "database", local: "archive" }),
    put(bucket.needs, `${key}.bound.resolver`, {}),
    put(bucket.needs, `${key}.secret.api`, {}),
    put(bucket.needs, `${key}.config.title`, {}),
    put(bucket.needs, `${key}.collected.jobs`, {}),
    put(bucket.needs, `${key}.port.web`, {}),
    put(bucket.needs, `${key}.licence.full`, {}),
    put(bucket.configValues, `${key}.title`, { value: "shop" }),
    put(bucket.postgres, `${key}.database`, entryBy(`n${index % providerNodes}`)),
    put(bucket.vault, `${key}.secret.api`, entryBy("n0")),
    put(bucket.vault, `${key}.credential.postgres=2Edatabase=2Epassword`, entryBy("n0"))
  ]
}

/** All changes that make the mesh, of so many consumers. */
export const costMesh = (consumers: number): ReadonlyArray<EngineChange> => [
  ...providers,
  ...Array.from({ length: consumers }, (_, index) => ofConsumer(index)).flat()
]
