/**
 * All laws of the protocol, in its order.
 */
import { askLaws } from "./AskLaws.ts"
import { choiceLaws } from "./ChoiceLaws.ts"
import { decideLaws } from "./DecideLaws.ts"
import { factsLaws } from "./FactsLaws.ts"
import { findLaws } from "./FindLaws.ts"
import { heldLaws } from "./HeldLaws.ts"
import type { Decide, Law } from "./Law.ts"
import { outcomeLaws } from "./OutcomeLaws.ts"
import { planLaws } from "./PlanLaws.ts"
import { provisionLaws } from "./ProvisionLaws.ts"
import { registryLaws } from "./RegistryLaws.ts"
import { wordLaws } from "./WordLaws.ts"

const all = [
  ...decideLaws,
  ...factsLaws,
  ...registryLaws,
  ...provisionLaws,
  ...findLaws,
  ...heldLaws,
  ...choiceLaws,
  ...outcomeLaws,
  ...askLaws,
  ...planLaws,
  ...wordLaws
]

/**
 * The laws of the protocol (§3 to §7, §9), each held against what decides: the core's `decide`, or that with a rule of one's
 * own. Each is a property of fast-check, with its sentence and its paragraph; `check` tries it, and where it does not hold
 * throws an error that tells the smallest mesh that was found as a story.
 *
 * @param decide decides all from facts, as a provisioner's `decide` does.
 *
 * @example
 * ```ts
 * import { decide } from "mesh-provisioner/core"
 * import { laws } from "mesh-provisioner/testing"
 *
 * const oneWanted = laws(decide).find(({ sentence }) => sentence === "no claim is wanted of two")
 * oneWanted?.paragraph // "§6, §6.1"
 * oneWanted?.check({ runs: 10 })
 * ```
 */
export const laws = (decide: Decide): ReadonlyArray<Law> => all.map((law) => law(decide))
