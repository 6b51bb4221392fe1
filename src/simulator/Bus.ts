/**
 * The bus of a simulated mesh (protocol §9): buckets of JSON texts, each key with its last revision, written by
 * compare-and-set, followed by watches; and all that goes wrong on the way there and back.
 */
import { epochKey } from "../core/Bucket.ts"
import { bucketName, isDecisionBucket } from "../core/BucketName.ts"
import type { Json } from "../core/Json.ts"
import type { BucketsEvent, Revision } from "../ports/Bus.ts"
import type { BusErrorReason } from "../ports/BusError.ts"
import type { Party } from "./Party.ts"
import { hashOf, mix } from "./Random.ts"
import type { Schedule } from "./Schedule.ts"
import { Texts } from "./Texts.ts"
import type { NamesWatch, Watch } from "./Watch.ts"

/** A write on its way. */
export interface Sent {
  readonly by: Party
  readonly bucket: string
  readonly key: string
  /** What is to be there; none to have the key deleted. */
  readonly text: string | undefined
  /** The revision that it is to follow, none where the key is to be absent; `any` for one who is alone to write it. */
  readonly follows: number | "any" | undefined
  /** The term of the seat's holder that sent it: a bucket in which a later one has left its mark takes it no more. */
  readonly term?: number
}

/** What a writer hears: the new revision, or why there is none. */
export type Reply = { readonly revision: number } | { readonly wrong: BusErrorReason }

/** Whoever looks at each change that the bus took. */
export interface Onlooker {
  readonly wrote: (sent: Sent, revision: number) => void
  /** Something went wrong on the way, by a fault; nothing is said of a message that only comes late. */
  readonly faulted: (what: string | undefined) => void
}

/** A key: what it holds, how often it changed, and what its messages' ways are drawn by. */
interface Slot {
  readonly hash: number
  changes: number
  last: Revision
}

/** A bucket. */
export class Bucket {
  readonly name: string
  readonly hash: number
  readonly slots = new Map<string, Slot>()
  readonly watches = new Set<Watch>()
  /** The latest term whose holder left its mark here. */
  term = 0
  revision = 0

  constructor(name: string) {
    this.name = name
    this.hash = hashOf(name)
  }

  /** What is there, in the order of revisions. */
  puts(): Array<Revision> {
    return [...this.slots.values()].map(({ last }) => last).filter(({ _tag }) => _tag === "Put")
      .sort((one, other) => one.revision - other.revision)
  }
}

/** The bus. */
export class Bus {
  readonly schedule: Schedule
  readonly seed: number
  readonly buckets = new Map<string, Bucket>()
  readonly namesWatches = new Set<NamesWatch>()
  readonly #lost = new Map<string, Bucket>()
  /** When the buckets that are not there were lost. */
  readonly lostAt = new Map<string, number>()
  readonly #onlooker: Onlooker
  /** How many changes it took. */
  written = 0
  readonly #texts = new Texts()

  constructor(schedule: Schedule, seed: number, onlooker: Onlooker) {
    this.schedule = schedule
    this.seed = seed
    this.#onlooker = onlooker
    for (const name of Object.values(bucketName)) {
      this.buckets.set(name, new Bucket(name))
    }
  }

  /** The JSON of a value's bytes, `undefined` where they are none. */
  jsonOf(bytes: Uint8Array): Json | undefined {
    return this.#texts.jsonOf(bytes)
  }

  /** What a key holds now. */
  valueAt(bucket: string, key: string): Json | undefined {
    const last = this.buckets.get(bucket)?.slots.get(key)?.last
    return last?._tag === "Put" ? this.jsonOf(last.value) : undefined
  }

  // --- the way there and back ----------------------------------------------------------------------------------------

  /** How long a message of a party takes on its way, in milliseconds; it follows from which message it is. */
  delay(party: Party, one: number, two: number): number {
    const drawn = mix(this.seed ^ party.hash, one, two)
    const millis = drawn % 64 === 0 ? 20 + ((drawn >>> 8) % 300) : 1 + ((drawn >>> 8) % 6)
    if (party.slowness > 1) {
      this.faulted(undefined)
    }
    return millis * party.slowness
  }

  /** Something went wrong on the way, by a fault; nothing is said of a message that only comes late. */
  faulted(what: string | undefined): void {
    this.#onlooker.faulted(what)
  }

  /** Sends a write; the reply is heard once, unless whoever waits for it is gone by then. */
  send(sent: Sent, heard: (reply: Reply) => void): void {
    const slot = this.buckets.get(sent.bucket)?.slots.get(sent.key)
    const way = slot === undefined ? hashOf(sent.key) : slot.hash
    const changes = slot?.changes ?? 0
    this.schedule.after(this.delay(sent.by, way, 2 * changes), () => {
      const reply = this.#take(sent)
      this.schedule.after(this.delay(sent.by, way, 2 * changes + 1), () => heard(reply))
    })
  }

  /** Asks what a key holds. */
  get(by: Party, bucket: string, key: string, heard: (found: Revision | undefined | BusErrorReason) => void): void {
    const way = hashOf(key)
    this.schedule.after(this.delay(by, way, 1), () => {
      const found = by.isCutOff ? unreachable : this.#look(bucket, key)
      this.schedule.after(this.delay(by, way, 2), () => heard(found))
    })
  }

  #look(bucket: string, key: string): Revision | undefined | BusErrorReason {
    const found = this.buckets.get(bucket)
    return found === undefined ? { _tag: "Lost", how: "missing" } : found.slots.get(key)?.last
  }

  // --- writing ---------------------------------------------------------------------------------------------------------

  #take(sent: Sent): Reply {
    const { by, follows, key } = sent
    if (by.isCutOff) {
      this.faulted("write lost")
      return { wrong: unreachable }
    }
    const bucket = this.buckets.get(sent.bucket)
    if (bucket === undefined) {
      return { wrong: { _tag: "Lost", how: "missing" } }
    }
    if (sent.term !== undefined && sent.term < bucket.term) {
      return { wrong: { _tag: "Fenced" } }
    }
    const last = bucket.slots.get(key)?.last
    const isExpected = follows === "any" ||
      (follows === undefined ? last?._tag !== "Put" : last?.revision === follows)
    if (!isExpected) {
      return { wrong: follows === undefined ? { _tag: "Conflict" } : { _tag: "Conflict", expected: follows } }
    }
    const loss = by.losses.shift()
    if (loss !== undefined) {
      this.faulted(`write ${loss}`)
    }
    switch (loss) {
      case "write":
        return { wrong: unreachable }
      case "full":
        return { wrong: { _tag: "Full" } }
      case "refused":
        return { wrong: { _tag: "Refused", because: "account" } }
      case "answer":
        this.#change(bucket, sent)
        return { wrong: unreachable }
      default:
        return { revision: this.#change(bucket, sent) }
    }
  }

  #change(bucket: Bucket, sent: Sent): number {
    const { key, term, text } = sent
    const revision = ++bucket.revision
    const timeMillis = this.schedule.now
    const last: Revision = text === undefined
      ? { _tag: "Delete", key, revision, timeMillis }
      : { _tag: "Put", key, value: this.#texts.bytesOf(text), revision, timeMillis }
    const slot = bucket.slots.get(key) ?? { hash: hashOf(key), changes: 0, last }
    slot.last = last
    slot.changes += 1
    bucket.slots.set(key, slot)
    if (term !== undefined && key === epochKey) {
      bucket.term = Math.max(bucket.term, term)
    }
    this.written += 1
    this.#onlooker.wrote(sent, revision)
    for (const watch of bucket.watches) {
      watch.tell(this, last, slot.hash, slot.changes)
    }
    return revision
  }

  // --- buckets -------------------------------------------------------------------------------------------------------

  /** Makes a bucket, where it is not there. */
  make(name: string): void {
    if (!this.buckets.has(name)) {
      this.#appear(new Bucket(name))
    }
  }

  /** Deletes a bucket with all that is in it. */
  lose(name: string): void {
    const bucket = this.buckets.get(name)
    if (bucket !== undefined) {
      this.buckets.delete(name)
      this.#lost.set(name, bucket)
      this.lostAt.set(name, this.schedule.now)
      this.#endWatches(bucket, { _tag: "Lost", how: "deleted" })
      this.#tellNames({ _tag: "Vanished", bucket: name })
    }
  }

  /** The buckets that were lost. */
  get lost(): ReadonlyArray<string> {
    return [...this.#lost.keys()]
  }

  /** Brings a lost bucket back: with what it held, or empty, and then another one whose revisions begin anew. */
  bringBack(name: string, withContents: boolean): void {
    const before = this.#lost.get(name)
    this.#lost.delete(name)
    this.lostAt.delete(name)
    if (before !== undefined && !this.buckets.has(name)) {
      const bucket = new Bucket(name)
      bucket.term = isDecisionBucket(name) ? before.term : 0
      for (const revision of withContents ? before.puts() : []) {
        const hash = hashOf(revision.key)
        bucket.revision += 1
        const last = { ...revision, revision: bucket.revision }
        bucket.slots.set(revision.key, { hash, changes: before.slots.get(revision.key)?.changes ?? 0, last })
      }
      this.#appear(bucket)
    }
  }

  /** Ends every watch of a bucket that stays. */
  endWatches(name: string): void {
    const bucket = this.buckets.get(name)
    if (bucket !== undefined) {
      this.#endWatches(bucket, { _tag: "Lost", how: "ended" })
    }
  }

  #appear(bucket: Bucket): void {
    this.buckets.set(bucket.name, bucket)
    this.#tellNames({ _tag: "Appeared", bucket: bucket.name })
  }

  #endWatches(bucket: Bucket, reason: BusErrorReason): void {
    for (const watch of bucket.watches) {
      watch.end(this, reason)
    }
    bucket.watches.clear()
  }

  #tellNames(event: BucketsEvent): void {
    for (const watch of this.namesWatches) {
      watch.tell(this, [event])
    }
  }
}

/** The bus did not answer. */
export const unreachable: BusErrorReason = { _tag: "Unreachable" }
