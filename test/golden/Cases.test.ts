/**
 * Goal: every golden case of the protocol holds.
 *
 * Method: the facts of each file of `cases/` are decided, and what is decided is held against what the file expects.
 */
import { decide, isJsonObject, type Json, type JsonObject } from "mesh-provisioner/core"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import { casesIn, decidedList, expectedList, faultsOf, listNames } from "./Case.ts"

const cases = casesIn(join(import.meta.dirname, "cases"))

it("there are thirty of them, each with something to expect", () => {
  expect(cases.length).toBe(30)
  expect(cases.filter((golden) => Object.keys(golden.expect).length === 0)).toEqual([])
})

describe.each(cases.map((golden) => [`${golden.name}: ${golden.what}`, golden] as const))("%s", (_, golden) => {
  it("decides what it says", () => {
    expect(faultsOf(golden, decide(golden))).toEqual([])
  })

  it.each(listNames)("has exactly its %s", (name) => {
    expect(decidedList(decide(golden), name)).toEqual(expectedList(golden, name))
  })
})

describe("a case of which one word is another fails", () => {
  it.each(cases)("$name", (golden) => {
    const decisions = decide(golden)
    const others = [...withOneLeafAltered(golden.expect)].filter((expected) => {
      const altered = { ...golden, expect: expected as JsonObject }
      return faultsOf(altered, decisions).length === 0 &&
        listNames.every((name) => isDeepStrictEqual(decidedList(decisions, name), expectedList(altered, name)))
    })
    expect(others).toEqual([])
  })
})

/** Every copy of a value in which one text, number or truth is another. */
const withOneLeafAltered = function*(value: Json): Iterable<Json> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const altered of withOneLeafAltered(item)) {
        yield value.with(index, altered)
      }
    }
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      for (const altered of withOneLeafAltered(member)) {
        yield { ...value, [name]: altered }
      }
    }
  } else {
    yield typeof value === "string" ? `${value}~` : null
  }
}
