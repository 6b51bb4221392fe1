/**
 * What the facts say of a need (protocol §5.1, §5.3), read off them alone, and by none of the core's rules.
 */
import type { Provision } from "../../core/Decision.ts"
import { type BoundValue, type Facts } from "../naive/facts.ts"
import {
  assignmentOf,
  type Claim,
  claimOf,
  entryAt,
  fieldsOf,
  holderOf,
  keyOf,
  type Need,
  ownMember,
  providedOf,
  valueAt
} from "../naive/mesh.ts"
import { join } from "../naive/name.ts"

/** What a provider that answers per consumer says of a claim, where it is about this instance of the consumer. */
export const entryOfProvider = (facts: Facts, { provider }: Provision, claim: Claim): BoundValue | undefined => {
  const entry = provider === undefined ? undefined : entryAt(facts, provider.module, claim.key)?.value
  const instance = assignmentOf(facts, claim.consumer)?.instance
  return entry?.by === provider?.node && (entry?.for ?? instance) === (instance ?? entry?.for) ? entry : undefined
}

const typeOf = { string: "string", integer: "number", boolean: "boolean" } as const

/** Whether the provider of a claim said provided, with every field, and the vault of every secret field. */
const isProvidedPerConsumer = (facts: Facts, provision: Provision, need: Need, claim: Claim): boolean => {
  const entry = entryOfProvider(facts, provision, claim)
  const fields = fieldsOf(providedOf(facts, provision.provider?.module ?? "", claim.provision))
  const named = need.value?.fields ?? []
  const shown = fields.filter(([field, type]) => type !== "secret" && (named.length === 0 || named.includes(field)))
  const secrets = need.kind === "secret" ? [] : fields.filter(([, type]) => type === "secret")
  return entry?.state === "provided" &&
    shown.every(([field, type]) => {
      const value = ownMember(entry.values, field)
      return typeof value === ownMember(typeOf, type) && (type !== "integer" || Number.isSafeInteger(value))
    }) &&
    secrets.every(([field]) =>
      !Object.hasOwn(entry.values ?? {}, field) && vaultSays(facts, provision, claim, field) === "provided"
    )
}

const vaultSays = (facts: Facts, { provider }: Provision, claim: Claim, field: string): string | undefined => {
  const vault = holderOf(facts, "vault")
  const { module, node } = claim.consumer
  const credential = join(node, module, "credential", join(provider?.module, claim.provision, claim.local, field))
  const entry = vault === undefined ? undefined : entryAt(facts, vault.module, credential)?.value
  return entry?.by === vault?.node ? entry?.state : undefined
}

/** Whether the provider's host says that it runs, at the build that it is to run, on a node that is heard of. */
const isHealthy = (facts: Facts, { provider }: Provision): boolean => {
  const have = provider && valueAt(facts.haves, keyOf(provider))
  const machine = provider && valueAt(facts.machines, join(provider.node))
  return provider !== undefined && have?.health === "healthy" && machine?.lost !== true &&
    have.build === assignmentOf(facts, provider)?.build
}

const isOwn = (facts: Facts, { need, provision }: { need: Need; provision: Provision }, claim: Claim): boolean => {
  const applied = valueAt(facts.applied, keyOf(claim.consumer))
  const isApplied = applied?.own?.includes(join(claim.provision, claim.local)) === true
  const isNobodys = !facts.assignments.some(({ names: [node = "", module = ""], value }) =>
    value !== undefined && providedOf(facts, module, claim.provision) !== undefined &&
    keyOf({ node, module }) !== keyOf(claim.consumer)
  )
  return need.value?.own === true && (isApplied || isNobodys) &&
    JSON.stringify(provision.provider) === JSON.stringify(claim.consumer)
}

/** Whether the value that a need of a bucket's kind looks for is there. */
const isEntry = (facts: Facts, { find }: Provision): boolean => {
  const value = find !== undefined && "bucket" in find ? facts.look(find.bucket, find.key) : undefined
  return find !== undefined && "bucket" in find && find.bucket === "mesh-config_values"
    ? valueAt(facts.config, find.key) !== undefined
    : value !== undefined
}

/** What has to be so, by the facts, for a need to be provided, by the reason that is given. */
export const isSo = (facts: Facts, need: Need, provision: Provision): boolean => {
  const claim = claimOf(need)
  const assignment = assignmentOf(facts, need.consumer)
  switch (provision.reason) {
    case "provided":
      return claim !== undefined && isProvidedPerConsumer(facts, provision, need, claim)
    case "healthy":
      return isHealthy(facts, provision)
    case "own":
      return claim !== undefined && isOwn(facts, { need, provision }, claim)
    case "entry":
      return isEntry(facts, provision)
    case "default":
      return need.value?.default !== undefined && !isEntry(facts, provision)
    case "placed":
      return ownMember(ownMember(assignment?.placement, need.kind), need.name) !== undefined
    case "collection":
      return ["collected", "shell", "environment", "contribution"].includes(need.kind)
    default:
      return false
  }
}

/** The words of every fact that may have failed this need, by the reason that is given. */
export const wordsOf = (facts: Facts, need: Need, provision: Provision): ReadonlyArray<string | undefined> => {
  const claim = claimOf(need)
  const fields = fieldsOf(providedOf(facts, provision.provider?.module ?? "", claim?.provision ?? ""))
  const isPerConsumer = claim !== undefined &&
    (need.kind === "secret" ||
      providedOf(facts, provision.provider?.module ?? "", claim.provision)?.credential === "consumer")
  if (provision.reason === "credential-failed") {
    const vault = holderOf(facts, "vault")
    return fields.filter(([, type]) => type === "secret").flatMap(([field]) => {
      const { module = "", node = "" } = claim?.consumer ?? {}
      const name = join(provision.provider?.module, claim?.provision, claim?.local, field)
      const entry = entryAt(facts, vault?.module ?? "", join(node, module, "credential", name))?.value
      return entry?.state === "failed" && entry.by === vault?.node ? [entry.why] : []
    })
  }
  if (isPerConsumer) {
    const entry = entryOfProvider(facts, provision, claim)
    return entry?.state === "failed" ? [entry.why] : []
  }
  const have = provision.provider && valueAt(facts.haves, keyOf(provision.provider))
  return have?.health === "failed" ? [have.words] : []
}
