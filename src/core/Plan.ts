/**
 * Plans (protocol §7): everything that a module on a node needs, where each is found, and whether it may run. A plan
 * holds where values are and digests of them, never a value.
 */
import { bucketName } from "./BucketName.ts"
import type { Find, ModuleOn, Plan, PlanNeed, PlanState, Provision, SeatFind } from "./Decision.ts"
import { canonicalJson } from "./Digest.ts"
import type { Applied } from "./fact/Applied.ts"
import type { Assignment } from "./fact/Assignment.ts"
import { flat } from "./Flat.ts"
import { addTo } from "./Group.ts"
import { sameJson } from "./Json.ts"
import { assignmentKeyOf } from "./Key.ts"
import { planWhyNeedsMax } from "./Limits.ts"
import type { Mesh, NeedFact } from "./Mesh.ts"
import { readToken } from "./Name.ts"
import { planWhy } from "./Words.ts"

/** A need of one module on one node, with the decision on it. */
export interface PlannedNeed {
  /** `<kind>.<name>`, in tokens. */
  readonly planKey: string
  readonly counts: boolean
  readonly provision: Provision
}

/** A plan but for what it says of each need, which follows from the decisions on them. */
export type PlanHead = Omit<Plan, "needs">

/** The plan of every module on a node that is assigned or has a need, by its key (protocol §7). */
export const plansOf = (mesh: Mesh, provisions: ReadonlyMap<string, Provision>): ReadonlyMap<string, Plan> => {
  const consumers = new Map<string, Array<NeedFact>>()
  for (const { key } of mesh.facts.assignments.sound()) {
    consumers.set(key, [])
  }
  for (const need of mesh.facts.needs.named()) {
    addTo(consumers, assignmentKeyOf(need.key), need)
  }
  const plans = new Map<string, Plan>()
  for (const [key, needs] of consumers) {
    const planned = needs.flatMap((need) => plannedNeed(key, need, provisions.get(need.key))).sort(inOrderOfPlan)
    plans.set(key, planBy(planHeadOf(mesh, key, planned), planned))
  }
  return plans
}

const plannedNeed = (
  consumer: string,
  need: NeedFact,
  provision: Provision | undefined
): ReadonlyArray<PlannedNeed> =>
  provision === undefined
    ? []
    : [{ planKey: planKeyOf(consumer, need.key), counts: counts(need), provision }]

// A plan's needs are in the order of their keys.
const inOrderOfPlan = (one: PlannedNeed, other: PlannedNeed): number => one.planKey < other.planKey ? -1 : 1

/** A need's key in the plan of its consumer, which is named by the key of its assignment. */
export const planKeyOf = (consumer: string, need: string): string => need.slice(consumer.length + 1)

/** Whether a need counts for whether its module may run: one out of shape does. */
export const counts = (need: NeedFact | undefined): boolean => need?.value?.optional !== true

/** What a plan says of a need, by the decision on it. */
const planNeedOf = ({ find, provider, state, version }: Provision): PlanNeed => {
  if (find === undefined) {
    return {
      state,
      ...(provider === undefined ? {} : { provider }),
      ...(version === undefined ? {} : { version })
    }
  }
  if (version === undefined) {
    return provider === undefined ? { state, find } : { state, find, provider }
  }
  return provider === undefined ? { state, find, version } : { state, find, provider, version }
}

/** Whether a plan says the same of a need by one decision on it as by another. */
export const samePlanNeed = (one: Provision, other: Provision): boolean =>
  one.state === other.state && one.version === other.version && sameJson(one.find, other.find) &&
  sameJson(one.provider, other.provider)

/** The plan that a head begins, with what it says of each need, in the order of the plan. */
export const planBy = (head: PlanHead, planned: ReadonlyArray<PlannedNeed>): Plan => {
  const { blocked, build, digest, state, waits, why } = head
  const needs = byKey(planned, ({ provision }) => planNeedOf(provision))
  if (build !== undefined && waits === undefined) {
    return blocked === undefined
      ? { build, state, why, needs, digest }
      : { build, state, why, blocked, needs, digest }
  }
  return {
    ...(build === undefined ? {} : { build }),
    state,
    why,
    ...(waits === undefined ? {} : { waits }),
    ...(blocked === undefined ? {} : { blocked }),
    needs,
    digest
  }
}

/**
 * A plan but for what it says of each need.
 *
 * @param needs in the order of the plan.
 * @param known its digest, where nothing that it is over has changed.
 */
export const planHeadOf = (
  mesh: Mesh,
  consumer: string,
  needs: ReadonlyArray<PlannedNeed>,
  known?: string
): PlanHead => {
  const assignment = mesh.facts.assignments.value(consumer)
  const blocked = needs.some(isBlocking) ? needs.filter(isBlocking) : []
  const build = assignment?.build
  const digest = known ?? mesh.digestOfText(canonicalPlan(build, needs))
  if (build !== undefined && blocked.length === 0) {
    return { build, state: "ready", why: "", digest }
  }
  const verdict = judged(mesh, consumer, assignment, blocked.sort(worstFirst))
  return {
    ...(build === undefined ? {} : { build }),
    ...verdict,
    why: flat(verdict.why),
    ...(blocked.length === 0 ? {} : { blocked: blocked.map(({ planKey }) => planKey) }),
    digest
  }
}

const isBlocking = (need: PlannedNeed): boolean => need.provision.state !== "provided" && need.counts

// A key has a `.` in it, and so none of them is a name that JavaScript's objects have.
const byKey = <A>(needs: ReadonlyArray<PlannedNeed>, pick: (need: PlannedNeed) => A): { readonly [key: string]: A } => {
  const picked: { [key: string]: A } = {}
  for (const need of needs) {
    picked[need.planKey] = pick(need)
  }
  return picked
}

// --- the digest --------------------------------------------------------------------------------------------------

/**
 * The canonical JSON of what a plan's digest is over, needs in the order of the plan. It is written as it goes, since most changes
 * of a mesh come down to it; keys, buckets and digests have no character that JSON escapes (protocol §2, §3).
 */
const canonicalPlan = (build: string | undefined, planned: ReadonlyArray<PlannedNeed>): string => {
  let needs = ""
  for (const { planKey, provision } of planned) {
    needs += `${needs === "" ? "" : ","}"${planKey}":${canonicalWhere(provision)}`
  }
  return `{${build === undefined ? "" : `"build":${JSON.stringify(build)},`}"needs":{${needs}}}`
}

const canonicalWhere = ({ find, version }: Provision): string => {
  const where = find === undefined ? "" : `"find":${canonicalFind(find)}`
  if (version === undefined) {
    return `{${where}}`
  }
  return where === "" ? `{"version":"${version}"}` : `{${where},"version":"${version}"}`
}

const canonicalFind = (find: Find): string => {
  if ("seat" in find) {
    return canonicalJson(inOrderOfNames(find))
  }
  const { at, bucket, credentials, key } = find
  const placed = at === undefined ? "" : `"at":${JSON.stringify(at)},`
  if (credentials === undefined) {
    return `{${placed}"bucket":"${bucket}","key":"${key}"}`
  }
  const opened = Object.fromEntries(
    Object.entries(credentials).map(([field, credential]) => [field, inOrderOfNames(credential)])
  )
  return `{${placed}"bucket":"${bucket}","credentials":${canonicalJson(opened)},"key":"${key}"}`
}

/** A find, its members in the order in which a digest is taken over them: so it needs not be put in order for that. */
const inOrderOfNames = ({ request, seat, verb }: SeatFind): SeatFind =>
  request === undefined ? { seat, verb } : { request, seat, verb }

const worst = ["refused", "failed", "asked", "provided"] as const

const worstFirst = (one: PlannedNeed, other: PlannedNeed): number =>
  worst.indexOf(one.provision.state) - worst.indexOf(other.provision.state) || inOrderOfPlan(one, other)

const judged = (
  mesh: Mesh,
  consumer: string,
  assignment: Assignment | undefined,
  blocked: ReadonlyArray<PlannedNeed>
): Pick<Plan, "state" | "why" | "waits"> => {
  if (assignment === undefined) {
    const waits = { bucket: bucketName.assignments, key: consumer }
    return {
      state: "waiting",
      why: planWhy.unassigned(whoOf(consumer), mesh.facts.assignments.fact(consumer)?.why),
      waits
    }
  }
  const [first] = blocked
  if (first === undefined) {
    return { state: "ready", why: "" }
  }
  const waits = blocked.find(({ provision }) => provision.waits !== undefined)?.provision.waits
  return {
    state: runsByAPlan(mesh.facts.applied.value(consumer), assignment) ? "degraded" : stateOf(first.provision),
    why: blockedWhy(blocked),
    ...(waits === undefined ? {} : { waits })
  }
}

const whoOf = (consumer: string): ModuleOn => {
  const [node = "", module = ""] = consumer.split(".")
  return { node: readToken(node) ?? node, module }
}

const stateOf = ({ state }: Provision): PlanState => state === "refused" || state === "failed" ? state : "waiting"

/** Whether a module that has applied a plan already runs by it (protocol §7). */
export const runsByAPlan = (applied: Applied | undefined, { instance }: Assignment): boolean =>
  applied !== undefined && (applied.instance === undefined || instance === undefined || applied.instance === instance)

const blockedWhy = (blocked: ReadonlyArray<PlannedNeed>): string => {
  const [first] = blocked
  if (blocked.length === 1 && first !== undefined) {
    return whyBlocked(first)
  }
  const said = blocked.slice(0, planWhyNeedsMax).map(whyBlocked)
  const more = blocked.length - said.length
  return [...said, ...(more > 0 ? [planWhy.more(more)] : [])].join("\n")
}

const whyBlocked = ({ planKey, provision: { provider, why } }: PlannedNeed): string =>
  planWhy.blocked(planKey, provider, why)
