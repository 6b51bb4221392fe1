/**
 * A simulated mesh: the bus, everyone who is on it, and how far it has come. Everything that is done in it is a step, and
 * whoever looks on is shown each of them.
 */
import { boundBucket, bucketName } from "../core/BucketName.ts"
import type { Json } from "../core/Json.ts"
import type { Decider } from "../provisioner/Decider.ts"
import { Bus, type Sent } from "./Bus.ts"
import { consumersOf, nodesOf, providers } from "./Cast.ts"
import { Desk } from "./Desk.ts"
import { FiberRun } from "./fibers/FiberRun.ts"
import { Node } from "./Node.ts"
import { Operator } from "./Operator.ts"
import { Party } from "./Party.ts"
import { Process } from "./Process.ts"
import { Provider, type Undone } from "./Provider.ts"
import { hashOf } from "./Random.ts"
import type { Surroundings } from "./Run.ts"
import { Schedule } from "./Schedule.ts"
import { Seat } from "./Seat.ts"
import { Turns } from "./Turns.ts"

/**
 * What of the provisioner is played: the parts that decide and know, its loop and writer step by step; or its own fibers, each
 * of which goes on when it is drawn.
 */
export type Shell = "steps" | "fibers"

/** How a mesh is made. */
export interface WorldOptions {
  readonly seed: number
  readonly nodes: number
  /** How many modules need something, beside those that provide. */
  readonly modules: number
  readonly provisioners: number
  /** Whether there is a seat; where not, all provisioners write at once. */
  readonly seated: boolean
  readonly writesInFlightMax: number
  /** How many things a provisioner decides at once at most. */
  readonly thingsMax: number
  /** What of the provisioner is played. Default: its steps. */
  readonly shell?: Shell
}

/** Whoever looks on. */
export interface Witness {
  readonly makeDecider: (process: string) => Decider
  readonly wrote: (sent: Sent) => void
  readonly undoes: (undone: Undone) => void
  /** A provisioner says something to whoever reads its log or asks it. */
  readonly says: (process: string, what: string) => void
  /** A provisioner is over by a defect. */
  readonly died: (defect: unknown) => void
  /** Is told what was written, and what went wrong on the way, where anyone listens. */
  readonly told: ((what: string, isFault: boolean) => void) | undefined
}

/** A mesh. */
export class World {
  readonly options: WorldOptions
  readonly schedule = new Schedule()
  readonly bus: Bus
  readonly controllerParty = new Party("controller")
  readonly controller: Desk
  readonly nodes: ReadonlyArray<Node>
  readonly consumers: ReadonlyArray<string>
  readonly providers: ReadonlyArray<Provider>
  readonly operator: Operator
  readonly processes: ReadonlyArray<Process>
  /** How many steps were done, and how many of them a fault touched. */
  steps = 0
  faults = 0
  /** A number that follows from all that was done: two runs that are the same have the same. */
  hash = 0x811c9dc5
  /** When the bus last took a write of a provisioner, and of anyone. */
  decidedAt = 0
  writtenAt = 0
  /** Something went wrong in this chapter that is mended once the whole is compared: a deaf watch, or a write refused. */
  healsLate = false
  readonly witness: Witness

  constructor(options: WorldOptions, witness: Witness) {
    this.options = options
    this.witness = witness
    const { schedule } = this
    this.bus = new Bus(schedule, options.seed, {
      wrote: (sent, revision) => this.#wrote(sent, revision),
      faulted: (what) => {
        this.faults += 1
        if (what !== undefined) {
          witness.told?.(what, true)
        }
      }
    })
    const { bus } = this
    for (const { module } of providers) {
      bus.make(boundBucket(module))
    }
    bus.make("Redis_licences")
    this.controller = new Desk(bus, this.controllerParty)
    this.nodes = nodesOf(options.nodes).map((name) => new Node(name, bus, (module) => this.#started(module)))
    this.consumers = consumersOf(options.modules)
    const runs = (module: string, node?: string) =>
      this.nodes.some((one) => (node === undefined || one.name === node) && one.runs(module))
    this.providers = providers.filter(({ module }) => module !== "proxy")
      .map((role) => new Provider(role, { bus, runs, undoes: witness.undoes }))
    const seat = options.seated ? new Seat(schedule) : undefined
    const ground = {
      bus,
      seat,
      writesInFlightMax: options.writesInFlightMax,
      thingsMax: options.thingsMax,
      makeDecider: witness.makeDecider,
      takesSeat: options.shell === "fibers" && options.seated,
      makeRun: options.shell === "fibers"
        ? (around: Surroundings) => new FiberRun(around)
        : (around: Surroundings) => new Turns(around),
      says: witness.says,
      died: witness.died
    }
    this.processes = Array.from(
      { length: options.provisioners },
      (_, at) => new Process(`provisioner-${at + 1}`, ground)
    )
    this.operator = new Operator(bus, (request) => this.#ask(request))
    for (const process of this.processes) {
      process.start()
    }
  }

  /** Everyone's lines. */
  get parties(): ReadonlyArray<Party> {
    return [
      this.controllerParty,
      this.operator.party,
      ...this.nodes.map(({ party }) => party),
      ...this.providers.map(({ party }) => party),
      ...this.processes.map(({ party }) => party)
    ]
  }

  /** Everyone who says facts that are theirs alone. */
  get desks(): ReadonlyArray<Desk> {
    return [this.controller, this.operator.desk, ...this.nodes.map(({ desk }) => desk)]
  }

  /** Does the next step; gives whether there was one. */
  step(): boolean {
    const run = this.schedule.take()
    if (run === undefined) {
      return false
    }
    this.steps += 1
    run()
    return true
  }

  /** A bucket that was lost is there again. */
  bringBack(bucket: string, withContents: boolean): void {
    this.bus.bringBack(bucket, withContents)
    if (!withContents) {
      for (const desk of this.desks) {
        desk.sayAgain(bucket)
      }
      for (const provider of this.providers) {
        if (boundBucket(provider.module) === bucket) {
          provider.sayAgain()
        }
      }
    }
  }

  #started(module: string): void {
    this.providers.find((provider) => provider.module === module)?.lookAtAll()
  }

  #ask(request: Json): void {
    for (const process of this.processes) {
      process.retire(request)
    }
  }

  #wrote(sent: Sent, revision: number): void {
    const { bucket, by, key, text } = sent
    this.hash = hashOf(key, hashOf(text ?? "", (this.hash ^ revision ^ this.schedule.now) >>> 0))
    this.writtenAt = this.schedule.now
    if (by.name.startsWith("provisioner-") && bucket !== bucketName.answers) {
      this.decidedAt = this.schedule.now
    }
    this.witness.wrote(sent)
    if (this.witness.told !== undefined) {
      const what = `${bucket} ${key}`
      this.witness.told(text === undefined ? `${by.name} deletes ${what}` : `${by.name} writes ${what} ${text}`, false)
    }
  }
}
