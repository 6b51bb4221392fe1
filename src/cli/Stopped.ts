/**
 * What runs until it is told to stop.
 */
import * as Effect from "effect/Effect"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Waits for Ctrl-C (SIGINT), SIGTERM or SIGHUP. One more ends the process where it stands; but not at once: of one Ctrl-C, npm
 * makes two.
 */
export const untilStopped: Effect.Effect<void> = Effect.callback<void>((resume) => {
  let stoppedAt: number | undefined
  const hear = (signal: NodeJS.Signals) => {
    if (stoppedAt === undefined) {
      stoppedAt = performance.now()
      resume(Effect.void)
    } else if (performance.now() - stoppedAt > sameMillisMax) {
      forget()
      process.kill(process.pid, signal)
    }
  }
  const forget = () => signals.forEach((signal) => process.off(signal, hear))
  signals.forEach((signal) => process.on(signal, hear))
  return Effect.sync(forget)
})

/** Signals so soon after the first are the same. */
const sameMillisMax = 500
