/**
 * The testing kit: what the project holds itself to, for whoever writes a rule or a part of a mesh. Its arbitraries and laws
 * are of fast-check, which is to be installed beside it.
 *
 * What decides, by a rule of your own, is held against every law of the protocol in the tests that you have:
 *
 * ```ts
 * import { decide, type Decisions, type Facts } from "mesh-provisioner/core"
 * import { laws } from "mesh-provisioner/testing"
 *
 * const myDecide = (facts: Facts): Decisions => decide(facts)
 *
 * const register = (test: (name: string, run: () => void) => void): void => {
 *   for (const { check, paragraph, sentence } of laws(myDecide)) {
 *     test(`${sentence} (${paragraph})`, () => void check())
 *   }
 * }
 * ```
 *
 * And a bus of your own against the contract of every bus: {@link conformance}.
 */
export { coherentMesh } from "./arbitrary/CoherentMesh.ts"
export { type History, historyOf } from "./arbitrary/History.ts"
export { anyFact, anyKey } from "./arbitrary/Keys.ts"
export type { Turn } from "./arbitrary/LeavingOut.ts"
export { type Loss, lossOf, type LossOptions } from "./arbitrary/Loss.ts"
export { anyModuleName, anyName, anyText } from "./arbitrary/Names.ts"
export type { Place } from "./arbitrary/Snapshots.ts"
export { anyHistory } from "./arbitrary/Walk.ts"
export { wildMesh } from "./arbitrary/WildMesh.ts"
export { BusDoor, type BusLaw } from "./conformance/BusDoor.ts"
export { busLaws, conformance, type TestRunner } from "./conformance/Conformance.ts"
export { must } from "./laws/Broken.ts"
export {
  type CheckOptions,
  type Decide,
  type DecideOn,
  type Law,
  type LawOf,
  lawOf,
  type LawSpec,
  type Least,
  Met
} from "./laws/Law.ts"
export { laws } from "./laws/Laws.ts"
export { tellMesh } from "./laws/Tell.ts"
export { twinLaw } from "./laws/TwinLaw.ts"
