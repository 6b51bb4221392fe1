/**
 * Every fact out of shape, with its bucket, its key and what is wrong (protocol §3).
 */
import * as Result from "effect/Result"
import type { OutOfShape, Waits } from "./Decision.ts"
import type { Mesh, SoundNeed } from "./Mesh.ts"
import { addressed } from "./Provision.ts"
import { isCompiledIn, type Registry } from "./Registry.ts"

/** Lists what is out of shape; of a definition's own bucket, only the keys that needs address are looked at (protocol §5.1). */
export const outOfShapeOf = (mesh: Mesh): ReadonlyArray<OutOfShape> => {
  const found: Array<OutOfShape> = []
  for (const [bucket, table] of mesh.facts.tables()) {
    for (const { key, why } of table.all()) {
      if (why !== undefined) {
        found.push({ bucket, key, why })
      }
    }
  }
  return [...found, ...addressedOutOfShape(mesh)].sort(byBucketAndKey)
}

const addressedOutOfShape = (mesh: Mesh): ReadonlyArray<OutOfShape> => {
  const found = new Map<string, OutOfShape>()
  for (const need of mesh.facts.needs.sound()) {
    const at = addressedByDefinition(mesh.registry, need)
    const value = at === undefined ? undefined : mesh.facts.stranger(at.bucket, at.key)
    if (at !== undefined && value !== undefined && Result.isFailure(value)) {
      found.set(`${at.bucket}/${at.key}`, { ...at, why: value.failure })
    }
  }
  return [...found.values()]
}

/** The key of a definition's own bucket that a need addresses, where one answers its kind (protocol §5.1). */
export const addressedByDefinition = ({ entries }: Registry, need: SoundNeed): Waits | undefined => {
  const { kind } = need.names
  const find = isCompiledIn(kind) ? undefined : entries.get(kind)?.find
  return find !== undefined && "bucket" in find ? addressed(need, find) : undefined
}

/** The order in which facts out of shape are listed. */
export const byBucketAndKey = (one: OutOfShape, other: OutOfShape): number =>
  one.bucket === other.bucket ? (one.key < other.key ? -1 : 1) : one.bucket < other.bucket ? -1 : 1
