/**
 * The testing kit: what the project holds itself to, for whoever writes a part of a mesh.
 *
 * A bus of your own is held to the contract of every bus, in the tests that you have:
 *
 * ```ts
 * import { Layer } from "effect"
 * import { BusDoor, conformance, type TestRunner } from "mesh-provisioner/testing"
 *
 * const register = (door: Layer.Layer<BusDoor>, { afterAll, describe, test }: TestRunner): void => {
 *   describe("my bus", () => conformance(door, { afterAll, describe, test }))
 * }
 * ```
 */
export { BusDoor, type BusLaw } from "./conformance/BusDoor.ts"
export { busLaws, conformance, type TestRunner } from "./conformance/Conformance.ts"
