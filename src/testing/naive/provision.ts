/**
 * The twin's provisions (protocol §5): each need alone.
 */
import type { Candidate, Find, ModuleOn } from "../../core/Decision.ts"
import type { Answering, Facts, NeedValue, Provided } from "./facts.ts"
import {
  asked,
  assignmentOf,
  type Claim,
  claimOf,
  entryAt,
  holderOf,
  keyOf,
  kindOf,
  type Need,
  needsOf,
  type Outcome,
  ownMember,
  provided,
  refused,
  secretFieldsOf
} from "./mesh.ts"
import { digest, isKeyTooLong, join, write } from "./name.ts"
import { byHave, credentialKey, foundAt, perConsumer, secretFind } from "./outcome.ts"
import { type Rejected, type Resolution, resolve, unmet } from "./resolve.ts"

export interface NaiveProvision extends Outcome {
  readonly kind: string
  readonly provider?: ModuleOn
  readonly find?: Find
  readonly version?: string
  readonly candidates?: ReadonlyArray<Omit<Candidate, "why">>
}

type Judged = Omit<NaiveProvision, "kind">

export const provisionsOf = (facts: Facts): Map<string, NaiveProvision> =>
  new Map(needsOf(facts).map((need) => [need.key, { kind: need.kind, ...judge(facts, need) }]))

const judge = (facts: Facts, need: Need): Judged => {
  const kind = kindOf(facts, need.kind)
  // Of a definition's bucket, what needs address is looked at, whatever comes of the need.
  const lookedAt = kind.is === "answered" && need.value !== undefined
    ? answered(facts, need, need.value, kind.answering)
    : undefined
  if (need.value === undefined) {
    return refused("shape")
  }
  if (assignmentOf(facts, need.consumer) === undefined) {
    return asked("unassigned", "mesh-controller_assignments", keyOf(need.consumer))
  }
  if (kind.is === "unknown") {
    return refused("no-domain")
  }
  if (kind.is === "conflict") {
    return refused("conflict")
  }
  const claim = claimOf(need)
  if (claim !== undefined && isTooLong(facts, claim)) {
    return refused("too-long")
  }
  if (lookedAt !== undefined) {
    return lookedAt
  }
  if (claim !== undefined) {
    return kind.is === "secret" ? secret(facts, claim) : bound(facts, { ...need, value: need.value }, claim)
  }
  return kind.is === "collection" ? collection(facts, need) : placement(facts, need)
}

/** Whether a key of the claim, of its ask or of its credentials could not be written. */
export const isTooLong = (facts: Facts, claim: Claim): boolean => {
  const keys = [claim.key]
  const vault = holderOf(facts, "vault")
  if (claim.provision === "secret") {
    keys.push(...(vault === undefined ? [] : [join(vault.node, vault.module) + "." + claim.key]))
    return keys.some(isKeyTooLong)
  }
  const resolution = resolve(facts, claim)
  if (resolution.is === "served" && resolution.provided.credential === "consumer") {
    keys.push(...keysAt(facts, claim, resolution.provider, resolution.provided))
  }
  return keys.some(isKeyTooLong)
}

const keysAt = (facts: Facts, claim: Claim, provider: ModuleOn, of: Provided): ReadonlyArray<string> => {
  const vault = holderOf(facts, "vault")
  const credentials = secretFieldsOf(of).map((field) => credentialKey(claim, provider.module, field))
  return [
    `${keyOf(provider)}.${claim.key}`,
    ...credentials,
    ...(vault === undefined ? [] : credentials.map((key) => `${keyOf(vault)}.${key}`))
  ]
}

const secret = (facts: Facts, claim: Claim): Judged => {
  const entry = entryAt(facts, "mesh-vault", claim.key)?.value
  const found = {
    find: secretFind(claim.key),
    ...(entry === undefined || entry.state === "retired" ? {} : { version: digest(entry.values ?? {}) })
  }
  const provider = holderOf(facts, "vault")
  return provider === undefined
    ? { ...asked("no-holder", "mesh-controller_seats", "vault"), ...found }
    : { ...perConsumer(facts, { provider, claim, key: claim.key }), provider, ...found }
}

const bound = (facts: Facts, need: Need & { readonly value: NeedValue }, claim: Claim): Judged => {
  const resolution: Resolution = resolve(facts, claim)
  if (resolution.is === "all") {
    const { candidates, outcome } = resolution
    return { ...outcome, ...(candidates === undefined ? {} : { candidates }) }
  }
  if (resolution.is === "own" || (resolution.is === "nobody" && need.value.own === true)) {
    return { ...provided("own"), provider: need.consumer }
  }
  if (resolution.is === "nobody") {
    return refused("nobody")
  }
  const { provider } = resolution
  if (resolution.is === "gone") {
    const of = facts.definitions.find(({ module }) => module === provider.module)?.provides.get(claim.provision)
    const found = of === undefined ? {} : foundAt(facts, claim, provider, of)
    return { ...asked("holder-gone", resolution.waits.bucket, resolution.waits.key), provider, ...found }
  }
  const found = foundAt(facts, claim, provider, resolution.provided)
  const reason = unmet(need, resolution.provided)
  if (reason !== undefined) {
    const candidates: ReadonlyArray<Rejected> = [{ ...provider, reason }]
    return { ...refused("unmet"), provider, ...found, candidates }
  }
  const outcome = resolution.provided.credential === "none"
    ? byHave(facts, provider)
    : perConsumer(facts, {
      provider,
      claim,
      key: claim.key,
      provided: resolution.provided,
      fields: need.value.fields
    })
  return { ...outcome, provider, ...found }
}

const answered = (facts: Facts, need: Need, value: NeedValue, answering: Answering): Judged => {
  const { node, module } = need.consumer
  if ("seat" in answering) {
    const find = { ...answering, request: { node, module, name: need.name } }
    const seat = { seat: find.seat, verb: find.verb, request: find.request }
    const provider = holderOf(facts, answering.seat)
    return provider === undefined
      ? { ...asked("no-holder", "mesh-controller_seats", write(answering.seat)), find: seat }
      : { ...byHave(facts, provider), provider, find: seat }
  }
  const names: { readonly [part: string]: string } = {
    "<node>": write(node),
    "<module>": module,
    "<kind>": write(need.kind),
    "<name>": write(need.name)
  }
  const key = answering.key.split(".").map((part) => ownMember(names, part) ?? part).join(".")
  const find = { bucket: answering.bucket, key }
  const entry = need.kind === "config"
    ? facts.config.find((fact) => fact.key === key)?.value?.value
    : facts.look(answering.bucket, key)
  if (entry !== undefined) {
    return { ...provided("entry"), find, version: digest(entry) }
  }
  return value.default === undefined
    ? { ...asked("no-entry", find.bucket, key), find }
    : { ...provided("default"), find, version: digest(value.default) }
}

const collection = (facts: Facts, need: Need): Judged => {
  const name = need.kind === "collected" ? need.name : `${need.kind}:${need.name}`
  const items = facts.collect.filter(({ names, value }) =>
    names[0] === need.consumer.node && names[1] === name && value !== undefined
  )
  return {
    ...provided("collection"),
    find: { bucket: "mesh-provisioner_collect", key: `${join(need.consumer.node, name)}.*` },
    version: digest(
      Object.fromEntries(
        items.flatMap(({ names: [, , contributor], value }) =>
          contributor === undefined || value === undefined ? [] : [[contributor, value]]
        )
      )
    )
  }
}

const placement = (facts: Facts, need: Need): Judged => {
  const key = keyOf(need.consumer)
  const find = { bucket: "mesh-controller_assignments", key, at: ["placement", need.kind, need.name] }
  const placed = ownMember(ownMember(assignmentOf(facts, need.consumer)?.placement, need.kind), need.name)
  return placed === undefined
    ? { ...asked("not-placed", find.bucket, key), find }
    : { ...provided("placed"), find, version: digest(placed) }
}
