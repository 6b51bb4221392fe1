/**
 * Where one change touches many: what it touches is marked some at a time, so that nobody waits for all of it. Nothing is
 * decided before everything is marked.
 */
import type { World } from "./World.ts"

/** Marks for one thing what is to be decided anew. */
type Mark<A> = (world: World, item: A) => void

/** Lists and sets over which changes are still to be spread. */
export class Spreading {
  readonly #under = new Map<object, Map<unknown, (world: World) => boolean>>()

  /** How many lists and sets there are. */
  get size(): number {
    return this.#under.size
  }

  /**
   * Has each of a list or set marked, from its first on again where that is under way already.
   *
   * @param mark one function for each use, not made anew: by it what is under way is known.
   */
  over<A>(many: ReadonlyArray<A> | ReadonlySet<A>, mark: Mark<A>): void {
    const rest = ("length" in many ? backwards(many) : many)[Symbol.iterator]()
    const marks = this.#under.get(many) ?? new Map<unknown, (world: World) => boolean>()
    marks.set(mark, (world) => {
      const next = rest.next()
      if (next.done !== true) {
        mark(world, next.value)
      }
      return next.done !== true
    })
    this.#under.set(many, marks)
  }

  /** Marks so many at most, and gives how many it did. */
  some(world: World, marksMax: number): number {
    let marked = 0
    for (const [many, marks] of this.#under) {
      for (const [mark, markNext] of marks) {
        while (marked < marksMax && marks.has(mark)) {
          marked += 1
          if (!markNext(world)) {
            marks.delete(mark)
          }
        }
      }
      if (marks.size > 0) {
        break
      }
      this.#under.delete(many)
    }
    return marked
  }
}

// The last one takes the place of one that is taken out: from the end on, none of those that were there is passed over.
const backwards = function*<A>(list: ReadonlyArray<A>): Iterable<A> {
  for (let at = list.length - 1; at >= 0; at = Math.min(at, list.length) - 1) {
    const item = list[at]
    if (item !== undefined) {
      yield item
    }
  }
}
