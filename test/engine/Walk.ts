/**
 * Walks for the engine: endless histories of a bus. One walk of three is over a mesh in which there is a little of everything,
 * and needs of one claim that differ.
 */
import * as fc from "fast-check"
import type { EngineChange } from "../../src/core/Engine.ts"
import type { History } from "../../src/testing/arbitrary/History.ts"
import { anyPair, walksOver } from "../../src/testing/arbitrary/Walk.ts"
import { smallMesh } from "./SmallMesh.ts"

/** Walks of so many changes after those that lead to their mesh. */
export const walks = (changesMore: number): fc.Arbitrary<History> =>
  fc.oneof(
    { weight: 2, arbitrary: walksOver(anyPair, changesMore) },
    { weight: 1, arbitrary: walksOver(fc.constant([smallMesh(false), smallMesh(true)] as const), changesMore) }
  )

/** The changes of the walk of a seed. */
export const walk = (seed: number, changesMore: number): ReadonlyArray<EngineChange> =>
  fc.sample(walks(changesMore), { seed, numRuns: 1 })[0]?.changes ?? []
