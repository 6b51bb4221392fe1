/**
 * The laws of a plan (protocol §7): it is ready exactly when all that counts is provided, and it names all that is needed.
 */
import type { Plan, Provision } from "../core/Decision.ts"
import { isJsonObject } from "../core/Json.ts"
import { assignmentIn, type Knowledge } from "./Knowledge.ts"

/** What is wrong with a plan by the facts and the decisions on its needs, if anything. */
export const wrongPlan = (
  facts: Knowledge,
  consumer: string,
  plan: Plan,
  provisions: Iterable<readonly [key: string, provision: Provision]>
): string | undefined => {
  const open: Array<string> = []
  let count = 0
  for (const [key, { state }] of provisions) {
    const name = key.slice(consumer.length + 1)
    const need = facts.get("mesh-provisioner_needs", key)
    const counts = !isJsonObject(need) || need["optional"] !== true
    count += 1
    if (plan.needs[name]?.state !== state) {
      return `it says another state of ${name} than was decided`
    }
    if (counts && state !== "provided") {
      open.push(name)
    }
  }
  const isReady = open.length === 0 && assignmentIn(facts, consumer) !== undefined
  if (isReady !== (plan.state === "ready")) {
    return `it is ${plan.state}, and what counts and is open is ${open.join(", ") || "nothing"}`
  }
  return Object.keys(plan.needs).length === count && (plan.blocked ?? []).length === open.length
    ? undefined
    : "it names other needs than there are, or is blocked by others than are open"
}
