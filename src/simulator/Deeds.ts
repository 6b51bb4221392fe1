/**
 * What each deed of a plot does to a simulated mesh, and what it is called in a story.
 */
import { faultDeeds } from "./FaultDeeds.ts"
import { meshDeeds } from "./MeshDeeds.ts"
import type { Happening } from "./Plot.ts"
import type { World } from "./World.ts"

const deeds = { ...meshDeeds, ...faultDeeds }

/** Has something happen; gives what it is called. */
export const happen = (world: World, happening: Happening): string => deeds[happening.deed](world, happening)
