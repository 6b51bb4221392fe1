/**
 * The order in which a provisioner's fibers go on in a simulated mesh: of those that may, one is drawn at each step.
 */
import type * as Fiber from "effect/Fiber"
import type * as Scheduler from "effect/Scheduler"
import type { Random } from "../Random.ts"

interface Task {
  readonly run: () => void
  readonly priority: number
}

/** A scheduler of which each choice is drawn, and each task is a step of the mesh. */
export class DrawnScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async"
  readonly #waiting: Array<Task> = []
  readonly #random: Random
  readonly #later: (run: () => void) => void
  /** So much of a fiber is done before another may go on. */
  readonly #opsMax: number

  constructor(random: Random, later: (run: () => void) => void) {
    this.#random = random
    this.#later = later
    this.#opsMax = random.among([16, 128, 2_048])
  }

  shouldYield({ currentOpCount }: Fiber.Fiber<unknown, unknown>): boolean {
    return currentOpCount >= this.#opsMax
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return {
      scheduleTask: (run, priority) => {
        this.#waiting.push({ run, priority })
        this.#later(() => this.#runOne())
      },
      flush: () => {
        while (this.#waiting.length > 0) {
          this.#runOne()
        }
      }
    }
  }

  // Whoever is more urgent goes first; among those it is drawn.
  #runOne(): void {
    const waiting = this.#waiting
    const first = Math.min(...waiting.map(({ priority }) => priority))
    const urgent = waiting.filter(({ priority }) => priority === first)
    const drawn = urgent[this.#random.below(Math.max(1, urgent.length))]
    if (drawn !== undefined) {
      waiting.splice(waiting.indexOf(drawn), 1)
      drawn.run()
    }
  }
}
