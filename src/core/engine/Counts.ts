/**
 * How many decisions are in each state, and how many facts of each bucket are out of shape: kept up change by change, so that
 * nobody has to walk the mesh to know it.
 */
import type { DecisionCounts } from "../Decision.ts"
import { View } from "./View.ts"

/** Counts of what is in one state or another. */
class Count {
  readonly #counts = new Map<string, number>()
  /** The counts by state; a state that nothing is in is left out. */
  readonly view: ReadonlyMap<string, number> = new View(this.#counts, (count) => count, () => this.#counts.size)

  /** How many there are in all. */
  get total(): number {
    let total = 0
    for (const count of this.#counts.values()) {
      total += count
    }
    return total
  }

  /** One thing is in another state; it was not there before, or is there no more, where a state is left out. */
  move(before: string | undefined, after: string | undefined): void {
    if (before !== after) {
      this.#add(before, -1)
      this.#add(after, 1)
    }
  }

  #add(state: string | undefined, by: number): void {
    if (state !== undefined) {
      const count = (this.#counts.get(state) ?? 0) + by
      if (count === 0) {
        this.#counts.delete(state)
      } else {
        this.#counts.set(state, count)
      }
    }
  }
}

/** The counts of an engine. */
export class Counts {
  readonly provisions = new Count()
  readonly asks = new Count()
  readonly plans = new Count()
  /** By bucket. */
  readonly outOfShape = new Count()
  /** As others may see them. */
  readonly view: DecisionCounts = {
    provisions: this.provisions.view,
    asks: this.asks.view,
    plans: this.plans.view,
    outOfShape: this.outOfShape.view
  }
}
