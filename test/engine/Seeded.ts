/**
 * Choices from a seed: the same seed makes the same choices.
 */

/** Makes choices. */
export interface Seeded {
  /** A whole number from 0, less than a bound. */
  readonly below: (bound: number) => number
  /** Whether something happens, so many times of a hundred. */
  readonly chance: (percent: number) => boolean
  /** One of a list, if it has any. */
  readonly among: <A>(options: ReadonlyArray<A>) => A | undefined
}

/** The choices of a seed (mulberry32). */
export const seeded = (seed: number): Seeded => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (bound: number): number => next() % bound
  return {
    below,
    chance: (percent) => below(100) < percent,
    among: (options) => options.length === 0 ? undefined : options[below(options.length)]
  }
}
