/**
 * The laws of a provision (protocol §5): what is provided has its outcome at hand; what failed has the outcome's words; what
 * is asked waits for a fact that indeed is not there, or is not what it is to be.
 */
import type { Provision } from "../core/Decision.ts"
import { isJsonObject, type Json, type JsonObject } from "../core/Json.ts"
import {
  assignmentIn,
  claimOf,
  entryIn,
  fieldsOf,
  holderIn,
  type Knowledge,
  memberOf,
  nameOf,
  provisionIn,
  type SoundEntry,
  tokenOf
} from "./Knowledge.ts"
import type { Law } from "./Laws.ts"
import { tokensOf } from "./Remembered.ts"

/** What is wrong with a provision by the facts, if anything. */
export const wrongProvision = (facts: Knowledge, key: string, provision: Provision): string | undefined => {
  const about = aboutOf(facts, key, provision)
  if (provision.why === "" && provision.state !== "provided") {
    return "it gives no why"
  }
  switch (provision.state) {
    case "provided":
      return provided(about) ? undefined : `it is provided (${provision.reason}) and no outcome of its provider says so`
    case "failed":
      return failed(about) ? undefined : `it failed (${provision.reason}) in words that its provider did not say`
    case "asked":
      return provision.waits === undefined
        ? "it is asked and waits for nothing"
        : isMissing(about)
        ? undefined
        : `it is asked (${provision.reason}), and ${provision.waits.bucket} ${provision.waits.key} is there as it is to be`
    default:
      return provision.waits === undefined ? undefined : "it is refused and waits for something"
  }
}

/** The law that a provision is held to, by its state. */
export const lawOfProvision = ({ state }: Provision): Law => {
  switch (state) {
    case "provided":
      return "provided by outcome"
    case "failed":
      return "failed in its words"
    default:
      return "asked for a fact"
  }
}

interface About {
  readonly facts: Knowledge
  readonly provision: Provision
  readonly kind: string
  readonly name: string
  readonly consumer: string
  readonly need: Json | undefined
  /** The key of its claim, where it has one. */
  readonly claim: string
  readonly provides: string
  /** The entry of its provider, where that is in shape. */
  readonly entry: SoundEntry | undefined
  /** The key of its provider's assignment. */
  readonly provider: string
}

const aboutOf = (facts: Knowledge, key: string, provision: Provision): About => {
  const [node = "", module = "", kind = "", name = ""] = tokensOf(key)
  const need = facts.get("mesh-provisioner_needs", key)
  const claimed = claimOf(kind, name, need)
  const claim = `${node}.${module}.${claimed ?? ""}`
  const { provider } = provision
  return {
    facts,
    provision,
    kind,
    name,
    consumer: `${node}.${module}`,
    need,
    claim,
    provides: nameOf(tokensOf(claimed ?? "")[0] ?? ""),
    entry: provider === undefined || claimed === undefined ? undefined : entryIn(facts, provider.module, claim),
    provider: provider === undefined ? "" : `${tokenOf(provider.node)}.${provider.module}`
  }
}

// --- provided ----------------------------------------------------------------------------------------------------

const provided = (about: About): boolean => {
  const { consumer, facts, kind, name, need, provision } = about
  const assignment = assignmentIn(facts, consumer)
  if (assignment === undefined) {
    return false
  }
  const says = (member: string) => isJsonObject(need) ? memberOf(need, member) : undefined
  switch (provision.reason) {
    case "provided":
      return answers(about) && fieldsAreThere(about) && credentialsAreThere(about)
    case "healthy":
      return runsWell(facts, about.provider)
    case "entry":
      return kind === "config"
        ? facts.object("mesh-config_values", `${consumer}.${name}`)?.["value"] !== undefined
        : isFound(about)
    case "default":
      return says("default") !== undefined && !isFound(about)
    case "collection":
      return true
    case "placed":
      return isPlaced(about)
    case "own":
      return says("own") === true && provision.find === undefined
    default:
      return false
  }
}

const isFound = ({ facts, provision: { find } }: About): boolean => {
  const at = find !== undefined && "bucket" in find ? find : undefined
  const json = at && facts.get(at.bucket, at.key)
  return at?.bucket === "mesh-config_values" ? isJsonObject(json) && Object.hasOwn(json, "value") : json !== undefined
}

const isPlaced = ({ consumer, facts, kind, name }: About): boolean => {
  const placement = assignmentIn(facts, consumer)?.["placement"]
  const places = isJsonObject(placement) ? memberOf(placement, kind) : undefined
  return isJsonObject(places) && memberOf(places, nameOf(name)) !== undefined
}

const isOfInstance = (entry: SoundEntry, assignment: JsonObject | undefined): boolean =>
  entry.for === undefined || assignment?.["instance"] === undefined || entry.for === assignment["instance"]

/** The provider's entry says provided, of this node and for this instance. */
const answers = ({ consumer, entry, facts, provision: { provider } }: About): boolean =>
  entry?.state === "provided" && entry.by === provider?.node && isOfInstance(entry, assignmentIn(facts, consumer))

const contractOf = ({ facts, provides, provision: { provider } }: About): JsonObject =>
  provider === undefined ? {} : fieldsOf(provisionIn(facts, provider.module, provides))

const fieldsNamed = (about: About): ReadonlyArray<string> => {
  const named = isJsonObject(about.need) ? about.need["fields"] : undefined
  return Array.isArray(named) && named.length > 0 ? named.map(String) : Object.keys(contractOf(about))
}

const isOfType = (value: Json | undefined, type: Json | undefined): boolean =>
  type === "integer" ? Number.isSafeInteger(value) : typeof value === type

const fieldsAreThere = (about: About): boolean => {
  const contract = contractOf(about)
  const values = about.entry?.values ?? {}
  const isRight = (field: string) => {
    const type = memberOf(contract, field)
    return type === "secret" || type === undefined || isOfType(memberOf(values, field), type)
  }
  return fieldsNamed(about).every(isRight) && !showsSecret(about)
}

const showsSecret = (about: About): boolean =>
  Object.entries(contractOf(about)).some(([field, type]) =>
    type === "secret" && about.entry?.values !== undefined &&
    Object.hasOwn(about.entry.values, field)
  )

/** The claims of the credentials of a claim (protocol §6.1). */
const credentialClaims = (
  facts: Knowledge,
  module: string,
  claim: string
): ReadonlyArray<string> => {
  const [node = "", consumer = "", provision = "", local] = tokensOf(claim)
  return Object.entries(fieldsOf(provisionIn(facts, module, nameOf(provision)))).flatMap(([field, type]) =>
    type === "secret"
      ? [
        `${node}.${consumer}.credential.${
          tokenOf([module, provision, ...(local === undefined ? [] : [local]), tokenOf(field)].join("."))
        }`
      ]
      : []
  )
}

const credentialsAreThere = ({ claim, consumer, facts, provision: { provider } }: About): boolean => {
  const holder = holderIn(facts, "vault")
  return provider === undefined || credentialClaims(facts, provider.module, claim).every((credential) => {
    const entry = entryIn(facts, "mesh-vault", credential)
    return holder !== undefined && entry?.state === "provided" && entry.by === holder.node &&
      isOfInstance(entry, assignmentIn(facts, consumer))
  })
}

const haveIn = (facts: Knowledge, key: string): JsonObject | undefined => {
  const have = facts.object("mesh-host_haves", key)
  return typeof have?.["build"] === "string" && typeof have["health"] === "string" ? have : undefined
}

const isLost = (facts: Knowledge, provider: string): boolean =>
  facts.object("mesh-controller_machines", tokensOf(provider)[0] ?? "")?.["lost"] === true

const runsWell = (facts: Knowledge, provider: string): boolean => {
  const assignment = assignmentIn(facts, provider)
  const have = haveIn(facts, provider)
  return assignment !== undefined && !isLost(facts, provider) && have?.["health"] === "healthy" &&
    have["build"] === assignment["build"]
}

// --- failed ------------------------------------------------------------------------------------------------------

const failed = (about: About): boolean => {
  const { claim, entry, facts, provider, provision } = about
  const said = (words: Json | undefined) =>
    typeof words === "string" && words !== ""
      ? provision.why === [...words].slice(0, 4_096).join("")
      : provision.why.endsWith("gives no reason")
  switch (provision.reason) {
    case "provider-failed": {
      const have = haveIn(facts, provider)
      return (entry?.state === "failed" && said(entry.why)) || (have?.["health"] === "failed" && said(have["words"]))
    }
    case "secret-in-bucket":
      return showsSecret(about)
    case "credential-failed":
      return provision.provider !== undefined &&
        credentialClaims(facts, provision.provider.module, claim).some((credential) => {
          const opened = entryIn(facts, "mesh-vault", credential)
          return opened?.state === "failed" && said(opened.why)
        })
    default:
      return false
  }
}

// --- asked -------------------------------------------------------------------------------------------------------

/** Whether the fact that is waited for is not there, or is not what it is to be. */
const isMissing = (about: About): boolean => {
  const { consumer, entry, facts, provider, provision } = about
  const { bucket = "", key = "" } = provision.waits ?? {}
  switch (provision.reason) {
    case "unassigned":
      return assignmentIn(facts, key) === undefined
    case "no-entry":
      return !isFound(about)
    case "not-placed":
      return !isPlaced(about)
    case "no-holder":
      return holderIn(facts, nameOf(key)) === undefined
    case "two-holders":
      return entriesOf(about).filter((one) => one === undefined || one.state !== "retired").length > 1
    case "not-bound":
      return !facts.has(bucket, key)
    case "bound-shape":
      return facts.has(bucket, key) && entryIn(facts, bucket.slice(0, -"_bound".length), key) === undefined
    case "bound-elsewhere":
      return entry !== undefined && entry.by !== provision.provider?.node
    case "earlier-instance":
      return entry !== undefined && !isOfInstance(entry, assignmentIn(facts, consumer))
    case "making":
      return entry !== undefined && entry.state !== "provided" && entry.state !== "failed"
    case "field-missing":
      return !fieldsAreThere(about)
    case "credential":
      return !credentialsAreThere(about)
    case "lost":
      return isLost(facts, provider)
    case "no-have":
      return haveIn(facts, provider) === undefined
    case "other-build":
      return haveIn(facts, provider)?.["build"] !== assignmentIn(facts, provider)?.["build"]
    case "unhealthy":
      return haveIn(facts, provider)?.["health"] !== "healthy"
    case "holder-gone":
      return isGone(about, bucket, key)
    default:
      return false
  }
}

const entriesOf = ({ claim, facts }: About): ReadonlyArray<SoundEntry | undefined> =>
  [...facts.buckets()].filter((bucket) => bucket.endsWith("_bound") && facts.has(bucket, claim))
    .map((bucket) => entryIn(facts, bucket.slice(0, -"_bound".length), claim))

const isGone = ({ entry, facts, provides, provision: { provider } }: About, bucket: string, key: string): boolean => {
  if (entry === undefined || provider === undefined || entry.state === "retired") {
    return false
  }
  switch (bucket) {
    case "mesh-controller_modules":
      return provisionIn(facts, key, provides) === undefined
    case "mesh-controller_assignments":
      return assignmentIn(facts, key) === undefined
    default:
      return holderIn(facts, nameOf(key))?.module !== provider.module
  }
}
