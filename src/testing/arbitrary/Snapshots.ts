/**
 * Snapshots by bucket and key: read, put and taken out, each edit a snapshot of its own.
 */
import type { Json, JsonObject } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"

/** A place on the bus. */
export interface Place {
  readonly bucket: string
  readonly key: string
}

/** A member of an object's own, whatever its name. */
export const ownMember = <A>(object: { readonly [name: string]: A } | undefined, name: string): A | undefined =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined

/** The value that a key has as JSON; none where it has bytes. */
export const valueAt = (snapshot: Snapshot, { bucket, key }: Place): Json | undefined =>
  ownMember(ownMember(snapshot.raw, bucket), key) === undefined
    ? ownMember(ownMember(snapshot.buckets, bucket), key)
    : undefined

/** The object that a key has as JSON, if it has one. */
export const objectAt = (snapshot: Snapshot, place: Place): JsonObject | undefined => asObject(valueAt(snapshot, place))

/** A value, if it is an object. */
export const asObject = (value: Json | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !(value instanceof Array) ? value as JsonObject : undefined

/** Whether a key holds anything. */
export const isThere = ({ buckets, raw }: Snapshot, { bucket, key }: Place): boolean =>
  ownMember(ownMember(buckets, bucket), key) !== undefined || ownMember(ownMember(raw, bucket), key) !== undefined

/** Every key of one bucket, or of all. */
export const placesOf = (snapshot: Snapshot, bucket?: string): ReadonlyArray<Place> => {
  const found = new Map<string, Place>()
  for (const buckets of [snapshot.buckets, snapshot.raw ?? {}]) {
    for (const [name, values] of Object.entries(buckets)) {
      for (const key of bucket === undefined || bucket === name ? Object.keys(values) : []) {
        found.set(`${name}\n${key}`, { bucket: name, key })
      }
    }
  }
  return [...found.values()]
}

/** The snapshot with one key holding a value. */
export const put = (snapshot: Snapshot, { bucket, key }: Place, value: Json): Snapshot => ({
  ...withoutBytes(snapshot, { bucket, key }),
  buckets: set(snapshot.buckets, bucket, set(ownMember(snapshot.buckets, bucket) ?? {}, key, value))
})

/** The snapshot with one key holding bytes, in base64. */
export const putBytes = (snapshot: Snapshot, place: Place, bytes: string): Snapshot => {
  const { buckets, raw } = remove(snapshot, place)
  return { buckets, raw: set(raw ?? {}, place.bucket, set(ownMember(raw, place.bucket) ?? {}, place.key, bytes)) }
}

/** The snapshot without one key; its bucket stays. */
export const remove = (snapshot: Snapshot, { bucket, key }: Place): Snapshot => ({
  ...withoutBytes(snapshot, { bucket, key }),
  buckets: set(snapshot.buckets, bucket, unset(ownMember(snapshot.buckets, bucket) ?? {}, key))
})

/** The snapshot without one bucket. */
export const removeBucket = ({ buckets, raw }: Snapshot, bucket: string): Snapshot => ({
  buckets: unset(buckets, bucket),
  ...(raw === undefined ? {} : { raw: unset(raw, bucket) })
})

const withoutBytes = ({ raw }: Snapshot, { bucket, key }: Place): Pick<Snapshot, "raw"> => {
  const there = ownMember(raw, bucket)
  return raw === undefined ? {} : { raw: there === undefined ? raw : set(raw, bucket, unset(there, key)) }
}

// By entries, since `{ ...object, [name]: value }` is no own member where the name is `__proto__` and the target older.
const set = <A>(object: { readonly [name: string]: A }, name: string, value: A): { readonly [name: string]: A } =>
  Object.fromEntries([...Object.entries(object), [name, value]])

const unset = <A>(object: { readonly [name: string]: A }, name: string): { readonly [name: string]: A } =>
  Object.fromEntries(Object.entries(object).filter(([one]) => one !== name))
