/**
 * What was written to a simulated bus, as bytes and as JSON: each text is turned into bytes once while it comes again and
 * again, and its JSON is read where anyone asks for it.
 */
import type { Json } from "../core/Json.ts"
import { writeUtf8 } from "./Utf8.ts"

/** So many texts are kept. */
const textsMax = 10_000

/** Texts that were written. */
export class Texts {
  readonly #bytes = new Map<string, Uint8Array>()
  readonly #written = new WeakMap<Uint8Array, Written>()

  /** The bytes of a text. */
  bytesOf(text: string): Uint8Array {
    const known = this.#bytes.get(text)
    if (known !== undefined) {
      return known
    }
    if (this.#bytes.size === textsMax) {
      this.#bytes.clear()
    }
    const bytes = writeUtf8(text)
    this.#bytes.set(text, bytes)
    this.#written.set(bytes, { text, json: undefined })
    return bytes
  }

  /** The JSON of such bytes, `undefined` where they are none. */
  jsonOf(bytes: Uint8Array): Json | undefined {
    const written = this.#written.get(bytes)
    if (written?.text !== undefined) {
      written.json = parsed(written.text)
      written.text = undefined
    }
    return written?.json
  }
}

/** The text at first, and its JSON once anyone has asked for it. */
interface Written {
  text: string | undefined
  json: Json | undefined
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
