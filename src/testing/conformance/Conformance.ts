/**
 * The contract of the port `Bus` (protocol §9): what every bus must do, whatever it is made of. Each law is one of
 * `ports/Bus`, and each adapter of this package is held to this one suite.
 *
 * It knows no test runner: it is handed one, or its laws are run as the effects that they are.
 */
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { BusDoor, BusLaw } from "./BusDoor.ts"
import { keysAndValues } from "./BusKeys.ts"
import { permissions } from "./BusPermissions.ts"
import { bucketsComeAndGo, followLive, followStart } from "./BusReading.ts"
import { compareAndSet, errors, histories } from "./BusWriting.ts"

/**
 * The laws of the bus (protocol §2, §3, §9), by what they are of. Each is an effect that needs a {@link BusDoor}.
 *
 * They run on the real clock, one after the other: of one bus each takes buckets of its own, and what the permissions
 * write under the buckets of the protocol they delete again.
 *
 * @example
 * ```ts
 * import { busLaws } from "mesh-provisioner/testing"
 *
 * busLaws.map(({ part }) => part)[3] // "compare-and-set"
 * busLaws[3]?.laws[0]?.name // "create writes what is absent, and conflicts with what is there"
 * ```
 */
export const busLaws: ReadonlyArray<{ readonly part: string; readonly laws: ReadonlyArray<BusLaw> }> = [
  { part: "the start of a bucket", laws: followStart },
  { part: "what follows the start", laws: followLive },
  { part: "buckets come and go", laws: bucketsComeAndGo },
  { part: "compare-and-set", laws: compareAndSet },
  { part: "history", laws: histories },
  { part: "keys and values", laws: keysAndValues },
  { part: "errors", laws: errors },
  { part: "permissions (§3, §9)", laws: permissions }
]

/**
 * What registers tests: the functions of these names of vitest, jest or bun, or of `node:test`, whose `afterAll` is called
 * `after`. The last argument of `test` is the most milliseconds that it may take.
 */
export interface TestRunner {
  readonly describe: (name: string, register: () => void) => unknown
  readonly test: (name: string, run: () => Promise<void>, millisMax: number) => unknown
  readonly afterAll: (close: () => Promise<void>) => unknown
}

/** Bounds a bus that never answers; the largest law reads 100,000 keys. */
const millisMax = 60_000

/**
 * Registers a test for each law of the bus (protocol §2, §3, §9): hand in the bus that is to keep them, and what registers tests. One bus is
 * opened for all of them, when the first test runs, and closed after the last.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { BusDoor, conformance } from "mesh-provisioner/testing"
 *
 * declare const makeDoor: Effect.Effect<BusDoor["Service"]>
 *
 * const register = async () => {
 *   const { after, describe, test } = await import("node:test")
 *   conformance(Layer.effect(BusDoor, makeDoor), { afterAll: after, describe, test })
 * }
 * ```
 */
export const conformance = <E>(door: Layer.Layer<BusDoor, E>, { afterAll, describe, test }: TestRunner): void => {
  const runtime = ManagedRuntime.make(door)
  afterAll(() => runtime.dispose())
  for (const { laws, part } of busLaws) {
    describe(part, () => {
      for (const { name, run } of laws) {
        test(name, () => runtime.runPromise(run), millisMax)
      }
    })
  }
}
