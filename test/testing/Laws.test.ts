/**
 * Goal: the published laws bite. A rule that breaks one is caught by it, in as many cases as it is tried on by default, and told
 * in a few lines; and what a law shrinks to is a case of it like any other, so that what it tells is so.
 *
 * Method: a faulty rule for each law; and walks down what its cases shrink to, on which the core's own `decide` must keep it.
 */
import * as fc from "fast-check"
import { decide } from "mesh-provisioner/core"
import { laws } from "mesh-provisioner/testing"
import { describe, expect, test } from "vitest"
import { check } from "../property/Law.ts"
import { brokenRules } from "./BrokenRules.ts"

const all = laws(decide)

test("there is a faulty rule for each law", () => {
  const named = brokenRules.map(([begins]) => all.findIndex(({ sentence }) => sentence.startsWith(begins)))
  expect(named).toEqual([...all.keys()])
})

const told = (check: () => unknown): string => {
  try {
    check()
    return ""
  } catch (broken) {
    return broken instanceof Error ? broken.message : String(broken)
  }
}

describe("a rule that breaks a law is caught, and told in a few lines", () => {
  test.each(brokenRules)("%s", (begins, rule) => {
    const law = laws(rule()).find(({ sentence }) => sentence.startsWith(begins))
    const lines = told(() => law?.check()).split("\n")
    expect(lines[0]).toBe(`Not so: ${law?.sentence} (protocol, ${law?.paragraph}).`)
    expect(lines.at(-1)).toMatch(
      /^Found in case \d+ of seed 20261, shortened \d+ times; the same seed finds it again\.$/
    )
    expect(lines.length).toBeLessThan(22)
  })
})

const stepsMax = 12

/** What the cases of a property shrink to, some steps down. */
class WalkedDown extends fc.Arbitrary<unknown> {
  readonly #property: fc.IProperty<unknown>

  constructor(property: fc.IProperty<unknown>) {
    super()
    this.#property = property
  }

  override generate(random: fc.Random): fc.Value<unknown> {
    let value = this.#property.generate(random)
    for (let step = 0; step < stepsMax; step++) {
      const shrunk = [...this.#property.shrink(value).take(1 + random.nextInt(0, 30))]
      value = shrunk.at(-1) ?? value
    }
    return new fc.Value(value.value, undefined)
  }

  override canShrinkWithoutContext(_value: unknown): _value is unknown {
    return false
  }

  override shrink(): fc.Stream<fc.Value<unknown>> {
    return fc.Stream.nil()
  }
}

describe("of what its cases shrink to, decide keeps each law", () => {
  test.each(all)("$sentence", ({ property }) => {
    check(
      fc.property(new WalkedDown(property), (value) => {
        const failure = property.run(value)
        if (failure !== null && !fc.PreconditionFailure.isFailure(failure)) {
          throw failure.error
        }
      }),
      15
    )
  })
})
