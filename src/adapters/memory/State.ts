/**
 * All that a memory bus is at a moment: its buckets, who follows their names, and what is made to go wrong.
 */
import type { BucketEvent, BucketsEvent, BusLimits } from "../../ports/Bus.ts"
import { BusError } from "../../ports/BusError.ts"
import type { Follower } from "./Follower.ts"
import { MemoryBucket } from "./MemoryBucket.ts"

/** The state of a memory bus. */
export class State {
  readonly limits: BusLimits
  /** The buckets that were there from the start: an edit of a snapshot empties them and never deletes them. */
  readonly standing: ReadonlySet<string>
  readonly buckets = new Map<string, MemoryBucket>()
  readonly namesFollowers = new Set<Follower<BucketsEvent>>()
  /** Whether the bus answers. */
  reachable = true
  /** What is lost of the next writes: the write itself, or only its answer. */
  readonly losses: Array<"write" | "answer"> = []

  constructor({ buckets, limits }: { readonly buckets: Iterable<string>; readonly limits: BusLimits }) {
    this.limits = limits
    this.standing = new Set(buckets)
    for (const bucket of this.standing) {
      this.makeBucket(bucket)
    }
  }

  makeBucket(name: string): void {
    if (!this.buckets.has(name)) {
      this.buckets.set(name, new MemoryBucket())
      this.#tellNames({ _tag: "Appeared", bucket: name })
    }
  }

  deleteBucket(name: string): void {
    const bucket = this.buckets.get(name)
    if (bucket !== undefined) {
      this.buckets.delete(name)
      endAll(bucket.followers, lost(name, "deleted"))
      this.#tellNames({ _tag: "Vanished", bucket: name })
    }
  }

  endReading(name: string): void {
    const bucket = this.buckets.get(name)
    if (bucket !== undefined) {
      endAll(bucket.followers, lost(name, "ended"))
    }
  }

  cutOff(): void {
    this.reachable = false
    for (const [name, bucket] of this.buckets) {
      endAll<BucketEvent>(
        bucket.followers,
        new BusError({ operation: "follow", bucket: name, reason: { _tag: "Unreachable" } })
      )
    }
    endAll(this.namesFollowers, new BusError({ operation: "followBuckets", reason: { _tag: "Unreachable" } }))
  }

  #tellNames(event: BucketsEvent): void {
    for (const follower of this.namesFollowers) {
      follower.tell(event)
    }
  }
}

const lost = (bucket: string, how: "deleted" | "ended"): BusError =>
  new BusError({ operation: "follow", bucket, reason: { _tag: "Lost", how } })

const endAll = <Event>(followers: Set<Follower<Event>>, error: BusError): void => {
  for (const follower of followers) {
    follower.fail(error)
  }
  followers.clear()
}
