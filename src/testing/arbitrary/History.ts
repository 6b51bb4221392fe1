/**
 * Histories: the changes of the bus that lead to a snapshot. The changes of one key are in order, as the bus keeps them;
 * those of several keys come in any, and some come twice. They shrink by leaving changes out.
 */
import type * as fc from "fast-check"
import type { EngineChange } from "../../core/Engine.ts"
import type { BucketChange, Change } from "../../core/Facts.ts"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { type Choose, chosen } from "./Choose.ts"
import { leavingOut, simplerJson } from "./LeavingOut.ts"
import { ownMember, type Place, placesOf, put, putBytes, remove, removeBucket, valueAt } from "./Snapshots.ts"

/** Changes, and the snapshot that they lead to. */
export interface History {
  readonly changes: ReadonlyArray<EngineChange>
  readonly snapshot: Snapshot
}

/**
 * Histories that lead to meshes (protocol §9): the changes of one key are in order, as the bus keeps them, those of several
 * come in any order, some come twice, and some keys are gone in the end. They shrink by leaving changes out.
 *
 * @param snapshots the meshes that they lead to, but for what is gone.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { decide, Facts } from "mesh-provisioner/core"
 * import { coherentMesh, historyOf } from "mesh-provisioner/testing"
 *
 * // The order of arrival between keys is nothing to what is decided.
 * fc.assert(
 *   fc.property(historyOf(coherentMesh), ({ changes, snapshot }) => {
 *     const facts = new Facts()
 *     for (const change of changes) facts.apply(change)
 *     return decide(facts).asks.size === decide(snapshot).asks.size
 *   }),
 *   { numRuns: 20 }
 * )
 * ```
 */
export const historyOf = (snapshots: fc.Arbitrary<Snapshot>): fc.Arbitrary<History> => {
  const given = () => snapshots
  return leavingChangesOut(chosen((choose) => {
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
    return { changes: [...openingsOf(snapshot), ...changes], snapshot }
  }))
}

/** The openings of a mesh's buckets: one that is there and empty has no key to arrive by. */
export const openingsOf = ({ buckets, raw }: Snapshot): ReadonlyArray<BucketChange> =>
  Object.keys({ ...buckets, ...raw }).map((bucket) => ({ bucket, isThere: true }))

/** What shrinks by leaving changes out; what is left leads where it leads. */
export const leavingChangesOut = (histories: fc.Arbitrary<History>): fc.Arbitrary<History> =>
  leavingOut(histories, {
    without: ({ changes }) =>
      changes.map((change) => (so: History) => historyBy(so.changes.filter((other) => other !== change))),
    simpler: function*({ changes }) {
      for (const [at, change] of changes.entries()) {
        const value = "key" in change && !(change.value instanceof Uint8Array) ? change.value : undefined
        for (const simpler of value === undefined ? [] : simplerJson(value)) {
          yield historyBy(changes.with(at, { ...change, value: simpler }))
        }
      }
    }
  })

/** The history of changes, from an empty bus on. Its snapshot is in an order of its own, whatever order they came in. */
export const historyBy = (changes: ReadonlyArray<EngineChange>): History => ({
  changes,
  snapshot: inOrder(changes.reduce(changed, { buckets: {} }))
})

const inOrder = ({ buckets, raw }: Snapshot): Snapshot => ({
  buckets: sorted(buckets),
  ...(raw === undefined ? {} : { raw: sorted(raw) })
})

const sorted = <A>(
  buckets: { readonly [bucket: string]: { readonly [key: string]: A } }
): { readonly [bucket: string]: { readonly [key: string]: A } } =>
  byName(
    Object.entries(buckets).map(([name, values]) => [
      name,
      byName(Object.entries(values))
    ])
  )

const byName = <A>(members: ReadonlyArray<readonly [string, A]>): { readonly [name: string]: A } =>
  Object.fromEntries(members.toSorted(([one], [other]) => one < other ? -1 : 1))

/** A mesh once a change has come. */
const changed = (mesh: Snapshot, change: EngineChange): Snapshot => {
  const { bucket } = change
  if ("isThere" in change) {
    return change.isThere ? { ...mesh, buckets: { [bucket]: {}, ...mesh.buckets } } : removeBucket(mesh, bucket)
  }
  return change.value === undefined
    ? remove(mesh, change)
    : change.value instanceof Uint8Array
    ? putBytes(mesh, change, Buffer.from(change.value).toString("base64"))
    : put(mesh, change, change.value)
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
