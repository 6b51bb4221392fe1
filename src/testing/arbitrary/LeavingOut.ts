/**
 * Arbitraries that shrink by leaving out: of what fails, first half of all its parts is left out, then a quarter, in the end
 * one alone, for as long as it still fails; and then what each part holds is made less in the same way. What is left is
 * what matters: without any one of its parts it would not fail.
 */
import * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { isThere, ownMember, type Place, placesOf, put, putBytes, remove, removeBucket, valueAt } from "./Snapshots.ts"

/** How a value is made of parts. */
export interface Parts<Whole> {
  /** The value without one of its parts each. */
  readonly without: (whole: Whole) => ReadonlyArray<(whole: Whole) => Whole>
  /** The value with less in one of its parts each. */
  readonly simpler: (whole: Whole) => Iterable<Whole>
}

/** The same values as another arbitrary's, which shrink by leaving out their parts. */
export const leavingOut = <Whole>(wholes: fc.Arbitrary<Whole>, parts: Parts<Whole>): fc.Arbitrary<Whole> =>
  new LeavingOut(wholes, parts)

class LeavingOut<Whole> extends fc.Arbitrary<Whole> {
  readonly #wholes: fc.Arbitrary<Whole>
  readonly #parts: Parts<Whole>

  constructor(wholes: fc.Arbitrary<Whole>, parts: Parts<Whole>) {
    super()
    this.#wholes = wholes
    this.#parts = parts
  }

  override generate(random: fc.Random, biasFactor: number | undefined): fc.Value<Whole> {
    return new fc.Value(this.#wholes.generate(random, biasFactor).value, undefined)
  }

  override canShrinkWithoutContext(_value: unknown): _value is Whole {
    return false
  }

  /** The context of a value is how many parts were left out at once when it was found: what is more was tried before. */
  override shrink(whole: Whole, atOnce: unknown): fc.Stream<fc.Value<Whole>> {
    return fc.stream(this.#smaller(whole, typeof atOnce === "number" ? atOnce : Infinity))
  }

  *#smaller(whole: Whole, atOnceMax: number): IterableIterator<fc.Value<Whole>> {
    const edits = this.#parts.without(whole)
    for (let size = Math.min(atOnceMax, edits.length); size >= 1; size = Math.floor(size / 2)) {
      for (let end = edits.length; end > 0; end -= size) {
        const left = edits.slice(Math.max(0, end - size), end).reduce((so, edit) => edit(so), whole)
        yield new fc.Value(left, size)
      }
    }
    for (const simpler of this.#parts.simpler(whole)) {
      yield new fc.Value(simpler, 1)
    }
  }
}

/** A JSON value with less in it: without a member or an item, or with less in one. */
export const simplerJson = function*(value: Json): Iterable<Json> {
  if (typeof value !== "object" || value === null) {
    return
  }
  const isList = value instanceof Array
  const members = Object.entries(value)
  const made = (members: ReadonlyArray<readonly [string, Json]>): Json =>
    isList ? members.map(([, member]) => member) : Object.fromEntries(members)
  for (const at of members.keys()) {
    yield made(members.toSpliced(at, 1))
  }
  for (const [at, [name, member]] of members.entries()) {
    for (const simpler of simplerJson(member)) {
      yield made(members.with(at, [name, simpler]))
    }
  }
}

/** A mesh is made of its facts, and of buckets that are there and empty. */
const partsOfMesh: Parts<Snapshot> = {
  without: (mesh) => [
    ...emptyBucketsOf(mesh).map((bucket) => (so: Snapshot) => removeBucket(so, bucket)),
    ...placesOf(mesh).map((place) => (so: Snapshot) => remove(so, place))
  ],
  simpler: function*(mesh) {
    for (const long of longTokensOf(mesh)) {
      yield withoutLong(mesh, long)
    }
    for (const place of placesOf(mesh)) {
      for (const value of simplerJson(valueAt(mesh, place) ?? null)) {
        yield put(mesh, place, value)
      }
    }
  }
}

/** The tokens of a mesh's keys that are longer than a name that a person reads. */
const longTokensOf = (mesh: Snapshot): ReadonlyArray<string> => [
  ...new Set(placesOf(mesh).flatMap(({ key }) => key.split(".")).filter((token) => /^[A-Za-z0-9_-]{13,}$/.test(token)))
]

/** The mesh in which a long name is a short one, wherever it stands. */
const withoutLong = (mesh: Snapshot, long: string): Snapshot =>
  JSON.parse(JSON.stringify(mesh).replaceAll(new RegExp(`(?<![A-Za-z0-9_-])${long}(?![A-Za-z0-9_-])`, "g"), "long"))

const emptyBucketsOf = (mesh: Snapshot): ReadonlyArray<string> =>
  Object.keys({ ...mesh.buckets, ...mesh.raw }).filter((bucket) => placesOf(mesh, bucket).length === 0)

/** Meshes that shrink by leaving facts out. */
export const leavingFactsOut = (meshes: fc.Arbitrary<Snapshot>): fc.Arbitrary<Snapshot> =>
  leavingOut(meshes, partsOfMesh)

/** A mesh as it was, and as it is. */
export interface Turn {
  readonly before: Snapshot
  readonly after: Snapshot
}

/** Turns that shrink by leaving facts out of both meshes, and by undoing what has changed between them. */
export const leavingTurnsOut = <Whole extends Turn>(
  turns: fc.Arbitrary<Whole>,
  whole: (turn: Turn, of: Whole) => Whole
): fc.Arbitrary<Whole> =>
  leavingOut(turns, {
    without: (of) => withoutOfTurn(of).map((edit) => (so: Whole) => whole(edit(so), so)),
    simpler: function*(of) {
      for (const turn of simplerTurns(of)) {
        yield whole(turn, of)
      }
    }
  })

const withoutOfTurn = ({ after, before }: Turn): ReadonlyArray<(turn: Turn) => Turn> => {
  const places = new Map(
    [...placesOf(before), ...placesOf(after)].map((place) => [`${place.bucket}\n${place.key}`, place])
  )
  const buckets = Object.keys({ ...before.buckets, ...after.buckets })
  return [
    ...buckets.filter((bucket) => isBucket(before, bucket) !== isBucket(after, bucket)).map((bucket) => (so: Turn) => ({
      before: so.before,
      after: isBucket(so.before, bucket)
        ? { ...so.after, buckets: { ...so.after.buckets, [bucket]: ownMember(so.before.buckets, bucket) ?? {} } }
        : removeBucket(so.after, bucket)
    })),
    ...buckets.filter((bucket) => [before, after].every((mesh) => placesOf(mesh, bucket).length === 0))
      .map((bucket) => (so: Turn) => ({
        before: removeBucket(so.before, bucket),
        after: removeBucket(so.after, bucket)
      })),
    ...[...places.values()].map((place) => (so: Turn) => ({
      before: removeIfThere(so.before, place),
      after: removeIfThere(so.after, place)
    })),
    ...[...places.values()].filter((place) => !isSameAt(before, after, place)).map((place) => (so: Turn) => ({
      before: so.before,
      after: copied(so.before, so.after, place)
    }))
  ]
}

const isBucket = ({ buckets, raw }: Snapshot, bucket: string): boolean =>
  Object.hasOwn(buckets, bucket) || Object.hasOwn(raw ?? {}, bucket)

const removeIfThere = (mesh: Snapshot, place: Place): Snapshot => isThere(mesh, place) ? remove(mesh, place) : mesh

const bytesAt = (mesh: Snapshot, { bucket, key }: Place): string | undefined =>
  ownMember(ownMember(mesh.raw, bucket), key)

/** Whether two meshes hold the same at a place. */
export const isSameAt = (one: Snapshot, other: Snapshot, place: Place): boolean =>
  bytesAt(one, place) === bytesAt(other, place) &&
  JSON.stringify(valueAt(one, place)) === JSON.stringify(valueAt(other, place))

const copied = (from: Snapshot, to: Snapshot, place: Place): Snapshot => {
  const bytes = bytesAt(from, place)
  const value = valueAt(from, place)
  return bytes !== undefined
    ? putBytes(to, place, bytes)
    : value !== undefined
    ? put(to, place, value)
    : removeIfThere(to, place)
}

const simplerTurns = function*({ after, before }: Turn): Iterable<Turn> {
  for (const long of new Set([before, after].flatMap(longTokensOf))) {
    yield { before: withoutLong(before, long), after: withoutLong(after, long) }
  }
  for (const place of placesOf(before)) {
    const isSame = isSameAt(before, after, place)
    for (const value of simplerJson(valueAt(before, place) ?? null)) {
      yield { before: put(before, place, value), after: isSame ? put(after, place, value) : after }
    }
  }
  for (const place of placesOf(after).filter((place) => !isSameAt(before, after, place))) {
    for (const value of simplerJson(valueAt(after, place) ?? null)) {
      yield { before, after: put(after, place, value) }
    }
  }
}
