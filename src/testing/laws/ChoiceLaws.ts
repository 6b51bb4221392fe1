/**
 * Of those that could serve what nobody holds, one is chosen, and the same one whoever else comes or goes (protocol §5.2).
 */
import * as fc from "fast-check"
import type { Snapshot } from "../../core/Snapshot.ts"
import { chosen } from "../arbitrary/Choose.ts"
import { anyName } from "../arbitrary/Names.ts"
import { put } from "../arbitrary/Snapshots.ts"
import { join } from "../naive/name.ts"
import { naiveScore } from "../naive/score.ts"
import { must, same } from "./Broken.ts"
import { lawOf } from "./Law.ts"
import { assigned } from "./ServedMesh.ts"
import { tellMesh } from "./Tell.ts"

/** A claim that nobody holds, and equal providers on several nodes of names of all kinds. */
const equals = fc.record({
  nodes: fc.uniqueArray(anyName(4), { minLength: 1, maxLength: 6 }),
  consumer: anyName(4),
  need: anyName(6),
  local: fc.option(anyName(4), { nil: undefined })
})

const baseOf = (consumer: string, need: string, local: string | undefined): Snapshot => ({
  buckets: {
    "mesh-controller_modules": { maker: { provides: Object.fromEntries([[need, { credential: "consumer" }]]) } },
    "mesh-controller_assignments": { [join(consumer, "shop")]: { build: "b1" } },
    "mesh-provisioner_needs": { [join(consumer, "shop", "bound", need)]: local === undefined ? {} : { local } }
  }
})

type EqualsDrawn = typeof equals extends fc.Arbitrary<infer Drawn> ? Drawn : never

interface Equals {
  readonly mesh: Snapshot
  readonly key: string
  readonly others: ReadonlyArray<string>
  readonly best: string | undefined
}

const meshOf = ({ consumer, local, need, nodes }: EqualsDrawn): Equals => {
  const others = nodes.filter((node) => node !== consumer)
  const claim = join(consumer, "shop", need, local)
  const scores = others.map((node) => naiveScore(claim, `${join(node)}.maker`))
  return {
    mesh: others.reduce((so, node) => assigned(so, node, "maker"), baseOf(consumer, need, local)),
    key: join(consumer, "shop", "bound", need),
    others,
    best: others[scores.indexOf(Math.max(...scores))]
  }
}

const bestServes = lawOf({
  sentence: "of equals, the one with the highest score serves, and stays when another of them goes",
  paragraph: "§5.2",
  cases: fc.tuple(equals, fc.nat()),
  runs: 300,
  atLeast: { "another went": 60, 0: 30, 1: 20, 2: 10 },
  tell: ([drawn]) => tellMesh(meshOf(drawn).mesh),
  holds: (decide, [drawn, choice], met) => {
    const { best, key, mesh, others } = meshOf(drawn)
    fc.pre(best !== undefined && drawn.need !== "secret" && drawn.need !== "credential")
    const wanted = { node: best, module: "maker" }
    same(decide(mesh).provisions.get(key)?.provider, wanted, `The provider of ${key}`)
    const goes = others[choice % others.length] ?? ""
    if (goes !== best) {
      const without = put(mesh, { bucket: "mesh-controller_assignments", key: join(goes, "maker") }, null)
      same(decide(without).provisions.get(key)?.provider, wanted, `Once ${goes} is gone, the provider of ${key}`)
      met.count("another went")
    }
    met.count(String(others.indexOf(best ?? "")))
  }
})

/** Machines that differ in what they are ranked by; the first is the consumer's own. */
const machines = chosen((choose) =>
  ["n1", "n2", "n3", "n4"].map((node) => ({
    node,
    lost: choose.chance(30),
    draining: choose.chance(30),
    site: choose.oneOf(undefined, "home", "away")
  }))
)

type Machine = typeof machines extends fc.Arbitrary<Array<infer One>> ? One : never

const hostsOn = (machines: ReadonlyArray<Machine>): Snapshot =>
  machines.reduce((so, { draining, lost, node, site }) => {
    const machine = { lost, ...(site === undefined ? {} : { site }) }
    const placed = put(so, { bucket: "mesh-controller_machines", key: node }, machine)
    return put(placed, { bucket: "mesh-controller_assignments", key: `${node}.host` }, { build: "b1", draining })
  }, hostOf("n1"))

const triedByRank = lawOf({
  sentence: "who could serve is tried in the order of rank: heard of, staying, near, of the same site",
  paragraph: "§5.2",
  cases: machines,
  runs: 200,
  atLeast: { "1110": 10, "1111": 10, "1100": 3, "1101": 3 },
  tell: (machines) => tellMesh(hostsOn(machines)),
  holds: (decide, machines, met) => {
    const [own] = machines
    const rank = ({ draining, lost, node, site }: Machine): string =>
      [!lost, !draining, node === "n1", site !== undefined && site === own?.site].map(Number).join("")
    const provider = decide(hostsOn(machines)).provisions.get("n1.shop.bound.host")?.provider
    const chosenOne = machines.find(({ node }) => node === provider?.node)
    const best = machines.map(rank).sort().at(-1)
    must(
      chosenOne !== undefined && rank(chosenOne) === best,
      () =>
        `${provider?.node} serves, and there are others of a higher rank: ${
          machines.filter((one) => rank(one) === best).map(({ node }) => node).join(", ")
        }.`
    )
    met.count(chosenOne === undefined ? "none" : rank(chosenOne))
  }
})

const hostOf = (node: string): Snapshot => ({
  buckets: {
    "mesh-controller_modules": { host: { provides: { host: { credential: "none" } } } },
    "mesh-controller_assignments": { [`${node}.shop`]: { build: "b1" } },
    "mesh-provisioner_needs": { [`${node}.shop.bound.host`]: {} }
  }
})

/** The laws of who is chosen. */
export const choiceLaws = [bestServes, triedByRank]
