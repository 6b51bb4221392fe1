/**
 * The provider's own outcome (protocol §5.3): of a claim, by its entry in the provider's bound bucket; of the provider
 * itself, by its own have. Nothing else makes a provision provided or failed.
 */
import { bucketName } from "./BucketName.ts"
import type { Credential } from "./Credential.ts"
import type { ModuleOn, Outcome, Waits } from "./Decision.ts"
import type { Bound } from "./fact/Bound.ts"
import type { FieldType, ProvisionContract } from "./fact/Definition.ts"
import { type Json, type JsonObject, member } from "./Json.ts"
import { writeKey } from "./Key.ts"
import { assignmentAt, boundAt, type Entry, entryOf, holderOf, type Mesh, seatAt, vaultModule } from "./Mesh.ts"
import { needWhy, outcomeWhy, type SaidClaim } from "./Words.ts"

/** What an outcome is looked up for: a claim, by its key, of a consumer. */
export interface OutcomeClaim extends SaidClaim {
  readonly key: string
  /** The key of the consumer's assignment. */
  readonly consumer: string
}

/** What is looked at of an entry. */
type EntryWord = Pick<Entry["fact"], "value" | "why">

const asked = (reason: Outcome["reason"], why: string, waits: Waits): Outcome => ({
  state: "asked",
  reason,
  why,
  waits
})

const failed = (reason: Outcome["reason"], why: string): Outcome => ({ state: "failed", reason, why })

const provided = (reason: Outcome["reason"], why: string): Outcome => ({ state: "provided", reason, why })

/**
 * The outcome of a claim by its provider's entry alone: the rows of the table up to its values (protocol §5.3).
 *
 * @param fact that entry, in shape or not.
 */
export const outcomeOfEntry = (
  mesh: Mesh,
  claim: OutcomeClaim,
  provider: ModuleOn,
  fact: EntryWord | undefined
): Outcome => {
  const entry = fact?.value
  const waits = () => boundAt(provider.module, claim.key)
  if (fact === undefined) {
    return asked("not-bound", outcomeWhy.notBound(claim, provider), waits())
  }
  if (entry === undefined) {
    return asked("bound-shape", outcomeWhy.boundShape(claim, provider, fact.why ?? ""), waits())
  }
  if (entry.by !== provider.node) {
    return asked("bound-elsewhere", outcomeWhy.boundElsewhere(claim, provider, entry.by), waits())
  }
  const instance = mesh.facts.assignments.value(claim.consumer)?.instance
  if (entry.for !== undefined && instance !== undefined && entry.for !== instance) {
    return asked("earlier-instance", outcomeWhy.earlierInstance(claim, provider, entry.for, instance), waits())
  }
  if (entry.state === "failed") {
    return failed("provider-failed", outcomeWhy.failed(entry.why, provider))
  }
  return entry.state === "provided"
    ? provided("provided", outcomeWhy.provided(claim, provider))
    : asked("making", outcomeWhy.making(claim, provider, entry), waits())
}

/**
 * The outcome of a claim by its provider's entry, the entry's values and the credentials that its contract has: all of
 * the table (protocol §5.3), looked up once for all the needs that share the claim.
 *
 * @param fact the provider's entry, in shape or not.
 * @returns the outcome for a need, by the fields that it names, if any.
 */
export const outcomeOfClaim = (
  mesh: Mesh,
  claim: OutcomeClaim,
  provider: ModuleOn,
  fact: EntryWord | undefined,
  contract: ProvisionContract,
  credentials: ReadonlyArray<Credential>
): (fields: ReadonlyArray<string>) => Outcome => {
  const byEntry = outcomeOfEntry(mesh, claim, provider, fact)
  if (byEntry.state !== "provided") {
    return () => byEntry
  }
  const values = fact?.value?.values ?? {}
  const shown = contract.secretFields.find(({ field }) => Object.hasOwn(values, field))?.field
  if (shown !== undefined) {
    const outcome = failed("secret-in-bucket", outcomeWhy.secretInBucket(claim, provider, shown))
    return () => outcome
  }
  const missingOfAll = missingField(contract, [...contract.fields.keys()], values)
  const complete = outcomeOfCredentials(mesh, claim, credentials) ?? byEntry
  return (fields) => {
    const missing = fields.length === 0 ? missingOfAll : missingField(contract, [...fields].sort(), values)
    return missing === undefined
      ? complete
      : asked(
        "field-missing",
        outcomeWhy.fieldMissing(claim, provider, missing.field, missing.type),
        boundAt(provider.module, claim.key)
      )
  }
}

const missingField = (
  contract: ProvisionContract,
  inOrder: ReadonlyArray<string>,
  values: JsonObject
): { readonly field: string; readonly type: FieldType } | undefined => {
  for (const field of inOrder) {
    const type = contract.fields.get(field)
    if (type !== undefined && type !== "secret" && !isOfType(member(values, field), type)) {
      return { field, type }
    }
  }
  return undefined
}

const isOfType = (value: Json | undefined, type: Exclude<FieldType, "secret">): boolean =>
  type === "integer" ? Number.isSafeInteger(value) : typeof value === type

/** The first credential of a claim that is not provided, for the needs that wait for it (protocol §5.3, §6.1). */
const outcomeOfCredentials = (
  mesh: Mesh,
  claim: OutcomeClaim,
  credentials: ReadonlyArray<Credential>
): Outcome | undefined => {
  const { holder, wrong } = holderOf(mesh, "vault")
  for (const credential of credentials) {
    const { field } = credential
    if (holder === undefined) {
      return asked("no-holder", outcomeWhy.credential(field, needWhy.noHolder(claim, "vault", wrong)), seatAt("vault"))
    }
    const outcome = outcomeOfEntry(mesh, credential, holder, entryOf(mesh, holder.module, credential.key))
    if (outcome.state === "failed") {
      return failed("credential-failed", outcome.why)
    }
    if (outcome.waits !== undefined) {
      return asked("credential", outcomeWhy.credential(field, outcome.why), outcome.waits)
    }
  }
  return undefined
}

/**
 * The outcome of a provider by its own have: the first row of the table that holds (protocol §5.3).
 *
 * @param key the key of the provider's assignment.
 */
export const outcomeOfHave = (mesh: Mesh, provider: ModuleOn, key: string): Outcome =>
  mesh.sharedOutcome(key, () => readHave(mesh, provider))

/** The outcome of a provider as the facts have it now, whatever was made of it before. */
export const readHave = ({ facts }: Mesh, provider: ModuleOn): Outcome => {
  const assigned = assignmentAt(provider)
  const assignment = facts.assignments.value(assigned.key)
  if (assignment === undefined) {
    return asked("unassigned", outcomeWhy.unassigned(provider), assigned)
  }
  const machine = writeKey(provider.node)
  if (facts.machines.value(machine)?.lost === true) {
    return asked("lost", outcomeWhy.lost(provider), { bucket: bucketName.machines, key: machine })
  }
  const waits = { bucket: bucketName.haves, key: assigned.key }
  const have = facts.haves.value(assigned.key)
  if (have === undefined) {
    return asked("no-have", outcomeWhy.noHave(provider, facts.haves.fact(assigned.key)?.why), waits)
  }
  if (have.health === "failed") {
    return failed("provider-failed", outcomeWhy.failed(have.words, provider))
  }
  if (have.build !== assignment.build) {
    return asked("other-build", outcomeWhy.otherBuild(provider, have.build, assignment.build), waits)
  }
  return have.health === "healthy"
    ? provided("healthy", outcomeWhy.healthy(provider))
    : asked("unhealthy", outcomeWhy.unhealthy(provider, have), waits)
}

/** The values that a claim's entry gives to be read: in shape, by the node that is to answer, and not retired (protocol §5.3). */
export const readableValues = (entry: Bound | undefined, node: string | undefined): JsonObject | undefined =>
  entry !== undefined && entry.state !== "retired" && (node === undefined || entry.by === node)
    ? entry.values ?? {}
    : undefined

/** The values of a credential's entry in shape, `{}` where they are left out or absent (protocol §5.3). */
export const credentialValues = (mesh: Mesh, claimKey: string): JsonObject =>
  entryOf(mesh, vaultModule, claimKey)?.value?.values ?? {}
