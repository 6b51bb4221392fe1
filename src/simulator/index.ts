/**
 * A simulated mesh: all its parts but the bus and the clock are drawn from a seed and played in virtual time, with faults, and
 * each step is held against the laws of the protocol. The provisioners in it are this package's own.
 *
 * @example
 * ```ts
 * import { simulate } from "mesh-provisioner/simulator"
 *
 * simulate({ seed: 7, steps: 2_000 }).failure // undefined
 * ```
 */
export { type Law, laws } from "./Laws.ts"
export type { Audience, Chapter, Failure, Setting, Told } from "./Play.ts"
export { type Deed, type FaultDeed, type FaultKind, faultKinds, type Happening, type MeshDeed } from "./Plot.ts"
export type { Held, Judge } from "./RestLaw.ts"
export { replay, shrink, type ShrinkOptions, type Story } from "./Shrink.ts"
export { simulate, type Simulated, type SimulateOptions } from "./Simulation.ts"
export { sentenceOf, tell } from "./Tell.ts"
export type { Shell } from "./World.ts"
