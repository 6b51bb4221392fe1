/**
 * What goes wrong on a real bus, on purpose: for tests of services that stand on it. A bucket that is deleted under its
 * readers is `MemoryBus.deleteBucket`.
 */
import * as Effect from "effect/Effect"
import type { State } from "./State.ts"

/**
 * The faults that a memory bus can be given.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { MemoryBus } from "mesh-provisioner/adapters/memory"
 *
 * const program = Effect.gen(function*() {
 *   const { as, faults } = yield* MemoryBus
 *   const bus = as({ role: "controller" })
 *   yield* faults.loseNextAnswer
 *   const error = yield* Effect.flip(bus.create("mesh-controller_machines", "n1", new TextEncoder().encode("{}")))
 *   const found = yield* bus.get("mesh-controller_machines", "n1")
 *   return [error.reason._tag, found._tag]
 * }).pipe(Effect.provide(MemoryBus.layer()))
 *
 * await Effect.runPromise(program) // ["Unreachable", "Some"]
 * ```
 */
export interface Faults {
  /** Ends the reading of a bucket that stays: its followers fail with `Lost`, and can follow it again. */
  readonly endReading: (bucket: string) => Effect.Effect<void>
  /** The bus is gone: every follower and every call fails with `Unreachable`, until `restore`. What it holds stays. */
  readonly cutOff: Effect.Effect<void>
  /** The bus is back. Followers that failed follow again. */
  readonly restore: Effect.Effect<void>
  /** The next write that would succeed is done, and fails with `Unreachable` all the same: its answer was lost. */
  readonly loseNextAnswer: Effect.Effect<void>
  /** The next write that would succeed is not done, and fails with `Unreachable`: its writer sees the same. */
  readonly loseNextWrite: Effect.Effect<void>
}

/** The faults of a memory bus. */
export const makeFaults = (state: State): Faults => ({
  endReading: (bucket) => Effect.sync(() => state.endReading(bucket)),
  cutOff: Effect.sync(() => state.cutOff()),
  restore: Effect.sync(() => {
    state.reachable = true
  }),
  loseNextAnswer: Effect.sync(() => {
    state.losses.push("answer")
  }),
  loseNextWrite: Effect.sync(() => {
    state.losses.push("write")
  })
})
