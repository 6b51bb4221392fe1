/**
 * Log lines of what happens many thousand times a second, without a fiber for each.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"

/** Logs a line with its notes. */
export type Say = (words: string, notes: { readonly [name: string]: unknown }) => void

/** What logs lines at level Info, as `Effect.logInfo` does, in the name of the fiber that asks for it: while that waits. */
export const saying: Effect.Effect<Say> = Effect.withFiber((fiber) => Effect.succeed(sayingOf(fiber)))

const sayingOf = (fiber: Fiber.Fiber<unknown, unknown>): Say => {
  const loggers = fiber.getRef(Logger.CurrentLoggers)
  const clock = fiber.getRef(Clock.Clock)
  if (LogLevel.isGreaterThan(fiber.getRef(References.MinimumLogLevel), "Info") || loggers.size === 0) {
    return () => {}
  }
  return (words, notes) => {
    const before = fiber.context
    const annotations = { ...fiber.getRef(References.CurrentLogAnnotations), ...notes }
    fiber.setContext(Context.add(before, References.CurrentLogAnnotations, annotations))
    try {
      const date = new Date(clock.currentTimeMillisUnsafe())
      for (const logger of loggers) {
        logger.log({ cause: Cause.empty, fiber, date, logLevel: "Info", message: [words] })
      }
    } finally {
      fiber.setContext(before)
    }
  }
}
