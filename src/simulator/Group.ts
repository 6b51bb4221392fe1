/**
 * Keys by what they are looked up by.
 */

/** Keys, by what they are looked up by. */
export class Group {
  readonly #keys = new Map<string, Set<string>>()

  add(id: string, key: string): void {
    const keys = this.#keys.get(id)
    if (keys === undefined) {
      this.#keys.set(id, new Set([key]))
    } else {
      keys.add(key)
    }
  }

  remove(id: string, key: string): void {
    const keys = this.#keys.get(id)
    if (keys?.delete(key) === true && keys.size === 0) {
      this.#keys.delete(id)
    }
  }

  /** What there are keys of. */
  ids(): Iterable<string> {
    return this.#keys.keys()
  }

  /** Nothing is kept any more. */
  clear(): void {
    this.#keys.clear()
  }

  of(id: string): ReadonlySet<string> {
    return this.#keys.get(id) ?? none
  }
}

const none: ReadonlySet<string> = new Set()
