/**
 * `simulate`: whole meshes, drawn from seeds and played in virtual time, each step held to the laws of the protocol.
 */
import * as Effect from "effect/Effect"
import type { Json } from "../core/Json.ts"
import {
  type FaultKind,
  faultKinds,
  sentenceOf,
  shrink,
  simulate,
  type Simulated,
  type SimulateOptions,
  type Story,
  tell,
  type Told
} from "../simulator/index.ts"
import { progressing } from "./Announce.ts"
import { Failure, usage } from "./Failure.ts"
import { fitted, type Line, printJson, printLines, styled } from "./Print.ts"
import { countText } from "./Say.ts"

/** What `simulate` is asked. */
export interface SimulateConfig {
  readonly seed: number
  readonly seeds: number | undefined
  readonly nodes: number | undefined
  readonly modules: number | undefined
  readonly steps: number | undefined
  readonly faults: string | undefined
  readonly until: number | undefined
  readonly fibers: boolean
  readonly watch: boolean
  readonly json: boolean
}

/** The most of each that may be asked for. */
const most = { seed: 4_294_967_295, seeds: 1_000_000, nodes: 50, modules: 50, steps: 100_000_000, until: 100_000_000 }

/** So many of the last steps are shown where it stops. */
const lastMax = 20

/** Runs `simulate`: fails where a law is broken. */
export const run = Effect.fnUntraced(function*(config: SimulateConfig): Effect.fn.Return<void, Failure> {
  const options = yield* optionsOf(config)
  const played = yield* config.watch || config.until !== undefined ? playOne(config, options) : playAll(config, options)
  const story = played.failure === undefined ? undefined : shortened(played)
  process.exitCode = story === undefined ? 0 : 1
  yield* config.json ? printJson(jsonOf(played, story)) : printLines(linesOf(config, played, story))
  if (story !== undefined) {
    return yield* new Failure({ exitCode: 1 })
  }
})

const optionsOf = Effect.fnUntraced(function*(
  { faults, fibers, ...config }: SimulateConfig
): Effect.fn.Return<SimulateOptions, Failure> {
  for (const name of ["seed", "seeds", "nodes", "modules", "steps", "until"] as const) {
    const number = config[name]
    const least = name === "seed" ? 0 : 1
    if (number !== undefined && (number < least || number > most[name])) {
      return yield* Effect.fail(usage(`--${name} cannot be ${number}. Give a number from ${least} to ${most[name]}.`))
    }
  }
  const { modules, nodes, seed, steps } = config
  return {
    seed,
    ...(fibers ? { shell: "fibers" } : {}),
    ...(nodes === undefined ? {} : { nodes }),
    ...(modules === undefined ? {} : { modules }),
    ...(steps === undefined ? {} : { steps }),
    ...(faults === undefined ? {} : { faults: yield* readFaults(faults) })
  }
})

const isFaultKind = (name: string): name is FaultKind => Object.hasOwn(faultKinds, name)

const readFaults = (text: string): Effect.Effect<ReadonlyArray<FaultKind>, Failure> => {
  const names = text === "none" ? [] : text.split(",")
  const unknown = names.find((name) => !isFaultKind(name))
  return unknown === undefined
    ? Effect.succeed(names.filter(isFaultKind))
    : Effect.fail(usage(
      `--faults: ${unknown} is no kind of fault. They are ${
        Object.keys(faultKinds).join(", ")
      }; none is for none of them.`
    ))
}

/** What was played, of however many seeds: the last one is the one in which a law was broken, if one was. */
interface Played {
  readonly seeds: number
  readonly steps: number
  readonly faults: number
  readonly checked: number
  readonly virtualMillis: number
  readonly last: Simulated
  readonly failure: Simulated["failure"]
}

const playedBefore = { seeds: 0, steps: 0, faults: 0, checked: 0, virtualMillis: 0 }

const added = (so: Omit<Played, "last" | "failure">, last: Simulated): Played => ({
  seeds: so.seeds + 1,
  steps: so.steps + last.steps,
  faults: so.faults + last.faults,
  checked: so.checked + last.checked,
  virtualMillis: so.virtualMillis + last.virtualMillis,
  last,
  failure: last.failure
})

/** Plays seed after seed, until a law is broken. */
const playAll = (config: SimulateConfig, options: SimulateOptions): Effect.Effect<Played> => {
  let so: Omit<Played, "last" | "failure"> = playedBefore
  const work = Effect.gen(function*() {
    let played = added(so, simulate(options))
    for (let seed = config.seed + 1; seed < config.seed + (config.seeds ?? 1); seed++) {
      if (played.failure !== undefined) {
        break
      }
      so = played
      // Who looks on is shown how far it is, and may end it.
      yield* Effect.sleep(0)
      played = added(played, simulate({ ...options, seed }))
    }
    return played
  })
  return progressing(() => `${countText(so.seeds, "seed", "seeds")}, ${countText(so.steps, "step", "steps")}`, work)
}

/** Plays one seed, and shows what happens: all of it, or what was last. */
const playOne = Effect.fnUntraced(function*(
  { json, until, watch }: SimulateConfig,
  options: SimulateOptions
): Effect.fn.Return<Played> {
  const told: Array<Told> = []
  const last = simulate({
    ...options,
    ...(until === undefined ? {} : { until }),
    told: (one) => {
      told.push(one)
      if (!watch && told.length > 2 * lastMax) {
        told.splice(0, lastMax)
      }
    }
  })
  if (!json) {
    // On a terminal each thing is one line.
    const { columns } = process.stdout
    yield* printLines(tableOf(watch ? told : told.slice(-lastMax)).map((line) => fitted(line, columns)))
  }
  return added(playedBefore, last)
})

const shortened = ({ last }: Played): Story | undefined =>
  last.failure === undefined ? undefined : shrink(last.setting, last.chapters, last.failure)

// --- what is printed -----------------------------------------------------------------------------------------------

const secondsOf = (millis: number): string => `${(millis / 1000).toFixed(3)} s`

/** What was told as a table: its step, its time there, and what it is. */
const tableOf = (told: ReadonlyArray<Told>): ReadonlyArray<Line> =>
  told.length === 0
    ? []
    : [[styled("dim", `${"step".padStart(8)} ${"time".padStart(14)}    what`)], ...told.map(lineOf)]

const lineOf = ({ atMillis, isFault, isFromOutside, step, what }: Told): Line => [
  styled("dim", `${String(step).padStart(8)} ${secondsOf(atMillis).padStart(14)}`),
  "  ",
  isFault ? styled("red", `! ${what}`) : isFromOutside ? styled("bold", `> ${what}`) : `  ${what}`
]

const linesOf = function*(config: SimulateConfig, played: Played, story: Story | undefined): Iterable<Line> {
  const { checked, faults, last, seeds, steps, virtualMillis } = played
  if (story !== undefined && last.failure !== undefined) {
    const told = tell(last.setting, story)
    const outside = told.filter(({ isFromOutside }) => isFromOutside).length
    yield [styled("red", `Seed ${last.seed}: a law is broken.`)]
    yield [sentenceOf(last.failure)]
    yield [last.failure.what]
    yield []
    yield [
      `The shortest story found that breaks it, at its step ${story.failure.step}, of ${
        countText(outside, "thing that happens", "things that happen")
      } and what was written last:`
    ]
    yield* tableOf(told)
    yield []
    yield [`To play it again: ${again(config, last)}`]
    return
  }
  const share = (100 * faults / Math.max(1, steps)).toFixed(1)
  yield [
    styled("green", "All laws hold"),
    ` in ${countText(steps, "step", "steps")} of ${countText(seeds, "seed", "seeds")}: `,
    `${countText(checked, "thing was", "things were")} held to them, `,
    `${share} % of the steps were touched by a fault, and ${secondsOf(virtualMillis)} passed there.`
  ]
  yield ["The hash of the last run is ", last.hash, "."]
}

/** The command that plays the same to the step at which the law was broken. */
const again = ({ faults, fibers, modules, nodes, steps }: SimulateConfig, { failure, seed }: Simulated): string => {
  const flags = { seed, nodes, modules, steps, faults, until: failure?.step }
  const given = Object.entries(flags).flatMap(([name, value]) => value === undefined ? [] : [`--${name} ${value}`])
  return `mesh-provisioner simulate ${[...given, ...(fibers ? ["--fibers"] : [])].join(" ")}`
}

const toldJson = ({ atMillis, isFault, isFromOutside, step, what }: Told): Json => ({
  step,
  atMillis,
  what,
  isFromOutside,
  isFault
})

const jsonOf = ({ checked, faults, last, seeds, steps, virtualMillis }: Played, story: Story | undefined): Json => ({
  seeds,
  steps,
  faults,
  checked,
  virtualMillis,
  hash: last.hash,
  ...(story === undefined || last.failure === undefined ? {} : {
    failure: {
      seed: last.seed,
      step: last.failure.step,
      law: last.failure.law,
      sentence: sentenceOf(last.failure),
      what: last.failure.what,
      story: tell(last.setting, story).map(toldJson)
    }
  })
})
