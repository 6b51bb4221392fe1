/**
 * Loss: a snapshot in which some facts are absent or garbled, as they are when a client is late, a disk is torn or a
 * person mistypes. What garbles a fact makes it out of shape, never another fact.
 */
import type * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { type Choose, chosen } from "./Choose.ts"
import { canary } from "./CoherentDraft.ts"
import { isSameAt, leavingTurnsOut, type Turn } from "./LeavingOut.ts"
import { asObject, isThere, objectAt, type Place, placesOf, put, putBytes, remove, removeBucket } from "./Snapshots.ts"

/** A snapshot with some of its facts lost. */
export interface Loss extends Turn {
  readonly lost: ReadonlyArray<Place & { readonly how: "absent" | "garbled" }>
}

/** What may be lost: all but what a law leaves out. */
export interface LossOptions {
  readonly absent?: (place: Place) => boolean
  readonly garbled?: (place: Place) => boolean
  /** Buckets that may be lost as a whole: none, where it is left out. */
  readonly buckets?: (bucket: string) => boolean
}

/**
 * Meshes before and after some of their facts were lost: absent or garbled, a few or many (the protocol's second idea: what is
 * absent or garbled is never taken for a decision). They shrink by losing less, and by leaving facts out of both.
 *
 * @param snapshots the meshes that lose.
 * @param options what may be lost. Default: any fact, but no bucket as a whole.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { decide } from "mesh-provisioner/core"
 * import { coherentMesh, lossOf } from "mesh-provisioner/testing"
 *
 * // Needs are absent or garbled: what was made for them is still known.
 * const losses = lossOf(coherentMesh, {
 *   absent: ({ bucket }) => bucket === "mesh-provisioner_needs",
 *   garbled: ({ bucket }) => bucket === "mesh-provisioner_needs"
 * })
 * fc.assert(
 *   fc.property(losses, ({ after, before }) => {
 *     const held = [...decide(before).asks].filter(([, { state }]) => state === "held")
 *     return held.every(([key]) => decide(after).asks.has(key))
 *   }),
 *   { numRuns: 20 }
 * )
 * ```
 */
export const lossOf = (snapshots: fc.Arbitrary<Snapshot>, options: LossOptions = {}): fc.Arbitrary<Loss> => {
  const given = () => snapshots
  return leavingTurnsOut(chosen((choose) => lose(choose, choose.from(given), options)), (turn) => ({
    ...turn,
    lost: lostBetween(turn)
  }))
}

/** What is lost between two meshes, by what differs. */
const lostBetween = ({ after, before }: Turn): Loss["lost"] => [
  ...placesOf(before).filter((place) => !isSameAt(before, after, place)).map((place) => ({
    ...place,
    how: isThere(after, place) ? "garbled" as const : "absent" as const
  })),
  ...Object.keys(before.buckets).filter((bucket) => !Object.hasOwn(after.buckets, bucket)).map((bucket) => ({
    bucket,
    key: "*",
    how: "absent" as const
  }))
]

const always = () => true
const never = () => false

const lose = (choose: Choose, before: Snapshot, options: LossOptions): Loss => {
  const { absent = always, buckets = never, garbled = always } = options
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
  for (const bucket of choose.some(Object.keys(before.buckets).filter(buckets), 5)) {
    after = removeBucket(after, bucket)
    lost.push({ bucket, key: "*", how: "absent" })
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

/** Out of shape in every bucket but that of definitions, each of whose parts stands or falls alone. */
const badValues: ReadonlyArray<Json> = [
  null,
  7,
  canary,
  [canary],
  {
    build: 7,
    node: canary,
    module: 7,
    health: canary,
    lost: canary,
    site: 7,
    optional: canary,
    own: canary,
    local: 7,
    plan: canary,
    answer: canary,
    entry: canary,
    state: 7,
    by: 7
  }
]

const garble = (choose: Choose, snapshot: Snapshot, place: Place): Snapshot => {
  if (place.bucket === "mesh-controller_modules" && choose.chance(70)) {
    return put(snapshot, place, garbledDefinition(choose, objectAt(snapshot, place) ?? {}))
  }
  return place.bucket === "mesh-provisioner_collect" || place.bucket.endsWith("_licences") || choose.chance(50)
    ? putBytes(snapshot, place, choose.among(badBytes) ?? "")
    : put(snapshot, place, place.bucket === "mesh-controller_modules" ? canary : choose.among(badValues) ?? null)
}

// A provision that is garbled keeps its name: another name would be another definition.
const garbledDefinition = (choose: Choose, definition: { readonly [name: string]: Json }): Json => {
  const provides = Object.entries(asObject(definition["provides"]) ?? {})
  return {
    ...definition,
    provides: choose.chance(30)
      ? choose.oneOf<Json>(null, [], canary)
      : Object.fromEntries(
        provides.map((
          [name, part]
        ) => [name, choose.chance(50) ? choose.oneOf<Json>(null, {}, { credential: canary }) : part])
      ),
    answers: choose.chance(30) ? null : definition["answers"] ?? {}
  }
}
