/**
 * Long work in slices: who asks a verb meanwhile, or has a signal, waits for one slice and not for all of it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** How long one slice may last. */
export const sliceMillisMax = 10

/** So many steps are done between two looks at the clock. */
const stepsBetweenLooks = 32

/** Does steps of some microseconds each, until one says that it was the last, and lets others have their turn after each slice. */
export const inSlices = (step: () => boolean): Effect.Effect<void> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    // Gives whether all is done.
    const slice = (): boolean => {
      const until = clock.monotonicTimeNanosUnsafe() + sliceNanosMax
      do {
        for (let count = 0; count < stepsBetweenLooks; count++) {
          if (!step()) {
            return true
          }
        }
      } while (clock.monotonicTimeNanosUnsafe() < until)
      return false
    }
    const run: Effect.Effect<void> = Effect.suspend(() =>
      slice() ? Effect.void : Effect.flatMap(Effect.yieldNow, () => run)
    )
    return run
  })

const sliceNanosMax = BigInt(sliceMillisMax) * 1_000_000n

/** So many things are decided in a slice at first, and never fewer. */
export const thingsDecidedAtOnceMin = 100

/**
 * How many things are to be decided in the next slice, where so many took so long: about as many as take the time of one,
 * and no more than twice as many.
 */
export const thingsMaxAfter = (things: number, millis: number): number => {
  const ratio = Math.min(2, Math.max(0.25, sliceMillisMax / Math.max(millis, 0.1)))
  return Math.min(thingsDecidedAtOnceMax, Math.max(thingsDecidedAtOnceMin, Math.round(things * ratio)))
}

// What is cheap is done by then too, and what is dear after it lasts no longer than two slices.
const thingsDecidedAtOnceMax = 2_500
