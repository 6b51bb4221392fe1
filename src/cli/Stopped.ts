/**
 * What runs until it is told to stop.
 */
import * as Effect from "effect/Effect"

/** Waits for Ctrl-C (SIGINT), SIGTERM or SIGHUP. */
export const untilStopped: Effect.Effect<void> = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  signals.forEach((signal) => process.once(signal, stop))
  return Effect.sync(() => signals.forEach((signal) => process.off(signal, stop)))
})
