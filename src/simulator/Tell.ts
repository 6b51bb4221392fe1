/**
 * A broken law of a simulated mesh, told to a person: the law, what was seen, and the story that led there.
 */
import { laws } from "./Laws.ts"
import { type Audience, type Failure, Play, type Setting, type Told } from "./Play.ts"
import type { Story } from "./Shrink.ts"

/** So much of what was written last is told beside what happened from outside. */
const writtenLastMax = 12

/**
 * Tells a story: what happened from outside, and the last that was written before the law was broken.
 *
 * @returns what is told, in its order.
 *
 * @example
 * ```ts
 * import { simulate, tell } from "mesh-provisioner/simulator"
 *
 * const { chapters, setting } = simulate({ seed: 7, steps: 1_000 })
 * tell(setting, { chapters })[0]?.isFromOutside // true
 * ```
 */
export const tell = (
  setting: Setting,
  { chapters }: Pick<Story, "chapters">,
  judge?: Audience["judge"]
): ReadonlyArray<Told> => {
  const outside: Array<Told> = []
  const written: Array<Told> = []
  const told = (one: Told) => (one.isFromOutside ? outside : written).push(one)
  const play = new Play(setting, { told, judge })
  chapters.every((chapter) => play.play(chapter))
  return [...outside, ...written.slice(-writtenLastMax)].sort((one, other) => one.step - other.step)
}

/**
 * A broken law in a sentence.
 *
 * @example
 * ```ts
 * import { sentenceOf } from "mesh-provisioner/simulator"
 *
 * sentenceOf({ law: "one provider", what: "…", step: 7, atMillis: 12 })
 * // "At step 7 a law is broken (protocol §6): No claim is wanted of two providers at once."
 * ```
 */
export const sentenceOf = ({ law, step }: Failure): string =>
  `At step ${step} a law is broken (protocol ${laws[law].paragraph}): ${laws[law].sentence}`
