/**
 * The provider's outcome (protocol §5, §5.3): a provision is `provided` only on its provider's own outcome, and `failed` has
 * the outcome's own words. The laws look at the facts alone, as the twin reads them, and at none of the core's rules.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import type { Provision } from "../../src/core/Decision.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { lossOf } from "../arbitrary/Loss.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { type BoundValue, type Facts, readFacts } from "../naive/facts.ts"
import {
  answersTo,
  assignmentOf,
  type Claim,
  claimOf,
  entryAt,
  fieldsOf,
  holderOf,
  keyOf,
  type Need,
  needsOf,
  ownMember,
  providedOf,
  valueAt
} from "../naive/mesh.ts"
import { join } from "../naive/name.ts"
import { check, Met } from "./Law.ts"

const anyMesh = fc.oneof(coherentMesh, wildMesh, lossOf(coherentMesh).map(({ after }) => after))

/** Each need of a mesh with what was decided on it, beside the facts. */
const decided = function*(snapshot: Snapshot): Iterable<{ facts: Facts; need: Need; provision: Provision }> {
  const facts = readFacts(snapshot)
  const { provisions } = decide(snapshot)
  for (const need of needsOf(facts)) {
    const provision = provisions.get(need.key)
    expect(provision, `a provision of ${need.key}`).toBeDefined()
    if (provision !== undefined) {
      yield { facts, need, provision }
    }
  }
}

/** What a provider that answers per consumer says of a claim, where it is about this instance of the consumer. */
const entryOfProvider = (facts: Facts, { provider }: Provision, claim: Claim): BoundValue | undefined => {
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
const isSo = (facts: Facts, need: Need, provision: Provision): boolean => {
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

test("a provision is provided only with its provider's own outcome at hand (§5, §5.3)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      for (const { facts, need, provision } of decided(snapshot)) {
        if (provision.state === "provided") {
          expect(need.value, "a need in shape").toBeDefined()
          expect(assignmentOf(facts, need.consumer), "an assigned consumer").toBeDefined()
          expect(isSo(facts, need, provision), `${provision.reason} at ${need.key}`).toBe(true)
          met.count(provision.reason)
          met.count(
            provision.find && "bucket" in provision.find && provision.find.credentials ? "with credentials" : "without"
          )
        }
      }
    }),
    400
  )
  met.atLeast({
    provided: 70,
    healthy: 30,
    own: 10,
    entry: 15,
    default: 4,
    placed: 25,
    collection: 45,
    "with credentials": 16
  })
})

/** The words of every fact that may have failed this need, by the reason that is given. */
const wordsOf = (facts: Facts, need: Need, provision: Provision): ReadonlyArray<string | undefined> => {
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

const firstCodePoints = (text: string, count: number): string => Array.from(text).slice(0, count).join("")

test("failed has exactly the outcome's words, or says that there are none (§5, §5.3)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      for (const { facts, need, provision } of decided(snapshot)) {
        if (provision.state === "failed" && provision.reason !== "secret-in-bucket") {
          const words = wordsOf(facts, need, provision)
          expect(words.length, `an outcome that failed ${need.key}`).toBeGreaterThan(0)
          const said = words.filter((one) =>
            one !== undefined && one !== "" && firstCodePoints(one, 4_096) === provision.why
          )
          const isSilent = words.some((one) => one === undefined || one === "") && provision.why.includes("no reason")
          expect(said.length > 0 || isSilent, `${need.key}: ${provision.why}`).toBe(true)
          met.count(provision.reason)
          met.count(isSilent ? "without words" : provision.why.length > 4_096 ? "with too many words" : "with words")
        }
      }
    }),
    400
  )
  met.atLeast({
    "provider-failed": 25,
    "credential-failed": 2,
    "without words": 14,
    "with words": 5,
    "with too many words": 3
  })
})

test("a secret that a provider wrote into its bucket fails the need, and the field is named (§5.3)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      for (const { facts, need, provision } of decided(snapshot)) {
        const claim = claimOf(need)
        const entry = claim && entryOfProvider(facts, provision, claim)
        const fields = fieldsOf(providedOf(facts, provision.provider?.module ?? "", claim?.provision ?? ""))
        const shown = fields.filter(([field, type]) => type === "secret" && Object.hasOwn(entry?.values ?? {}, field))
        const isShown = need.kind === "bound" && entry?.state === "provided" && shown.length > 0
        if (provision.reason === "secret-in-bucket" || isShown) {
          expect(["secret-in-bucket", "unmet", "holder-gone", "unassigned", "too-long"]).toContain(provision.reason)
          expect(isShown).toBe(true)
          expect(provision.reason !== "secret-in-bucket" || provision.why.includes(shown[0]?.[0] ?? "")).toBe(true)
          met.count(provision.reason)
        }
      }
    }),
    400
  )
  met.atLeast({ "secret-in-bucket": 2 })
})

test("of a kind that several modules answer, or none, nothing is provided (§4, §5.1)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      for (const { facts, need, provision } of decided(snapshot)) {
        const answering = answersTo(facts, need.kind)
        if (["no-domain", "conflict"].includes(provision.reason)) {
          expect(provision.state).toBe("refused")
          expect(answering.length).toBeOneOf(provision.reason === "conflict" ? [2, 3, 4, 5] : [0])
          expect(provision.find).toBeUndefined()
          met.count(provision.reason)
        }
      }
    }),
    200
  )
  met.atLeast({ "no-domain": 20, conflict: 3 })
})
