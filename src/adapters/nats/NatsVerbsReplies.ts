/**
 * Replies, as they are sent: never where a reply would do harm, never larger than the server takes, and never late by a
 * lost connection.
 */
import { headers, type MsgHdrs } from "@nats-io/transport-node"
import { writeUtf8 } from "../../core/Utf8.ts"
import { cut } from "../../core/Words.ts"
import { doorWhy } from "../../ports/DoorWords.ts"
import type { VerbReply } from "../../ports/VerbServer.ts"
import type { Connection } from "./Connection.ts"
import { sayable } from "./NatsErrors.ts"
import { messageBytesMax } from "./Writing.ts"

/**
 * Whether it is replied at a subject. A requester chooses it, and this account may write more than the requester may:
 * what begins a token with `$` is a key of a bucket or the server's own, and no inbox.
 */
export const isAnswerable = (reply: string | undefined): reply is string =>
  reply !== undefined && reply.length <= replySubjectBytesMax && inbox.test(reply)

const inbox = /^[^\s*>.$][^\s*>.]*(?:\.[^\s*>.$][^\s*>.]*)*$/

/** A longer subject is none that a client makes, and a line with it could be more than the server reads. */
const replySubjectBytesMax = 1_024

/** Sends replies, and hears of those that this account may not send. */
export class Replies {
  readonly #connection: Connection
  /** Where it was replied of late. */
  readonly #recent = new Set<string>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The most bytes of a reply, beside the headers that a refusal has. */
  get bytesMax(): number {
    return Math.max(0, (this.#connection.client.info?.max_payload ?? messageBytesMax) - headBytesMax)
  }

  /** Whether a subject that this account may not publish to is one where it was replied. */
  isOf(subject: string): boolean {
    return this.#recent.has(subject)
  }

  /** Replies to a call, in no more bytes than may be sent. */
  send(subject: string, reply: VerbReply): void {
    if (reply._tag === "Answer") {
      const body = writeUtf8(reply.json)
      if (body.length <= this.bytesMax) {
        this.publish(subject, body)
        return
      }
    }
    const { code, message } = reply._tag === "Answer" ? { code: 503, message: doorWhy.noRoom() } : reply
    this.publish(subject, bodyOf(code, message, this.bytesMax), headersOf(code, message))
  }

  /** Publishes, where there is a connection: what is sent later than it is waited for is of use to nobody. */
  publish(subject: string, body: Uint8Array | string, head?: MsgHdrs): void {
    if (!this.#connection.isUp) {
      return
    }
    this.#recent.add(subject)
    for (const oldest of this.#recent.size > recentMax ? this.#recent : []) {
      this.#recent.delete(oldest)
      break
    }
    try {
      this.#connection.client.publish(subject, body, head === undefined ? {} : { headers: head })
    } catch {
      // Closed, or a server that takes less than was known a moment ago: who waits sees that there is no answer.
    }
  }
}

const recentMax = 256

/** Room for the headers of a refusal. */
const headBytesMax = 512

const headersOf = (code: number, message: string): MsgHdrs => {
  const head = headers()
  head.set("Nats-Service-Error", sayable(message).slice(0, headerCharactersMax))
  head.set("Nats-Service-Error-Code", String(code))
  return head
}

const headerCharactersMax = 256

/** The body of a refusal (protocol §8), its message cut to what may be sent. */
const bodyOf = (code: number, message: string, bytesMax: number): string => {
  const whole = JSON.stringify({ error: { code, message } })
  return writeUtf8(whole).length <= bytesMax
    ? whole
    : JSON.stringify({ error: { code, message: cut(message, Math.max(0, Math.floor((bytesMax - 64) / 6))) } })
}
