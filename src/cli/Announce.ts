/**
 * What takes long says so, on standard error and on a terminal alone: one line, which is wiped when it is done.
 */
import * as Effect from "effect/Effect"
import { visible } from "./Visible.ts"

/** Work that a person at a terminal sees being done. */
export const announced = <A, E, R>(what: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  process.stderr.isTTY !== true
    ? work
    : Effect.acquireUseRelease(
      say(`${visible(what)}…`),
      // The line must be on the terminal before work that leaves no time for it begins.
      () => Effect.andThen(Effect.yieldNow, work),
      () => say("")
    )

const say = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`\r\u001b[K${text}`)
  })
