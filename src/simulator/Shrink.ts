/**
 * Shortens the plot of a simulated mesh in which a law was broken to what matters: it is played again and again with a part
 * left out, and what the law is broken without is left out for good.
 */
import { type Audience, type Chapter, type Failure, Play, type Setting } from "./Play.ts"
import type { Happening } from "./Plot.ts"

/** A shortened story. */
export interface Story {
  readonly chapters: ReadonlyArray<Chapter>
  readonly failure: Failure
  /** How often it was played to find it. */
  readonly plays: number
}

/** What shortening may cost. */
export interface ShrinkOptions {
  /** The most plays. Default: 1,000. */
  readonly playsMax?: number
  /** The most steps of all plays. Default: 5,000,000. */
  readonly stepsMax?: number
  readonly judge?: Audience["judge"]
}

/**
 * Plays chapters that were drawn, or shortened, before: gives the law that is broken, if one is, and how many steps it took.
 *
 * @example
 * ```ts
 * import { replay, simulate } from "mesh-provisioner/simulator"
 *
 * const { chapters, setting, steps } = simulate({ seed: 7, steps: 1_000 })
 * replay(setting, chapters).steps === steps // true
 * ```
 */
export const replay = (
  setting: Setting,
  chapters: ReadonlyArray<Chapter>,
  audience: Audience = {}
): { readonly failure: Failure | undefined; readonly steps: number } => {
  const play = new Play(setting, audience)
  chapters.every((chapter) => play.play(chapter))
  return { failure: play.failure, steps: play.world.steps }
}

interface Numbered {
  readonly chapter: number
  readonly happening: Happening
}

/**
 * The shortest story in which the same law is still broken, as far as so many plays find one.
 *
 * @param chapters the plot in which it was broken.
 *
 * @example
 * ```ts
 * import { shrink, simulate } from "mesh-provisioner/simulator"
 *
 * const { chapters, failure, setting } = simulate({ seed: 7, steps: 2_000 })
 * failure === undefined ? "all laws hold" : shrink(setting, chapters, failure).chapters.length // "all laws hold"
 * ```
 */
export const shrink = (
  setting: Setting,
  chapters: ReadonlyArray<Chapter>,
  failure: Failure,
  options: ShrinkOptions = {}
): Story => {
  const shortening = new Shortening(setting, chapters, failure, options)
  for (let size = shortening.length; size > 1;) {
    size = Math.ceil(size / 2)
    shortening.leaveOut(size)
  }
  // What could not be left out before may be, now that other things are.
  for (let isShorter = true; isShorter;) {
    isShorter = shortening.leaveOut(1)
  }
  return shortening.story
}

class Shortening {
  readonly #setting: Setting
  readonly #chapters: ReadonlyArray<Chapter>
  readonly #options: ShrinkOptions
  #left: ReadonlyArray<Numbered>
  #failure: Failure
  #plays = 0
  #steps = 0

  constructor(setting: Setting, chapters: ReadonlyArray<Chapter>, failure: Failure, options: ShrinkOptions) {
    this.#setting = setting
    this.#chapters = chapters
    this.#options = options
    this.#failure = failure
    this.#left = chapters.flatMap(({ plot }, chapter) => plot.map((happening) => ({ chapter, happening })))
  }

  /** How much is left of the plot. */
  get length(): number {
    return this.#left.length
  }

  get story(): Story {
    return { chapters: chaptersOf(this.#chapters, this.#left), failure: this.#failure, plays: this.#plays }
  }

  /** Leaves out so much at a time, wherever the law is broken without it. Gives whether it was anywhere. */
  leaveOut(size: number): boolean {
    const { playsMax = 1_000, stepsMax = 5_000_000 } = this.#options
    const before = this.#left.length
    for (let at = 0; at < this.#left.length && this.#plays < playsMax && this.#steps < stepsMax;) {
      const left = this.#left
      if (!this.#isBrokenBy([...left.slice(0, at), ...left.slice(at + size)])) {
        at += size
      }
    }
    return this.#left.length < before
  }

  #isBrokenBy(some: ReadonlyArray<Numbered>): boolean {
    const { failure, steps } = replay(this.#setting, chaptersOf(this.#chapters, some), { judge: this.#options.judge })
    this.#plays += 1
    this.#steps += steps
    if (failure?.law !== this.#failure.law) {
      return false
    }
    this.#failure = failure
    // What was to happen after it happened for nothing.
    this.#left = some.filter(({ happening }) => happening.at <= failure.atMillis)
    return true
  }
}

/** The chapters with some of what happens; those in which nothing happens before anything else does are left out. */
const chaptersOf = (chapters: ReadonlyArray<Chapter>, left: ReadonlyArray<Numbered>): ReadonlyArray<Chapter> => {
  const last = left.at(-1)?.chapter ?? 0
  return chapters.slice(0, last + 1)
    .map((chapter, index) => ({
      ...chapter,
      plot: left.filter(({ chapter }) => chapter === index).map(({ happening }) => happening)
    }))
    .filter(({ plot }, index) => plot.length > 0 || index === last)
}
