/**
 * Names, modules' names, and texts that are none or not quite (protocol §2).
 */
import fc from "fast-check"

/** Names that JavaScript's objects have of their own, and ones that need an escape. */
export const hostileNames = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "a.b",
  "=",
  "<name>",
  "*",
  ">",
  "é",
  "𝄞"
] as const

const character = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
  { weight: 3, arbitrary: fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("=", ".", "/", "\0", "\u007F", "\u0080", "\uFEFF", "\uFFFF", "\u{10000}", "\u{10FFFF}")
  }
)

/**
 * Names (protocol §2): text that is not empty and has no lone surrogate, of all of Unicode, and ones that JavaScript's objects
 * have of their own, such as `__proto__`.
 *
 * @param maxLength the most characters that are drawn.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { readToken, writeToken } from "mesh-provisioner/core"
 * import { anyName } from "mesh-provisioner/testing"
 *
 * fc.assert(fc.property(anyName(), (name) => readToken(writeToken(name)) === name))
 * ```
 */
export const anyName = (maxLength = 20): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.array(character, { minLength: 1, maxLength }).map((characters) => characters.join("")) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileNames) }
  )

/**
 * Names of modules (protocol §2): of letters, digits, `_` and `-`.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { isModuleName } from "mesh-provisioner/core"
 * import { anyModuleName } from "mesh-provisioner/testing"
 *
 * fc.assert(fc.property(anyModuleName, isModuleName))
 * ```
 */
export const anyModuleName: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."AZaz09_-"), minLength: 1, maxLength: 20 }),
  fc.constantFrom("__proto__", "constructor", "toString", "x".repeat(200))
)

/**
 * Any text, lone surrogates and emptiness among them: some of it is no name (protocol §2).
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { decide, isName } from "mesh-provisioner/core"
 * import { anyText } from "mesh-provisioner/testing"
 *
 * fc.sample(anyText, { seed: 1, numRuns: 200 }).every(isName) // false
 * // Whatever a bucket and a key are called, nothing fails.
 * fc.assert(fc.property(anyText, anyText, (bucket, key) => void decide({ buckets: { [bucket]: { [key]: {} } } })))
 * ```
 */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.array(fc.oneof(character, fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit))), {
    maxLength: 12
  })
    .map((characters) => characters.join("")),
  fc.constantFrom(...hostileNames)
)

/** A text that looks like a token: some are in shape, most are nearly so. */
export const nearToken: fc.Arbitrary<string> = fc.oneof(
  fc.array(
    fc.oneof(
      fc.constantFrom(
        "a",
        "Z",
        "0",
        "_",
        "-",
        "/",
        "=3A",
        "=2E",
        "=3D",
        "=C3=A9",
        "=F0=9D=84=9E",
        "=00",
        "=7F",
        "=EF=BB=BF"
      ),
      fc.constantFrom(
        "=3a",
        "=41",
        "=5F",
        "=2D",
        "=2F",
        "=C3",
        "=A9",
        "=ED=A0=80",
        "=C0=80",
        "=F5",
        "=",
        "=3",
        "=G1",
        "%41",
        ".",
        " ",
        "é",
        "\ud834"
      )
    ),
    { maxLength: 8 }
  ).map((parts) => parts.join("")),
  fc.string({ unit: fc.constantFrom(..."=0123456789ABCDEFabcdef"), maxLength: 12 })
)
