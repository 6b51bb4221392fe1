/**
 * Small meshes that the tests of the command line run on: a shop on n1 that needs a database, and postgres on n2.
 */
const modules = {
  shop: {},
  postgres: {
    provides: {
      database: { credential: "consumer", contract: { version: "1.4.0", fields: { host: "string", port: "integer" } } }
    }
  }
}

const running = {
  "mesh-controller_modules": modules,
  "mesh-controller_assignments": { "n1.shop": { build: "s1" }, "n2.postgres": { build: "p7" } }
}

const bound = { "n1.shop.database": { state: "provided", by: "n2", values: { host: "10.0.0.2", port: 5432 } } }

/** Postgres has not answered yet. */
export const asked = {
  buckets: { ...running, "mesh-provisioner_needs": { "n1.shop.bound.database": {} }, postgres_bound: {} }
}

/** Postgres has answered. */
export const provided = {
  buckets: { ...running, "mesh-provisioner_needs": { "n1.shop.bound.database": {} }, postgres_bound: bound }
}

/** The shop needs it no more, and postgres still has it. */
export const unneeded = { buckets: { ...running, postgres_bound: bound } }

/** The key of the ask in all three. */
export const askKey = "n2.postgres.n1.shop.database"
