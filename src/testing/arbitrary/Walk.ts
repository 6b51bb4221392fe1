/**
 * Walks: histories of a bus that go on once a mesh is there. Two meshes give the keys and what each may hold; a walk puts,
 * deletes, puts the same again, garbles, gives a key what another of its bucket holds, and has buckets appear and vanish.
 */
import * as fc from "fast-check"
import type { EngineChange } from "../../core/Engine.ts"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { type Choose, chosen } from "./Choose.ts"
import { coherentMesh } from "./CoherentMesh.ts"
import { type History, historyBy, leavingChangesOut } from "./History.ts"
import { ownMember, type Place, placesOf, valueAt } from "./Snapshots.ts"
import { wildMesh } from "./WildMesh.ts"

/** Two meshes: the first is the one that a walk begins with. */
export type Pair = readonly [first: Snapshot, second: Snapshot]

/** Walks over pairs of meshes: first the changes that lead to the first, in an order of their own, then so many more. */
export const walksOver = (pairs: fc.Arbitrary<Pair>, changesMore: number): fc.Arbitrary<History> => {
  const given = () => pairs
  return leavingChangesOut(
    chosen((choose) => {
      const known = choose.from(given)
      const places = placesOf(known[0])
      const all = known.flatMap((mesh) => placesOf(mesh))
      return historyBy([
        ...shuffled(choose, places).map((place) => putOf(place, known[0])),
        ...Array.from({ length: changesMore }, () => changeOf(choose, all, places, known))
      ])
    })
  )
}

const meshes = fc.oneof({ weight: 3, arbitrary: wildMesh }, { weight: 2, arbitrary: coherentMesh })

/** Pairs of meshes of all sorts. */
export const anyPair: fc.Arbitrary<Pair> = fc.tuple(meshes, meshes)

/**
 * Histories of a bus (protocol §9): the changes as they come, and the snapshot that they lead to. A mesh comes about, and then
 * changes for a hundred times and more: keys are put, deleted and garbled, buckets vanish and are back. They shrink by leaving
 * changes out.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { decide, Facts } from "mesh-provisioner/core"
 * import { anyHistory } from "mesh-provisioner/testing"
 *
 * // Whatever came before, what is decided follows from the facts as they are now.
 * fc.assert(
 *   fc.property(anyHistory, ({ changes, snapshot }) => {
 *     const facts = new Facts()
 *     for (const change of changes) facts.apply(change)
 *     return decide(facts).plans.size === decide(snapshot).plans.size
 *   }),
 *   { numRuns: 10 }
 * )
 * ```
 */
export const anyHistory: fc.Arbitrary<History> = walksOver(anyPair, 120)

const changeOf = (
  choose: Choose,
  all: ReadonlyArray<Place>,
  places: ReadonlyArray<Place>,
  known: Pair
): EngineChange => {
  const place = choose.among(choose.chance(85) ? places : all) ?? { bucket: "mesh-provisioner_needs", key: "n1.shop" }
  const way = choose.upTo(99)
  if (way < 25) {
    return { bucket: place.bucket, key: place.key }
  }
  if (way < 55) {
    return putOf(place, choose.oneOf(...known))
  }
  if (way < 85) {
    const other = choose.among(all.filter(({ bucket }) => bucket === place.bucket))
    const value = other && valueIn(other, choose.oneOf(...known))
    return value === undefined ? putOf(place, known[0]) : { bucket: place.bucket, key: place.key, value }
  }
  if (way < 93) {
    return { bucket: place.bucket, key: place.key, value: choose.among(garbage) ?? null }
  }
  return { bucket: place.bucket, isThere: choose.chance(70) }
}

const garbage: ReadonlyArray<Json | Uint8Array> = [
  null,
  {},
  [],
  "text",
  { build: 1 },
  Uint8Array.of(0xff),
  new Uint8Array()
]

const putOf = (place: Place, mesh: Snapshot): EngineChange => {
  const value = valueIn(place, mesh)
  return { bucket: place.bucket, key: place.key, ...(value === undefined ? {} : { value }) }
}

const valueIn = (place: Place, mesh: Snapshot): Json | Uint8Array | undefined => {
  const bytes = ownMember(ownMember(mesh.raw, place.bucket), place.key)
  return bytes === undefined ? valueAt(mesh, place) : Uint8Array.from(Buffer.from(bytes, "base64"))
}

const shuffled = <A>(choose: Choose, items: ReadonlyArray<A>): ReadonlyArray<A> => {
  const left = [...items]
  return items.map(() => left.splice(choose.upTo(left.length - 1), 1)).flat()
}
