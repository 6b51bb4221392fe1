/**
 * The seat of a simulated mesh (protocol §9): one provisioner holds it for a term, the others stand by. It is lost by whoever
 * is not heard of for the time of its lease; that one may not know it yet.
 */
import type { Schedule } from "./Schedule.ts"

/** Whoever wants the seat. */
export interface Sitter {
  /** It is heard of: it runs, is awake, and its line is there. */
  readonly isHeardOf: () => boolean
  /** It holds the seat from now on, for this term. */
  readonly granted: (term: number) => void
  /** Its term is over, as it hears when it is awake again. */
  readonly expired: (term: number) => void
}

/** For so long a holder keeps the seat that is not heard of. */
const leaseMillis = 5_000

/** The seat. */
export class Seat {
  readonly #schedule: Schedule
  readonly #waiting: Array<Sitter> = []
  #holder: Sitter | undefined
  #term = 0

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  /** Whether it is held by this one. */
  isHeldBy(sitter: Sitter): boolean {
    return this.#holder === sitter
  }

  /** Waits for the seat. */
  want(sitter: Sitter): void {
    if (!this.#waiting.includes(sitter)) {
      this.#waiting.push(sitter)
    }
    this.#grant()
  }

  /** Wants it no more, and gives it up where it holds it. */
  leave(sitter: Sitter): void {
    const at = this.#waiting.indexOf(sitter)
    if (at >= 0) {
      this.#waiting.splice(at, 1)
    }
    if (this.#holder === sitter) {
      this.#holder = undefined
      this.#grant()
    }
  }

  /** The holder may not be heard of from now on: if so when its lease is over, the seat is another's. */
  doubt(): void {
    const holder = this.#holder
    const term = this.#term
    if (holder !== undefined) {
      this.#schedule.after(leaseMillis, () => {
        if (this.#holder === holder && this.#term === term && !holder.isHeardOf()) {
          this.#holder = undefined
          holder.expired(term)
          this.#grant()
        }
      })
    }
  }

  #grant(): void {
    const next = this.#holder === undefined ? this.#waiting.find((sitter) => sitter.isHeardOf()) : undefined
    if (next !== undefined) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#holder = next
      this.#term += 1
      next.granted(this.#term)
    }
  }

  /** Someone is heard of again. */
  look(): void {
    this.#grant()
  }
}
