/**
 * Resolving a claim (protocol §5.2): what holds a consumer's data keeps it, and nothing moves a consumer from it but a pin,
 * or a definition that says that it no longer provides it.
 */
import * as fc from "fast-check"
import type { ModuleOn } from "../../core/Decision.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { type Loss, lossOf } from "../arbitrary/Loss.ts"
import { objectAt, put } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { assignmentOf } from "../naive/mesh.ts"
import { join } from "../naive/name.ts"
import { must, same } from "./Broken.ts"
import { meshLaw, turnLaw } from "./Cases.ts"
import { heldIn, type HeldMesh } from "./Held.ts"
import { assigned, misfortunes, withNewcomer } from "./ServedMesh.ts"

const anyMesh = fc.oneof({ weight: 3, arbitrary: coherentMesh }, { weight: 1, arbitrary: wildMesh })

const whom = (one: ModuleOn | undefined): string => one === undefined ? "nobody" : `${one.module} on ${one.node}`

const newcomerMovesNothing = meshLaw({
  sentence: "a new provider, however near, moves no claim that is held",
  paragraph: "§5.2",
  cases: anyMesh,
  runs: 200,
  atLeast: { held: 140, "served by the newcomer": 16 },
  holds: (decide, mesh, met) => {
    const all = heldIn(decide, mesh)
    const after = decide(withNewcomer(all, mesh))
    for (const { need, provision } of all.held) {
      same(
        after.provisions.get(need.key),
        provision,
        `Once newcomer is on every node and provides all, what is decided on ${need.key},`
      )
      met.count("held")
    }
    const served = [...after.provisions.values()].filter(({ provider }) => provider?.module === "newcomer")
    met.count("served by the newcomer", served.length)
  }
})

const oneMoreNodeMovesNothing = meshLaw({
  sentence: "the same module on one more node, however near, moves no claim that is held",
  paragraph: "§5.2",
  cases: anyMesh,
  runs: 150,
  atLeast: { held: 40 },
  holds: (decide, mesh, met) => {
    for (const { by, claim, need, provider, provision } of heldIn(decide, mesh).held) {
      const { node } = claim.consumer
      if (by !== node && provider.node !== node && provider.module !== claim.consumer.module) {
        const after = decide(assigned(mesh, node, provider.module)).provisions.get(need.key)
        same(after, provision, `Once ${provider.module} is on ${node} too, what is decided on ${need.key},`)
        met.count("held")
      }
    }
  }
})

const misfortuneMovesNothing = meshLaw({
  sentence:
    "nothing that befalls a provider moves a claim that it holds: that it drains, stops, is taken off its node, or its node is lost",
  paragraph: "§5.2",
  cases: anyMesh,
  runs: 100,
  atLeast: { lost: 40, draining: 40, stopped: 40, unassigned: 40 },
  holds: (decide, mesh, met) => {
    // A module that serves itself is taken off its node as a consumer too.
    const others = heldIn(decide, mesh).held.filter(({ claim, provider }) => provider.module !== claim.consumer.module)
    for (const held of others) {
      for (const [misfortune, after] of misfortunes(mesh, held)) {
        const provider = decide(after).provisions.get(held.need.key)?.provider
        must(
          provider?.module === held.provider.module && [held.provider.node, held.by].includes(provider.node),
          `Once it is ${misfortune}, ${held.need.key} is served by ${whom(provider)}, and not by ${
            whom(held.provider)
          }.`
        )
        met.count(misfortune)
      }
    }
  }
})

// The entry itself is what holds: it may be garbled, and is not taken away here.
const withoutEntries = lossOf(coherentMesh, {
  absent: ({ bucket }) => !bucket.endsWith("_bound") || bucket === "mesh-vault_bound"
})

const lossMovesNothing = turnLaw<Loss>({
  sentence: "no fact that is absent or garbled moves a held claim to another provider",
  paragraph: "§5.2, the second idea",
  cases: withoutEntries,
  runs: 250,
  atLeast: { "need lost": 10, "nobody known": 20, "the same": 100 },
  holds: (decide, { after, before }, met) => {
    const { facts, held } = heldIn(decide, before)
    const { asks, provisions } = decide(after)
    for (const { by, claim, need, provider } of held) {
      const now = provisions.get(need.key)
      must(
        now?.provider === undefined || (now.provider.module === provider.module &&
          [by, provider.node, ...seatsOf(facts)].includes(now.provider.node)),
        `${need.key} was held by ${whom(provider)}, and is served by ${whom(now?.provider)}.`
      )
      const wantedOfAnother = [...asks].find(([key, { state }]) =>
        state === "wanted" && key.endsWith(`.${claim.key}`) && !key.endsWith(`.${provider.module}.${claim.key}`)
      )
      must(
        wantedOfAnother === undefined,
        `${claim.key} was held by ${whom(provider)}, and is wanted of another: ${wantedOfAnother?.[0]}.`
      )
      met.count(now === undefined ? "need lost" : now.provider === undefined ? "nobody known" : "the same")
    }
  }
})

const seatsOf = (facts: HeldMesh["facts"]): ReadonlyArray<string> =>
  facts.seats.flatMap(({ value }) => value?.node ?? [])

const pinMoves = meshLaw({
  sentence: "a pin moves a held claim: nothing serves it that the pin excludes",
  paragraph: "§5.2",
  cases: coherentMesh,
  runs: 100,
  atLeast: { moved: 30 },
  holds: (decide, mesh, met) => {
    const all = heldIn(decide, mesh)
    for (const { claim, need, provider } of all.held) {
      const place = { bucket: "mesh-controller_assignments", key: join(claim.consumer.node, claim.consumer.module) }
      const pins = { [join(claim.provision, claim.local)]: { module: "newcomer" } }
      const pinned = put(withNewcomer(all, mesh), place, { ...objectAt(mesh, place), pins })
      if (assignmentOf(all.facts, claim.consumer) !== undefined) {
        const now = decide(pinned).provisions.get(need.key)
        must(
          now?.provider?.module !== provider.module,
          `Once ${need.key} is pinned to newcomer, it is served by ${whom(now?.provider)}.`
        )
        met.count(now?.provider?.module === "newcomer" ? "moved" : "refused")
      }
    }
  }
})

/** The laws of what is held, in the order of the protocol. */
export const heldLaws = [
  newcomerMovesNothing,
  oneMoreNodeMovesNothing,
  misfortuneMovesNothing,
  lossMovesNothing,
  pinMoves
]
