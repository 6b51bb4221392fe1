/**
 * Names and tokens (protocol §2): each is the exact inverse of the other, over all of Unicode.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { isModuleName, isName, readToken, writeToken } from "../../src/core/Name.ts"
import { anyModuleName, anyName, anyText, nearToken } from "../../src/testing/arbitrary/Names.ts"
import * as naive from "../../src/testing/naive/name.ts"
import { check, Met, times } from "./Law.ts"

test("every code point there is reads back as it was written (§2)", () => {
  // So many at once that a token of them, of up to 12 bytes each, is no longer than a key may be.
  const wrong: Array<number> = []
  for (let first = 0; first <= 0x10ffff; first += times < 1 ? 1_700 : 85) {
    const codePoints = Array.from({ length: Math.min(85, 0x110000 - first) }, (_, index) => first + index)
    const name = String.fromCodePoint(...codePoints.filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff))
    if (name !== "" && readToken(writeToken(name)) !== name) {
      wrong.push(first)
    }
  }
  expect(wrong).toEqual([])
})

test("no half of a pair of surrogates is written, alone or in a name (§2)", () => {
  for (let unit = 0xd800; unit <= 0xdfff; unit++) {
    const half = String.fromCharCode(unit)
    expect([half, `a${half}b`].map(writeToken)).toEqual(["", ""])
  }
})

test("a name reads back from its token, which is of the token's characters alone (§2)", () => {
  const met = new Met()
  check(
    fc.property(anyName(), (name) => {
      const token = writeToken(name)
      expect(token).toMatch(/^(?:[A-Za-z0-9_\-/]|=[0-9A-F]{2})+$/)
      expect(readToken(token)).toBe(name)
      met.count(token === name ? "plain" : "escaped")
      met.count(name.length > Array.from(name).length ? "astral" : "of the basic plane")
    }),
    2_000
  )
  met.atLeast({ plain: 20, escaped: 900, astral: 500, "of the basic plane": 200 })
})

test("each character outside the token's own is written as the bytes of its UTF-8 (§2)", () =>
  check(
    fc.property(anyName(), (name) => {
      expect(writeToken(name)).toBe(naive.write(name))
    }),
    1_000
  ))

test("a token that does not read back as itself is out of shape, and no other (§2)", () => {
  const met = new Met()
  check(
    fc.property(fc.oneof(nearToken, anyText), (text) => {
      const read = readToken(text)
      expect(read).toBe(naive.read(text))
      expect(read === undefined || writeToken(read) === text).toBe(true)
      met.count(read === undefined ? "out of shape" : "in shape")
    }),
    5_000
  )
  met.atLeast({ "out of shape": 1_000, "in shape": 500 })
})

test("a name is text that is not empty and has no lone surrogate (§2)", () =>
  check(
    fc.property(anyText, (text) => {
      const hasLoneSurrogate = Array.from(text).some((character) => /^[\ud800-\udfff]$/.test(character))
      expect(isName(text)).toBe(text !== "" && !hasLoneSurrogate)
      expect(writeToken(text) === "").toBe(!isName(text))
    }),
    2_000
  ))

test("a module's name is 1 to 200 of A-Z a-z 0-9 _ - (§2)", () => {
  check(
    fc.property(anyModuleName, (module) => {
      expect(isModuleName(module)).toBe(true)
    }),
    300
  )
  check(
    fc.property(fc.oneof(anyText, nearToken), (text) => {
      expect(isModuleName(text)).toBe(naive.isModule(text))
    }),
    2_000
  )
  expect(isModuleName("x".repeat(201))).toBe(false)
})
