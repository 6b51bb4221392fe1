/**
 * Digests (protocol §3): the first 32 lower-case hex digits of SHA-256 over canonical JSON (RFC 8785; a lone surrogate as
 * `JSON.stringify` writes it).
 */
import canonicalize from "canonicalize"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import { canonicalJson, digest } from "../../src/core/Digest.ts"
import { anyJson, reordered, wellFormedJson } from "../../src/testing/arbitrary/JsonValues.ts"
import { anyText } from "../../src/testing/arbitrary/Names.ts"
import { canonical } from "../../src/testing/naive/name.ts"
import { check, Met } from "./Law.ts"

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex").slice(0, 32)

test("of a value whose texts are well-formed, the digest is over what RFC 8785 writes (§3)", () =>
  check(
    fc.property(wellFormedJson, (value) => {
      expect(canonicalJson(value)).toBe(canonicalize(value))
      expect(canonical(value)).toBe(canonicalize(value))
      expect(digest(value)).toBe(sha256(canonicalize(value) ?? ""))
    }),
    1_500
  ))

test("a text with a lone surrogate is written as JSON.stringify writes it, as a value and as a name (§3)", () => {
  const met = new Met()
  check(
    fc.property(anyText, (text) => {
      expect(canonicalJson(text)).toBe(JSON.stringify(text))
      expect(canonicalJson({ [text]: [text] })).toBe(JSON.stringify({ [text]: [text] }))
      expect(digest([text])).toBe(sha256(JSON.stringify([text])))
      met.count(text.isWellFormed() ? "well-formed" : "with a lone surrogate")
    }),
    1_500
  )
  met.atLeast({ "well-formed": 300, "with a lone surrogate": 180 })
})

test("canonical JSON reads back as the same value, whatever the order of members it was written in (§3)", () =>
  check(
    fc.property(anyJson, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(reordered(value))).toBe(canonicalJson(value))
    }),
    1_500
  ))
