/**
 * Loss: a snapshot in which some facts are absent or garbled, as they are when a client is late, a disk is torn or a
 * person mistypes. What garbles a fact makes it out of shape, never another fact.
 */
import type * as fc from "fast-check"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { type Choose, chosen } from "./Choose.ts"
import { asObject, objectAt, type Place, placesOf, put, putBytes, remove } from "./Snapshots.ts"

/** A snapshot with some of its facts lost. */
export interface Loss {
  readonly before: Snapshot
  readonly after: Snapshot
  readonly lost: ReadonlyArray<Place & { readonly how: "absent" | "garbled" }>
}

/** What may be lost: all but what a law leaves out. */
export interface LossOptions {
  readonly absent?: (place: Place) => boolean
  readonly garbled?: (place: Place) => boolean
}

/** Losses of a snapshot's facts: of a few or of many. */
export const lossOf = (snapshots: fc.Arbitrary<Snapshot>, options: LossOptions = {}): fc.Arbitrary<Loss> => {
  const given = () => snapshots
  return chosen((choose) => lose(choose, choose.from(given), options))
}

const lose = (choose: Choose, before: Snapshot, { absent = () => true, garbled = () => true }: LossOptions): Loss => {
  const percent = choose.oneOf(4, 12, 40)
  const lost: Array<Loss["lost"][number]> = []
  let after = before
  for (const place of placesOf(before)) {
    if (!choose.chance(percent)) {
      continue
    }
    if (choose.chance(50) && absent(place)) {
      after = remove(after, place)
      lost.push({ ...place, how: "absent" })
    } else if (garbled(place)) {
      after = garble(choose, after, place)
      lost.push({ ...place, how: "garbled" })
    }
  }
  return { before, after, lost }
}

const base64 = (...bytes: ReadonlyArray<number>): string => Buffer.from(bytes).toString("base64")

/** Not UTF-8, not JSON, with a byte order mark, and too many containers inside each other. */
const badBytes = [
  base64(0x22, 0xff, 0x22),
  Buffer.from(`{ "state": `).toString("base64"),
  base64(0xef, 0xbb, 0xbf, 0x7b, 0x7d),
  Buffer.from("[".repeat(65) + "]".repeat(65)).toString("base64")
]

const garble = (choose: Choose, snapshot: Snapshot, place: Place): Snapshot => {
  if (place.bucket === "mesh-controller_modules" && choose.chance(70)) {
    return put(snapshot, place, garbledDefinition(choose, objectAt(snapshot, place) ?? {}))
  }
  return place.bucket === "mesh-provisioner_collect" || place.bucket.endsWith("_licences") || choose.chance(50)
    ? putBytes(snapshot, place, choose.among(badBytes) ?? "")
    : put(snapshot, place, choose.oneOf<Json>(null, 7, "text", [], true))
}

// A provision that is garbled keeps its name: another name would be another definition.
const garbledDefinition = (choose: Choose, definition: { readonly [name: string]: Json }): Json => {
  const provides = Object.entries(asObject(definition["provides"]) ?? {})
  return {
    ...definition,
    provides: choose.chance(30)
      ? choose.oneOf<Json>(null, [], "text")
      : Object.fromEntries(
        provides.map((
          [name, part]
        ) => [name, choose.chance(50) ? choose.oneOf<Json>(null, {}, { credential: 7 }) : part])
      ),
    answers: choose.chance(30) ? null : definition["answers"] ?? {}
  }
}
