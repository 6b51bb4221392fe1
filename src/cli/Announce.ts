/**
 * What takes long says so, on standard error and on a terminal alone: one line, which is wiped when it is done.
 */
import * as Effect from "effect/Effect"
import type { Snapshot } from "../core/Snapshot.ts"
import { visible } from "./Visible.ts"

/** Work that a person at a terminal sees being done, where there is enough of it to be noticed. */
export const announced = <A, E, R>(
  what: string,
  isLong: boolean,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  !isLong || process.stderr.isTTY !== true
    ? work
    : Effect.acquireUseRelease(
      say(`${visible(what)}…`),
      // The line must be on the terminal before work that leaves no time for it begins.
      () => Effect.andThen(Effect.yieldNow, work),
      () => say("")
    )

/** Work whose progress a person at a terminal sees, in one line that is written anew as it goes on. */
export const progressing = <A, E, R>(text: () => string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  process.stderr.isTTY !== true ? work : Effect.ensuring(
    Effect.raceFirst(
      work,
      Effect.forever(Effect.andThen(Effect.suspend(() => say(`${visible(text())}…`)), Effect.sleep("100 millis")))
    ),
    say("")
  )

const say = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`\r\u001b[K${text}`)
  })

/** Whether a text takes long to be read. */
export const isLongText = (text: string): boolean => text.length > shortCharactersMax

/** Whether it takes long to decide what follows from a snapshot. */
export const isLongSnapshot = ({ buckets }: Snapshot): boolean =>
  Object.values(buckets).some((keys) => Object.keys(keys).length > shortKeysMax)

const shortCharactersMax = 4_000_000
const shortKeysMax = 10_000
