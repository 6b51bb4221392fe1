/**
 * The twin's outcomes of a provider (protocol §5.3), and what is found there.
 */
import type { Find, ModuleOn, SeatFind } from "../../core/Decision.ts"
import type { BoundValue, Facts, Provided } from "./facts.ts"
import {
  asked,
  assignmentOf,
  type Claim,
  entryAt,
  failed,
  fieldsOf,
  holderOf,
  type Json,
  keyOf,
  type Outcome,
  ownMember,
  provided,
  secretFieldsOf,
  valueAt
} from "./mesh.ts"
import { digest, join } from "./name.ts"

/** The claim of a credential: its key (protocol §6.1). */
export const credentialKey = (claim: Claim, module: string, field: string): string =>
  join(claim.consumer.node, claim.consumer.module, "credential", join(module, claim.provision, claim.local, field))

export const secretFind = (claim: string): SeatFind => ({
  seat: "vault",
  verb: "mesh-vault.secret",
  request: { claim }
})

const isOfType = (value: Json, type: string): boolean =>
  type === "integer" ? Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 53 - 1 : typeof value === type

interface Per {
  readonly provider: ModuleOn
  readonly claim: Claim
  /** The claim's key, or that of a credential of it. */
  readonly key: string
  readonly provided?: Provided | undefined
  readonly fields?: ReadonlyArray<string> | undefined
}

export const perConsumer = (facts: Facts, per: Per): Outcome => {
  const wait = (reason: string): Outcome => asked(reason, `${per.provider.module}_bound`, per.key)
  const fact = entryAt(facts, per.provider.module, per.key)
  if (fact === undefined) {
    return wait("not-bound")
  }
  const entry = fact.value
  if (entry === undefined) {
    return wait("bound-shape")
  }
  if (entry.by !== per.provider.node) {
    return wait("bound-elsewhere")
  }
  const instance = assignmentOf(facts, per.claim.consumer)?.instance
  if (entry.for !== undefined && instance !== undefined && entry.for !== instance) {
    return wait("earlier-instance")
  }
  if (entry.state === "failed") {
    return failed("provider-failed", entry.why)
  }
  if (entry.state !== "provided") {
    return wait("making")
  }
  if (secretFieldsOf(per.provided).some((field) => Object.hasOwn(entry.values ?? {}, field))) {
    return failed("secret-in-bucket", undefined)
  }
  if (isFieldMissing(per, entry)) {
    return wait("field-missing")
  }
  return credentials(facts, per) ?? provided("provided")
}

const isFieldMissing = (per: Per, entry: BoundValue): boolean => {
  const named = per.fields ?? []
  return fieldsOf(per.provided)
    .filter(([field, type]) => type !== "secret" && (named.length === 0 || named.includes(field)))
    .some(([field, type]) => {
      const value = ownMember(entry.values, field)
      return value === undefined || !isOfType(value, type)
    })
}

/** The outcome of the first credential that is not provided, if there is one. */
const credentials = (facts: Facts, per: Per): Outcome | undefined => {
  for (const field of secretFieldsOf(per.provided)) {
    const vault = holderOf(facts, "vault")
    if (vault === undefined) {
      return asked("no-holder", "mesh-controller_seats", "vault")
    }
    const key = credentialKey(per.claim, per.provider.module, field)
    const outcome = perConsumer(facts, { provider: vault, claim: per.claim, key })
    if (outcome.state === "failed") {
      return { ...outcome, reason: "credential-failed" }
    }
    if (outcome.state !== "provided") {
      return { ...outcome, reason: "credential" }
    }
  }
  return undefined
}

/** The outcome of a provider by its own have. */
export const byHave = (facts: Facts, provider: ModuleOn): Outcome => {
  const key = keyOf(provider)
  const assignment = assignmentOf(facts, provider)
  const have = valueAt(facts.haves, key)
  if (assignment === undefined) {
    return asked("unassigned", "mesh-controller_assignments", key)
  }
  if (valueAt(facts.machines, join(provider.node))?.lost === true) {
    return asked("lost", "mesh-controller_machines", join(provider.node))
  }
  if (have === undefined) {
    return asked("no-have", "mesh-host_haves", key)
  }
  if (have.health === "failed") {
    return failed("provider-failed", have.words)
  }
  if (have.build !== assignment.build) {
    return asked("other-build", "mesh-host_haves", key)
  }
  return have.health === "healthy" ? provided("healthy") : asked("unhealthy", "mesh-host_haves", key)
}

/** Where a claim is found at a provider, and the digest of what is there to be read. */
export const foundAt = (
  facts: Facts,
  claim: Claim,
  provider: ModuleOn,
  of: Provided
): { readonly find: Find; readonly version?: string } => {
  if (of.credential === "none") {
    const find = { bucket: "mesh-controller_assignments", key: keyOf(provider), at: ["placement"] }
    const assignment = assignmentOf(facts, provider)
    return assignment === undefined ? { find } : { find, version: digest(assignment.placement ?? {}) }
  }
  const secrets = secretFieldsOf(of)
  const find = { bucket: `${provider.module}_bound`, key: claim.key }
  const withCredentials = secrets.length === 0 ? find : {
    ...find,
    credentials: Object.fromEntries(
      secrets.map((field) => [field, secretFind(credentialKey(claim, provider.module, field))])
    )
  }
  const entry = entryAt(facts, provider.module, claim.key)?.value
  if (entry === undefined || entry.by !== provider.node || entry.state === "retired") {
    return { find: withCredentials }
  }
  const values = entry.values ?? {}
  const credentials = Object.fromEntries(
    secrets.map((field) => {
      const key = credentialKey(claim, provider.module, field)
      return [field, entryAt(facts, "mesh-vault", key)?.value?.values ?? {}]
    })
  )
  return { find: withCredentials, version: digest(secrets.length === 0 ? values : { values, credentials }) }
}
