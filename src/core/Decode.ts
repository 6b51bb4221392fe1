/**
 * A change as it arrives, decoded into a fact or what is wrong with it (protocol §3). It never fails.
 */
import * as Result from "effect/Result"
import type { Bucket } from "./Bucket.ts"
import { type Json, valueFault } from "./Json.ts"
import { type Names, type Part, readNames } from "./Key.ts"
import { sayFaults } from "./Shape.ts"
import { readUtf8 } from "./Utf8.ts"
import { valueWhy } from "./Words.ts"

/** What a key of the bus holds: JSON, or the bytes that were written. */
export type Value = Json | Uint8Array

/** Whether a value is the bytes that were written, whichever realm of the runtime they are of. */
export const isBytes = (value: Value | undefined): value is Uint8Array => ArrayBuffer.isView(value)

/** One key of a fact bucket: the names of its parts, its JSON and its value where they are in shape, and what is wrong. */
export interface Fact<P extends Part = Part, A = unknown> {
  readonly key: string
  readonly names: Names<P> | undefined
  readonly json: Json | undefined
  readonly value: A | undefined
  readonly why: string | undefined
}

/** A fact whose key is in shape: its names are known, whatever became of its value. */
export interface NamedFact<P extends Part = Part, A = unknown> extends Fact<P, A> {
  readonly names: Names<P>
}

/** A fact in shape, key and value. */
export interface SoundFact<P extends Part = Part, A = unknown> extends NamedFact<P, A> {
  readonly value: A
}

/** Whether a fact's key is in shape. */
export const isNamed = <P extends Part, A>(fact: Fact<P, A>): fact is NamedFact<P, A> => fact.names !== undefined

/** Whether a fact is in shape, key and value. */
export const isSound = <P extends Part, A>(fact: Fact<P, A>): fact is SoundFact<P, A> =>
  fact.names !== undefined && fact.value !== undefined

/** What is decoded by: a row of the table of buckets. */
export type Row<P extends Part, A> = Pick<Bucket<P, A>, "parts" | "local" | "decode">

/** Decodes what a key holds by its bucket's row of the table (protocol §2, §3). */
export const decodeFact = <P extends Part, A>(
  row: Row<P, A>,
  key: string,
  value: Value,
  share: (name: string) => string = (name) => name
): Fact<P, A> => {
  const names = readNames(row, key, share)
  const json = readJson(value)
  const readable = Result.isSuccess(json) ? json.success : undefined
  if (Result.isFailure(names)) {
    return { key, names: undefined, json: readable, value: undefined, why: names.failure }
  }
  if (Result.isFailure(json)) {
    return { key, names: names.success, json: undefined, value: undefined, why: json.failure }
  }
  const decoded = row.decode(json.success, names.success)
  const why = decoded.faults.length > 0 ? sayFaults(decoded.faults) : undefined
  return { key, names: names.success, json: readable, value: decoded.value, why }
}

/** A value as JSON within the bounds of protocol §3, or what is wrong with it. */
export const readJson = (value: Value): Result.Result<Json, string> => {
  const json = isBytes(value) ? parseBytes(value) : Result.succeed(value)
  if (Result.isFailure(json)) {
    return json
  }
  const fault = valueFault(json.success)
  return fault === undefined ? json : Result.fail(fault)
}

// What `JSON.parse` says of a text quotes from it, so it is never passed on.
const parseBytes = (bytes: Uint8Array): Result.Result<Json, string> => {
  const text = readUtf8(bytes)
  if (text === undefined) {
    return Result.fail(valueWhy.notUtf8())
  }
  if (text.startsWith("\uFEFF")) {
    return Result.fail(valueWhy.byteOrderMark())
  }
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail(valueWhy.notJson())
  }
}
