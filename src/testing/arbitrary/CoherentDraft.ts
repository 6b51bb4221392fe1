/**
 * A coherent mesh while it is put together. Every value that only its reader should see holds `canary`, so that a law can
 * say that it is seen nowhere else.
 */
import type { Json, JsonObject } from "../../core/Json.ts"
import { join } from "../naive/name.ts"
import type { Choose } from "./Choose.ts"

/** What is in every value that is nobody's but its reader's. */
export const canary = "c4n4ry"

/** A number that is in such values. */
export const canaryNumber = 735_735_735

/** A mesh while it is put together: what the bus holds, and what later choices follow from. */
export interface Draft {
  readonly buckets: Map<string, Map<string, Json>>
  readonly nodes: ReadonlyArray<string>
  readonly provided: Array<Provided>
  readonly claims: Map<string, DraftClaim>
  readonly wantedFields: Map<string, ReadonlyArray<string>>
}

/** A provision of a module, and the nodes that the module is assigned to. */
export interface Provided {
  readonly module: string
  readonly provision: string
  readonly perConsumer: boolean
  readonly fields: { readonly [field: string]: string }
  readonly seat: string | undefined
  readonly nodes: ReadonlyArray<string>
}

/** A claim, needed now or once. */
export interface DraftClaim {
  readonly key: string
  readonly node: string
  readonly module: string
  readonly provision: string
  readonly local: string | undefined
}

/** Puts a value at a key of a mesh. */
export const place = ({ buckets }: Draft, bucket: string, key: string, value: Json): void => {
  const values = buckets.get(bucket) ?? new Map<string, Json>()
  buckets.set(bucket, values.set(key, value))
}

/** An object of the members that are there. */
export const members = (given: { readonly [name: string]: Json | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(given).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))

/** Assigns a module to a node. */
export const assign = (choose: Choose, mesh: Draft, node: string, module: string, drainingPercent = 0): void =>
  place(
    mesh,
    "mesh-controller_assignments",
    join(node, module),
    members({
      build: choose.oneOf("b1", "b2"),
      instance: choose.oneOf(undefined, "i1", "i2"),
      placement: choose.chance(60)
        ? { dir: { state: `/srv/${canary}` }, port: { http: canaryNumber }, note: canary }
        : undefined,
      draining: choose.chance(drainingPercent) ? true : undefined
    })
  )
