/**
 * A change as it arrives, decoded into a fact or what is wrong with it (protocol §3). It never fails.
 */
import * as Result from "effect/Result"
import type { Bucket } from "./Bucket.ts"
import { isJsonObject, type Json, mayHaveFault, valueFault } from "./Json.ts"
import { type KeyShape, type Names, type Part, readParts, type TokenReader } from "./Key.ts"
import type { Often } from "./Often.ts"
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
export type Row<P extends Part, A> = Pick<Bucket<P, A>, "parts" | "local" | "decode" | "sort">

/** What the facts that are read share with one another. */
export interface Shared<A> {
  readonly tokens: TokenReader
  readonly often: Often<A>
}

/** Reads what the keys of buckets hold by their row of the table (protocol §2, §3). */
export class FactReader<P extends Part, A> {
  readonly #row: Row<P, A>
  readonly #PlainFact: ReturnType<typeof plainFactOf<P, A>>

  constructor(row: Row<P, A>) {
    this.#row = row
    this.#PlainFact = plainFactOf(row)
  }

  /** What a key that holds a value says. */
  read(key: string, value: Value, { often, tokens }: Shared<A>): Fact<P, A> {
    const parts = readParts(this.#row, key, tokens)
    if (typeof parts === "string") {
      return { key, names: undefined, json: Result.getOrUndefined(readJson(value)), value: undefined, why: parts }
    }
    const fact = new this.#PlainFact(key, parts)
    const sort = this.#row.sort?.(fact.names)
    return sort === undefined ? this.#decode(fact, readJson(value)) : this.#readOften(fact, value, sort, often)
  }

  #readOften(fact: PlainFact<P, A>, value: Value, sort: string, often: Often<A>): Fact<P, A> {
    const text = isBytes(value) ? readText(value) : isEmptyObject(value) ? emptyText : undefined
    if (text === undefined || Result.isFailure(text)) {
      return this.#decode(fact, text ?? readJson(value))
    }
    const known = often.get(sort, text.success)
    if (known !== undefined) {
      return fact.holding(known)
    }
    const read = this.#decode(fact, parse(text.success))
    if (read === fact && read.value !== undefined) {
      often.keep(sort, text.success, read.value)
    }
    return read
  }

  #decode(fact: PlainFact<P, A>, json: Result.Result<Json, string>): Fact<P, A> {
    const { key, names } = fact
    if (Result.isFailure(json)) {
      return { key, names, json: undefined, value: undefined, why: json.failure }
    }
    const { faults, value } = this.#row.decode(json.success, names)
    if (faults.length === 0 && value !== undefined && isJson(value, json.success)) {
      return fact.holding(value)
    }
    return { key, names, json: json.success, value, why: faults.length > 0 ? sayFaults(faults) : undefined }
  }
}

const emptyText: Result.Result<string, string> = Result.succeed("{}")

const isEmptyObject = (value: Json): boolean => isJsonObject(value) && Object.keys(value).length === 0

// Where nothing was ignored, the value that was decoded is the JSON itself.
const isJson = <A>(value: A, json: Json): value is A & Json => Object.is(value, json)

/** A fact in shape of which nothing is ignored, once it holds its value. */
interface PlainFact<P extends Part, A> extends NamedFact<P, A> {
  readonly holding: (value: A) => PlainFact<P, A>
}

/**
 * Makes the class of a row's facts in shape of which nothing is ignored. Most facts are so, and each takes as little room as
 * it can: its value is its JSON, and its names are its own members.
 */
const plainFactOf = <P extends Part, A>({ local, parts }: KeyShape<P>) => {
  const members: ReadonlyArray<Part | "local"> = local ? [...parts, "local"] : parts
  return class implements PlainFact<P, A> {
    [part: string]: unknown
    readonly #key: string
    #value: A | undefined

    constructor(key: string, names: ReadonlyArray<string>) {
      this.#key = key
      for (let index = 0; index < members.length; index++) {
        this[members[index] ?? ""] = names[index]
      }
    }

    holding(value: A): this {
      this.#value = value
      return this
    }

    get key(): string {
      return this.#key
    }

    get names(): Names<P> {
      return this as Names<P>
    }

    get json(): Json | undefined {
      return this.#value as Json | undefined
    }

    get value(): A | undefined {
      return this.#value
    }

    get why(): undefined {
      return undefined
    }
  }
}

/** A value as JSON within the bounds of protocol §3, or what is wrong with it. */
export const readJson = (value: Value): Result.Result<Json, string> => {
  if (isBytes(value)) {
    const text = readText(value)
    return Result.isFailure(text) ? text : parse(text.success)
  }
  const fault = valueFault(value)
  return fault === undefined ? Result.succeed(value) : Result.fail(fault)
}

const readText = (bytes: Uint8Array): Result.Result<string, string> => {
  const text = readUtf8(bytes)
  if (text === undefined) {
    return Result.fail(valueWhy.notUtf8())
  }
  return text.charCodeAt(0) === byteOrderMark ? Result.fail(valueWhy.byteOrderMark()) : Result.succeed(text)
}

const byteOrderMark = 0xfeff

// What `JSON.parse` says of a text quotes from it, so it is never passed on.
const parse = (text: string): Result.Result<Json, string> => {
  let json: Json
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail(valueWhy.notJson())
  }
  const fault = mayHaveFault(text) ? valueFault(json) : undefined
  return fault === undefined ? Result.succeed(json) : Result.fail(fault)
}
