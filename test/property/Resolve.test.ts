/**
 * Resolving a claim (protocol §5.2): what holds a consumer's data keeps it, and nothing moves a consumer from it but a pin,
 * or a definition that says that it no longer provides it. Of those that could serve what nobody holds, one is chosen,
 * and the same one whoever else comes or goes.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { chosen } from "../arbitrary/Choose.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { lossOf } from "../arbitrary/Loss.ts"
import { name } from "../arbitrary/Names.ts"
import { objectAt, type Place, put } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { assignmentOf } from "../naive/mesh.ts"
import { join } from "../naive/name.ts"
import { naiveScore } from "../naive/score.ts"
import { type Held, heldIn, type HeldMesh } from "./Held.ts"
import { check, Met } from "./Law.ts"

const anyMesh = fc.oneof({ weight: 3, arbitrary: coherentMesh }, { weight: 1, arbitrary: wildMesh })

/** Every node that the mesh speaks of. */
const nodesOf = (
  { facts }: HeldMesh
): ReadonlyArray<string> => [
  ...new Set([...facts.assignments, ...facts.needs, ...facts.machines].map(({ names: [node = ""] }) => node))
]

const assigned = (snapshot: Snapshot, node: string, module: string): Snapshot =>
  [
    [{ bucket: "mesh-controller_assignments", key: join(node, module) }, { build: "b1" }],
    [{ bucket: "mesh-host_haves", key: join(node, module) }, { build: "b1", health: "healthy" }]
  ].reduce((so, [place, value]) => put(so, place as Place, value as Json), snapshot)

/** The mesh with one more module on every node, that provides all that anybody needs, by whatever contract. */
const withNewcomer = (mesh: HeldMesh, snapshot: Snapshot): Snapshot => {
  const provides = new Map(
    mesh.held.map(({ claim }) => [claim.provision, { credential: "consumer", contract: { version: "1.5.0" } }])
  )
  const defined = put(snapshot, { bucket: "mesh-controller_modules", key: "newcomer" }, {
    provides: Object.fromEntries(provides)
  })
  return nodesOf(mesh).reduce((so, node) => assigned(so, node, "newcomer"), defined)
}

test("a new provider, however near, moves no claim that is held (§5.2)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const mesh = heldIn(snapshot)
      const after = decide(withNewcomer(mesh, snapshot))
      for (const { need, provision } of mesh.held) {
        expect(after.provisions.get(need.key)).toEqual(provision)
        met.count("held")
      }
      const served = [...after.provisions.values()].filter(({ provider }) => provider?.module === "newcomer")
      met.count("served by the newcomer", served.length)
    }),
    200
  )
  met.atLeast({ held: 140, "served by the newcomer": 16 })
})

test("nor does the same module on one more node (§5.2)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      for (const { by, claim, need, provider, provision } of heldIn(snapshot).held) {
        const { node } = claim.consumer
        if (by !== node && provider.node !== node && provider.module !== claim.consumer.module) {
          const after = decide(assigned(snapshot, node, provider.module)).provisions.get(need.key)
          expect(after).toEqual(provision)
          met.count("held")
        }
      }
    }),
    150
  )
  met.atLeast({ held: 40 })
})

/** What may become of a provider, short of its definition: its node is lost, it drains, it is stopped, it is not assigned. */
const misfortunes = (
  snapshot: Snapshot,
  { by, provider: { module } }: Held
): ReadonlyArray<readonly [string, Snapshot]> => {
  const machine = { bucket: "mesh-controller_machines", key: join(by) }
  const assignment = { bucket: "mesh-controller_assignments", key: join(by, module) }
  const have = { bucket: "mesh-host_haves", key: join(by, module) }
  const there = objectAt(snapshot, assignment)
  return [
    ["lost", put(snapshot, machine, { lost: true })],
    ["draining", there === undefined ? snapshot : put(snapshot, assignment, { ...there, draining: true })],
    ["stopped", put(snapshot, have, { build: "b9", health: "stopped" })],
    ["unassigned", put(snapshot, assignment, null)]
  ]
}

test("nor that its provider drains, stops, is taken off its node, or is on a node that is lost (§5.2)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      // A module that serves itself is taken off its node as a consumer too.
      const others = heldIn(snapshot).held.filter(({ claim, provider }) => provider.module !== claim.consumer.module)
      for (const held of others) {
        for (const [misfortune, after] of misfortunes(snapshot, held)) {
          const { provisions } = decide(after)
          const provider = provisions.get(held.need.key)?.provider
          expect(provider?.module, `${misfortune}: ${held.need.key}`).toBe(held.provider.module)
          expect(provider?.node).toBeOneOf([held.provider.node, held.by])
          met.count(misfortune)
        }
      }
    }),
    100
  )
  met.atLeast({ lost: 40, draining: 40, stopped: 40, unassigned: 40 })
})

// The entry itself is what holds: it may be garbled, and is not taken away here.
const withoutEntries = lossOf(coherentMesh, {
  absent: ({ bucket }) => !bucket.endsWith("_bound") || bucket === "mesh-vault_bound"
})

test("no fact that is absent or garbled moves a held claim to another provider (§5.2, the second idea)", () => {
  const met = new Met()
  check(
    fc.property(withoutEntries, ({ after, before }) => {
      const { facts, held } = heldIn(before)
      const { asks, provisions } = decide(after)
      for (const { by, claim, need, provider } of held) {
        const now = provisions.get(need.key)
        const isOfTheSame = now?.provider === undefined || (now.provider.module === provider.module &&
          [by, provider.node, ...seatsOf(facts)].includes(now.provider.node))
        expect(isOfTheSame, `${need.key} moved to ${JSON.stringify(now?.provider)}`).toBe(true)
        const wantedOfAnother = [...asks].filter(([key, { state }]) =>
          state === "wanted" && key.endsWith(`.${claim.key}`) && !key.endsWith(`.${provider.module}.${claim.key}`)
        )
        expect(wantedOfAnother, `${claim.key} is wanted of another`).toEqual([])
        met.count(now === undefined ? "need lost" : now.provider === undefined ? "nobody known" : "the same")
      }
    }),
    250
  )
  met.atLeast({ "need lost": 10, "nobody known": 20, "the same": 100 })
})

const seatsOf = (facts: HeldMesh["facts"]): ReadonlyArray<string> =>
  facts.seats.flatMap(({ value }) => value?.node ?? [])

test("a pin moves a held claim: nothing serves it that the pin excludes (§5.2)", () => {
  const met = new Met()
  check(
    fc.property(coherentMesh, (snapshot) => {
      const mesh = heldIn(snapshot)
      for (const { claim, need, provider } of mesh.held) {
        const place = { bucket: "mesh-controller_assignments", key: join(claim.consumer.node, claim.consumer.module) }
        const pins = { [join(claim.provision, claim.local)]: { module: "newcomer" } }
        const pinned = put(withNewcomer(mesh, snapshot), place, { ...objectAt(snapshot, place), pins })
        const now = decide(pinned).provisions.get(need.key)
        if (assignmentOf(mesh.facts, claim.consumer) !== undefined) {
          expect(now?.provider?.module).not.toBe(provider.module)
          met.count(now?.provider?.module === "newcomer" ? "moved" : "refused")
        }
      }
    }),
    100
  )
  met.atLeast({ moved: 30 })
})

/** A claim that nobody holds, and equal providers on several nodes of names of all kinds. */
const equals = fc.record({
  nodes: fc.uniqueArray(name(4), { minLength: 1, maxLength: 6 }),
  consumer: name(4),
  need: name(6),
  local: fc.option(name(4), { nil: undefined })
})

test("of equals, the one with the highest score serves, and stays when another of them goes (§5.2)", () => {
  const met = new Met()
  check(
    fc.property(equals, fc.nat(), ({ consumer, local, need, nodes }, choice) => {
      const others = nodes.filter((node) => node !== consumer)
      fc.pre(others.length > 0 && need !== "secret" && need !== "credential")
      const mesh = others.reduce((so, node) => assigned(so, node, "maker"), baseOf(consumer, need, local))
      const claim = join(consumer, "shop", need, local)
      const scores = others.map((node) => naiveScore(claim, `${join(node)}.maker`))
      const best = others[scores.indexOf(Math.max(...scores))]
      const key = join(consumer, "shop", "bound", need)
      expect(decide(mesh).provisions.get(key)?.provider).toEqual({ node: best, module: "maker" })
      const goes = others[choice % others.length] ?? ""
      if (goes !== best) {
        const without = put(mesh, { bucket: "mesh-controller_assignments", key: join(goes, "maker") }, null)
        expect(decide(without).provisions.get(key)?.provider).toEqual({ node: best, module: "maker" })
        met.count("another went")
      }
      met.count(String(others.indexOf(best ?? "")))
    }),
    300
  )
  met.atLeast({ "another went": 60, 0: 30, 1: 20, 2: 10 })
})

const baseOf = (consumer: string, need: string, local: string | undefined): Snapshot => ({
  buckets: {
    "mesh-controller_modules": { maker: { provides: Object.fromEntries([[need, { credential: "consumer" }]]) } },
    "mesh-controller_assignments": { [join(consumer, "shop")]: { build: "b1" } },
    "mesh-provisioner_needs": { [join(consumer, "shop", "bound", need)]: local === undefined ? {} : { local } }
  }
})

test("who could serve is tried in the order of rank: heard of, staying, near, of the same site (§5.2)", () => {
  const met = new Met()
  const facts = chosen((choose) =>
    ["n1", "n2", "n3", "n4"].map((node) => ({
      node,
      lost: choose.chance(30),
      draining: choose.chance(30),
      site: choose.oneOf(undefined, "home", "away")
    }))
  )
  check(
    fc.property(facts, (machines) => {
      const [own] = machines
      const mesh = machines.reduce((so, { draining, lost, node, site }) => {
        const machine = { lost, ...(site === undefined ? {} : { site }) }
        const placed = put(so, { bucket: "mesh-controller_machines", key: node }, machine)
        return put(placed, { bucket: "mesh-controller_assignments", key: `${node}.host` }, { build: "b1", draining })
      }, hostOf("n1"))
      const rank = ({ draining, lost, node, site }: typeof machines[number]) =>
        [!lost, !draining, node === "n1", site !== undefined && site === own?.site].map(Number).join("")
      const provider = decide(mesh).provisions.get("n1.shop.bound.host")?.provider
      const chosenOne = machines.find(({ node }) => node === provider?.node)
      expect(chosenOne && rank(chosenOne)).toBe(machines.map(rank).sort().at(-1))
      met.count(chosenOne === undefined ? "none" : rank(chosenOne))
    }),
    200
  )
  met.atLeast({ "1110": 10, "1111": 10, "1100": 3, "1101": 3 })
})

const hostOf = (node: string): Snapshot => ({
  buckets: {
    "mesh-controller_modules": { host: { provides: { host: { credential: "none" } } } },
    "mesh-controller_assignments": { [`${node}.shop`]: { build: "b1" } },
    "mesh-provisioner_needs": { [`${node}.shop.bound.host`]: {} }
  }
})
