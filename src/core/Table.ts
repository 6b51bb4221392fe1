/**
 * The facts of one bucket, by key.
 */
import { type Fact, type FactReader, isNamed, isSound, type NamedFact, type SoundFact, type Value } from "./Decode.ts"
import type { Part, TokenReader } from "./Key.ts"
import { Often } from "./Often.ts"

/** The facts of one bucket, by key. */
export class Table<P extends Part = never, A = unknown> {
  readonly #read: (key: string, value: Value) => Fact<P, A>
  readonly #facts = new Map<string, Fact<P, A>>()

  constructor(reader: FactReader<P, A>, tokens: TokenReader) {
    const shared = { tokens, often: new Often<A>() }
    this.#read = (key, value) => reader.read(key, value, shared)
  }

  /** Every fact, in shape or not. */
  all(): Iterable<Fact<P, A>> {
    return this.#facts.values()
  }

  /** The facts whose key is in shape. */
  *named(): Iterable<NamedFact<P, A>> {
    for (const fact of this.#facts.values()) {
      if (isNamed(fact)) {
        yield fact
      }
    }
  }

  /** The facts in shape. */
  *sound(): Iterable<SoundFact<P, A>> {
    for (const fact of this.#facts.values()) {
      if (isSound(fact)) {
        yield fact
      }
    }
  }

  /** The fact at a key, in shape or not. */
  fact(key: string): Fact<P, A> | undefined {
    return this.#facts.get(key)
  }

  /** The value at a key; a fact out of shape counts as absent (protocol §3). */
  value(key: string): A | undefined {
    return this.#facts.get(key)?.value
  }

  /** How many keys the bucket holds. */
  get size(): number {
    return this.#facts.size
  }

  /** What a key that holds a value says, without keeping it. */
  read(key: string, value: Value): Fact<P, A> {
    return this.#read(key, value)
  }

  /** Keeps what a key says now, as it was read; nothing where the key is gone. */
  keep(key: string, fact: Fact<P, A> | undefined): void {
    if (fact === undefined) {
      this.#facts.delete(key)
    } else {
      this.#facts.set(key, fact)
    }
  }

  /** Keeps what a key holds now. */
  put(key: string, value: Value): void {
    this.keep(key, this.read(key, value))
  }

  /** The key is gone. */
  remove(key: string): void {
    this.keep(key, undefined)
  }

  /** Every key is gone. */
  clear(): void {
    this.#facts.clear()
  }
}

/** The facts of one bucket as others may read them. */
export type TableView<P extends Part = never, A = unknown> = Pick<
  Table<P, A>,
  "all" | "fact" | "named" | "size" | "sound" | "value"
>
