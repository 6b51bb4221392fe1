/**
 * One consumer of a bucket's stream, as long as it lasts: what it delivers goes through the reading to who follows, in one
 * step of JavaScript for each message. The server is told that it may send more only once what it sent was taken.
 */
import { createInbox, type Msg, nuid, type Subscription } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { BucketEvent } from "../../ports/Bus.ts"
import type { BusErrorReason } from "../../ports/BusError.ts"
import type { Follower } from "../memory/Follower.ts"
import type { Connection } from "./Connection.ts"
import { readFrame } from "./Frame.ts"
import { keyPrefixOf, type StreamConfig } from "./JetStream.ts"
import type { Reading } from "./Reading.ts"
import type { Settings } from "./Settings.ts"

/** What a consumer is of, and where what it delivers goes. */
export interface Destination {
  readonly bucket: string
  readonly reading: Reading
  readonly follower: Follower<BucketEvent>
}

/** A consumer: it listens from when it is made, and is to be closed. */
export class Consumer {
  readonly #connection: Connection
  readonly #settings: Settings
  readonly #to: Destination
  readonly #onBroken: (why?: Effect.Effect<void, BusErrorReason>) => void
  readonly #name = nuid.next()
  readonly #prefix: string
  readonly #inbox: Subscription
  #heardAtMillis = performance.now()
  /** What is to be answered as soon as there is room. */
  #owed: string | undefined
  #payTimer: NodeJS.Timeout | undefined

  /**
   * `onBroken` is called where what it delivers is not whole, or it has ended: the reading is to be resumed; or, with
   * what the reading is to fail with, where this account may not hear it.
   */
  constructor(
    connection: Connection,
    settings: Settings,
    to: Destination,
    onBroken: (why?: Effect.Effect<void, BusErrorReason>) => void
  ) {
    this.#connection = connection
    this.#settings = settings
    this.#to = to
    this.#onBroken = onBroken
    this.#prefix = keyPrefixOf(to.bucket)
    this.#inbox = connection.client.subscribe(createInbox(settings.inboxPrefix), {
      callback: (error, message) => error === null ? this.#take(message) : onBroken(Effect.fail(refused))
    })
  }

  /** How long nothing was heard of it. It says twice as often that it is there, and at least every 2 s. */
  get silentMillis(): number {
    return performance.now() - this.#heardAtMillis
  }

  /** Whether it waits until who follows has taken what it delivered. */
  get isHeldUp(): boolean {
    return this.#owed !== undefined
  }

  /** How it is made, to begin at a sequence, or with each key's last message. */
  configFrom(sequence: number | undefined): StreamConfig & { readonly name: string; readonly filter_subject: string } {
    return {
      name: this.#name,
      deliver_subject: this.#inbox.getSubject(),
      filter_subject: `${this.#prefix}>`,
      ack_policy: "none",
      replay_policy: "instant",
      ...(sequence === undefined
        ? { deliver_policy: "last_per_subject" }
        : { deliver_policy: "by_start_sequence", opt_start_seq: sequence }),
      flow_control: true,
      idle_heartbeat: 1_000_000 * Math.round(Math.min(heartbeatMillisMax, 0.4 * this.#settings.silenceMillisMax)),
      inactive_threshold: 10_000_000_000,
      mem_storage: true,
      num_replicas: 1,
      max_deliver: 1
    }
  }

  /** Listens no more: the server takes the consumer away once nobody has listened for a while. */
  close(): void {
    clearTimeout(this.#payTimer)
    this.#inbox.unsubscribe()
  }

  // Nothing may be thrown here: the client reads no further after that.
  #take(message: Msg): void {
    this.#heardAtMillis = performance.now()
    const frame = readFrame(message, this.#prefix)
    switch (frame._tag) {
      case "Delivered":
        return this.tell(this.#to.reading.take(frame))
      case "Heartbeat":
        this.tell(this.#to.reading.beat(frame))
        return frame.stalled === undefined ? undefined : this.#owe(frame.stalled)
      case "FlowControl":
        return this.#owe(frame.reply)
      case "Ended":
        return this.#onBroken()
    }
  }

  /** Tells on what came of it; where that is nothing at all, it is not whole. */
  tell(events: ReadonlyArray<BucketEvent> | undefined): void {
    if (events === undefined) {
      return this.#onBroken()
    }
    for (const event of events) {
      this.#to.follower.tell(event)
    }
  }

  #owe(reply: string): void {
    this.#owed = reply
    this.#pay()
  }

  #pay(): void {
    clearTimeout(this.#payTimer)
    if (this.#owed === undefined || this.#inbox.isClosed()) {
      return
    }
    if (Queue.sizeUnsafe(this.#to.follower.queue) > eventsWaitingMax) {
      this.#payTimer = setTimeout(() => this.#pay(), payEveryMillis)
      return
    }
    const reply = this.#owed
    this.#owed = undefined
    if (this.#connection.isUp) {
      this.#connection.client.publish(reply)
    }
  }
}

/** With more events waiting to be taken than this, the server is not told to send more. */
const eventsWaitingMax = 8_192

const payEveryMillis = 10

const heartbeatMillisMax = 2_000

const refused: BusErrorReason = { _tag: "Refused", because: "account" }
