/**
 * What runs until it is told to stop.
 */
import * as Effect from "effect/Effect"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Waits for Ctrl-C (SIGINT), SIGTERM or SIGHUP. One more ends the process where it stands; but not at once: of one Ctrl-C, npm
 * makes two. Under npm the process does not end before the second has come: it would be killed by it on its way out.
 */
export const untilStopped: Effect.Effect<void> = Effect.callback<void>((resume) => {
  let stoppedAt: number | undefined
  let secondDue: NodeJS.Timeout | undefined
  const hear = (signal: NodeJS.Signals) => {
    if (stoppedAt === undefined) {
      stoppedAt = performance.now()
      if (isUnderNpm) secondDue = setTimeout(() => undefined, sameMillisMax)
      resume(Effect.void)
      return
    }
    clearTimeout(secondDue)
    if (performance.now() - stoppedAt > sameMillisMax) {
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

const isUnderNpm = process.env["npm_lifecycle_event"] !== undefined
