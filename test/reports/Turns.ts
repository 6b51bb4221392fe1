/**
 * A mesh whose facts change step by step, as the reports tell it: what is decided after each step, and what the provisioner
 * would write for it.
 */
import {
  type Change,
  decide,
  type Decisions,
  diff,
  Facts,
  type Json,
  type Plan,
  type Provision,
  type Write
} from "mesh-provisioner/core"
import { decidedBuckets } from "../../src/core/Diff.ts"

/** The facts as they stand, with the decisions that are stored. */
export class Turns {
  readonly facts = new Facts()
  #stored: Decisions = decide(new Facts())

  /** The decisions from the facts as they stand. */
  get now(): Decisions {
    return decide(this.facts)
  }

  /** Takes facts in, each by its bucket and key. */
  put(...facts: ReadonlyArray<readonly [bucket: string, key: string, value: Json]>): this {
    return this.apply(...facts.map(([bucket, key, value]) => ({ bucket, key, value })))
  }

  /** Facts that are gone. */
  remove(...facts: ReadonlyArray<readonly [bucket: string, key: string]>): this {
    return this.apply(...facts.map(([bucket, key]) => ({ bucket, key })))
  }

  /** Takes changes in, as the bus tells them. */
  apply(...changes: ReadonlyArray<Change>): this {
    for (const change of changes) {
      this.facts.apply(change)
    }
    return this
  }

  /** The writes of a turn: what differs from the decisions that are stored. They are stored by it. */
  turn(): ReadonlyArray<Write> {
    const writes = diff(decidedBuckets(this.#stored), this.now)
    this.#stored = this.now
    return writes
  }

  /** The decision on one need; it must be there. */
  provision(key: string): Provision {
    return there(this.now.provisions.get(key), key)
  }

  /** The plan of one module on a node; it must be there. */
  plan(key: string): Plan {
    return there(this.now.plans.get(key), key)
  }

  /** The states of the asks, by key. */
  asks(): { readonly [key: string]: string } {
    return Object.fromEntries([...this.now.asks].map(([key, { state }]) => [key, state]))
  }
}

const there = <A>(value: A | undefined, key: string): A => {
  if (value === undefined) {
    throw new Error(`nothing is decided at ${key}`)
  }
  return value
}

/** A write as a line: `put provisions n1.web.bound.database`. */
export const lineOf = ({ bucket, key, op }: Write): string => `${op} ${bucket.replace("mesh-provisioner_", "")} ${key}`

export const modules = "mesh-controller_modules"
export const assignments = "mesh-controller_assignments"
export const machines = "mesh-controller_machines"
export const seats = "mesh-controller_seats"
export const needs = "mesh-provisioner_needs"
export const applied = "mesh-provisioner_applied"
export const answers = "mesh-provisioner_answers"
export const haves = "mesh-host_haves"
export const configValues = "mesh-config_values"

/** The definition of a module that makes one thing for each consumer. */
export const makes = (
  provision: string,
  fields: { readonly [field: string]: string } = {},
  more: { readonly [name: string]: Json } = {}
): Json => ({
  provides: { [provision]: { credential: "consumer", contract: { version: "1.4.0", fields }, ...more } }
})

/** The definition of a module of which it is enough that it runs. */
export const runs = (provision: string): Json => ({ provides: { [provision]: { credential: "none" } } })

/** A mesh with a database server on n3, and a module web on n1 that needs a database and has it. */
export const webWithDatabase = (): Turns =>
  new Turns().put(
    [modules, "pg", makes("database", { host: "string" })],
    [assignments, "n3.pg", { build: "p1" }],
    [assignments, "n1.web", { build: "w1", instance: "i1" }],
    [needs, "n1.web.bound.database", {}],
    ["pg_bound", "n1.web.database", { state: "provided", by: "n3", for: "i1", values: { host: "10.0.0.3" } }]
  )
