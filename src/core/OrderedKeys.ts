/**
 * Keys in the order of their code units, kept up key by key: what pages are read from (protocol §8) without sorting all there is.
 * Many keys are taken in some at a time.
 */

/** A block over this many keys becomes two. */
const blockKeysMax = 512

/** Keys in order. */
export class OrderedKeys {
  /** Each in order, and all of them; none is empty but the only one. */
  readonly #blocks: Array<Array<string>> = [[]]
  #rest: Iterator<string> | undefined

  /** Of these, which are taken in by `fill`; one that is gone till then must not come. */
  constructor(keys: Iterable<string>) {
    this.#rest = keys[Symbol.iterator]()
  }

  /** Whether all keys are taken in. */
  get isWhole(): boolean {
    return this.#rest === undefined
  }

  /** Takes so many keys more in, and says whether these were the last. */
  fill(keysMax: number): boolean {
    for (let count = 0; count < keysMax && this.#rest !== undefined; count++) {
      const { done, value } = this.#rest.next()
      if (done === true) {
        this.#rest = undefined
      } else {
        this.add(value)
      }
    }
    return this.isWhole
  }

  /** A key is there. */
  add(key: string): void {
    const at = this.#blockOf(key)
    const block = this.#blocks[at] ?? []
    const place = placeIn(block, key)
    if (block[place] === key) {
      return
    }
    block.splice(place, 0, key)
    if (block.length > blockKeysMax) {
      this.#blocks.splice(at + 1, 0, block.splice(blockKeysMax / 2))
    }
  }

  /** A key is gone. */
  remove(key: string): void {
    const at = this.#blockOf(key)
    const block = this.#blocks[at] ?? []
    const place = placeIn(block, key)
    if (block[place] === key) {
      block.splice(place, 1)
      if (block.length === 0 && this.#blocks.length > 1) {
        this.#blocks.splice(at, 1)
      }
    }
  }

  /** The keys from one on, in order. */
  *from(key: string): Iterable<string> {
    let place = placeIn(this.#blocks[this.#blockOf(key)] ?? [], key)
    for (let at = this.#blockOf(key); at < this.#blocks.length; at++) {
      const block = this.#blocks[at] ?? []
      for (; place < block.length; place++) {
        yield block[place] ?? ""
      }
      place = 0
    }
  }

  /** The last block that begins at or before a key; the first where none does. */
  #blockOf(key: string): number {
    let low = 0
    for (let high = this.#blocks.length; low + 1 < high;) {
      const middle = (low + high) >>> 1
      if ((this.#blocks[middle]?.[0] ?? "") <= key) {
        low = middle
      } else {
        high = middle
      }
    }
    return low
  }
}

/** Where a key stands in a block, or would. */
const placeIn = (block: ReadonlyArray<string>, key: string): number => {
  let low = 0
  for (let high = block.length; low < high;) {
    const middle = (low + high) >>> 1
    if ((block[middle] ?? "") < key) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low
}
