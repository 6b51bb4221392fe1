/**
 * Virtual time: what is to happen, each at its millisecond, and of one millisecond in the order in which it was planned.
 */

/** What is to happen, kept as a heap. */
export class Schedule {
  /** The millisecond that it is. */
  now = 0
  #planned = 0
  readonly #heap: Array<Planned> = []

  /** How much is still to happen. */
  get size(): number {
    return this.#heap.length
  }

  /** When the next is to happen, if anything is. */
  get nextAt(): number | undefined {
    return this.#heap[0]?.at
  }

  /** Plans something, so many whole milliseconds from now. */
  after(millis: number, run: () => void): void {
    const heap = this.#heap
    const planned = { at: this.now + millis, order: this.#planned++, run }
    let at = heap.length
    while (at > 0) {
      const parentAt = (at - 1) >> 1
      const parent = heap[parentAt]
      if (parent === undefined || isBefore(parent, planned)) {
        break
      }
      heap[at] = parent
      at = parentAt
    }
    heap[at] = planned
  }

  /** Lets time pass to what is to happen next; gives it, if there is anything, for it to be run. */
  take(): (() => void) | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined) {
      return undefined
    }
    this.now = first.at
    if (first !== last) {
      this.#sink(last)
    }
    return first.run
  }

  #sink(planned: Planned): void {
    const heap = this.#heap
    let at = 0
    while (true) {
      let childAt = 2 * at + 1
      let child = heap[childAt]
      const other = heap[childAt + 1]
      if (child !== undefined && other !== undefined && isBefore(other, child)) {
        childAt += 1
        child = other
      }
      if (child === undefined || isBefore(planned, child)) {
        break
      }
      heap[at] = child
      at = childAt
    }
    heap[at] = planned
  }
}

interface Planned {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

const isBefore = (one: Planned, other: Planned): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)
