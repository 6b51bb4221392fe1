/**
 * The bus as the provisioner sees it (protocol §9): the facts, the decisions that are stored, and how far all is read. It is
 * told what was heard, and says what is to be read and whether anything may be decided; it does nothing itself, so what it
 * says follows from what it was told alone.
 */
import { epochKey } from "../core/Bucket.ts"
import { bucketName, isDecisionBucket, moduleOfBoundBucket } from "../core/BucketName.ts"
import { answerBuckets, type FactsView } from "../core/Facts.ts"
import type { Json } from "../core/Json.ts"
import type { Put } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import type { Contents, Difference } from "./Contents.ts"
import type { Decider } from "./Decider.ts"
import { Due } from "./Due.ts"
import { type Health, healthOf, lossHow } from "./Health.ts"
import type { Heard, Order } from "./Heard.ts"
import { type Following, Readings } from "./Readings.ts"
import { StoredDecisions } from "./StoredDecisions.ts"

/** The bus as it was heard of so far. */
export class View implements Following {
  readonly #decider: Decider
  /** How many facts hold something else than when it was last decided. */
  factsChanged = 0
  /** What is to be compared: stored decisions that may be another than was last decided. */
  readonly due = new Due()
  /** Why the last write could not be done, while writing waits to be tried again. */
  writeTrouble: BusError | undefined
  /** The decisions as they are stored. */
  readonly stored = new StoredDecisions()
  readonly #readings = new Readings()
  /** The buckets that definitions' `answers` name; none where that is to be looked up anew. */
  #answersNamed: ReadonlySet<string> | undefined
  #readAnew = new Set<string>()
  /** Other buckets may count than when that was last looked at. */
  #isFollowingDue = true
  /** How often it heard more than what keys hold: so often its health may have become another. */
  standing = 0

  constructor(decider: Decider) {
    this.#decider = decider
  }

  /** The facts as they were taken in. */
  get facts(): FactsView {
    return this.#decider.facts
  }

  /** Whether every bucket that counts is read to its end, and those that must be there are (protocol §9). */
  get isWhole(): boolean {
    return this.#readings.isWhole
  }

  /** What is to be read from now on, since this was last asked. */
  takeOrders(): ReadonlyArray<Order> {
    return this.#readings.takeOrders()
  }

  /** The buckets that came to the end of their start, since this was last asked. */
  takeReadAnew(): ReadonlySet<string> {
    const readAnew = this.#readAnew
    this.#readAnew = new Set()
    return readAnew
  }

  /** How it stands, where so much of what is wanted is not written. */
  health(unwritten: Health["unwritten"] = []): Health {
    const progress = this.#readings.progress()
    const trouble = this.writeTrouble
    const lost = trouble?.bucket === undefined ? [] : [{ bucket: trouble.bucket, how: lossHow(trouble) }]
    return healthOf({ ...progress, lost: [...progress.lost, ...lost], unwritten })
  }

  /** Takes in what was heard. */
  hear(heard: ReadonlyArray<Heard>): void {
    for (const one of heard) {
      this.#hearOne(one)
    }
    if (this.#isFollowingDue) {
      this.#isFollowingDue = false
      this.standing += 1
      for (const bucket of this.#readings.follow(this)) {
        this.#decider.take({ bucket, isThere: false })
        this.factsChanged += 1
      }
    }
  }

  /** What a bucket holds, where it counts. */
  contents(bucket: string): Contents | undefined {
    return this.#readings.contents(bucket)
  }

  /** The keys of which nobody knows what they hold. */
  unknown(): ReadonlyArray<{ readonly bucket: string; readonly key: string }> {
    return this.#readings.unknown()
  }

  /** Takes in what a key holds, as it was read on its own. */
  learn(bucket: string, key: string, put: Put | undefined): void {
    this.contents(bucket)?.learn(key, put?.revision)
    this.#take(bucket, { key, value: put?.value })
  }

  /** Keeps what this provisioner put itself: it changes no decision, and wakes nothing when it comes back. */
  wrotePut(bucket: string, key: string, revision: number, json: Json): void {
    this.contents(bucket)?.wrote(key, revision, "put")
    this.stored.wrote(bucket, key, json)
  }

  /** Keeps what this provisioner deleted itself: a decision, or an answer that no longer counted, and so changes none. */
  wroteDelete(bucket: string, key: string, revision: number): void {
    this.contents(bucket)?.wrote(key, revision, "delete")
    if (isDecisionBucket(bucket)) {
      this.stored.wrote(bucket, key, undefined)
    } else {
      this.#decider.take({ bucket, key })
    }
  }

  /** Every provider's bucket counts, and those that a definition's `answers` name. */
  counts(bucket: string): boolean {
    this.#answersNamed ??= answerBuckets(this.facts)
    return moduleOfBoundBucket(bucket) !== undefined || this.#answersNamed.has(bucket)
  }

  /**
   * A provider's bucket may go once its module's definition is known to be gone, and no bucket else may while it counts:
   * a definition that is not read yet may well be there.
   */
  mayGo(bucket: string): boolean {
    const module = moduleOfBoundBucket(bucket)
    return module !== undefined && this.#readings.isRead(bucketName.modules) &&
      this.facts.modules.fact(module) === undefined
  }

  #hearOne(heard: Heard): void {
    this.#isFollowingDue ||= heard._tag !== "Bucket"
    switch (heard._tag) {
      case "Bucket":
        return this.#hearBucket(heard)
      case "Buckets":
        return this.#readings.hearNames(heard.reader, heard.events)
      case "Failed":
        return this.#readings.hearFailure(heard)
      case "Compare":
        this.#readings.readAllAgain()
        this.due.addAll()
    }
  }

  #hearBucket({ bucket, events, reader }: Heard & { readonly _tag: "Bucket" }): void {
    const { differences, ended } = this.#readings.hearBucket(bucket, reader, events)
    if (ended) {
      this.#isFollowingDue = true
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
      this.#decider.take({ bucket, isThere: true })
    }
  }

  #take(bucket: string, { key, value }: Difference): void {
    if (isDecisionBucket(bucket)) {
      if (key !== epochKey && this.stored.read(bucket, key, value)) {
        this.due.add([{ bucket, key }])
      }
    } else if (this.#decider.take(value === undefined ? { bucket, key } : { bucket, key, value })) {
      this.factsChanged += 1
      if (bucket === bucketName.modules) {
        this.#answersNamed = undefined
        this.#isFollowingDue = true
      }
    }
  }
}
