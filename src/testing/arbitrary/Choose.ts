/**
 * Arbitraries written as a story: each choice is made where it is needed, and may follow from the ones before it. All
 * choices shrink: towards the first option, no chance taken, few of many.
 */
import * as fc from "fast-check"

/** Makes the choices of one value. */
export interface Choose {
  /** A whole number from 0. */
  readonly upTo: (max: number) => number
  /** One of several; the first is the simplest. */
  readonly oneOf: <const A>(first: A, ...others: ReadonlyArray<A>) => A
  /** One of a list, if it has any. */
  readonly among: <A>(options: ReadonlyArray<A>) => A | undefined
  /** Whether something happens, so many times of a hundred. */
  readonly chance: (percent: number) => boolean
  /** Those of a list to which it happens, so many times of a hundred each. */
  readonly some: <A>(items: ReadonlyArray<A>, percent: number) => ReadonlyArray<A>
  /** A value of the arbitrary that a function gives: the same function each time, by which it is known again. */
  readonly from: <A>(arbitrary: () => fc.Arbitrary<A>) => A
}

/** The arbitrary of what is built by choices. */
export const chosen = <A>(build: (choose: Choose) => A): fc.Arbitrary<A> =>
  fc.gen().map((generate) => build(chooseBy(generate)))

const bounded = new Map<number, fc.Arbitrary<number>>()

// One arbitrary a bound: making them is most of the cost of a choice.
const wholeUpTo = (max: number): fc.Arbitrary<number> => {
  const found = bounded.get(max) ?? fc.noBias(fc.nat({ max }))
  bounded.set(max, found)
  return found
}

const chooseBy = (generate: fc.GeneratorValue): Choose => {
  const upTo = (max: number): number => generate(wholeUpTo, max)
  const among = <A>(options: ReadonlyArray<A>): A | undefined => options[upTo(Math.max(0, options.length - 1))]
  const chance = (percent: number): boolean => upTo(99) >= 100 - percent
  return {
    upTo,
    among,
    chance,
    oneOf: (first, ...others) => among([first, ...others]) ?? first,
    some: (items, percent) => items.filter(() => chance(percent)),
    from: (arbitrary) => generate(arbitrary)
  }
}
