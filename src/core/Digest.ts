/**
 * Digests (protocol §3): the first 32 lower-case hex digits of SHA-256 over canonical JSON (RFC 8785).
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
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
export const digest = (value: Json): string =>
  bytesToHex(sha256(writeUtf8(canonicalJson(value)))).slice(0, digestHexDigits)

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
export const canonicalJson = (value: Json): string => {
  if (isJsonObject(value)) {
    const members = Object.keys(value).sort().map((name) =>
      `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`
    )
    return `{${members.join(",")}}`
  }
  return Array.isArray(value) ? `[${value.map(canonicalJson).join(",")}]` : JSON.stringify(value)
}
