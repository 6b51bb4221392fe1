/**
 * The provider's outcome (protocol §5, §5.3): a provision is `provided` only on its provider's own outcome, and `failed` has
 * the outcome's own words. The laws look at the facts alone, as the twin reads them, and at none of the core's rules.
 */
import type { Provision } from "../../core/Decision.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { type Facts, readFacts } from "../naive/facts.ts"
import { answersTo, assignmentOf, claimOf, fieldsOf, type Need, needsOf, providedOf } from "../naive/mesh.ts"
import { Broken, must, same } from "./Broken.ts"
import { anyMesh, meshLaw } from "./Cases.ts"
import { entryOfProvider, isSo, wordsOf } from "./FactsSay.ts"
import type { DecideOn } from "./Law.ts"
import { sayProvision } from "./Tell.ts"

/** Each need of a mesh with what was decided on it, beside the facts. */
const decided = function*(
  decide: DecideOn,
  mesh: Snapshot
): Iterable<{ readonly facts: Facts; readonly need: Need; readonly provision: Provision; readonly seen: string }> {
  const facts = readFacts(mesh)
  const { provisions } = decide(mesh)
  for (const need of needsOf(facts)) {
    const provision = provisions.get(need.key)
    if (provision === undefined) {
      throw new Broken(`Nothing is decided on ${need.key}.`)
    }
    yield { facts, need, provision, seen: sayProvision(need.key, provision) }
  }
}

const providedOnOutcome = meshLaw({
  sentence: "a provision is provided only with its provider's own outcome at hand",
  paragraph: "§5, §5.3",
  cases: anyMesh,
  runs: 400,
  atLeast: {
    provided: 70,
    healthy: 30,
    own: 10,
    entry: 15,
    default: 4,
    placed: 25,
    collection: 45,
    "with credentials": 16
  },
  holds: (decide, mesh, met) => {
    for (const { facts, need, provision, seen } of decided(decide, mesh)) {
      if (provision.state === "provided") {
        must(need.value !== undefined, `${seen} The need is out of shape.`)
        must(assignmentOf(facts, need.consumer) !== undefined, `${seen} The module that needs it is not assigned.`)
        must(isSo(facts, need, provision), `${seen} No fact says so.`)
        met.count(provision.reason)
        met.count(
          provision.find && "bucket" in provision.find && provision.find.credentials ? "with credentials" : "without"
        )
      }
    }
  }
})

const firstCodePoints = (text: string, count: number): string => Array.from(text).slice(0, count).join("")

const failedInItsWords = meshLaw({
  sentence: "failed has exactly the outcome's words, or says that there are none",
  paragraph: "§5, §5.3",
  cases: anyMesh,
  runs: 400,
  atLeast: {
    "provider-failed": 25,
    "credential-failed": 2,
    "without words": 14,
    "with words": 5,
    "with too many words": 3
  },
  holds: (decide, mesh, met) => {
    for (const { facts, need, provision, seen } of decided(decide, mesh)) {
      if (provision.state === "failed" && provision.reason !== "secret-in-bucket") {
        const words = wordsOf(facts, need, provision)
        must(words.length > 0, `${seen} Nobody says that it failed.`)
        const said = words.filter((one) =>
          one !== undefined && one !== "" && firstCodePoints(one, 4_096) === provision.why
        )
        const isSilent = words.some((one) => one === undefined || one === "") && provision.why.includes("no reason")
        must(said.length > 0 || isSilent, `${seen} Those are not the words of whoever failed.`)
        met.count(provision.reason)
        met.count(isSilent ? "without words" : provision.why.length > 4_096 ? "with too many words" : "with words")
      }
    }
  }
})

const secretInBucket = meshLaw({
  sentence: "a secret that a provider wrote into its bucket fails the need, and the field is named",
  paragraph: "§5.3",
  cases: anyMesh,
  runs: 400,
  atLeast: { "secret-in-bucket": 2 },
  holds: (decide, mesh, met) => {
    for (const { facts, need, provision, seen } of decided(decide, mesh)) {
      const claim = claimOf(need)
      const entry = claim && entryOfProvider(facts, provision, claim)
      const fields = fieldsOf(providedOf(facts, provision.provider?.module ?? "", claim?.provision ?? ""))
      const shown = fields.filter(([field, type]) => type === "secret" && Object.hasOwn(entry?.values ?? {}, field))
      const isShown = need.kind === "bound" && entry?.state === "provided" && shown.length > 0
      if (provision.reason === "secret-in-bucket" || isShown) {
        const reasons = ["secret-in-bucket", "unmet", "holder-gone", "unassigned", "too-long"]
        must(reasons.includes(provision.reason), `${seen} A secret is in its bucket.`)
        must(isShown, `${seen} No secret is in its bucket.`)
        must(
          provision.reason !== "secret-in-bucket" || provision.why.includes(shown[0]?.[0] ?? ""),
          `${seen} The field ${shown[0]?.[0]} is not named.`
        )
        met.count(provision.reason)
      }
    }
  }
})

const nobodysKind = meshLaw({
  sentence: "of a kind that several modules answer, or none, nothing is provided",
  paragraph: "§4, §5.1",
  cases: anyMesh,
  runs: 200,
  atLeast: { "no-domain": 20, conflict: 3 },
  holds: (decide, mesh, met) => {
    for (const { facts, need, provision, seen } of decided(decide, mesh)) {
      const answering = answersTo(facts, need.kind).length
      if (["no-domain", "conflict"].includes(provision.reason)) {
        same(provision.state, "refused", `The state of ${need.key}`)
        must(
          provision.reason === "conflict" ? answering >= 2 : answering === 0,
          `${seen} ${answering} modules answer its kind.`
        )
        same(provision.find, undefined, `Where ${need.key} is found`)
        met.count(provision.reason)
      }
    }
  }
})

/** The laws of what providers say, in the order of the protocol. */
export const outcomeLaws = [providedOnOutcome, failedInItsWords, secretInBucket, nobodysKind]
