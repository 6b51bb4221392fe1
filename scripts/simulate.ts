/**
 * Plays simulated meshes on every core, as CI does: half of the events are of the seeds from 1 on, half of fresh ones.
 *
 *     node scripts/simulate.ts [--steps N] [--fibers N] [--fresh SEED]
 *
 * N events are played of the provisioner's parts, step by step, and of its own fibers (10,000,000 and 500,000 where left out).
 * It prints what was played, which fresh seeds, and where a law is broken the command that tells the story of it; then it exits
 * with 1.
 */
import { fork } from "node:child_process"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { sentenceOf, type Shell, simulate, type Simulated } from "../src/simulator/index.ts"

/** One mesh that is to be played. */
interface Task {
  readonly shell: Shell
  readonly seed: number
}

/** What is told of one that was. */
type Played = Task & Pick<Simulated, "steps" | "faults" | "checked" | "failure"> & { readonly cpuMillis: number }

/** So many steps of each seed are played at least. */
const stepsOfSeed = 20_000

const play = ({ seed, shell }: Task): Played => {
  const before = process.cpuUsage()
  const { checked, failure, faults, steps } = simulate({ seed, shell, steps: stepsOfSeed })
  const { system, user } = process.cpuUsage(before)
  return { seed, shell, checked, failure, faults, steps, cpuMillis: (system + user) / 1000 }
}

const counted = (number: number): string => Math.round(number).toLocaleString("en-US")

/** What came of the meshes of one shell. */
class Tally {
  readonly shell: Shell
  readonly stepsMin: number
  meshes = 0
  steps = 0
  faults = 0
  checked = 0
  cpuMillis = 0
  #seeds = 0

  constructor(shell: Shell, stepsMin: number) {
    this.shell = shell
    this.stepsMin = stepsMin
  }

  /** The next mesh to be played, while not enough of them are. */
  next(fresh: number): Task | undefined {
    if (this.steps >= this.stepsMin) {
      return undefined
    }
    const seed = this.#seeds++
    return { shell: this.shell, seed: seed % 2 === 0 ? 1 + seed / 2 : fresh + (seed - 1) / 2 }
  }

  add({ checked, cpuMillis, faults, steps }: Played): void {
    this.meshes += 1
    this.steps += steps
    this.faults += faults
    this.checked += checked
    this.cpuMillis += cpuMillis
  }

  toString(): string {
    return `${this.shell}: ${counted(this.steps)} events of ${counted(this.meshes)} meshes, ${
      (100 * this.faults / this.steps).toFixed(1)
    } % of them faults or touched by one; ${counted(this.checked)} things held to the laws, ${
      counted(1000 * this.steps / this.cpuMillis)
    } events a second of a core.`
  }
}

const broken: Array<Played> = []

/** Has a process play what is next, until there is nothing more. */
const playOn = (next: () => Task | undefined, played: (one: Played) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ["--worker"])
    const hand = () => {
      const task = broken.length > 0 ? undefined : next()
      if (task === undefined) {
        child.disconnect()
      } else {
        child.send(task)
      }
    }
    child.on("message", (one: Played) => {
      played(one)
      hand()
    })
    child.on("error", reject)
    child.on("exit", (code) => code === 0 ? resolve() : reject(new Error(`a process that played ended with ${code}`)))
    hand()
  })

const { values } = parseArgs({
  options: {
    worker: { type: "boolean", default: false },
    steps: { type: "string", default: "10000000" },
    fibers: { type: "string", default: "500000" },
    fresh: { type: "string", default: String(Math.floor(Date.now() / 1000)) }
  }
})

if (values.worker) {
  process.on("message", (task: Task) => process.send?.(play(task)))
} else {
  const fresh = Number(values.fresh)
  const tallies = [new Tally("steps", Number(values.steps)), new Tally("fibers", Number(values.fibers))] as const
  const next = () => tallies[0].next(fresh) ?? tallies[1].next(fresh)
  console.log(`Plays meshes of the seeds from 1 and from ${fresh} on: --fresh ${fresh} plays the same again.`)
  await Promise.all(Array.from({ length: availableParallelism() }, () =>
    playOn(next, (one) => {
      tallies.find(({ shell }) => shell === one.shell)?.add(one)
      if (one.failure !== undefined) {
        broken.push(one)
      }
    })))
  for (const tally of tallies.filter(({ meshes }) => meshes > 0)) {
    console.log(`${tally}`)
  }
  for (const { failure, seed, shell } of broken) {
    console.log(`Seed ${seed} (${shell}): ${failure === undefined ? "" : sentenceOf(failure)} ${failure?.what}`)
    const flags = shell === "fibers" ? " --fibers" : ""
    console.log(`Its story: mesh-provisioner simulate --seed ${seed} --steps ${stepsOfSeed}${flags}`)
  }
  console.log(broken.length === 0 ? "All laws hold." : "A law is broken.")
  process.exitCode = broken.length === 0 ? 0 : 1
}
