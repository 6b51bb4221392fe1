/**
 * Decisions by key as others may see them: read as they stand, and not to be changed.
 */

/** A map of what is made of the records of another, where they have any. */
export class View<R, A> implements ReadonlyMap<string, A> {
  readonly #records: ReadonlyMap<string, R>
  readonly #pick: (record: R) => A | undefined
  readonly #count: () => number

  constructor(records: ReadonlyMap<string, R>, pick: (record: R) => A | undefined, count: () => number) {
    this.#records = records
    this.#pick = pick
    this.#count = count
  }

  get size(): number {
    return this.#count()
  }

  get(key: string): A | undefined {
    const record = this.#records.get(key)
    return record === undefined ? undefined : this.#pick(record)
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  forEach(visit: (value: A, key: string, map: ReadonlyMap<string, A>) => void): void {
    for (const [key, value] of this) {
      visit(value, key, this)
    }
  }

  *entries(): MapIterator<[string, A]> {
    for (const [key, record] of this.#records) {
      const value = this.#pick(record)
      if (value !== undefined) {
        yield [key, value]
      }
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this) {
      yield key
    }
  }

  *values(): MapIterator<A> {
    for (const [, value] of this) {
      yield value
    }
  }

  [Symbol.iterator](): MapIterator<[string, A]> {
    return this.entries()
  }
}
