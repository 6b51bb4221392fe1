/**
 * Shapes of a mesh: much of one thing, made at any size, and what is to be so of the decisions on it.
 */
import { expect } from "vitest"
import type { Decisions } from "../../src/core/Decision.ts"
import type { Json } from "../../src/core/Json.ts"

/** So many members, made of their number. */
export const times = <A>(
  count: number,
  member: (index: number) => readonly [string, A]
): { readonly [name: string]: A } => Object.fromEntries(Array.from({ length: count }, (_, index) => member(index)))

export const list = (count: number, name: string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => name + index)

export interface Shape {
  /** The smaller of the two sizes. */
  readonly size: number
  readonly buckets: (size: number) => { readonly [bucket: string]: { readonly [key: string]: Json } }
  /** What is to be so of the decisions on the larger one. */
  readonly right: (decisions: Decisions, size: number) => void
}

export const modules = "mesh-controller_modules"
export const assignments = "mesh-controller_assignments"
export const needs = "mesh-provisioner_needs"
export const collect = "mesh-provisioner_collect"

export const provider = (provision: { readonly [name: string]: Json } = {}) => ({
  postgres: { provides: { database: { credential: "consumer", ...provision } } }
})
export const both = { "n1.postgres": { build: "b1" }, "n1.shop": { build: "b1" } }
export const vault = { "mesh-controller_seats": { vault: { node: "n1", module: "mesh-vault" } } }
export const provided = { state: "provided", by: "n1", values: { host: "h" } }
export const withSecret = { contract: { fields: { host: "string", password: "secret" } } }

export const count = <A extends { readonly state: string }>(decided: ReadonlyMap<string, A>, state: string): number =>
  [...decided.values()].filter((one) => one.state === state).length

export const allProvided = ({ provisions }: Decisions, size: number): void => {
  expect(count(provisions, "provided")).toBe(size)
}
