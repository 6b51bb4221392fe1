/**
 * The twin's look-ups: each a walk through a list.
 */
import type { ModuleOn, Waits } from "../../core/Decision.ts"
import type { Json } from "../../core/Json.ts"
import type { Answering, Assignment, BoundValue, Definition, Fact, Facts, NeedValue, Provided } from "./facts.ts"
import { join } from "./name.ts"

export const keyOf = (one: ModuleOn): string => join(one.node, one.module)

export const isSame = (one: ModuleOn, other: ModuleOn): boolean =>
  one.node === other.node && one.module === other.module

export const definitionOf = (facts: Facts, module: string): Definition | undefined =>
  facts.definitions.find((definition) => definition.module === module)

export const providedOf = (facts: Facts, module: string, provision: string): Provided | undefined =>
  definitionOf(facts, module)?.provides.get(provision)

export const fieldsOf = (provided: Provided | undefined): ReadonlyArray<readonly [string, string]> =>
  Object.entries(provided?.contract?.fields ?? {}).sort(([one], [other]) => one < other ? -1 : 1)

export const secretFieldsOf = (provided: Provided | undefined): ReadonlyArray<string> =>
  fieldsOf(provided).filter(([, type]) => type === "secret").map(([field]) => field)

export const assignmentOf = (facts: Facts, one: ModuleOn): Assignment | undefined =>
  valueAt(facts.assignments, keyOf(one))

export const valueAt = <Value>(list: ReadonlyArray<Fact<Value>>, key: string): Value | undefined =>
  list.find((fact) => fact.key === key)?.value

/** The holder of a seat; of seat `vault` only the module `mesh-vault` is one. */
export const holderOf = (facts: Facts, seat: string): ModuleOn | undefined => {
  const holder = valueAt(facts.seats, join(seat))
  return holder === undefined || (seat === "vault" && holder.module !== "mesh-vault")
    ? undefined
    : { node: holder.node, module: holder.module }
}

export const entryAt = (facts: Facts, module: string, claim: string): Fact<BoundValue> | undefined =>
  facts.bound.get(module)?.find((fact) => fact.key === claim)

/** The nodes that made something for an entry's claim. */
export const makersOf = (entry: BoundValue): ReadonlyArray<string> => [
  ...new Set([...(entry.state === "retired" ? [] : [entry.by]), ...(entry.also ?? [])])
]

export interface Need {
  readonly key: string
  readonly consumer: ModuleOn
  readonly kind: string
  readonly name: string
  readonly value: NeedValue | undefined
}

export const needsOf = (facts: Facts): ReadonlyArray<Need> =>
  facts.needs.map(({ key, names: [node = "", module = "", kind = "", name = ""], value }) => ({
    key,
    consumer: { node, module },
    kind,
    name,
    value
  }))

export interface Claim {
  readonly key: string
  readonly consumer: ModuleOn
  readonly provision: string
  readonly local: string | undefined
}

/** The claim of a `bound` or `secret` need in shape; other needs have none. */
export const claimOf = (need: Need): Claim | undefined => {
  if (need.value === undefined || (need.kind !== "bound" && need.kind !== "secret")) {
    return undefined
  }
  const [provision, local] = need.kind === "secret"
    ? ["secret", need.name]
    : [need.value.provision ?? need.name, need.value.local]
  const { node, module } = need.consumer
  return { key: join(node, module, provision, local), consumer: need.consumer, provision, local }
}

export const needsOfClaim = (facts: Facts, claim: string): ReadonlyArray<Need & { readonly value: NeedValue }> =>
  needsOf(facts).flatMap((need) =>
    need.value !== undefined && claimOf(need)?.key === claim ? [{ ...need, value: need.value }] : []
  )

const placements = ["dir", "access", "port", "seat", "machine"]
const collections = ["collected", "shell", "environment", "contribution"]

export type Kind =
  | { readonly is: "secret" | "bound" | "collection" | "placement" | "conflict" | "unknown" }
  | { readonly is: "answered"; readonly answering: Answering }

export const isCompiledIn = (kind: string): boolean =>
  [...placements, ...collections, "config", "secret", "consumers", "bound"].includes(kind)

/** Who answers a kind by definition: each module and its answer. */
export const answersTo = (facts: Facts, kind: string): ReadonlyArray<readonly [string, Answering]> =>
  facts.definitions.flatMap(({ answers, module }) => {
    const answering = answers.get(kind)
    return answering === undefined ? [] : [[module, answering] as const]
  })

export const kindOf = (facts: Facts, kind: string): Kind => {
  if (kind === "secret" || kind === "bound") {
    return { is: kind }
  }
  if (kind === "config") {
    return { is: "answered", answering: { bucket: "mesh-config_values", key: "<node>.<module>.<name>" } }
  }
  if (kind === "consumers") {
    return { is: "answered", answering: { seat: "vault", verb: "mesh-vault.consumers" } }
  }
  if (collections.includes(kind)) {
    return { is: "collection" }
  }
  if (placements.includes(kind)) {
    return { is: "placement" }
  }
  const [first, second] = answersTo(facts, kind)
  if (second !== undefined) {
    return { is: "conflict" }
  }
  return first === undefined ? { is: "unknown" } : { is: "answered", answering: first[1] }
}

export const ownMember = <Value>(
  object: { readonly [name: string]: Value } | undefined,
  name: string
): Value | undefined => object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined

/** An outcome without its words, but for `failed`, whose words are part of it. */
export interface Outcome {
  readonly state: "provided" | "asked" | "failed" | "refused"
  readonly reason: string
  readonly waits?: Waits
  readonly why?: string
}

export const asked = (reason: string, bucket: string, key: string): Outcome => ({
  state: "asked",
  reason,
  waits: { bucket, key }
})

/** The words of a failure as they are, or none where there are none. */
export const failed = (reason: string, words: string | undefined): Outcome =>
  words === undefined || words === ""
    ? { state: "failed", reason }
    : { state: "failed", reason, why: Array.from(words).slice(0, 4_096).join("") }

export const provided = (reason: string): Outcome => ({ state: "provided", reason })

export const refused = (reason: string): Outcome => ({ state: "refused", reason })

export type { Json }
