/**
 * JSON values of every kind: names like `__proto__`, lone surrogates, and numbers at the edges of doubles.
 */
import fc from "fast-check"
import type { Json } from "../../core/Json.ts"
import { anyText, hostileNames } from "./Names.ts"

const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 2 ** 53)
)

const jsonOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Json> =>
  fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(fc.constant(null), fc.boolean(), number, text),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(fc.oneof(text, fc.constantFrom(...hostileNames)), tie("value")), { maxLength: 4 })
        .map((members) => Object.fromEntries(members))
    )
  })).value

/** Any JSON value. */
export const anyJson: fc.Arbitrary<Json> = jsonOf(anyText)

/** A JSON value whose texts are all well-formed Unicode, as RFC 8785 asks for. */
export const wellFormedJson: fc.Arbitrary<Json> = jsonOf(fc.string({ unit: "binary", maxLength: 10 }))

/** The same value with the members of its objects in reverse order. */
export const reordered = (value: Json): Json => {
  if (typeof value !== "object" || value === null) {
    return value
  }
  return value instanceof Array
    ? value.map(reordered)
    : Object.fromEntries(Object.entries(value).reverse().map(([name, member]) => [name, reordered(member)]))
}
