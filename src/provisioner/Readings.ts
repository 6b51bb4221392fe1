/**
 * Which buckets there are, and how far each that counts is read (protocol §9): what is to be read next follows from what was
 * heard alone.
 */
import { bucketName } from "../core/BucketName.ts"
import type { BucketEvent, BucketsEvent } from "../ports/Bus.ts"
import type { Contents, Difference } from "./Contents.ts"
import type { Health } from "./Health.ts"
import type { Heard, Order } from "./Heard.ts"
import { Reading } from "./Reading.ts"

/** The buckets that must be there (protocol §9). */
const pageBuckets: ReadonlySet<string> = new Set(Object.values(bucketName))

/** Which buckets count beside those that must be there, and which of them may go. */
export interface Following {
  readonly counts: (bucket: string) => boolean
  readonly mayGo: (bucket: string) => boolean
}

/** What a batch of a bucket's events comes to. */
export interface Taken {
  readonly differences: ReadonlyArray<Difference>
  /** Whether the start of the bucket came to its end. */
  readonly ended: boolean
}

/** The readings of all buckets, and of the list of them. */
export class Readings {
  readonly #readings = new Map<string, Reading>()
  readonly #list = new Reading()
  /** The buckets that are there; and, while the list is read from its start, those that were said so far. */
  #names = new Set<string>()
  #freshNames: Set<string> | undefined
  #orders: Array<Order> = []
  #readers = 0

  constructor() {
    this.#start(undefined, this.#list)
  }

  /** Whether every bucket that counts is read to its end, and those that must be there are (protocol §9). */
  get isWhole(): boolean {
    for (const { isPassedOver, isWhole } of this.#readings.values()) {
      if (!isWhole && !isPassedOver) {
        return false
      }
    }
    return this.#list.isWhole && this.#missing().length === 0
  }

  /** What is to be read from now on, since this was last asked. */
  takeOrders(): ReadonlyArray<Order> {
    const orders = this.#orders
    this.#orders = []
    return orders
  }

  /** What a bucket holds, where it counts. */
  contents(bucket: string): Contents | undefined {
    return this.#readings.get(bucket)?.contents
  }

  /** Whether a bucket is read to its end, and what is known of it stands. */
  isRead(bucket: string): boolean {
    return this.#readings.get(bucket)?.read === true
  }

  /** The keys of which nobody knows what they hold. */
  unknown(): ReadonlyArray<{ readonly bucket: string; readonly key: string }> {
    return [...this.#readings].flatMap(([bucket, { contents }]) =>
      [...contents.unknown].map((key) => ({ bucket, key }))
    )
  }

  /** How far all is read. */
  progress(): Pick<Health, "missing" | "lost" | "reading" | "read" | "known" | "passedOver"> {
    const readings = [...this.#readings].filter(([, { isPassedOver }]) => !isPassedOver)
    return {
      missing: this.#missing(),
      lost: [
        ...(this.#list.loss === undefined ? [] : [this.#list.loss]),
        ...readings.flatMap(([bucket, { loss }]) => loss === undefined ? [] : [{ bucket, ...loss }])
      ],
      reading: readings.flatMap(([bucket, { fresh, lost, read }]) =>
        read || lost !== undefined || fresh === undefined ? [] : [{ bucket, keys: fresh.size }]
      ),
      read: readings.filter(([, { read }]) => read).length,
      known: readings.length,
      passedOver: [...this.#readings].flatMap(([bucket, { isPassedOver }]) => isPassedOver ? [bucket] : [])
    }
  }

  #missing(): ReadonlyArray<string> {
    return this.#list.read ? [...pageBuckets].filter((bucket) => !this.#readings.has(bucket)) : []
  }

  // --- what is heard -------------------------------------------------------------------------------------------------

  /** Takes in events of a bucket; none of a reading that was abandoned. */
  hearBucket(bucket: string, reader: number, events: ReadonlyArray<BucketEvent>): Taken {
    const reading = this.#readings.get(bucket)
    return reading?.reader === reader ? reading.take(events) : { differences: [], ended: false }
  }

  /** Takes in what the list of the buckets says. */
  hearNames(reader: number, events: ReadonlyArray<BucketsEvent>): void {
    for (const event of this.#list.reader === reader ? events : []) {
      const names = this.#freshNames ?? this.#names
      if (event._tag === "End") {
        this.#endNames(names)
      } else if (event._tag === "Appeared") {
        names.add(event.bucket)
        this.#hurry(event.bucket)
      } else {
        names.delete(event.bucket)
        this.#vanish(event.bucket)
      }
    }
  }

  #endNames(names: Set<string>): void {
    for (const bucket of this.#names) {
      if (!names.has(bucket)) {
        this.#vanish(bucket)
      }
    }
    this.#names = names
    this.#freshNames = undefined
    this.#list.take([{ _tag: "End" }])
  }

  // A bucket that is there again is read at once, and not when its next attempt is due.
  #hurry(bucket: string): void {
    const reading = this.#readings.get(bucket)
    if (reading?.lost !== undefined) {
      reading.attempts = 0
      this.#start(bucket, reading)
    }
  }

  #vanish(bucket: string): void {
    const reading = this.#readings.get(bucket)
    if (reading !== undefined) {
      this.#orders.push({ _tag: "Stop", bucket })
      reading.lose("missing")
    }
  }

  /** Takes in that a reading failed: it is begun anew, after a while. */
  hearFailure({ bucket, error, reader }: Heard & { readonly _tag: "Failed" }): void {
    const reading = bucket === undefined ? this.#list : this.#readings.get(bucket)
    if (reading !== undefined && reading.reader === reader) {
      reading.fail(error)
      this.#start(bucket, reading)
      if (bucket !== undefined && reading.lost === "missing") {
        this.#names.delete(bucket)
      }
    }
  }

  /** Reads everything again that is read to its end. What is known stands until that comes to its end. */
  readAllAgain(): void {
    for (const [bucket, reading] of [[undefined, this.#list] as const, ...this.#readings]) {
      if (reading.isWhole) {
        this.#start(bucket, reading)
      }
    }
  }

  // --- what is to be read --------------------------------------------------------------------------------------------

  /**
   * Takes up the buckets that count now, and lets go of those that do not any more.
   *
   * What is called like a bucket that may go, and is none, is passed over for as long as both are so: it is looked at again.
   *
   * @returns the buckets that were let go: they hold nothing any more.
   */
  follow(following: Following): ReadonlyArray<string> {
    const gone: Array<string> = []
    const isMeant = (bucket: string) => pageBuckets.has(bucket) || following.counts(bucket)
    for (const [bucket, reading] of this.#list.read ? this.#readings : []) {
      if (!isMeant(bucket) || (reading.isGone && following.mayGo(bucket))) {
        this.#orders.push({ _tag: "Stop", bucket })
        this.#readings.delete(bucket)
        gone.push(bucket)
      } else if (reading.passOver(following.mayGo(bucket))) {
        gone.push(bucket)
      }
    }
    for (const bucket of this.#list.read ? this.#names : []) {
      if (!this.#readings.has(bucket) && isMeant(bucket)) {
        const reading = new Reading()
        this.#readings.set(bucket, reading)
        this.#start(bucket, reading)
      }
    }
    return gone
  }

  #start(bucket: string | undefined, reading: Reading): void {
    this.#readers += 1
    reading.begin(this.#readers)
    if (bucket === undefined) {
      this.#freshNames = new Set()
    }
    this.#orders.push({ _tag: "Start", bucket, reader: this.#readers, attempt: reading.attempts })
  }
}
