/**
 * Choices from a seed: the same seed makes the same choices, on any machine.
 */

/** Numbers drawn from a seed, one after the other (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0, less than a bound. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    return stirred(this.#state) % bound
  }

  /** Whether something happens, so many times of a hundred. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  /** One of a list that has any. */
  among<A>(options: readonly [A, ...ReadonlyArray<A>]): A {
    return options[this.below(options.length)] ?? options[0]
  }
}

/**
 * A number that follows from three others alone: what is drawn for one message so does not depend on which others there
 * were, and a story of which a part is left out goes on as it was elsewhere.
 */
export const mix = (one: number, two: number, three: number): number =>
  stirred(
    (Math.imul(one ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(two + 0x7f4a7c15, 0xc2b2ae35) ^
      Math.imul(three, 0x27d4eb2f)) >>> 0
  )

const stirred = (state: number): number => {
  let mixed = Math.imul(state ^ (state >>> 15), state | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return (mixed ^ (mixed >>> 14)) >>> 0
}

/** The hash of a text (FNV-1a over its code units), going on from another's where one is given. */
export const hashOf = (text: string, from = 0x811c9dc5): number => {
  let hash = from
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}
