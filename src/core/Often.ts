/**
 * Values that many keys of a bucket hold: each is read once and kept once, however many keys hold it.
 */

/** What texts say, by the sort of the key that holds them: of keys of one sort, the same text says the same. */
export class Often<A> {
  readonly #said = new Map<string, Map<string, A>>()

  /** What a text says, where it is known. */
  get(sort: string, text: string): A | undefined {
    return this.#said.get(sort)?.get(text)
  }

  /** Keeps what a text says; a long one is not likely to be met again. */
  keep(sort: string, text: string, value: A): void {
    if (text.length > textCharactersMax) {
      return
    }
    const known = this.#said.get(sort) ?? new Map<string, A>()
    if (known.size >= textsMax) {
      known.clear()
    }
    this.#said.set(sort, known.set(text, value))
  }
}

/** So many texts of a sort are kept; past it they are forgotten, and read anew. */
const textsMax = 1_024

const textCharactersMax = 256
