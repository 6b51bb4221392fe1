/**
 * One reader that follows: a queue of what it has not taken yet.
 *
 * A reader that falls behind costs memory by the keys and not by their changes: when its queue has grown to twice what
 * it holds of different names, only the latest of each is kept. The facts are levels, so nothing is missed by it.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type { BusError } from "../../ports/BusError.ts"

/** A queue below this many events is never gone through to drop what was overtaken. */
const eventsKeptMin = 1_024

/** A follower, whose events are each about one name (a key, a bucket), but for the end of the start. */
export class Follower<Event> {
  readonly queue: Queue.Queue<Event, BusError>
  readonly #nameOf: (event: Event) => string | undefined
  #eventsMax: number

  constructor(
    queue: Queue.Queue<Event, BusError>,
    nameOf: (event: Event) => string | undefined,
    start: ReadonlyArray<Event>
  ) {
    this.queue = queue
    this.#nameOf = nameOf
    this.#eventsMax = eventsMaxFor(start.length)
    Queue.offerAllUnsafe(queue, start)
  }

  /** Tells it one event more. */
  tell(event: Event): void {
    if (Queue.sizeUnsafe(this.queue) >= this.#eventsMax) {
      this.#dropOvertaken()
    }
    Queue.offerUnsafe(this.queue, event)
  }

  /** Ends it: it takes what it was told, and then the error. */
  fail(error: BusError): void {
    Queue.failCauseUnsafe(this.queue, Cause.fail(error))
  }

  // The end of the start goes last: what it vouches for must have been said before it.
  #dropOvertaken(): void {
    const latest = new Map<string, Event>()
    const ends: Array<Event> = []
    for (const event of takeAllUnsafe(this.queue)) {
      const name = this.#nameOf(event)
      if (name === undefined) {
        ends.push(event)
      } else {
        latest.delete(name)
        latest.set(name, event)
      }
    }
    Queue.offerAllUnsafe(this.queue, [...latest.values(), ...ends])
    this.#eventsMax = eventsMaxFor(latest.size)
  }
}

const eventsMaxFor = (names: number): number => Math.max(eventsKeptMin, 2 * names)

const takeAllUnsafe = function*<Event>(queue: Queue.Queue<Event, BusError>): Generator<Event> {
  for (
    let taken = Queue.takeUnsafe(queue);
    taken !== undefined && Exit.isSuccess(taken);
    taken = Queue.takeUnsafe(queue)
  ) {
    yield taken.value
  }
}
