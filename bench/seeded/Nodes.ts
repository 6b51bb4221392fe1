/**
 * What is on the nodes of a seeded mesh beside its consumers: definitions, seats, machines and providers, which need
 * something themselves.
 */
import { credentials, made, need, type Put, put } from "./Put.ts"

const nodesASite = 100
const nodesAPostgres = 25
const nodesATime = 100
const metricsNodes = 20

const contract = (version: string, fields: { readonly [field: string]: string }) => ({ version, fields })

/** What each module provides and answers. `postgres`, `mysql`, `rabbit` and `mail` have secrets; the vault makes them. */
export const definitions: ReadonlyArray<Put> = Object.entries({
  postgres: {
    provides: {
      database: {
        credential: "consumer",
        contract: contract("1.4.0", { host: "string", port: "integer", user: "string", password: "secret" })
      }
    }
  },
  mysql: { provides: { database: { credential: "consumer", contract: contract("0.9.0", { host: "string" }) } } },
  redis: {
    provides: { cache: { credential: "consumer", contract: contract("1.0.0", { host: "string" }), retire: "free" } }
  },
  rabbit: {
    provides: {
      queue: {
        credential: "consumer",
        contract: contract("3.1.0", { host: "string", port: "integer", password: "secret", certificate: "secret" })
      }
    }
  },
  mail: {
    provides: {
      mailbox: { credential: "consumer", contract: contract("1.0.0", { address: "string", password: "secret" }) }
    }
  },
  ledger: {
    provides: {
      ledger: { credential: "consumer", contract: contract("1.0.0", { book: "string" }), seat: "ledger" }
    }
  },
  disk: { provides: { volume: { credential: "none" } } },
  dns: { provides: { resolver: { credential: "none" } } },
  ntp: { provides: { time: { credential: "none" } } },
  prometheus: { provides: { metrics: { credential: "none", contract: { version: "2.0.0" } } } },
  influx: { provides: { metrics: { credential: "none", contract: { version: "1.0.0" } } } },
  hub: { provides: { events: { credential: "none" } } },
  gauge: { provides: { gauges: { credential: "none" } } },
  lonely: { provides: { solitude: { credential: "none", seat: "solitude" } } },
  acme: { answers: { licence: { bucket: "acme_licences", key: "<node>.<name>" } } },
  court: { answers: { permit: { seat: "court", verb: "court.permit" } } },
  crown: { answers: { badge: { bucket: "crown_badges", key: "<node>.<name>" } } },
  guild: { answers: { badge: { bucket: "guild_badges", key: "<node>.<name>" } } },
  garbled: { provides: "everything" }
}).map(([module, definition]) => put("mesh-controller_modules", module, definition))

/** Who holds which seat: `solitude` is held by nobody, `court` by one whose machine is lost. */
export const seats: ReadonlyArray<Put> = [
  put("mesh-controller_seats", "vault", { node: "n0", module: "mesh-vault" }),
  put("mesh-controller_seats", "ledger", { node: "n1", module: "ledger" }),
  put("mesh-controller_seats", "court", { node: "n3", module: "court" })
]

/** The node whose providers serve the consumers of a node, where they make something for each. */
export const serverOf = (node: number): string => `n${node - node % nodesAPostgres}`

/** Whether a node's machine is lost. */
const isLost = (node: number): boolean => node % 50 === 3

const modulesOf = (node: number): ReadonlyArray<string> => [
  "dns",
  ...(node % 4 === 0 ? ["disk"] : []),
  ...(node % nodesAPostgres === 0 ? ["postgres", "redis", "rabbit", "mail"] : []),
  ...(node % nodesATime === 0 ? ["ntp"] : []),
  ...(node < metricsNodes ? [node % 5 === 4 ? "influx" : "prometheus"] : []),
  ...(node === 0 ? ["mesh-vault", "hub"] : []),
  ...(node === 1 ? ["ledger", "gauge", "mysql"] : []),
  ...(node === 2 ? ["lonely", "ledger"] : []),
  ...(node === 3 ? ["court"] : [])
]

/** What runs of a provider: most are healthy, and some nodes' name servers and disks are anything else. */
const haveOf = (node: number, module: string): Put | undefined => {
  const have = (health: string, build = "b1", words = "") =>
    put("mesh-host_haves", `n${node}.${module}`, { build, health, words })
  if (module === "dns" && node >= nodesAPostgres) {
    switch (node % 40) {
      case 5:
        return have("failed", "b1", "the zone is broken")
      case 11:
        return have("starting")
      case 17:
        return have("healthy", "b0")
      case 23:
        return undefined
    }
  }
  return have("healthy")
}

/** What the providers of a node need, up to six deep: mail, queue, database, volume, resolver, time. */
const chainOf = function*(name: string, module: string): Iterable<Put> {
  const provider = `${name}.${module}`
  switch (module) {
    case "dns":
      yield need(provider, "bound.time")
      return
    case "disk":
    case "redis":
      yield need(provider, "bound.resolver")
      return
    case "postgres":
      yield need(provider, "bound.volume")
      yield need(provider, "secret.backup")
      yield put("mesh-vault_bound", `${provider}.secret.backup`, {
        state: "provided",
        by: "n0",
        values: { version: 1 }
      })
      return
    case "rabbit": {
      const database = { module: "postgres", name: "database" }
      yield need(provider, "bound.database", { contract: "^1.0.0", fields: ["host"] })
      yield made(provider, database, name)
      yield* credentials(provider, database, ["password"])
      return
    }
    case "mail": {
      const queue = { module: "rabbit", name: "queue" }
      yield need(provider, "bound.queue")
      yield made(provider, queue, name)
      yield* credentials(provider, queue, ["password", "certificate"])
    }
  }
}

/** All that is on a node beside its consumers. */
export const ofNode = function*(node: number): Iterable<Put> {
  const name = `n${node}`
  yield put("mesh-controller_machines", name, {
    site: `site${Math.floor(node / nodesASite)}`,
    ...(isLost(node) ? { lost: true } : {})
  })
  for (const module of modulesOf(node)) {
    yield put("mesh-controller_assignments", `${name}.${module}`, {
      build: "b1",
      placement: { port: { main: 53 } },
      ...(module === "dns" && node % 30 === 7 ? { draining: true } : {})
    })
    const have = haveOf(node, module)
    if (have !== undefined) {
      yield have
    }
    yield* chainOf(name, module)
  }
}
