/**
 * Meshes of any size for the benchmarks: plain data, in which every need is provided.
 */
import type { Json, Snapshot } from "../src/core/index.ts"

type Values = Array<readonly [string, Json]>

const consumersANode = 100

/** A mesh of a database each for so many consumers, on as many nodes as they take; with or without a password each. */
export const databasesFor = (count: number, withCredentials: boolean): Snapshot => {
  const assignments: Values = [["n0.mesh-vault", { build: "v1" }], ["n0.postgres", { build: "p1" }], ["n1.postgres", {
    build: "p1"
  }]]
  const wanted: Values = []
  const bound: Values = []
  const vault: Values = []
  for (let index = 0; index < count; index++) {
    const consumer = `n${Math.floor(index / consumersANode)}.shop${index % consumersANode}`
    assignments.push([consumer, { build: "s1" }])
    wanted.push([`${consumer}.bound.database`, { contract: "^1.0.0", fields: ["host", "port"] }])
    bound.push([`${consumer}.database`, {
      state: "provided",
      by: "n0",
      values: { host: "db.example.org", port: 5_432 }
    }])
    vault.push([
      `${consumer}.credential.postgres=2Edatabase=2Epassword`,
      { state: "provided", by: "n0", values: { version: index } }
    ])
  }
  const fields = { host: "string", port: "integer", ...(withCredentials ? { password: "secret" } : {}) }
  return {
    buckets: {
      "mesh-controller_modules": {
        postgres: { provides: { database: { credential: "consumer", contract: { version: "1.4.0", fields } } } }
      },
      "mesh-controller_assignments": Object.fromEntries(assignments),
      "mesh-controller_seats": { vault: { node: "n0", module: "mesh-vault" } },
      "mesh-provisioner_needs": Object.fromEntries(wanted),
      postgres_bound: Object.fromEntries(bound),
      "mesh-vault_bound": withCredentials ? Object.fromEntries(vault) : {}
    }
  }
}

/** The key of a node's provider, of which a change is one of the one provision on that node. */
export const providerKey = (node: number): string => `r${node}.dns`

/** The key of the provision that changes with it. */
export const provisionKey = (node: number): string => `r${node}.shop.bound.resolver`

/** That mesh, and beside it nodes with a provider that only runs, and one consumer of it each. */
export const withRunners = (mesh: Snapshot, nodes: number): Snapshot => {
  const each = (entry: (node: number) => readonly [string, Json]) =>
    Object.fromEntries(Array.from({ length: nodes }, (_, node) => entry(node)))
  const { buckets } = mesh
  const merged = (bucket: string, more: { readonly [key: string]: Json }) => ({
    [bucket]: { ...buckets[bucket], ...more }
  })
  return {
    buckets: {
      ...buckets,
      ...merged("mesh-controller_modules", { dns: { provides: { resolver: { credential: "none" } } }, shop: {} }),
      ...merged("mesh-controller_assignments", {
        ...each((node) => [providerKey(node), { build: "d1" }]),
        ...each((node) => [`r${node}.shop`, { build: "s1" }])
      }),
      ...merged("mesh-provisioner_needs", each((node) => [provisionKey(node), {}])),
      ...merged("mesh-host_haves", each((node) => [providerKey(node), { build: "d1", health: "healthy" }]))
    }
  }
}
