/**
 * Seeds of simulated meshes in which something was wrong once, each with a name: they are played for good.
 */
import type { FaultKind } from "../../src/simulator/index.ts"

/** A seed that failed once. */
export interface NamedSeed {
  readonly name: string
  readonly seed: number
  readonly steps: number
  readonly faults?: ReadonlyArray<FaultKind>
}

/** The seeds. */
export const namedSeeds: ReadonlyArray<NamedSeed> = [
  { name: "a provider that is asked while it is down answers when it is up again", seed: 2, steps: 1_500 },
  {
    name: "who takes a claim over undoes what the other made once that is answered",
    seed: 8,
    steps: 4_500,
    faults: []
  },
  { name: "a provider says again what it made where its bucket came back empty", seed: 18, steps: 11_000 },
  { name: "a frozen provisioner that wakes hears what it missed in its order", seed: 41, steps: 10_000 },
  { name: "a write that was refused is made up for when the whole is compared", seed: 6_025, steps: 10_000 },
  { name: "what changes while a provider looks at its asks anew is seen", seed: 6_085, steps: 10_000 }
]
