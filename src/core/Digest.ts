/**
 * Digests (protocol §3): the first 32 lower-case hex digits of SHA-256 over canonical JSON (RFC 8785).
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { isJsonObject, type Json } from "./Json.ts"
import { digestHexDigits } from "./Limits.ts"
import { writeUtf8 } from "./Utf8.ts"

/**
 * The digest of a JSON value: 32 lower-case hex digits (protocol §3).
 *
 * @example
 * ```ts
 * import { digest } from "mesh-provisioner/core"
 *
 * digest({ b: 1, a: 2 }) === digest({ a: 2, b: 1 }) // true
 * ```
 */
export const digest = (value: Json): string => digestOfText(canonicalJson(value))

/** The digest of a value whose canonical JSON is there. */
export const digestOfText = (canonical: string): string => hexOf(sha256(writeUtf8(canonical)))

/**
 * Digests of canonical JSON by another SHA-256 than the core's own, where the surroundings have a faster one.
 *
 * @param sha256 the SHA-256 of a text's UTF-8, as lower-case hex digits.
 */
export const digestOfTextBy = (sha256: (text: string) => string) => (canonical: string): string =>
  firstDigits(sha256(canonical))

const hexOf = (bytes: Uint8Array): string => {
  const codes: Array<number> = []
  for (const byte of bytes.subarray(0, digestHexDigits / 2)) {
    codes.push(hexDigit(byte >>> 4), hexDigit(byte & 15))
  }
  return String.fromCharCode(...codes)
}

// Written anew by being made of capitals and back: what is cut from a longer text keeps all of that in memory.
const firstDigits = (hex: string): string => hex.slice(0, digestHexDigits).toUpperCase().toLowerCase()

const hexDigit = (value: number): number => hexDigits.charCodeAt(value)

const hexDigits = "0123456789abcdef"

/** Whether a text could be a digest. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

/**
 * Canonical JSON: RFC 8785, but that a lone surrogate is written as `JSON.stringify` writes it (protocol §3), where the
 * RFC, and the libraries for it, give up.
 *
 * @example
 * ```ts
 * import { canonicalJson } from "mesh-provisioner/core"
 *
 * canonicalJson({ b: 1.0, a: [true] }) // "{\"a\":[true],\"b\":1}"
 * ```
 */
export const canonicalJson = (value: Json): string => isInOrder(value) ? JSON.stringify(value) : ordered(value)

/** Whether all names are in the order of their code units as they stand: then what JavaScript itself writes is canonical. */
const isInOrder = (value: Json): boolean => {
  if (typeof value !== "object" || value === null) {
    return true
  }
  if (!isJsonObject(value)) {
    return value.every(isInOrder)
  }
  let last: string | undefined
  for (const name in value) {
    if ((last !== undefined && last > name) || !isInOrder(value[name] ?? null)) {
      return false
    }
    last = name
  }
  return true
}

const ordered = (value: Json): string => {
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value)
  }
  let text = ""
  if (isJsonObject(value)) {
    for (const name of Object.keys(value).sort()) {
      text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${ordered(value[name] ?? null)}`
    }
    return `{${text}}`
  }
  for (const item of value) {
    text += `${text === "" ? "" : ","}${ordered(item)}`
  }
  return `[${text}]`
}
