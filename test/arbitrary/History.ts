/**
 * Histories: the changes of the bus that lead to a snapshot. The changes of one key are in order, as the bus keeps them;
 * those of several keys come in any, and some come twice.
 */
import type * as fc from "fast-check"
import type { Change } from "../../src/core/Facts.ts"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { type Choose, chosen } from "./Choose.ts"
import { ownMember, type Place, placesOf, remove, valueAt } from "./Snapshots.ts"

/** Changes, and the snapshot that they lead to. */
export interface History {
  readonly changes: ReadonlyArray<Change>
  readonly snapshot: Snapshot
}

/** Histories of a snapshot: some of its keys came and went, and are not in the end. */
export const historyOf = (snapshots: fc.Arbitrary<Snapshot>): fc.Arbitrary<History> => {
  const given = () => snapshots
  return chosen((choose) => {
    const all = choose.from(given)
    const places = placesOf(all)
    const gone = choose.some(places, 8)
    const snapshot = gone.reduce(remove, all)
    const left = places.map((place) => changesOf(choose, all, place, gone.includes(place)))
    const changes: Array<Change> = []
    for (let open = left; open.length > 0; open = open.filter((queue) => queue.length > 0)) {
      const queue = choose.among(open) ?? []
      // Most of the time a key's changes come one after another: an interleaving of everything would shrink badly.
      changes.push(...queue.splice(0, 1 + choose.upTo(3)))
    }
    return { changes, snapshot }
  })
}

/** The changes of one key: earlier values, deletions, and repeated ones, and in the end what it holds, or nothing. */
const changesOf = (choose: Choose, snapshot: Snapshot, place: Place, isGone: boolean): Array<Change> => {
  const changes: Array<Change> = []
  if (choose.chance(35)) {
    for (let count = choose.upTo(2); count >= 0; count--) {
      changes.push(choose.chance(25) ? place : { ...place, value: earlier(choose, snapshot, place) })
    }
  }
  const last = { ...place, ...valueIn(snapshot, place) }
  changes.push(...(isGone ? [last, place] : [last]))
  return changes.flatMap((change) => choose.chance(10) ? [change, change] : [change])
}

const valueIn = (snapshot: Snapshot, place: Place): Pick<Change, "value"> => {
  const bytes = ownMember(ownMember(snapshot.raw, place.bucket), place.key)
  const value = bytes === undefined ? valueAt(snapshot, place) : Uint8Array.from(Buffer.from(bytes, "base64"))
  return value === undefined ? {} : { value }
}

/** A value that another key of the bucket has, or none that is in shape. */
const earlier = (choose: Choose, snapshot: Snapshot, { bucket }: Place): Json =>
  choose.among([null, ...placesOf(snapshot, bucket).flatMap((place) => valueAt(snapshot, place) ?? [])]) ?? null
