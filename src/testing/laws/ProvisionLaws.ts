/**
 * Provisions (protocol §5): what is neither provided nor failed is `asked`, and says which fact it waits for, or `refused`,
 * and says why nobody can answer it.
 */
import * as fc from "fast-check"
import type { Provision } from "../../core/Decision.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { readFacts } from "../naive/facts.ts"
import { needsOf } from "../naive/mesh.ts"
import { must, shown } from "./Broken.ts"
import { anyMesh, lossyMesh, meshLaw } from "./Cases.ts"
import { lawOf } from "./Law.ts"
import { canHoldAFact, isAmiss, isRefusedRightly } from "./NotProvided.ts"
import { satisfy } from "./Satisfy.ts"
import { sayProvision, tellMesh } from "./Tell.ts"

const askedWaits = meshLaw({
  sentence: "asked always waits for a fact, and that fact is not as it is to be",
  paragraph: "§5",
  cases: anyMesh,
  runs: 250,
  atLeast: { unassigned: 30, "no-holder": 10, "holder-gone": 20, "not-bound": 20, "not-placed": 20 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    const { provisions } = decide(mesh)
    for (const need of needsOf(facts)) {
      const provision = provisions.get(need.key)
      const waits = provision?.waits
      must(
        (provision?.state === "asked") === (waits !== undefined),
        `${need.key} is ${provision?.state}, and waits for ${shown(waits)}.`
      )
      if (provision !== undefined && waits !== undefined) {
        const seen = `${sayProvision(need.key, provision)} It waits for ${waits.bucket} ${waits.key}`
        must(canHoldAFact(facts, waits), `${seen}, where no fact can be.`)
        must(isAmiss(mesh, facts, need, provision, waits), `${seen}, which is as it is to be.`)
        met.count(provision.reason)
      }
    }
  }
})

/** More than any need waits for: a rule that never comes to an end is told, and not run for ever. */
const stepsMax = 100

const waitedForGetsOn = lawOf({
  sentence: "what it waits for, once it comes as it is to be, gets an asked need on, until it is asked no more",
  paragraph: "§5",
  cases: fc.tuple(fc.oneof(coherentMesh, lossyMesh), fc.nat()),
  runs: 250,
  atLeast: {
    "then provided": 80,
    unassigned: 15,
    "no-holder": 8,
    "holder-gone": 10,
    "not-bound": 10,
    "two-holders": 1
  },
  tell: ([mesh]) => tellMesh(mesh),
  holds: (decide, [mesh, choice], met) => {
    const asked = [...decide(mesh).provisions].filter(([, { state }]) => state === "asked")
    const [key, first] = asked[choice % asked.length] ?? []
    if (key === undefined || first === undefined) {
      return
    }
    let now = mesh
    let provision: Provision | undefined = first
    const said = new Set<string>()
    while (provision?.state === "asked") {
      const step = JSON.stringify([provision.reason, provision.waits, provision.why])
      must(!said.has(step), `${sayProvision(key, provision)} It waited for that before, and it came.`)
      said.add(step)
      must(said.size <= stepsMax, `${key} waits for another fact after ${stepsMax} that it waited for came.`)
      met.count(provision.reason)
      now = satisfy(now, key, provision)
      provision = decide(now).provisions.get(key)
    }
    met.count(`then ${provision?.state}`)
  }
})

const refusedSaysWhy = meshLaw({
  sentence: "refused says who was tried, each with why not, or why nobody is there to be tried",
  paragraph: "§5, §5.2",
  cases: anyMesh,
  runs: 250,
  atLeast: { shape: 20, "no-domain": 20, nobody: 16, "no-candidate": 18, unmet: 20, conflict: 5 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    const { provisions } = decide(mesh)
    for (const need of needsOf(facts)) {
      const provision = provisions.get(need.key)
      if (provision?.state === "refused") {
        must(isRefusedRightly(facts, need, provision), `${sayProvision(need.key, provision)} That is not so.`)
        met.count(provision.reason)
      }
    }
  }
})

/** The laws of provisions, in the order of the protocol. */
export const provisionLaws = [askedWaits, waitedForGetsOn, refusedSaysWhy]
