/**
 * How far a bucket is read: what was delivered, whether it was all, and when the start has come to its end. Pure: it is
 * told what arrives, and says what of it is to be told on, or that the reading is not whole and is to be resumed.
 *
 * A reading goes by consumers, one after the other. The first delivers each key's last message, and from there on all
 * that is new; a later one all that is new since what was taken last. What they deliver is numbered, so that nothing is
 * missed.
 *
 * The start is over when every key that the stream had was heard of. A key that is written again meanwhile may not be
 * delivered where it was, but where it is then: so it is keys that are counted, and not messages.
 */
import type { BucketEvent, Revision } from "../../ports/Bus.ts"
import type { Delivered, Heartbeat } from "./Frame.ts"
import type { StreamInfo } from "./JetStream.ts"

/** How far a reading is: the last sequence that was taken, and of how many keys. */
export interface Mark {
  readonly last: number
  readonly keyCount: number
}

/** What a comparison with the stream comes to: all is well, something was taken out of it, or it is another stream. */
export type Audit = "whole" | "removed" | "replaced"

/** Where a start is to be over: at a sequence of the stream, if so many keys were heard of up to there. */
interface Target {
  readonly last: number
  readonly keyCount: number
}

/** The reading of one bucket. */
export class Reading {
  /** When the stream was made that is read. */
  #created: string | undefined
  /** The sequence in the stream up to which all was taken. */
  #last = 0
  #isStartOver = false
  /** None where it was passed, and keys were missing: there is to be another. */
  #target: Target | undefined
  /** How much the present consumer delivered. */
  #delivered = 0
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

  /** Whether keys were missing where the start was to be over, because they were written again meanwhile. */
  get isShortOfKeys(): boolean {
    return !this.#isStartOver && this.#target === undefined
  }

  /**
   * A consumer is about to be made; `info` is how the stream stands.
   *
   * @returns the sequence that it is to begin with; none where it is to begin with each key's last message.
   */
  begin(info: StreamInfo): number | undefined {
    this.#created = info.created
    this.#target = targetOf(info)
    this.#delivered = 0
    return this.#last === 0 && !this.#isStartOver ? undefined : this.#last + 1
  }

  /** The consumer was made, with so much to deliver. Gives what is to be told on. */
  made(pending: number): ReadonlyArray<BucketEvent> {
    if (pending > 0) {
      return []
    }
    this.#last = Math.max(this.#last, this.#target?.last ?? 0)
    return this.#endStart()
  }

  /** Keys were missing, and the stream stands so now: they are to be heard of up to there. Gives what is to be told on. */
  aim(info: StreamInfo): ReadonlyArray<BucketEvent> {
    this.#target = targetOf(info)
    return this.#last >= this.#target.last ? this.#passTarget(this.#target) : []
  }

  /** A message was delivered. Gives what is to be told on, or nothing at all where messages before it are missing. */
  take({ change, consumerSequence }: Delivered): ReadonlyArray<BucketEvent> | undefined {
    if (consumerSequence !== this.#delivered + 1) {
      return undefined
    }
    this.#delivered = consumerSequence
    if (change.revision <= this.#last) {
      return []
    }
    const target = this.#target
    if (target === undefined || change.revision < target.last) {
      return this.#tell(change)
    }
    const before = change.revision > target.last ? this.#passTarget(target) : []
    const told = this.#tell(change)
    const after = change.revision === target.last ? this.#passTarget(target) : []
    return [...before, ...told, ...after]
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
    return this.#last >= (this.#target?.last ?? 0) ? this.#endStart() : []
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

  // Of a key that was gone already when the start came to it, nothing was ever told.
  #tell(change: Revision): ReadonlyArray<BucketEvent> {
    const isSilent = change._tag === "Delete" && !this.#isStartOver && !this.#keys.has(change.key)
    this.#last = change.revision
    this.#keys.add(change.key)
    return isSilent ? [] : [change]
  }

  #passTarget({ keyCount }: Target): ReadonlyArray<BucketEvent> {
    this.#target = undefined
    return this.#keys.size >= keyCount ? this.#endStart() : []
  }

  #endStart(): ReadonlyArray<BucketEvent> {
    if (this.#isStartOver) {
      return []
    }
    this.#isStartOver = true
    return [{ _tag: "End" }]
  }
}

const targetOf = (info: StreamInfo): Target => ({ last: lastOf(info), keyCount: info.state.num_subjects ?? 0 })

const lastOf = (info: StreamInfo): number => info.state.last_seq ?? 0
