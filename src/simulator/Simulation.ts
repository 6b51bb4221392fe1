/**
 * Simulates a mesh from a seed (protocol, all of it): plays chapter after chapter, until enough was done or a law is broken;
 * then it is played again and again with less, to the few things that matter.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { providers } from "./Cast.ts"
import { afterChapterMillis, type Audience, type Chapter, type Failure, Play, type Setting, type Told } from "./Play.ts"
import { drawPlot, type FaultKind, faultKinds, type Happening } from "./Plot.ts"
import { Random } from "./Random.ts"
import type { Judge } from "./RestLaw.ts"
import type { Shell } from "./World.ts"

/** What is simulated. */
export interface SimulateOptions {
  /** All follows from it: the same seed, with the same options, is the same run on any machine. */
  readonly seed: number
  /** How many nodes, and how many modules that need something. Drawn by the seed where left out. */
  readonly nodes?: number
  readonly modules?: number
  /** So many steps are done, and those that the last chapter needs to come to rest. Default: 20,000. */
  readonly steps?: number
  /** Which kinds of fault there are. Default: all. */
  readonly faults?: ReadonlyArray<FaultKind>
  /** What of the provisioner is played: its steps, or its own fibers. Default: `steps`. */
  readonly shell?: Shell
  /** Judges what the bus holds at rest, beside the laws: gives what is wrong, if anything. */
  readonly judge?: Judge
  /** Stops after so many steps. */
  readonly until?: number
  /** Is told of all that happens and is written. */
  readonly told?: (told: Told) => void
}

/** What came of it. */
export interface Simulated {
  readonly seed: number
  readonly setting: Setting
  readonly steps: number
  /** How many of the steps were faults, or were touched by one. */
  readonly faults: number
  /** How often something was held against a law. */
  readonly checked: number
  /** How often each reason of a provision and state of an ask was. */
  readonly met: { readonly [reason: string]: number }
  readonly virtualMillis: number
  readonly chapters: ReadonlyArray<Chapter>
  /** Two runs that are the same have the same. */
  readonly hash: string
  readonly failure: Failure | undefined
}

/** Every kind of fault. */
const allFaults = Object.keys(faultKinds) as ReadonlyArray<FaultKind>

/**
 * Simulates a mesh: chapter after chapter of what happens to it, after each of which the faults stop and all must come to rest,
 * until enough was done or a law is broken. It takes some seconds for each 100,000 steps, and lets nothing else run meanwhile.
 *
 * @returns what was played, and the law that was broken, if one was: `shrink` shortens what led there, and `tell` tells it.
 *
 * @example
 * ```ts
 * import { simulate } from "mesh-provisioner/simulator"
 *
 * const one = simulate({ seed: 7, steps: 2_000 })
 * const other = simulate({ seed: 7, steps: 2_000 })
 * one.hash === other.hash // true
 * one.failure // undefined
 * ```
 */
export const simulate = (options: SimulateOptions): Simulated => {
  const { faults = allFaults, seed, steps = 20_000 } = options
  const random = new Random(seed)
  const setting = settingOf(options, random)
  const audience: Audience = { judge: options.judge, told: options.told, stepsMax: options.until }
  const play = new Play(setting, audience)
  const chapters: Array<Chapter> = []
  let from = 1
  do {
    const first = chapters.length === 0 ? opening(random, from) : []
    const plot = [
      ...first,
      ...drawPlot(random, from + first.length * 10, {
        // Some chapters have all of the faults, most have some: what one kind hides, another chapter shows.
        faults: random.chance(30) ? faults : faults.filter(() => random.chance(50)),
        count: random.among([25, 50, 100, 200, 400]),
        pauseMillis: 1 << random.below(7)
      })
    ]
    const until = (plot.at(-1)?.at ?? from) + 1
    chapters.push({ until, plot, ...(random.chance(30) ? { alone: random.below(setting.provisioners) } : {}) })
    from = until + afterChapterMillis + 1
  } while (play.play(chapters.at(-1) ?? { until: from, plot: [] }) && play.world.steps < steps)
  return simulatedBy(play, setting, chapters)
}

/** What came of a play. */
const simulatedBy = (play: Play, setting: Setting, chapters: ReadonlyArray<Chapter>): Simulated => ({
  seed: setting.seed,
  setting,
  steps: play.world.steps,
  faults: play.world.faults,
  checked: play.checked,
  met: Object.fromEntries([...play.met].sort(([one], [other]) => one < other ? -1 : 1)),
  virtualMillis: play.world.schedule.now,
  chapters,
  hash: play.world.hash.toString(16).padStart(8, "0"),
  failure: play.failure
})

const settingOf = ({ modules, nodes, seed, shell }: SimulateOptions, random: Random): Setting => {
  const drawn = {
    nodes: 2 + random.below(4),
    modules: 2 + random.below(4),
    provisioners: random.among([1, 2, 2, 3]),
    seated: random.chance(70),
    writesInFlightMax: random.among([1, 4, 256]),
    thingsMax: random.among([1, 3, 500])
  }
  return {
    seed,
    ...drawn,
    nodes: nodes ?? drawn.nodes,
    modules: modules ?? drawn.modules,
    ...(shell === undefined ? {} : { shell })
  }
}

/** How a mesh begins: every module that provides is defined and runs somewhere, and the seats are held. */
const opening = (random: Random, from: number): ReadonlyArray<Happening> => {
  const deeds = providers.flatMap((_, index): ReadonlyArray<Omit<Happening, "at">> => {
    const who = random.below(1 << 20)
    const what = [1, 2, 3, 0].map((low) => (index << 2) | low).find((number) => number % 3 !== 0) ?? 1
    return [
      { deed: "define", who, what: index, how: 0 },
      { deed: "assign", who, what, how: random.below(1 << 20) }
    ]
  })
  const seats = [0, 1].map((what) => ({ deed: "seat" as const, who: random.below(1 << 20), what, how: 1 }))
  return [...deeds, ...seats].map((happening, index) => ({ ...happening, at: from + index * 10 }))
}
