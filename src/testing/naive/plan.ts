/**
 * The twin's plans (protocol §7).
 */
import type { ModuleOn, PlanState, Waits } from "../../core/Decision.ts"
import type { Facts } from "./facts.ts"
import { assignmentOf, isSame, type Json, keyOf, type Need, needsOf, valueAt } from "./mesh.ts"
import { digest, join } from "./name.ts"
import type { NaiveProvision } from "./provision.ts"

export interface NaivePlan {
  readonly build?: string
  readonly state: PlanState
  readonly waits?: Waits
  readonly blocked?: ReadonlyArray<string>
  readonly needs: { readonly [need: string]: Pick<NaiveProvision, "state" | "find" | "provider" | "version"> }
  readonly digest: string
}

type Provisions = ReadonlyMap<string, NaiveProvision>

export const plansOf = (facts: Facts, provisions: Provisions): Map<string, NaivePlan> => {
  const plans = new Map<string, NaivePlan>()
  for (const { names: [node = "", module = ""], value } of facts.assignments) {
    if (value !== undefined) {
      plans.set(keyOf({ node, module }), planOf(facts, provisions, { node, module }))
    }
  }
  for (const { consumer } of needsOf(facts)) {
    plans.set(keyOf(consumer), planOf(facts, provisions, consumer))
  }
  return plans
}

const worstFirst = ["refused", "failed", "asked"]

const planOf = (facts: Facts, provisions: Provisions, consumer: ModuleOn): NaivePlan => {
  const all = needsOf(facts).filter((need) => isSame(need.consumer, consumer)).flatMap((need) => {
    const provision = provisions.get(need.key)
    return provision === undefined ? [] : [{ need, key: join(need.kind, need.name), provision }]
  })
  const blocked = all
    .filter(({ need, provision }) => counts(need) && provision.state !== "provided")
    .sort((one, other) =>
      worstFirst.indexOf(one.provision.state) - worstFirst.indexOf(other.provision.state) ||
      (one.key < other.key ? -1 : 1)
    )
  const assignment = assignmentOf(facts, consumer)
  const build = assignment === undefined ? {} : { build: assignment.build }
  const first = blocked.map(({ provision }) => provision.waits).find((waits) => waits !== undefined)
  const waits = assignment === undefined
    ? { bucket: "mesh-controller_assignments", key: keyOf(consumer) }
    : first
  return {
    ...build,
    state: stateOf(facts, consumer, blocked[0]?.provision.state),
    ...(waits === undefined ? {} : { waits }),
    ...(blocked.length === 0 ? {} : { blocked: blocked.map(({ key }) => key) }),
    needs: Object.fromEntries(all.map(({ key, provision }) => [key, whatIsSaid(provision)])),
    digest: digest({
      ...build,
      needs: Object.fromEntries(all.map(({ key, provision }) => [key, whatIsRead(provision)]))
    })
  }
}

const counts = (need: Need): boolean => need.value === undefined || need.value.optional !== true

const stateOf = (facts: Facts, consumer: ModuleOn, worst: string | undefined): PlanState => {
  const assignment = assignmentOf(facts, consumer)
  if (assignment === undefined) {
    return "waiting"
  }
  if (worst === undefined) {
    return "ready"
  }
  const applied = valueAt(facts.applied, keyOf(consumer))
  if (
    applied !== undefined &&
    (applied.instance === undefined || assignment.instance === undefined || applied.instance === assignment.instance)
  ) {
    return "degraded"
  }
  return worst === "refused" || worst === "failed" ? worst : "waiting"
}

const whatIsSaid = ({ find, provider, state, version }: NaiveProvision): NaivePlan["needs"][string] => ({
  state,
  ...(find === undefined ? {} : { find }),
  ...(provider === undefined ? {} : { provider }),
  ...(version === undefined ? {} : { version })
})

const whatIsRead = ({ find, version }: NaiveProvision): Json => ({
  ...(find === undefined ? {} : { find: asJson(find) }),
  ...(version === undefined ? {} : { version })
})

const asJson = (value: object): Json => JSON.parse(JSON.stringify(value))
