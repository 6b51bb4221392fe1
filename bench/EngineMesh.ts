/**
 * A mesh of any size for the engine's benchmark, not the easy case: five needs a module of nine kinds, providers that need
 * something themselves, providers per consumer and providers that are judged by their have, sites, pins, secrets and
 * credentials of the vault, and claims that nobody holds. The same number always makes the same mesh.
 */
import type { EngineChange, Json } from "../src/core/index.ts"

/** How many needs each consumer has. */
export const needsAConsumer = 5

const consumersANode = 20
const nodesASite = 100
const nodesAPostgres = 25
const metricsNodes = 20

/** How many consumers a mesh of so many needs has. */
export const consumersOf = (needs: number): number => Math.floor(needs / needsAConsumer)

/** The node of a consumer, by its number. */
export const nodeOf = (index: number): string => `n${Math.floor(index / consumersANode)}`

/** The key of a consumer, by its number. */
export const consumerOf = (index: number): string => `${nodeOf(index)}.shop${index % consumersANode}`

/** The node of the postgres that holds a consumer's database, by the consumer's number. */
export const postgresOf = (index: number): string =>
  `n${Math.floor(index / consumersANode / nodesAPostgres) * nodesAPostgres}`

/** The assignment of a consumer, by its number. */
export const assignmentOf = (index: number): { readonly [name: string]: Json } => ({
  build: "s1",
  instance: `i${index}`,
  placement: { port: { web: 8_000 + index % 1_000 }, dir: { data: `/srv/shop${index}` } },
  ...(index % 100 === 0 ? { pins: { cache: { module: "redis" } } } : {})
})

/** A bound entry of a consumer's database, by the consumer's number. */
export const databaseOf = (index: number): { readonly [name: string]: Json } => ({
  state: "provided",
  by: postgresOf(index),
  values: { host: `db${index % 97}.example.org`, port: 5_432, user: `shop${index}` }
})

const put = (bucket: string, key: string, value: Json): EngineChange => ({ bucket, key, value })

const definitions: ReadonlyArray<EngineChange> = Object.entries({
  postgres: {
    provides: {
      database: {
        credential: "consumer",
        contract: { version: "1.4.0", fields: { host: "string", port: "integer", user: "string", password: "secret" } }
      }
    }
  },
  redis: { provides: { cache: { credential: "consumer", contract: { fields: { host: "string" } }, retire: "free" } } },
  disk: { provides: { volume: { credential: "none" } } },
  dns: { provides: { resolver: { credential: "none" } } },
  prometheus: { provides: { metrics: { credential: "none", contract: { version: "2.0.0" } } } },
  acme: { answers: { licence: { bucket: "acme_licences", key: "<node>.<name>" } } },
  hub: { provides: { events: { credential: "none" } } }
}).map(([module, definition]) => put("mesh-controller_modules", module, definition))

/** What is on a node beside its consumers. */
const ofNode = function*(node: number): Iterable<EngineChange> {
  const name = `n${node}`
  yield put("mesh-controller_machines", name, { site: `site${Math.floor(node / nodesASite)}` })
  const modules = [
    "dns",
    "disk",
    ...(node % nodesAPostgres === 0 ? ["postgres", "redis"] : []),
    ...(node < metricsNodes ? ["prometheus"] : []),
    ...(node === 0 ? ["mesh-vault", "hub"] : [])
  ]
  for (const module of modules) {
    yield put("mesh-controller_assignments", `${name}.${module}`, { build: "b1", placement: { port: { main: 53 } } })
    yield put("mesh-host_haves", `${name}.${module}`, { build: "b1", health: "healthy" })
    if (module === "postgres" || module === "redis") {
      yield put("mesh-provisioner_needs", `${name}.${module}.bound.volume`, {})
    }
  }
}

/** The needs of a consumer, five of nine by its number, and what answers them. */
const ofConsumer = function*(index: number): Iterable<EngineChange> {
  const key = consumerOf(index)
  const need = (name: string, value: Json = {}) => put("mesh-provisioner_needs", `${key}.${name}`, value)
  yield put("mesh-controller_assignments", key, assignmentOf(index))
  yield put("mesh-provisioner_applied", key, { plan: "0".repeat(32), instance: `i${index}` })
  yield need("bound.database", { contract: "^1.0.0", fields: ["host", "port"] })
  yield put("postgres_bound", `${key}.database`, databaseOf(index))
  yield put("mesh-vault_bound", `${key}.credential.postgres=2Edatabase=2Epassword`, {
    state: "provided",
    by: "n0",
    values: { version: index }
  })
  yield need("bound.resolver")
  yield* third(index, key, need)
  yield index % 2 === 0 ? need("port.web") : need("collected.jobs", { optional: true })
  yield* fifth(index, key, need)
}

const third = function*(
  index: number,
  key: string,
  need: (name: string, value?: Json) => EngineChange
): Iterable<EngineChange> {
  switch (index % 4) {
    case 0:
      yield need("bound.cache")
      yield index % 8 === 0
        ? put("redis_bound", `${key}.cache`, { state: "provided", by: postgresOf(index), values: { host: "r" } })
        : put("mesh-provisioner_collect", `${nodeOf(index)}.jobs.shop${index % consumersANode}`, { every: index })
      return
    case 1:
      yield need("bound.metrics", { contract: "^2.0.0" })
      return
    case 2:
      yield need("bound.events")
      return
    default:
      yield need("bound.archive", { provision: "database", local: "archive" })
  }
}

const fifth = function*(
  index: number,
  key: string,
  need: (name: string, value?: Json) => EngineChange
): Iterable<EngineChange> {
  switch (index % 3) {
    case 0:
      yield need("secret.api")
      yield put("mesh-vault_bound", `${key}.secret.api`, { state: "provided", by: "n0", values: { version: 1 } })
      return
    case 1:
      yield need("config.title")
      yield put("mesh-config_values", `${key}.title`, { value: `shop ${index}` })
      return
    default:
      yield need("licence.full", { default: "trial" })
  }
}

/** Every change that makes a mesh of about so many needs. */
export const engineMesh = function*(needs: number): Iterable<EngineChange> {
  const consumers = consumersOf(needs)
  yield* definitions
  yield put("mesh-controller_seats", "vault", { node: "n0", module: "mesh-vault" })
  for (let node = 0; node * consumersANode < consumers; node++) {
    yield* ofNode(node)
  }
  for (let index = 0; index < consumers; index++) {
    yield* ofConsumer(index)
  }
}
