/**
 * Texts as the bytes that are sent, many of them in one piece of memory: a piece for each takes longer than the rest of it.
 */

/** Writes texts as UTF-8. */
export class Bytes {
  readonly #encoder = new TextEncoder()
  #piece = new Uint8Array(pieceBytes)
  #used = 0

  /** The bytes of a text. They may share memory with those of others, and are not to be altered. */
  of(text: string): Uint8Array {
    if (text.length * bytesOfUnitMax > pieceBytes) {
      return this.#encoder.encode(text)
    }
    if (this.#used + text.length * bytesOfUnitMax > pieceBytes) {
      this.#piece = new Uint8Array(pieceBytes)
      this.#used = 0
    }
    const { written } = this.#encoder.encodeInto(text, this.#piece.subarray(this.#used))
    this.#used += written
    return this.#piece.subarray(this.#used - written, this.#used)
  }
}

const pieceBytes = 65_536

/** The most bytes that a unit of a text comes to. */
const bytesOfUnitMax = 3
