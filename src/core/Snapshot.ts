/**
 * A snapshot: what the bus holds, as plain data that a file can keep. Its text is read with the line and column of what
 * is wrong, and two of them give the changes that lie between.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { isBytes, readJson, type Value } from "./Decode.ts"
import type { Change } from "./Facts.ts"
import { isJsonObject, type Json, type JsonObject, member, sameJson } from "./Json.ts"
import { placeOfPath, placeOfSyntaxError, type TextPlace } from "./JsonText.ts"
import { snapshotWhy } from "./Words.ts"

/** What the bus holds: values as JSON by bucket and key, and in `raw` the bytes, in base64, of values that are no JSON. */
export interface Snapshot {
  readonly buckets: { readonly [bucket: string]: { readonly [key: string]: Json } }
  readonly raw?: { readonly [bucket: string]: { readonly [key: string]: string } }
}

/** Why a text is no snapshot, and where: `line` and `column` count from 1. */
export interface SnapshotFault extends TextPlace {
  readonly message: string
}

/**
 * Reads the text of a snapshot, `{ "buckets": { … }, "raw"?: { … } }`; what else it holds is ignored.
 *
 * @returns the snapshot, or what is wrong with the text and where. What is wrong never quotes a value of the text.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { parseSnapshot } from "mesh-provisioner/core"
 *
 * const read = parseSnapshot(`{ "buckets": [] }`)
 * Result.isFailure(read) ? [read.failure.line, read.failure.column] : []
 * // [1, 14]
 * ```
 */
export const parseSnapshot = (text: string): Result.Result<Snapshot, SnapshotFault> => {
  let json: Json
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail({ message: snapshotWhy.notJson(), ...placeOfSyntaxError(text) })
  }
  const snapshot = readSnapshot(json)
  return Result.mapError(snapshot, ({ message, path }) => ({ message, ...placeOfPath(text, path) }))
}

interface Misplaced {
  readonly message: string
  readonly path: ReadonlyArray<string>
}

const readSnapshot = (json: Json): Result.Result<Snapshot, Misplaced> => {
  const buckets = isJsonObject(json) ? member(json, "buckets") : undefined
  if (!isJsonObject(json) || !isJsonObject(buckets)) {
    return Result.fail({ message: snapshotWhy.noBuckets(), path: ["buckets"] })
  }
  const raw = member(json, "raw")
  if (raw !== undefined && !isJsonObject(raw)) {
    return Result.fail({ message: snapshotWhy.rawNoObject(), path: ["raw"] })
  }
  for (const [part, whole] of [["buckets", buckets], ["raw", raw ?? {}]] as const) {
    const [bucket] = Object.entries(whole).find(([, keys]) => !isJsonObject(keys)) ?? []
    if (bucket !== undefined) {
      return Result.fail({ message: snapshotWhy.bucketNoObject(bucket), path: [part, bucket] })
    }
  }
  for (const [bucket, key, value] of entriesOf(raw ?? {})) {
    if (typeof value !== "string" || Result.isFailure(Base64.decode(value))) {
      return Result.fail({ message: snapshotWhy.notBase64(bucket, key), path: ["raw", bucket, key] })
    }
  }
  return Result.succeed({ buckets: objects(buckets), ...(raw === undefined ? {} : { raw: texts(raw) }) })
}

const objects = (buckets: JsonObject): Snapshot["buckets"] =>
  Object.fromEntries(Object.entries(buckets).flatMap(([bucket, keys]) => isJsonObject(keys) ? [[bucket, keys]] : []))

const texts = (raw: JsonObject): NonNullable<Snapshot["raw"]> =>
  Object.fromEntries(
    Object.entries(objects(raw)).map(([bucket, keys]) => [
      bucket,
      Object.fromEntries(
        Object.entries(keys).flatMap(([key, value]) => typeof value === "string" ? [[key, value]] : [])
      )
    ])
  )

const entriesOf = function*(buckets: JsonObject): Iterable<readonly [bucket: string, key: string, value: Json]> {
  for (const [bucket, keys] of Object.entries(buckets)) {
    for (const [key, value] of Object.entries(isJsonObject(keys) ? keys : {})) {
      yield [bucket, key, value]
    }
  }
}

/** Every value that a snapshot holds, as a change of the bus: what follows it in `raw` stands over what is in `buckets`. */
export const valuesOf = function*(snapshot: Snapshot): Iterable<Required<Change>> {
  for (const [bucket, key, value] of entriesOf(snapshot.buckets)) {
    yield { bucket, key, value }
  }
  for (const [bucket, key, value] of entriesOf(snapshot.raw ?? {})) {
    yield { bucket, key, value: bytesOf(value) }
  }
}

// What is no base64 is no value that JSON could be read from, and so is out of shape as any such value is.
const bytesOf = (base64: Json): Uint8Array =>
  Result.getOrElse(Base64.decode(typeof base64 === "string" ? base64 : ""), () => new Uint8Array())

/** What lies between two snapshots: the buckets that appear and vanish, and each key whose value is another one. */
export interface SnapshotChanges {
  readonly appeared: ReadonlyArray<string>
  readonly vanished: ReadonlyArray<string>
  /** Keys of vanished buckets are not among them. */
  readonly changes: ReadonlyArray<Change>
}

/**
 * The changes that lead from one snapshot to another.
 *
 * @example
 * ```ts
 * import { changesBetween } from "mesh-provisioner/core"
 *
 * changesBetween(
 *   { buckets: { "mesh-host_haves": { "n1.web": { build: "b1", health: "starting" } } } },
 *   { buckets: { "mesh-host_haves": {} } }
 * ).changes
 * // [{ bucket: "mesh-host_haves", key: "n1.web" }]
 * ```
 */
export const changesBetween = (before: Snapshot, after: Snapshot): SnapshotChanges => {
  const old = indexOf(before)
  const now = indexOf(after)
  const changes: Array<Change> = []
  for (const [bucket, values] of now) {
    for (const [key, value] of values) {
      if (!sameValue(old.get(bucket)?.get(key), value)) {
        changes.push({ bucket, key, value })
      }
    }
    for (const key of old.get(bucket)?.keys() ?? []) {
      if (!values.has(key)) {
        changes.push({ bucket, key })
      }
    }
  }
  return {
    appeared: [...now.keys()].filter((bucket) => !old.has(bucket)),
    vanished: [...old.keys()].filter((bucket) => !now.has(bucket)),
    changes
  }
}

/** What a snapshot holds, by bucket and key. */
export const indexOf = (snapshot: Snapshot): Map<string, Map<string, Value>> => {
  const index = new Map<string, Map<string, Value>>()
  for (const bucket of [...Object.keys(snapshot.buckets), ...Object.keys(snapshot.raw ?? {})]) {
    index.set(bucket, new Map())
  }
  for (const { bucket, key, value } of valuesOf(snapshot)) {
    index.get(bucket)?.set(key, value)
  }
  return index
}

/**
 * What is held by bucket and key, as a snapshot: the other way round than `indexOf`. What is no JSON by protocol §3 goes to
 * `raw`.
 */
export const snapshotFrom = (
  index: Iterable<readonly [bucket: string, values: Iterable<readonly [key: string, bytes: Uint8Array]>]>
): Snapshot => {
  const buckets: Array<readonly [string, { readonly [key: string]: Json }]> = []
  const raw: Array<readonly [string, { readonly [key: string]: string }]> = []
  for (const [bucket, values] of index) {
    const readable: Array<readonly [string, Json]> = []
    const unreadable: Array<readonly [string, string]> = []
    for (const [key, bytes] of values) {
      const json = readJson(bytes)
      if (Result.isSuccess(json)) {
        readable.push([key, json.success])
      } else {
        unreadable.push([key, Base64.encode(bytes)])
      }
    }
    buckets.push([bucket, Object.fromEntries(readable)])
    if (unreadable.length > 0) {
      raw.push([bucket, Object.fromEntries(unreadable)])
    }
  }
  return raw.length === 0
    ? { buckets: Object.fromEntries(buckets) }
    : { buckets: Object.fromEntries(buckets), raw: Object.fromEntries(raw) }
}

const sameValue = (one: Value | undefined, other: Value): boolean =>
  isBytes(one) || isBytes(other)
    ? isBytes(one) && isBytes(other) && one.length === other.length &&
      one.every((byte, index) => byte === other[index])
    : sameJson(one, other)
