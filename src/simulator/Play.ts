/**
 * One run of a simulated mesh: it is played chapter by chapter, every step held against the laws, until it is done or a law
 * is broken.
 */
import { epochKey } from "../core/Bucket.ts"
import { bucketName, isDecisionBucket } from "../core/BucketName.ts"
import { digest } from "../core/Digest.ts"
import { isJsonObject } from "../core/Json.ts"
import type { Sent } from "./Bus.ts"
import { canary } from "./Cast.ts"
import { happen } from "./Deeds.ts"
import { Guard } from "./Guard.ts"
import { nameOf } from "./Knowledge.ts"
import { Broken, type Law, Laws } from "./Laws.ts"
import { type Happening, isFault } from "./Plot.ts"
import type { Undone } from "./Provider.ts"
import { checkDecided, checkRest, type Judge } from "./RestLaw.ts"
import { World, type WorldOptions } from "./World.ts"

/** A chapter: what happens in it, and when it is over, in milliseconds. Then the faults stop. */
export interface Chapter {
  readonly until: number
  readonly plot: ReadonlyArray<Happening>
  /** Which provisioner alone is left then, by a number; all of them where left out. */
  readonly alone?: number
}

/** How a mesh is made, and so played. */
export type Setting = WorldOptions

/** A law that was broken. */
export interface Failure {
  readonly law: Law
  readonly what: string
  readonly step: number
  readonly atMillis: number
}

/** Something that is told of a play. */
export interface Told {
  readonly step: number
  readonly atMillis: number
  readonly what: string
  /** It is of the plot, and does not follow from what was before. */
  readonly isFromOutside: boolean
  readonly isFault: boolean
}

/** Who listens to a play, and who judges beside the laws. */
export interface Audience {
  readonly judge?: Judge | undefined
  /** Is told of all that happens and is written. */
  readonly told?: ((told: Told) => void) | undefined
  /** The play is stopped after so many steps. */
  readonly stepsMax?: number | undefined
}

/** So soon after the faults have stopped the bus holds what is decided, where nothing heals late and nothing was written just now. */
const soonMillis = 58_000
const justNowMillis = 3_000

/** For so long, in milliseconds, all may come to rest once the faults have stopped: every watch is begun anew by then. */
const restMillisMax = 70 * 60_000

/** For so long nothing is to be written then: everything is compared once more meanwhile. */
const quietMillis = 65 * 60_000

/** So many steps are enough to come to rest, however large the mesh. */
const restStepsMax = 1_000_000

/** The time that a chapter takes after it is over. */
export const afterChapterMillis = restMillisMax + quietMillis

/** A play. */
export class Play {
  readonly world: World
  readonly #laws = new Laws()
  readonly #audience: Audience
  /** The digests that answers to retire were about, by the ask's key, and the provisions that were ever free. */
  readonly #answered = new Map<string, Set<string>>()
  readonly #free = new Set<string>()
  #stepsUntil = 0
  #defect: { readonly defect: unknown } | undefined
  failure: Failure | undefined
  /** The steps that the audience asked for are done. */
  isStopped = false

  constructor(setting: Setting, audience: Audience = {}) {
    this.#audience = audience
    this.world = new World(setting, {
      makeDecider: (process) => new Guard(process, this.#laws, (bytes) => this.world.bus.jsonOf(bytes)),
      wrote: (sent) => this.#wrote(sent),
      undoes: (undone) => this.#undoes(undone),
      says: (process, what) => this.#says(process, what),
      died: (defect) => this.#defect ??= { defect },
      told: audience.told && ((what, isFault) => this.#tell(what, { isFromOutside: false, isFault }))
    })
  }

  /** How often something was held against a law. */
  get checked(): number {
    return this.#laws.checked
  }

  /** How often each reason of a provision and state of an ask was. */
  get met(): ReadonlyMap<string, number> {
    return this.#laws.met
  }

  /** Plays a chapter, and what comes after it. Gives whether it was played to its end. */
  play({ alone, plot, until }: Chapter): boolean {
    const { processes, schedule } = this.world
    for (const process of processes) {
      process.start()
    }
    for (const happening of plot) {
      schedule.after(happening.at - schedule.now, () => this.#happen(happening))
    }
    this.world.healsLate = false
    this.#stepsUntil = this.world.steps + restStepsMax
    const isPlayed = this.#goOn(until) && this.#guarded(() => this.#calm(alone)) && this.#goOn(until + soonMillis) &&
      this.#guarded(() => this.#checkSoon()) && this.#goOn(until + restMillisMax)
    if (!isPlayed) {
      return false
    }
    const { decidedAt } = this.world
    return this.#goOn(until + afterChapterMillis) && this.#guarded(() => {
      if (this.world.decidedAt !== decidedAt) {
        this.#laws.broken(
          "at rest",
          `a provisioner still writes ${this.world.decidedAt - until} ms after the faults stopped`
        )
      }
      checkRest(this.world, this.#laws, this.#audience.judge)
    })
  }

  #checkSoon(): void {
    const { healsLate, schedule, writtenAt } = this.world
    if (!healsLate && schedule.now - writtenAt > justNowMillis) {
      checkDecided(this.world, this.#laws)
    }
  }

  #tell(what: string, how: Pick<Told, "isFromOutside" | "isFault">): void {
    const { schedule, steps } = this.world
    this.#audience.told?.({ step: steps, atMillis: schedule.now, what, ...how })
  }

  #happen(happening: Happening): void {
    const isFaulty = isFault(happening.deed)
    this.world.faults += isFaulty ? 1 : 0
    const what = happen(this.world, happening)
    this.#tell(what, { isFromOutside: true, isFault: isFaulty })
  }

  #goOn(until: number): boolean {
    const { schedule } = this.world
    return this.#guarded(() => {
      while ((schedule.nextAt ?? Number.POSITIVE_INFINITY) <= until && !this.isStopped) {
        this.world.step()
        this.#checkFibers()
        if (this.world.steps > this.#stepsUntil) {
          this.#laws.broken("at rest", `after ${restStepsMax} steps of one chapter there is still no end of them`)
        }
        this.isStopped = this.world.steps === this.#audience.stepsMax
      }
    }) && !this.isStopped
  }

  // What is broken within a fiber ends that fiber, and not the step.
  #checkFibers(): void {
    if (this.#laws.found !== undefined) {
      throw this.#laws.found
    }
    if (this.#defect !== undefined) {
      throw this.#defect.defect
    }
  }

  #guarded(run: () => void): boolean {
    try {
      run()
      return true
    } catch (error) {
      const law = error instanceof Broken ? error.law : "no defect"
      const what = error instanceof Error
        ? (law === "no defect" ? error.stack ?? error.message : error.message)
        : String(error)
      this.failure = { law, what, step: this.world.steps, atMillis: this.world.schedule.now }
      return false
    }
  }

  /** The faults stop: what is lost is there again, and everyone is as they ought to be. */
  #calm(alone: number | undefined): void {
    const { world } = this
    const { processes } = world
    const left = alone === undefined ? undefined : processes[alone % processes.length]
    this.#tell(`the faults stop${left === undefined ? "" : `, and ${left.name} alone is left`}`, {
      isFromOutside: true,
      isFault: false
    })
    for (const bucket of world.bus.lost) {
      world.bringBack(bucket, true)
    }
    for (const party of world.parties) {
      for (const hear of party.heal()) {
        hear()
      }
    }
    for (const process of processes) {
      if (left === undefined || left === process) {
        process.heal()
      } else {
        process.kill()
      }
    }
    for (const provider of world.providers) {
      provider.heal()
    }
  }

  // --- laws of what is written and done --------------------------------------------------------------------------------

  #wrote({ bucket, by, key, text }: Sent): void {
    const isProvisioner = by.name.startsWith("provisioner-")
    if (isProvisioner) {
      this.#laws.checked += 1
      if (text?.includes(canary) === true) {
        this.#laws.broken("no secret", `${by.name} shows a value in ${bucket} ${key}: ${text}`)
      }
    }
    if (isProvisioner && isDecisionBucket(bucket)) {
      if (key !== epochKey && by.lateUntil <= this.world.schedule.now) {
        this.#checkLost(`${by.name} writes ${bucket} ${key}`)
      }
    } else if (bucket === bucketName.answers && text !== undefined) {
      const answer: unknown = JSON.parse(text)
      if (isJsonObject(answer) && answer["answer"] === "retire") {
        const digests = this.#answered.get(key) ?? new Set()
        this.#answered.set(key, digests.add(String(answer["entry"])))
      }
    } else if (bucket === bucketName.modules && text !== undefined) {
      this.#keepFree(key, JSON.parse(text))
    }
  }

  #says(process: string, what: string): void {
    this.#laws.checked += 1
    if (what.includes(canary)) {
      this.#laws.broken("no secret", `${process} says ${what}`)
    }
  }

  #checkLost(what: string): void {
    const { lostAt, schedule } = this.world.bus
    for (const [lost, at] of lostAt) {
      if (isFactBucketOfPage(lost) && schedule.now - at > justNowMillis) {
        this.#laws.broken("not on what is lost", `${what}, and ${lost} is lost for ${schedule.now - at} ms`)
      }
    }
  }

  #keepFree(module: string, definition: unknown): void {
    const provides = isJsonObject(definition) ? definition["provides"] : undefined
    for (const [provision, said] of isJsonObject(provides) ? Object.entries(provides) : []) {
      if (isJsonObject(said) && said["retire"] === "free") {
        this.#free.add(`${module} ${provision}`)
      }
    }
  }

  /** Nobody undoes what an operator did not say, and the definition never called free. */
  #undoes({ claim, had, module, node }: Undone): void {
    const provision = nameOf(claim.split(".")[2] ?? "")
    const answered = this.#answered.get(`${node}.${module}.${claim}`)
    this.#laws.checked += 1
    if (
      provision !== "credential" && !this.#free.has(`${module} ${provision}`) &&
      !had.some((what) => answered?.has(digest(what)) === true)
    ) {
      this.#laws.broken(
        "nothing undone",
        `${module} on ${node} undoes ${claim}, which nobody answered and which never was free`
      )
    }
  }
}

const pageBuckets: ReadonlySet<string> = new Set(Object.values(bucketName))

const isFactBucketOfPage = (bucket: string): boolean => pageBuckets.has(bucket) && !isDecisionBucket(bucket)
