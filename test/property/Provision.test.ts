/**
 * Provisions (protocol §5): what is neither provided nor failed is `asked`, and says which fact it waits for, or `refused`,
 * and says why nobody can answer it.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { factBuckets } from "../../src/core/Bucket.ts"
import { decide } from "../../src/core/Decide.ts"
import type { Provision, Waits } from "../../src/core/Decision.ts"
import { readKey } from "../../src/core/Key.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { lossOf } from "../arbitrary/Loss.ts"
import { isThere } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { type Facts, readFacts } from "../naive/facts.ts"
import {
  answersTo,
  assignmentOf,
  claimOf,
  entryAt,
  holderOf,
  type Need,
  needsOf,
  ownMember,
  providedOf,
  valueAt
} from "../naive/mesh.ts"
import { join, read } from "../naive/name.ts"
import { check, Met } from "./Law.ts"
import { satisfy } from "./Satisfy.ts"

const anyMesh = fc.oneof(coherentMesh, wildMesh, lossOf(coherentMesh).map(({ after }) => after))

/** Whether a place is one that a fact can have: a bucket of facts, and a key in its shape. */
const canHoldAFact = (facts: Facts, { bucket, key }: Waits): boolean => {
  const row = Object.values(factBuckets).find(({ name }) => name === bucket) ??
    (bucket.endsWith("_bound") ? factBuckets.bound : undefined)
  const isAnswering = facts.definitions.some(({ answers }) =>
    [...answers.values()].some((answering) => "bucket" in answering && answering.bucket === bucket)
  )
  return row === undefined
    ? isAnswering && key.split(".").every((token) => read(token) !== undefined)
    : Result.isSuccess(readKey<typeof row.parts[number]>(row, key))
}

const entryIn = (facts: Facts, { bucket, key }: Waits) => entryAt(facts, bucket.slice(0, -"_bound".length), key)

/** What is amiss with the fact that is waited for, by the reason that is given (§5.1 to §5.3). */
const isAmiss = (
  snapshot: Snapshot,
  facts: Facts,
  need: Need,
  { provider, reason }: Provision,
  waits: Waits
): boolean => {
  const entry = waits.bucket.endsWith("_bound") ? entryIn(facts, waits) : undefined
  const have = valueAt(facts.haves, waits.key)
  switch (reason) {
    case "unassigned":
      return waits.bucket === "mesh-controller_assignments" && valueAt(facts.assignments, waits.key) === undefined
    case "no-entry":
      return (waits.bucket === "mesh-config_values"
        ? valueAt(facts.config, waits.key)
        : facts.look(waits.bucket, waits.key)) ===
        undefined
    case "not-placed":
      return ownMember(ownMember(assignmentOf(facts, need.consumer)?.placement, need.kind), need.name) === undefined
    case "no-holder":
      return waits.bucket === "mesh-controller_seats" && holderOf(facts, read(waits.key) ?? "") === undefined
    case "two-holders":
      return waits.key === join(need.consumer.node, need.consumer.module) &&
        waits.bucket === "mesh-controller_assignments"
    case "bound-shape":
      return isThere(snapshot, waits) && entry?.value === undefined
    case "holder-gone":
      return isMissing(facts, need, waits, provider?.module ?? "")
    case "not-bound":
      return !isThere(snapshot, waits)
    case "bound-elsewhere":
      return entry?.value !== undefined && entry.value.by !== provider?.node
    case "earlier-instance":
      return isOfAnotherInstance(facts, need, entry?.value?.for)
    case "making":
      return entry?.value !== undefined && !["provided", "failed"].includes(entry.value.state)
    case "field-missing":
      return entry?.value?.state === "provided"
    case "credential":
      return waits.bucket === "mesh-vault_bound" &&
        (entry?.value?.state !== "provided" || entry.value.by !== holderOf(facts, "vault")?.node ||
          isOfAnotherInstance(facts, need, entry.value.for))
    case "lost":
      return valueAt(facts.machines, waits.key)?.lost === true
    case "no-have":
      return have === undefined
    case "other-build":
      return have !== undefined && have.build !== valueAt(facts.assignments, waits.key)?.build
    case "unhealthy":
      return have !== undefined && !["healthy", "failed"].includes(have.health)
    default:
      return false
  }
}

const isOfAnotherInstance = (facts: Facts, need: Need, answered: string | undefined): boolean => {
  const instance = assignmentOf(facts, need.consumer)?.instance
  return answered !== undefined && instance !== undefined && answered !== instance
}

/** Whether what holds a claim lacks what it would serve by: its definition, its assignment, or its seat (§5.2). */
const isMissing = (facts: Facts, need: Need, { bucket, key }: Waits, module: string): boolean => {
  const claim = claimOf(need)
  switch (bucket) {
    case "mesh-controller_modules":
      return key === module && providedOf(facts, module, claim?.provision ?? "") === undefined
    case "mesh-controller_assignments":
      return valueAt(facts.assignments, key) === undefined
    case "mesh-controller_seats": {
      const holder = holderOf(facts, read(key) ?? "")
      const pin = ownMember(assignmentOf(facts, need.consumer)?.pins, join(claim?.provision, claim?.local))
      return holder?.module !== module || (pin?.node ?? holder.node) !== holder.node
    }
    default:
      return false
  }
}

test("asked always waits for a fact, and that fact is not as it is to be (§5)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      const { provisions } = decide(snapshot)
      for (const need of needsOf(facts)) {
        const provision = provisions.get(need.key)
        expect(provision?.state === "asked").toBe(provision?.waits !== undefined)
        if (provision?.waits !== undefined) {
          expect(canHoldAFact(facts, provision.waits), JSON.stringify(provision.waits)).toBe(true)
          expect(isAmiss(snapshot, facts, need, provision, provision.waits), `${provision.reason} of ${need.key}`).toBe(
            true
          )
          met.count(provision.reason)
        }
      }
    }),
    250
  )
  met.atLeast({ unassigned: 30, "no-holder": 10, "holder-gone": 20, "not-bound": 20, "not-placed": 20 })
})

test("what it waits for, once it comes as it is to be, gets an asked need on, until it is asked no more (§5)", () => {
  const met = new Met()
  check(
    fc.property(
      fc.oneof(coherentMesh, lossOf(coherentMesh).map(({ after }) => after)),
      fc.nat(),
      (snapshot, choice) => {
        const asked = [...decide(snapshot).provisions].filter(([, { state }]) => state === "asked")
        const [key, first] = asked[choice % asked.length] ?? []
        if (key === undefined || first === undefined) {
          return
        }
        let now = snapshot
        let provision: Provision | undefined = first
        const said = new Set<string>()
        while (provision?.state === "asked") {
          const step = JSON.stringify([provision.reason, provision.waits, provision.why])
          expect(said, `waits twice: ${step}`).not.toContain(step)
          said.add(step)
          met.count(provision.reason)
          now = satisfy(now, key, provision)
          provision = decide(now).provisions.get(key)
        }
        met.count(`then ${provision?.state}`)
      }
    ),
    250
  )
  met.atLeast({
    "then provided": 80,
    unassigned: 15,
    "no-holder": 8,
    "holder-gone": 10,
    "not-bound": 10,
    "two-holders": 1
  })
})

test("refused says who was tried, each with why not, or why nobody is there to be tried (§5, §5.2)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      const { provisions } = decide(snapshot)
      for (const need of needsOf(facts)) {
        const provision = provisions.get(need.key)
        if (provision?.state === "refused") {
          expect(isRefusedRightly(facts, need, provision), `${provision.reason} of ${need.key}`).toBe(true)
          met.count(provision.reason)
        }
      }
    }),
    250
  )
  met.atLeast({ shape: 20, "no-domain": 20, nobody: 16, "no-candidate": 18, unmet: 20, conflict: 5 })
})

const isRefusedRightly = (facts: Facts, need: Need, provision: Provision): boolean => {
  const { candidates = [], provider, reason, why } = provision
  const namesAll = candidates.every((candidate) =>
    candidate.why !== "" && why.includes(candidate.why) && why.includes(candidate.module) &&
    why.includes(candidate.node)
  )
  const tried = triedFor(facts, need)
  switch (reason) {
    case "shape":
      return need.value === undefined
    case "no-domain":
      return answersTo(facts, need.kind).length === 0
    case "conflict":
      return answersTo(facts, need.kind).every(([module]) => why.includes(module))
    case "too-long":
      return JSON.stringify(Object.keys(provision).sort()) === JSON.stringify(["kind", "reason", "state", "why"])
    case "nobody":
      return tried.length === 0 && why.includes(need.consumer.module)
    case "no-candidate":
      return namesAll && candidates.length > 0 &&
        JSON.stringify(candidates.map(({ module, node }) => join(node, module))) === JSON.stringify(tried.slice(0, 20))
    case "unmet":
      return namesAll && candidates.length === 1 && candidates[0]?.node === provider?.node &&
        candidates[0]?.module === provider?.module
    default:
      return false
  }
}

/** Whoever is assigned and provides what a need asks for, but the consumer itself, in order. */
const triedFor = (facts: Facts, need: Need): ReadonlyArray<string> => {
  const provision = claimOf(need)?.provision ?? ""
  return facts.assignments
    .filter(({ names: [, module = ""], value }) =>
      value !== undefined && providedOf(facts, module, provision) !== undefined
    )
    .map(({ key }) => key)
    .filter((key) => key !== join(need.consumer.node, need.consumer.module))
    .sort()
}
