/**
 * How far a bucket is read: what was delivered, whether it was all, and when the start has come to its end. Pure: it is
 * told what arrives, and says what of it is to be told on, or that the reading is not whole and is to be resumed.
 *
 * A reading goes by consumers, one after the other. The first delivers each key's last message, and from there on all
 * that is new; a later one all that is new since what was taken last. What they deliver is numbered, so that nothing is
 * missed.
 */
import type { BucketEvent } from "../../ports/Bus.ts"
import type { Delivered, Heartbeat } from "./Frame.ts"
import type { StreamInfo } from "./JetStream.ts"

/** How far a reading is: the last sequence that was taken, and of how many keys. */
export interface Mark {
  readonly last: number
  readonly keyCount: number
}

/** What a comparison with the stream comes to: all is well, something was taken out of it, or it is another stream. */
export type Audit = "whole" | "removed" | "replaced"

/** The reading of one bucket. */
export class Reading {
  /** When the stream was made that is read. */
  #created: string | undefined
  /** The sequence in the stream up to which all was taken. */
  #last = 0
  /** Where the start ends: the stream's last sequence before the consumer was made. */
  #startEnd = 0
  #isStartOver = false
  /** What the present consumer delivered, and how much it had to deliver when it was made, once that is known. */
  #delivered = 0
  #pending = Infinity
  /** The keys of which the stream holds something, be it a marker. */
  readonly #keys = new Set<string>()
  /** How many subjects the stream has beyond those keys: subjects that are no UTF-8 can read alike. */
  #hidden = 0
  /** How the stream stood when it was compared last. */
  #audited: { readonly last: number; readonly messages: number } | undefined

  get last(): number {
    return this.#last
  }

  get isStartOver(): boolean {
    return this.#isStartOver
  }

  /** How far it is: what an `audit` begins with. */
  get mark(): Mark {
    return { last: this.#last, keyCount: this.#keys.size }
  }

  /** Whether a stream, as it stands after `mark` was taken, is the one that was read so far. */
  isSame(info: StreamInfo, { last }: Mark): boolean {
    return this.#created === undefined || (this.#created === info.created && lastOf(info) >= last)
  }

  /**
   * A consumer is about to be made; `info` is how the stream stands.
   *
   * @returns the sequence that it is to begin with; none where it is to begin with each key's last message.
   */
  begin(info: StreamInfo): number | undefined {
    this.#created = info.created
    this.#startEnd = lastOf(info)
    this.#delivered = 0
    this.#pending = Infinity
    return this.#last === 0 && !this.#isStartOver ? undefined : this.#last + 1
  }

  /** The consumer was made, with so much to deliver; some of it may have come already. Gives what is to be told on. */
  made(pending: number): ReadonlyArray<BucketEvent> {
    this.#pending = pending
    if (pending === 0) {
      this.#last = Math.max(this.#last, this.#startEnd)
    }
    return this.#endOfStart(pending - this.#delivered)
  }

  /** A message was delivered. Gives what is to be told on, or nothing at all where messages before it are missing. */
  take({ change, consumerSequence, pending }: Delivered): ReadonlyArray<BucketEvent> | undefined {
    if (consumerSequence !== this.#delivered + 1) {
      return undefined
    }
    this.#delivered = consumerSequence
    if (change.revision <= this.#last) {
      return []
    }
    // Of a key that was gone already when the start came to it, nothing was ever told.
    const isSilent = change._tag === "Delete" && !this.#isStartOver && !this.#keys.has(change.key)
    this.#last = change.revision
    this.#keys.add(change.key)
    const told: ReadonlyArray<BucketEvent> = isSilent ? [] : [change]
    return this.#isStartOver ? told : [...told, ...this.#endOfStart(pending)]
  }

  /** A consumer that has nothing to deliver says where it stands. Gives the same as `take`. */
  beat({ consumerSequence, stalled, streamSequence }: Heartbeat): ReadonlyArray<BucketEvent> | undefined {
    if (consumerSequence !== this.#delivered) {
      return undefined
    }
    if (stalled !== undefined) {
      return []
    }
    this.#last = Math.max(this.#last, streamSequence)
    return this.#endOfStart(0)
  }

  /**
   * Compares what was taken with how the stream stands. `info` was asked for after `before` was taken, and all that it
   * speaks of has been taken since.
   */
  audit(info: StreamInfo, before: Mark): Audit {
    if (!this.isSame(info, before)) {
      return "replaced"
    }
    const { messages = 0, num_subjects: subjects = 0 } = info.state
    const last = lastOf(info)
    const isFewer = this.#audited !== undefined && this.#audited.last === last && messages < this.#audited.messages
    if (isFewer || subjects < before.keyCount + this.#hidden) {
      return "removed"
    }
    this.#hidden = Math.max(0, subjects - this.#keys.size)
    this.#audited = { last, messages }
    return "whole"
  }

  // Messages that were replaced while the start was read are not delivered any more, but what replaced them is, behind
  // the start's end. Where there are such, the start is over only when nothing is left to deliver.
  #endOfStart(pending: number): ReadonlyArray<BucketEvent> {
    if (
      this.#isStartOver || this.#last < this.#startEnd || this.#pending === Infinity ||
      (this.#delivered < this.#pending && pending > 0)
    ) {
      return []
    }
    this.#isStartOver = true
    return [{ _tag: "End" }]
  }
}

const lastOf = (info: StreamInfo): number => info.state.last_seq ?? 0
