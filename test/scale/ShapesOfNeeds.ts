/**
 * Meshes of a consumer with many needs.
 */
import { expect } from "vitest"
import {
  allProvided,
  assignments,
  both,
  count,
  list,
  modules,
  needs,
  provided,
  provider,
  type Shape,
  times,
  vault,
  withSecret
} from "./Shape.ts"

const withSecretFields = (fields: number, size: number) => ({
  ...vault,
  [modules]: provider({ contract: { fields: times(fields, (index) => [`f${index}`, "secret"]) } }),
  [assignments]: both,
  [needs]: times(size, (index) => [`n1.shop.bound.d${index}`, { provision: "database" }]),
  postgres_bound: { "n1.shop.database": { state: "provided", by: "n1" } },
  "mesh-vault_bound": times(fields, (index) => [
    `n1.shop.credential.postgres=2Edatabase=2Ef${index}`,
    { state: "provided", by: "n1" }
  ])
})

/** By what there is much of. */
export const shapesOfNeeds: { readonly [name: string]: Shape } = {
  "needs of a claim each": {
    size: 600,
    buckets: (size) => ({
      [modules]: provider(),
      [assignments]: both,
      [needs]: times(size, (index) => [`n1.shop.bound.d${index}`, { provision: "database", local: `l${index}` }]),
      postgres_bound: times(size, (index) => [`n1.shop.database.l${index}`, provided])
    }),
    right: allProvided
  },
  "needs of one claim, each with a range and fields": {
    size: 800,
    buckets: (size) => ({
      [modules]: provider({ contract: { version: "3.1.0", fields: { host: "string" } } }),
      [assignments]: both,
      [needs]: times(size, (index) => [
        `n1.shop.bound.d${index}`,
        { provision: "database", contract: `>=${index % 7}.0.${index}`, fields: ["host"] }
      ]),
      postgres_bound: { "n1.shop.database": provided }
    }),
    right: ({ asks, provisions }) => {
      expect(count(provisions, "refused") + count(provisions, "provided")).toBe(provisions.size)
      expect(count(provisions, "provided")).toBeGreaterThan(1_000)
      expect(asks.get("n1.postgres.n1.shop.database")?.contract?.length).toBe(count(provisions, "provided"))
    }
  },
  "needs of one claim that nobody can meet": {
    size: 500,
    buckets: (size) => ({
      [modules]: provider(),
      [assignments]: {
        "n1.shop": { build: "b1" },
        ...times(size / 10, (index) => [`n${index}.postgres`, { build: "b1" }])
      },
      [needs]: times(
        size,
        (index) => [`n1.shop.bound.d${index}`, { provision: "database", contract: `>=9.${index}.0` }]
      )
    }),
    right: ({ provisions }, size) => {
      expect(count(provisions, "refused")).toBe(size)
      expect(provisions.get("n1.shop.bound.d0")?.candidates?.length).toBe(20)
    }
  },
  "needs of a credential each": {
    size: 400,
    buckets: (size) => ({
      ...vault,
      [modules]: provider(withSecret),
      [assignments]: both,
      [needs]: times(size, (index) => [`n1.shop.bound.d${index}`, { provision: "database", local: `l${index}` }]),
      postgres_bound: times(size, (index) => [`n1.shop.database.l${index}`, provided]),
      "mesh-vault_bound": times(size, (index) => [
        `n1.shop.credential.postgres=2Edatabase=2El${index}=2Epassword`,
        { state: "provided", by: "n1" }
      ])
    }),
    right: (decisions, size) => {
      allProvided(decisions, size)
      expect(count(decisions.asks, "wanted")).toBe(2 * size)
    }
  },
  // What every one of them is told has every field in it: needs and fields do not grow together.
  "needs of one claim with a few secret fields": {
    size: 300,
    buckets: (size) => withSecretFields(20, size),
    right: allProvided
  },
  "one need with many secret fields": {
    size: 500,
    buckets: (size) => withSecretFields(size, 1),
    right: (decisions, size) => {
      allProvided(decisions, 1)
      expect(count(decisions.asks, "wanted")).toBe(size + 1)
    }
  },
  "needs of one claim with many fields": {
    size: 600,
    buckets: (size) => ({
      [modules]: provider({ contract: { fields: times(size, (index) => [`f${index}`, "integer"]) } }),
      [assignments]: both,
      [needs]: times(size, (index) => [`n1.shop.bound.d${index}`, { provision: "database" }]),
      postgres_bound: { "n1.shop.database": { ...provided, values: times(size, (index) => [`f${index}`, index]) } }
    }),
    right: allProvided
  },
  "one need that names many fields": {
    size: 3_000,
    buckets: (size) => ({
      [modules]: provider({ contract: { fields: times(size, (index) => [`f${index}`, "integer"]) } }),
      [assignments]: both,
      [needs]: { "n1.shop.bound.database": { fields: list(size, "f") } },
      postgres_bound: { "n1.shop.database": { ...provided, values: times(size, (index) => [`f${index}`, index]) } }
    }),
    right: (decisions) => allProvided(decisions, 1)
  },
  "own secrets": {
    size: 800,
    buckets: (size) => ({
      ...vault,
      [assignments]: both,
      [needs]: times(size, (index) => [`n1.shop.secret.s${index}`, {}])
    }),
    right: ({ asks, provisions }, size) => {
      expect(count(provisions, "asked")).toBe(size)
      expect(count(asks, "wanted")).toBe(size)
    }
  }
}
