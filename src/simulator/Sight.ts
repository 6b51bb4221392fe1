/**
 * What an actor sees of a bucket: each key with its latest value, however late, often and mixed up it was told of.
 */
import type { Json } from "../core/Json.ts"
import type { BucketEvent, Revision } from "../ports/Bus.ts"
import type { Bus } from "./Bus.ts"
import type { Party } from "./Party.ts"
import { Watch } from "./Watch.ts"

/** What is seen, and by whom. */
export interface SightOptions {
  readonly bus: Bus
  readonly party: Party
  readonly bucket: string
  readonly isMeant?: (key: string) => boolean
  /** A key may hold something else now. */
  readonly changed: (key: string) => void
}

/** So long it waits before it looks again where the watch ended. */
const againAfterMillis = 500

/** A bucket as it is seen. */
export class Sight {
  readonly #options: SightOptions
  #seen = new Map<string, Revision>()
  #fresh: Map<string, Revision> | undefined
  #watch: Watch | undefined

  constructor(options: SightOptions) {
    this.#options = options
    this.again()
  }

  /** The keys that are there. */
  *keys(): Iterable<string> {
    for (const [key, { _tag }] of this.#seen) {
      if (_tag === "Put") {
        yield key
      }
    }
  }

  /** The JSON that a key holds; none where it is absent, or holds none. */
  get(key: string): Json | undefined {
    const seen = this.#seen.get(key)
    return seen?._tag === "Put" ? this.#options.bus.jsonOf(seen.value) : undefined
  }

  /** The revision that a write of this key follows; none where it is absent. */
  revisionOf(key: string): number | undefined {
    const seen = this.#seen.get(key)
    return seen?._tag === "Put" ? seen.revision : undefined
  }

  /** Looks at all of it again. */
  again(): void {
    const { bucket, bus, isMeant, party } = this.#options
    this.#watch?.close(bus)
    this.#fresh = new Map()
    this.#watch = Watch.follow(bus, {
      by: party,
      bucket,
      isOrdered: false,
      ...(isMeant === undefined ? {} : { isMeant })
    }, {
      hear: (events) => this.#hear(events),
      end: () => bus.schedule.after(againAfterMillis, () => this.again())
    })
  }

  #hear(events: ReadonlyArray<BucketEvent>): void {
    const into = this.#fresh ?? this.#seen
    const changed: Array<string> = []
    for (const event of events) {
      if (event._tag !== "End") {
        const before = into.get(event.key)
        if (before === undefined || before.revision < event.revision) {
          into.set(event.key, event)
          changed.push(event.key)
        }
      } else if (this.#fresh !== undefined) {
        // What came before the start did is told with it.
        changed.push(...this.#seen.keys(), ...this.#fresh.keys())
        this.#seen = this.#fresh
        this.#fresh = undefined
      }
    }
    if (this.#fresh === undefined) {
      for (const key of changed) {
        this.#options.changed(key)
      }
    }
  }
}
