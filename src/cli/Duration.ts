/**
 * Lengths of time, as a command line takes them.
 */
import * as Effect from "effect/Effect"
import { type Failure, usage } from "./Failure.ts"

const millisOf = new Map([["ms", 1], ["s", 1_000], ["m", 60_000], ["h", 3_600_000]])

/** A length of time, written as a number and its unit (`500ms`, `10s`, `1m`, `1h`), in whole milliseconds. `name` is the flag's. */
export const readMillis = (name: string, text: string): Effect.Effect<number, Failure> => {
  const [, number = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? []
  const millis = Math.round(Number(number) * (millisOf.get(unit) ?? 0))
  return number === "" || millis === 0
    ? Effect.fail(usage(`${name} cannot be ${text}. Give it a number and its unit, as 500ms, 10s, 1m or 1h.`))
    : Effect.succeed(millis)
}
