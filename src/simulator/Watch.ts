/**
 * Watches of a simulated bus: whoever follows a bucket is told of each change, late, twice, or not at all where that goes
 * wrong. A provisioner is told in the order of revisions, as the bus promises (ports/Bus); the others are told in any.
 */
import type { BucketEvent, BucketsEvent, Revision } from "../ports/Bus.ts"
import type { BusErrorReason } from "../ports/BusError.ts"
import type { Bus } from "./Bus.ts"
import type { Party } from "./Party.ts"
import { mix } from "./Random.ts"

/** What a follower of a bucket hears. */
export interface Follower<Event> {
  readonly hear: (events: ReadonlyArray<Event>) => void
  readonly end: (reason: BusErrorReason) => void
}

/** What goes wrong with a watch: it tells nothing any more, or nothing of deletes. */
export type Deafness = "hangs" | "misses deletes" | undefined

/** How a bucket is followed. */
export interface WatchOptions {
  readonly by: Party
  readonly bucket: string
  readonly isOrdered: boolean
  /** The keys that are followed; all where left out. */
  readonly isMeant?: (key: string) => boolean
}

/** One watch of a bucket. */
export class Watch {
  readonly by: Party
  readonly bucket: string
  deafness: Deafness
  readonly #follower: Follower<BucketEvent>
  readonly #options: WatchOptions
  #isClosed = false
  #toldAt = 0

  constructor(options: WatchOptions, follower: Follower<BucketEvent>) {
    this.by = options.by
    this.bucket = options.bucket
    this.#options = options
    this.#follower = follower
  }

  /** Begins: what is there is told first, and then each change. */
  static follow(bus: Bus, options: WatchOptions, follower: Follower<BucketEvent>): Watch {
    const watch = new Watch(options, follower)
    bus.schedule.after(bus.delay(options.by, hashOfWatch, 0), () => watch.#begin(bus))
    return watch
  }

  #begin(bus: Bus): void {
    if (this.#isClosed) {
      return
    }
    const bucket = bus.buckets.get(this.bucket)
    if (this.by.isCutOff || bucket === undefined) {
      return this.end(bus, bucket === undefined ? { _tag: "Lost", how: "missing" } : { _tag: "Unreachable" })
    }
    bucket.watches.add(this)
    const { isMeant } = this.#options
    const puts = bucket.puts()
    const start: ReadonlyArray<BucketEvent> = isMeant === undefined ? puts : puts.filter(({ key }) => isMeant(key))
    // It comes in parts, and whoever follows may be killed between two of them.
    const drawn = bus.delay(this.by, bucket.hash, bucket.revision)
    const size = partSizes[drawn % partSizes.length] ?? start.length
    let delay = drawn
    for (let at = 0; at < start.length; at += size) {
      this.#deliver(bus, start.slice(at, at + size), delay)
      delay += at % 2
    }
    this.#deliver(bus, [{ _tag: "End" }], delay)
  }

  /** Tells of a change. */
  tell(bus: Bus, revision: Revision, hash: number, changes: number): void {
    if (this.#options.isMeant?.(revision.key) === false) {
      return
    }
    if (this.deafness === "hangs" || (this.deafness === "misses deletes" && revision._tag === "Delete")) {
      return bus.faulted("message missed")
    }
    const delay = bus.delay(this.by, hash, 3 * changes)
    this.#deliver(bus, [revision], delay)
    if (this.by.twicePercent > 0 && mix(bus.seed ^ this.by.hash, hash, changes) % 100 < this.by.twicePercent) {
      bus.faulted("message twice")
      this.#deliver(bus, [revision], delay + 1 + (changes % 7))
    }
  }

  #deliver(bus: Bus, events: ReadonlyArray<BucketEvent>, delay: number): void {
    const { schedule } = bus
    // Whoever is told in order is told nothing before what was said before.
    const at = this.#options.isOrdered ? Math.max(this.#toldAt, schedule.now + delay) : schedule.now + delay
    this.#toldAt = at
    schedule.after(at - schedule.now, () => this.#arrive(bus, events))
  }

  #arrive(bus: Bus, events: ReadonlyArray<BucketEvent>): void {
    if (this.#isClosed) {
      return
    }
    if (this.by.isCutOff) {
      bus.faulted(undefined)
      return this.by.wait(() => this.#arrive(bus, events))
    }
    this.#follower.hear(events)
  }

  /** The bus ends it: whoever follows hears that last. */
  end(bus: Bus, reason: BusErrorReason): void {
    if (!this.#isClosed) {
      const at = Math.max(this.#toldAt, bus.schedule.now + 1)
      bus.schedule.after(at - bus.schedule.now, () => {
        if (!this.#isClosed) {
          this.#isClosed = true
          this.#follower.end(reason)
        }
      })
    }
  }

  /** Whoever follows does so no more. */
  close(bus: Bus): void {
    this.#isClosed = true
    bus.buckets.get(this.bucket)?.watches.delete(this)
  }
}

/** So many keys of a start come at once, or all of them. */
const partSizes = [1, 3, 10, undefined]

/** What the ways of a watch's beginning are drawn by. */
const hashOfWatch = 0x5eed

/** One watch of the buckets' names. */
export class NamesWatch {
  readonly by: Party
  readonly #follower: Follower<BucketsEvent>
  #isClosed = false
  #toldAt = 0

  constructor(by: Party, follower: Follower<BucketsEvent>) {
    this.by = by
    this.#follower = follower
  }

  /** Begins: the buckets that are there are told first, and then each that appears or vanishes. */
  static follow(bus: Bus, by: Party, follower: Follower<BucketsEvent>): NamesWatch {
    const watch = new NamesWatch(by, follower)
    bus.schedule.after(bus.delay(by, hashOfWatch, 1), () => {
      if (by.isCutOff) {
        return watch.end(bus)
      }
      bus.namesWatches.add(watch)
      watch.tell(bus, [
        ...[...bus.buckets.keys()].map((bucket): BucketsEvent => ({ _tag: "Appeared", bucket })),
        { _tag: "End" }
      ])
    })
    return watch
  }

  /** Tells of buckets. */
  tell(bus: Bus, events: ReadonlyArray<BucketsEvent>): void {
    const { now } = bus.schedule
    this.#toldAt = Math.max(this.#toldAt, now + bus.delay(this.by, hashOfWatch, 2 + now))
    bus.schedule.after(this.#toldAt - now, () => {
      if (!this.#isClosed) {
        this.#follower.hear(events)
      }
    })
  }

  /** The bus ends it. */
  end(bus: Bus): void {
    if (!this.#isClosed) {
      this.close(bus)
      bus.schedule.after(1, () => this.#follower.end({ _tag: "Unreachable" }))
    }
  }

  /** Whoever follows does so no more. */
  close(bus: Bus): void {
    this.#isClosed = true
    bus.namesWatches.delete(this)
  }
}
