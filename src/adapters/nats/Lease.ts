/**
 * For how long the seat is held for certain: pure, but for a clock that nobody sets.
 */

/** A lease of the seat. It counts from before its last renewal was sent, and ends a margin before the key can expire. */
export class Lease {
  readonly #timeToLiveMillis: number
  #until = 0
  #revision: number | undefined

  constructor(timeToLiveMillis: number) {
    this.#timeToLiveMillis = timeToLiveMillis
  }

  /** The key's revision, as this lease wrote it last; none where it never was. */
  get revision(): number | undefined {
    return this.#revision
  }

  get isHeld(): boolean {
    return this.leftMillis > 0
  }

  get leftMillis(): number {
    return this.#until - performance.now()
  }

  /** How long a renewal is waited with: two may fail before the lease runs out. */
  get renewEveryMillis(): number {
    return this.#timeToLiveMillis / 3
  }

  /** How often whoever stands by looks, and a renewal that failed is tried again. */
  get beatMillis(): number {
    return Math.min(1_000, this.#timeToLiveMillis / 10)
  }

  /** It was renewed by a put that was sent at this time, by `performance.now`. */
  renewed(revision: number, sentAt: number): void {
    this.#revision = revision
    this.#until = sentAt + this.#timeToLiveMillis * 0.9
  }

  /** It is held no longer. */
  end(): void {
    this.#until = 0
  }
}
