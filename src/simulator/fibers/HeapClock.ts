/**
 * The time of a provisioner's fibers in a simulated mesh: who sleeps is woken by the schedule that all else happens by, and
 * each look at the clock takes a moment, so that work in slices is done in slices.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Random } from "../Random.ts"

/** What a clock stands in. */
export interface ClockGround {
  /** The millisecond that it is in the mesh. */
  readonly now: () => number
  /** Has something done so many whole milliseconds later. */
  readonly after: (millis: number, run: () => void) => void
  readonly random: Random
}

/** A look at the clock takes no time, mostly, and at times as much as a slice of work may last, or more. */
const lookMillis = [0, 0, 0, 0, 0, 0, 1, 12] as const

const nanosPerMilli = 1_000_000n

/** A clock on a schedule. */
export class HeapClock implements Clock.Clock {
  readonly #ground: ClockGround
  /** How far the time of day is set wrong, in milliseconds. */
  #wrongMillis = 0
  /** The latest that was told, in milliseconds from the start of the mesh. */
  #toldMillis = 0

  constructor(ground: ClockGround) {
    this.#ground = ground
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  /** Sets the time of day, so many milliseconds on or back. */
  jump(millis: number): void {
    this.#wrongMillis += millis
  }

  currentTimeMillisUnsafe(): number {
    return this.#ground.now() + this.#wrongMillis
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.currentTimeMillisUnsafe()) * nanosPerMilli
  }

  monotonicTimeNanosUnsafe(): bigint {
    const { now, random } = this.#ground
    this.#toldMillis = Math.max(this.#toldMillis + random.among(lookMillis), now())
    return BigInt(this.#toldMillis) * nanosPerMilli
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Math.ceil(Duration.toMillis(duration))
    if (millis <= 0) {
      return Effect.yieldNow
    }
    return millis === Number.POSITIVE_INFINITY ? Effect.never : Effect.callback<void>((resume) => {
      this.#ground.after(millis, () => resume(Effect.void))
    })
  }
}
