/**
 * Walks: endless histories of a bus, from a seed. Two meshes give the keys and what each may hold; the walk puts, deletes,
 * puts the same again, garbles, gives a key what another of its bucket holds, and has buckets appear and vanish. One walk of
 * three is over a mesh in which there is a little of everything, and needs of one claim that differ.
 */
import * as fc from "fast-check"
import type { EngineChange } from "../../src/core/Engine.ts"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { ownMember, type Place, placesOf, valueAt } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { type Seeded, seeded } from "./Seeded.ts"
import { smallMesh } from "./SmallMesh.ts"

const meshes = fc.oneof({ weight: 3, arbitrary: wildMesh }, { weight: 2, arbitrary: coherentMesh })

/** Changes of one walk: first those that lead to its mesh, in an order of their own, then so many more. */
export const walk = (seed: number, more: number): ReadonlyArray<EngineChange> => {
  const choose = seeded(seed)
  const [first, second] = seed % 3 === 0 ? everything : fc.sample(meshes, { seed, numRuns: 2 })
  const known = [first, second].filter((mesh) => mesh !== undefined)
  const places = placesOf(known[0] ?? { buckets: {} })
  const start = shuffled(choose, places).map((place) => putOf(place, known[0]))
  const all = known.flatMap((mesh) => placesOf(mesh))
  const changes: Array<EngineChange> = [...start]
  for (let count = 0; count < more; count++) {
    changes.push(changeOf(choose, all, places, known))
  }
  return changes
}

const everything: ReadonlyArray<Snapshot> = [smallMesh(false), smallMesh(true)]

const changeOf = (
  choose: Seeded,
  all: ReadonlyArray<Place>,
  places: ReadonlyArray<Place>,
  known: ReadonlyArray<Snapshot>
): EngineChange => {
  const place = choose.among(choose.chance(85) ? places : all) ?? { bucket: "mesh-provisioner_needs", key: "n1.shop" }
  const way = choose.below(100)
  if (way < 25) {
    return { bucket: place.bucket, key: place.key }
  }
  if (way < 55) {
    return putOf(place, choose.among(known))
  }
  if (way < 85) {
    const other = choose.among(all.filter(({ bucket }) => bucket === place.bucket))
    const value = other && valueIn(other, choose.among(known))
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

const putOf = (place: Place, mesh: Snapshot | undefined): EngineChange => {
  const value = valueIn(place, mesh)
  return { bucket: place.bucket, key: place.key, ...(value === undefined ? {} : { value }) }
}

const valueIn = (place: Place, mesh: Snapshot | undefined): Json | Uint8Array | undefined => {
  const bytes = ownMember(ownMember(mesh?.raw, place.bucket), place.key)
  return bytes === undefined
    ? mesh && valueAt(mesh, place)
    : Uint8Array.from(Buffer.from(bytes, "base64"))
}

const shuffled = <A>(choose: Seeded, items: ReadonlyArray<A>): ReadonlyArray<A> => {
  const left = [...items]
  return items.map(() => left.splice(choose.below(left.length), 1)).flat()
}
