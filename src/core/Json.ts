/**
 * JSON values as plain data, and the two bounds that a value of the bus must keep (protocol §3).
 */
import { containersDeepMax } from "./Limits.ts"

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** A JSON object. Its names are strangers' words: read them with `Object.hasOwn` or `Object.entries`. */
export interface JsonObject {
  readonly [name: string]: Json
}

/**
 * Whether a value is a JSON object: neither `null` nor an array.
 *
 * @example
 * ```ts
 * import { isJsonObject } from "mesh-provisioner/core"
 *
 * isJsonObject({}) // true
 * isJsonObject([]) // false
 * ```
 */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The own member of a JSON object, never one that JavaScript's objects inherit. */
export const member = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** The own member of a JSON value that is text, if it is an object that has one. */
export const textMember = (value: Json | undefined, name: string): string | undefined => {
  const text = isJsonObject(value) ? member(value, name) : undefined
  return typeof text === "string" ? text : undefined
}

/**
 * What is wrong with a parsed value as a value of the bus, if anything: too many containers inside each other, or a
 * number beyond what a double holds (`1e400`), which nobody could read back.
 */
export const valueFault = (value: Json, depth = 0): string | undefined => {
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : "it holds a number too large to be read"
  }
  if (typeof value !== "object" || value === null) {
    return undefined
  }
  if (depth === containersDeepMax) {
    return `it has more than ${containersDeepMax} containers inside each other`
  }
  return isJsonObject(value) ? memberFault(value, depth + 1) : itemFault(value, depth + 1)
}

// A loop over the names makes no list of them; those of JSON are all its own.
const memberFault = (object: JsonObject, depth: number): string | undefined => {
  for (const name in object) {
    const fault = valueFault(object[name] ?? null, depth)
    if (fault !== undefined) {
      return fault
    }
  }
  return undefined
}

const itemFault = (items: ReadonlyArray<Json>, depth: number): string | undefined => {
  for (const item of items) {
    const fault = valueFault(item, depth)
    if (fault !== undefined) {
      return fault
    }
  }
  return undefined
}

/**
 * Whether what a text of JSON says may have a fault. Most texts are too short for so many containers, each of which is opened
 * and closed, and for a number of so many digits, and have none with an exponent of three digits.
 */
export const mayHaveFault = (text: string): boolean => text.length > 2 * containersDeepMax || /[eE]\+?\d{3}/.test(text)

/**
 * Whether two JSON values are the same, whatever the order of their objects' members. Values nested deeper than any value
 * of the bus may be (protocol §3) are never the same as another.
 */
export const sameJson = (one: Json | undefined, other: Json | undefined, depth = 0): boolean => {
  if (one === other) {
    return true
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return false
  }
  if (depth === containersDeepMax) {
    return false
  }
  if (isJsonObject(one)) {
    return isJsonObject(other) && sameMembers(one, other, depth + 1)
  }
  return !isJsonObject(other) && one.length === other.length &&
    one.every((item, index) => sameJson(item, other[index], depth + 1))
}

// Every decision is compared by it: most members are the very same, and what an object inherits is no JSON.
const sameMembers = (one: JsonObject, other: JsonObject, depth: number): boolean => {
  let more = 0
  for (const name in one) {
    const item = one[name]
    const there = other[name]
    if (item !== there && !(Object.hasOwn(other, name) && sameJson(item, there, depth))) {
      return false
    }
    more += 1
  }
  for (const _ in other) {
    more -= 1
  }
  return more === 0
}
