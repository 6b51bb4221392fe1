/**
 * Meshes of many makers, modules, nodes and items.
 */
import { expect } from "vitest"
import {
  allProvided,
  assignments,
  both,
  collect,
  count,
  list,
  modules,
  needs,
  provided,
  provider,
  type Shape,
  times
} from "./Shape.ts"

/** By what there is much of. */
export const shapesOfOthers: { readonly [name: string]: Shape } = {
  "claims that nobody needs any more": {
    size: 1_500,
    buckets: (size) => ({
      [modules]: provider(),
      [assignments]: both,
      postgres_bound: times(size, (index) => [`n1.shop.database.l${index}`, { ...provided, also: ["n2"] }])
    }),
    right: ({ asks }, size) => {
      expect(count(asks, "unneeded")).toBe(2 * size)
    }
  },
  "makers of one claim, with an answer about each": {
    size: 1_500,
    buckets: (size) => ({
      [modules]: provider(),
      [assignments]: both,
      postgres_bound: { "n1.shop.database": { ...provided, also: list(size, "m") } },
      "mesh-provisioner_answers": times(size, (index) => [
        `m${index}.postgres.n1.shop.database`,
        { answer: "retire", entry: "0".repeat(32), by: "ann" }
      ])
    }),
    right: ({ answersToDelete, asks }, size) => {
      expect(asks.size).toBe(size + 1)
      expect(answersToDelete.length).toBe(size)
    }
  },
  "modules that all hold one claim": {
    size: 800,
    buckets: (size) => ({
      [assignments]: both,
      [needs]: times(size, (index) => [`n1.shop.bound.d${index}`, { provision: "database" }]),
      ...times(size, (index) => [`p${index}_bound`, { "n1.shop.database": provided }])
    }),
    right: ({ provisions }, size) => {
      expect(provisions.get("n1.shop.bound.d0")?.reason).toBe("two-holders")
      expect(count(provisions, "asked")).toBe(size)
    }
  },
  "modules that all answer one kind": {
    size: 800,
    buckets: (size) => ({
      [modules]: times(size, (index) => [`p${index}`, { answers: { licence: { seat: "s", verb: "v" } } }]),
      [assignments]: both,
      [needs]: times(size, (index) => [`n1.shop.licence.d${index}`, {}])
    }),
    right: ({ conflicts, provisions }, size) => {
      expect(conflicts.length).toBe(size)
      expect(count(provisions, "refused")).toBe(size)
    }
  },
  "a module of many provisions on many nodes": {
    size: 300,
    buckets: (size) => ({
      [modules]: { postgres: { provides: times(size, (index) => [`p${index}`, { credential: "none" }]) } },
      [assignments]: { "n1.shop": { build: "b1" }, ...times(size, (index) => [`n${index}.postgres`, { build: "b1" }]) },
      [needs]: { "n1.shop.bound.p0": {} }
    }),
    right: ({ plans, provisions }, size) => {
      expect(plans.size).toBe(size + 1)
      expect(provisions.get("n1.shop.bound.p0")?.provider?.node).toBe("n1")
    }
  },
  "a collection that many contribute to and many read": {
    size: 300,
    buckets: (size) => ({
      [assignments]: times(size, (index) => [`n1.m${index}`, { build: "b1" }]),
      [needs]: times(size, (index) => [`n1.m${index}.shell.zsh`, {}]),
      [collect]: times(size, (index) => [`n1.shell=3Azsh.m${index}`, { lines: [index] }])
    }),
    right: allProvided
  },
  "an entry, an array, that many needs are answered by": {
    size: 400,
    buckets: (size) => ({
      [modules]: { cad: { answers: { licence: { bucket: "cad_licences", key: "shared" } } } },
      cad_licences: { shared: list(10 * size, "seat") },
      [assignments]: both,
      [needs]: times(size, (index) => [`n1.shop.licence.x${index}`, {}])
    }),
    right: allProvided
  },
  "a placement that many needs are answered by": {
    size: 400,
    buckets: (size) => ({
      [modules]: { dns: { provides: { resolver: { credential: "none" } } } },
      [assignments]: {
        "n1.dns": { build: "b1", placement: { port: times(size, (index) => [`p${index}`, index]) } },
        ...times(size, (index) => [`n1.m${index}`, { build: "b1" }])
      },
      [needs]: times(size, (index) => [`n1.m${index}.bound.resolver`, {}]),
      "mesh-host_haves": { "n1.dns": { build: "b1", health: "healthy" } }
    }),
    right: allProvided
  },
  "pins and own claims": {
    size: 800,
    buckets: (size) => ({
      [modules]: provider(),
      [assignments]: {
        ...both,
        "n1.shop": { build: "b1", pins: times(size, (index) => [`database.l${index}`, { module: "postgres" }]) }
      },
      [needs]: {
        ...times(size, (index) => [`n1.shop.bound.d${index}`, { provision: "database", local: `l${index}` }]),
        ...times(size, (index) => [`n1.shop.bound.o${index}`, { own: true }])
      },
      "mesh-provisioner_applied": { "n1.shop": { plan: "0".repeat(32), own: list(size, "o") } }
    }),
    right: ({ provisions }, size) => {
      expect(count(provisions, "asked")).toBe(size)
      expect(count(provisions, "provided")).toBe(size)
    }
  },
  "needs and keys out of shape": {
    size: 800,
    buckets: (size) => ({
      [modules]: provider(),
      [assignments]: both,
      [needs]: {
        ...times(size, (index) => [`n1.shop.bound.d${index}`, 7]),
        ...times(size, (index) => [`n1.shop.d${index}`, {}])
      },
      postgres_bound: times(size, (index) => [`n1.shop.database.l${index}`, provided])
    }),
    right: ({ asks, outOfShape }, size) => {
      expect(outOfShape.length).toBe(2 * size)
      expect(count(asks, "held")).toBe(size)
    }
  },
  "a definition with every part out of shape": {
    size: 2_000,
    buckets: (size) => ({
      [modules]: {
        postgres: {
          provides: times(size, (index) => [`p${index}`, 7]),
          answers: times(size, (index) => [`k${index}`, 7]),
          directories: times(size, (index) => [`d${index}`, 7])
        }
      }
    }),
    right: ({ outOfShape }) => {
      expect(outOfShape.length).toBe(1)
      expect(outOfShape[0]?.why).toContain("more")
    }
  }
}
