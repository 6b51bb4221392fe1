/**
 * The bus as the provisioner sees it (protocol §9): which buckets there are, how far each is read, the facts, and the
 * decisions that are stored. It is told what was heard, and says what is to be read and whether anything may be written;
 * it does nothing itself, so what it says follows from what it was told alone.
 */
import * as Result from "effect/Result"
import { bucketName, isDecisionBucket, moduleOfBoundBucket } from "../core/BucketName.ts"
import { epochKey } from "../core/Bucket.ts"
import { readJson } from "../core/Decode.ts"
import type { Stored } from "../core/Diff.ts"
import { Facts } from "../core/Facts.ts"
import type { Json } from "../core/Json.ts"
import type { BucketEvent, BucketsEvent, Put } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import type { Contents, Difference } from "./Contents.ts"
import { type Health, healthOf, type Loss, lossHow } from "./Health.ts"
import type { Heard, Order } from "./Heard.ts"
import { Reading } from "./Reading.ts"

/** The buckets that must be there (protocol §9). */
const pageBuckets: ReadonlyArray<string> = Object.values(bucketName)

/** The bus as it was heard of so far. */
export class View {
  readonly facts = new Facts()
  /** How many facts hold something else than when it was last decided. */
  factsChanged = 0
  /** Whether a stored decision may be another than was last decided. */
  storedChanged = false
  /** Why the last write could not be done, while writing waits to be tried again. */
  writeTrouble: BusError | undefined
  readonly #stored = new Map<string, Map<string, Json | undefined>>()
  readonly #readings = new Map<string, Reading>()
  readonly #list = new Reading()
  /** The buckets that are there; and, while the list is read from its start, those of it that were said so far. */
  #names = new Set<string>()
  #freshNames: Set<string> | undefined
  #answersNamed: ReadonlySet<string> = new Set()
  #orders: Array<Order> = []
  #readAnew = new Set<string>()
  #readers = 0

  constructor() {
    this.#start(undefined, this.#list)
  }

  /** The stored decisions, as `diff` takes them. */
  get stored(): Stored {
    return this.#stored
  }

  /** Whether every bucket that counts is read to its end, and those that must be there are (protocol §9). */
  get isWhole(): boolean {
    return this.#list.isWhole && pageBuckets.every((bucket) => this.#readings.has(bucket)) &&
      [...this.#readings.values()].every((reading) => reading.isWhole)
  }

  /** What is to be read from now on, since this was last asked. */
  takeOrders(): ReadonlyArray<Order> {
    const orders = this.#orders
    this.#orders = []
    return orders
  }

  /** The buckets that came to the end of their start, since this was last asked. */
  takeReadAnew(): ReadonlySet<string> {
    const readAnew = this.#readAnew
    this.#readAnew = new Set()
    return readAnew
  }

  /** How it stands. */
  health(): Health {
    const readings = [...this.#readings]
    const lists: ReadonlyArray<Loss> = this.#list.lost === undefined ? [] : [{ how: this.#list.lost }]
    const written = this.writeTrouble
    return healthOf({
      missing: this.#list.read ? pageBuckets.filter((bucket) => !this.#readings.has(bucket)) : [],
      lost: [
        ...lists,
        ...readings.flatMap(([bucket, { lost }]) => lost === undefined ? [] : [{ bucket, how: lost }]),
        ...(written?.bucket === undefined ? [] : [{ bucket: written.bucket, how: lossHow(written) }])
      ],
      reading: readings.flatMap(([bucket, { fresh, lost, read }]) =>
        read || lost !== undefined || fresh === undefined ? [] : [{ bucket, keys: fresh.size }]
      ),
      read: readings.filter(([, { read }]) => read).length,
      known: readings.length
    })
  }

  /** Takes in what was heard. */
  hear(heard: ReadonlyArray<Heard>): void {
    for (const one of heard) {
      switch (one._tag) {
        case "Bucket":
          this.#hearBucket(one.bucket, one.reader, one.events)
          break
        case "Buckets":
          if (one.reader === this.#list.reader) {
            this.#hearNames(one.events)
          }
          break
        case "Failed":
          this.#hearFailure(one.bucket, one.reader, one.error)
          break
        case "Compare":
          this.#readAllAgain()
          break
        case "TryAgain":
          this.storedChanged = true
          break
      }
    }
    this.#follow()
  }

  /** What a bucket holds, where it is read. */
  contents(bucket: string): Contents | undefined {
    return this.#readings.get(bucket)?.contents
  }

  /** The keys of which nobody knows what they hold. */
  unknown(): ReadonlyArray<{ readonly bucket: string; readonly key: string }> {
    return [...this.#readings].flatMap(([bucket, { contents }]) =>
      [...contents.unknown].map((key) => ({ bucket, key }))
    )
  }

  /** Takes in what a key holds, as it was read on its own. */
  learn(bucket: string, key: string, put: Put | undefined): void {
    if (this.contents(bucket)?.learn(key, put) === true) {
      this.#take(bucket, { key, value: put?.value })
    }
  }

  /** Keeps what this provisioner wrote itself: it changes no decision, and wakes nothing when it comes back. */
  wrote(bucket: string, key: string, revision: number, put?: { readonly bytes: Uint8Array; readonly json: Json }): void {
    this.contents(bucket)?.wrote(key, revision, put?.bytes)
    if (!isDecisionBucket(bucket)) {
      this.facts.apply({ bucket, key, ...(put === undefined ? {} : { value: put.json }) })
    } else if (put === undefined) {
      this.#storedIn(bucket).delete(key)
    } else {
      this.#storedIn(bucket).set(key, put.json)
    }
  }

  // --- what is heard -------------------------------------------------------------------------------------------------

  #hearNames(events: ReadonlyArray<BucketsEvent>): void {
    for (const event of events) {
      if (event._tag === "End") {
        this.#endNames()
      } else if (event._tag === "Appeared") {
        (this.#freshNames ?? this.#names).add(event.bucket)
        this.#hurry(event.bucket)
      } else {
        (this.#freshNames ?? this.#names).delete(event.bucket)
        this.#vanish(event.bucket)
      }
    }
  }

  #endNames(): void {
    const names = this.#freshNames ?? new Set()
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

  #hearBucket(bucket: string, reader: number, events: ReadonlyArray<BucketEvent>): void {
    const reading = this.#readings.get(bucket)
    if (reading === undefined || reading.reader !== reader) {
      return
    }
    const { differences, ended } = reading.take(events)
    if (ended) {
      this.#readAnew.add(bucket)
      this.#open(bucket)
    }
    for (const difference of differences) {
      this.#take(bucket, difference)
    }
  }

  // A bucket that is there, though empty, is another fact than one that is not (protocol §6.1).
  #open(bucket: string): void {
    const module = moduleOfBoundBucket(bucket)
    if (module !== undefined && !this.facts.bound.has(module)) {
      this.factsChanged += 1
    }
    if (!isDecisionBucket(bucket)) {
      this.facts.openBucket(bucket)
    }
  }

  #take(bucket: string, { key, value }: Difference): void {
    if (isDecisionBucket(bucket)) {
      const stored = this.#storedIn(bucket)
      value === undefined ? stored.delete(key) : stored.set(key, Result.getOrUndefined(readJson(value)))
      this.storedChanged ||= key !== epochKey
    } else {
      this.facts.apply({ bucket, key, ...(value === undefined ? {} : { value }) })
      this.factsChanged += 1
      this.#answersNamed = bucket === bucketName.modules ? answersNamed(this.facts) : this.#answersNamed
    }
  }

  #storedIn(bucket: string): Map<string, Json | undefined> {
    const stored = this.#stored.get(bucket) ?? new Map<string, Json | undefined>()
    this.#stored.set(bucket, stored)
    return stored
  }

  #hearFailure(bucket: string | undefined, reader: number, error: BusError): void {
    const reading = bucket === undefined ? this.#list : this.#readings.get(bucket)
    if (reading !== undefined && reading.reader === reader) {
      reading.fail(error)
      this.#start(bucket, reading)
      if (bucket !== undefined && reading.lost === "missing") {
        this.#names.delete(bucket)
      }
    }
  }

  #readAllAgain(): void {
    for (const [bucket, reading] of [[undefined, this.#list] as const, ...this.#readings]) {
      if (reading.isWhole) {
        this.#start(bucket, reading)
      }
    }
    this.storedChanged = true
  }

  // --- what is to be read --------------------------------------------------------------------------------------------

  #start(bucket: string | undefined, reading: Reading): void {
    this.#readers += 1
    reading.begin(this.#readers)
    if (bucket === undefined) {
      this.#freshNames = new Set()
    }
    this.#orders.push({ _tag: "Start", bucket, reader: this.#readers, attempt: reading.attempts })
  }

  /** Takes up the buckets that count now, and lets go of those that do not any more. */
  #follow(): void {
    if (!this.#list.read) {
      return
    }
    for (const [bucket, reading] of this.#readings) {
      if (!this.#counts(bucket) || (reading.isGone && this.#mayGo(bucket))) {
        this.#orders.push({ _tag: "Stop", bucket })
        this.#readings.delete(bucket)
        this.facts.closeBucket(bucket)
        this.factsChanged += 1
      }
    }
    for (const bucket of this.#names) {
      if (!this.#readings.has(bucket) && this.#counts(bucket)) {
        const reading = new Reading()
        this.#readings.set(bucket, reading)
        this.#start(bucket, reading)
      }
    }
  }

  #counts(bucket: string): boolean {
    return pageBuckets.includes(bucket) || moduleOfBoundBucket(bucket) !== undefined || this.#answersNamed.has(bucket)
  }

  // A provider's bucket may go once its module's definition is gone, and no bucket else may while it counts.
  #mayGo(bucket: string): boolean {
    const module = moduleOfBoundBucket(bucket)
    return module !== undefined && this.facts.modules.fact(module) === undefined
  }
}

/** The buckets that definitions name in `answers`. */
const answersNamed = (facts: Facts): ReadonlySet<string> =>
  new Set(
    [...facts.modules.sound()].flatMap(({ value }) =>
      [...value.answers.values()].flatMap((answer) => "bucket" in answer ? [answer.bucket] : [])
    )
  )
