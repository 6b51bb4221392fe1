/**
 * What an actor says on the bus: it holds to what it last wanted each key to say, until the bus has taken that, whatever
 * fails on the way.
 */
import type { Json } from "../core/Json.ts"
import type { Bus } from "./Bus.ts"
import type { Party } from "./Party.ts"

interface Said {
  readonly bucket: string
  readonly key: string
  wanted: string | undefined
  /** What the bus is known to hold by it; nothing is known at first, and while it did not answer. */
  taken: { readonly text: string | undefined } | undefined
  isSending: boolean
  /** What is being sent may have gone to a bucket that is not there any more. */
  isInDoubt: boolean
}

/** So long it waits before it says again what the bus did not take. */
const againAfterMillis = 300

/** The facts of one actor, who alone writes them. */
export class Desk {
  readonly #bus: Bus
  readonly #party: Party
  readonly #said = new Map<string, Said>()

  constructor(bus: Bus, party: Party) {
    this.#bus = bus
    this.#party = party
  }

  /** What a key is to hold by it. */
  wanted(bucket: string, key: string): Json | undefined {
    const text = this.#said.get(`${bucket} ${key}`)?.wanted
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** The keys of a bucket that are to be there by it. */
  keys(bucket: string): ReadonlyArray<string> {
    return [...this.#said.values()].filter((said) => said.bucket === bucket && said.wanted !== undefined)
      .map(({ key }) => key)
  }

  /** Has a key hold this from now on. */
  put(bucket: string, key: string, json: Json): void {
    this.putText(bucket, key, JSON.stringify(json))
  }

  /** Has a key deleted, where it was there by it. */
  delete(bucket: string, key: string): void {
    if (this.#said.has(`${bucket} ${key}`)) {
      this.putText(bucket, key, undefined)
    }
  }

  /** Has a key hold this text, which need be no JSON. */
  putText(bucket: string, key: string, text: string | undefined): void {
    const id = `${bucket} ${key}`
    const said = this.#said.get(id) ??
      { bucket, key, wanted: undefined, taken: undefined, isSending: false, isInDoubt: false }
    this.#said.set(id, said)
    said.wanted = text
    this.#send(said)
  }

  /** A bucket holds nothing of it any more: all is said again. */
  sayAgain(bucket: string): void {
    for (const said of this.#said.values()) {
      if (said.bucket === bucket) {
        said.taken = { text: undefined }
        said.isInDoubt = said.isSending
        this.#send(said)
      }
    }
  }

  #send(said: Said): void {
    const { bucket, key, wanted: text } = said
    if (said.isSending || (said.taken !== undefined && said.taken.text === text)) {
      return
    }
    said.isSending = true
    said.taken = undefined
    this.#bus.send({ by: this.#party, bucket, key, text, follows: "any" }, (reply) => {
      said.isSending = false
      if ("wrong" in reply) {
        this.#bus.schedule.after(againAfterMillis, () => this.#send(said))
      } else {
        said.taken = said.isInDoubt ? undefined : { text }
        said.isInDoubt = false
        this.#send(said)
      }
    })
  }
}
