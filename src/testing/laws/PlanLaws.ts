/**
 * Plans (protocol §7): one for each module on a node that is assigned or has a need; whether it may run by its needs that
 * count; and a digest that changes exactly when something that the module would have to read again has changed.
 */
import type { Plan, Provision } from "../../core/Decision.ts"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { type Choose, chosen } from "../arbitrary/Choose.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { leavingTurnsOut, type Turn } from "../arbitrary/LeavingOut.ts"
import { placesOf, put, remove } from "../arbitrary/Snapshots.ts"
import { type Facts, readFacts } from "../naive/facts.ts"
import { assignmentOf, type Need, needsOf, valueAt } from "../naive/mesh.ts"
import { digest, join } from "../naive/name.ts"
import { must, same } from "./Broken.ts"
import { anyMesh, meshLaw, turnLaw } from "./Cases.ts"

const given = () => coherentMesh

/** A mesh, and the same once providers were restarted, upgraded, stopped or not heard of: whatever hosts may say of them. */
const restarted = leavingTurnsOut<Turn>(
  chosen((choose) => {
    const before = choose.from(given)
    const after = choose.some(placesOf(before, "mesh-controller_assignments"), 60)
      .reduce((so, { key }) => restart(choose, so, key), before)
    return { before, after }
  }),
  (turn) => turn
)

const restart = (choose: Choose, snapshot: Snapshot, key: string): Snapshot => {
  const place = { bucket: "mesh-host_haves", key }
  const health = choose.oneOf("healthy", "starting", "unhealthy", "stopped", "failed")
  return choose.chance(20)
    ? remove(snapshot, place)
    : put(snapshot, place, choose.oneOf<Json>({ build: choose.oneOf("b1", "b2", "b9"), health, words: "again" }, null))
}

const restartChangesNoDigest = turnLaw<Turn>({
  sentence: "a provider that restarts changes no plan's digest",
  paragraph: "§7",
  cases: restarted,
  runs: 200,
  atLeast: { plan: 300, "provision that turned": 20 },
  holds: (decide, { after, before }, met) => {
    const then = decide(before)
    const now = decide(after)
    for (const [key, plan] of now.plans) {
      same(plan.digest, then.plans.get(key)?.digest, `The digest of the plan ${key}`)
      met.count("plan")
    }
    const turned = [...now.provisions].filter(([key, { reason }]) => reason !== then.provisions.get(key)?.reason)
    met.count("provision that turned", turned.length)
    same(wantedIn(now.asks), wantedIn(then.asks), "What is wanted")
  }
})

// Nor does it have anything made: what is wanted, and of whom, is not the hosts' to say.
const wantedIn = (asks: ReadonlyMap<string, { readonly state: string }>): ReadonlyArray<string> =>
  [...asks].filter(([, { state }]) => state === "wanted").map(([key]) => key).sort()

const digestOverWhatIsFound = meshLaw({
  sentence: "a digest is over the build and over what each need is found by, and nothing else",
  paragraph: "§7",
  cases: anyMesh,
  runs: 200,
  atLeast: { "without needs": 100, "with needs": 200 },
  holds: (decide, mesh, met) => {
    for (const [key, { build, digest: given, needs }] of decide(mesh).plans) {
      const found = Object.entries(needs).map(([need, { find, version }]) => [
        need,
        { ...(find === undefined ? {} : { find }), ...(version === undefined ? {} : { version }) }
      ])
      const wanted = digest({ ...(build === undefined ? {} : { build }), needs: Object.fromEntries(found) })
      same(given, wanted, `The digest of the plan ${key}`)
      met.count(found.length === 0 ? "without needs" : "with needs")
    }
  }
})

const planForEach = meshLaw({
  sentence: "there is a plan for each module on a node that is assigned or has a need, with every need of it",
  paragraph: "§7",
  cases: anyMesh,
  runs: 200,
  atLeast: { "not assigned": 30, assigned: 300 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    const { plans, provisions } = decide(mesh)
    const consumers = [
      ...facts.assignments.filter(({ value }) => value !== undefined).map(({ key }) => key),
      ...needsOf(facts).map(({ consumer: { module, node } }) => join(node, module))
    ]
    same([...plans.keys()].sort(), [...new Set(consumers)].sort(), "The list of plans")
    for (const [key, plan] of plans) {
      const own = [...provisions].filter(([need]) => need.startsWith(`${key}.`))
      same(
        Object.keys(plan.needs).sort(),
        own.map(([need]) => need.slice(key.length + 1)).sort(),
        `The list of needs in the plan ${key}`
      )
      for (const [need, { find, provider, state, version }] of own) {
        const decided = Object.entries({ state, find, provider, version }).filter(([, value]) => value !== undefined)
        same(plan.needs[need.slice(key.length + 1)], Object.fromEntries(decided), `What the plan says of ${need}`)
      }
      met.count(plan.build === undefined ? "not assigned" : "assigned")
    }
  }
})

const worst = ["refused", "failed", "asked"]

/** The needs that count and are not provided, the worst first, by the facts and the provisions. */
const blockedBy = (facts: Facts, provisions: ReadonlyMap<string, Provision>, plan: string) => {
  const counts = (need: Need): boolean => need.value?.optional !== true
  return needsOf(facts)
    .filter((need) => join(need.consumer.node, need.consumer.module) === plan && counts(need))
    .flatMap(({ key }) => {
      const provision = provisions.get(key)
      return provision === undefined || provision.state === "provided"
        ? []
        : [{ key: key.slice(plan.length + 1), provision }]
    })
    .sort((one, other) =>
      worst.indexOf(one.provision.state) - worst.indexOf(other.provision.state) || (one.key < other.key ? -1 : 1)
    )
}

const expectedState = (facts: Facts, key: string, blocked: ReturnType<typeof blockedBy>): Plan["state"] => {
  const assignment = valueAt(facts.assignments, key)
  const applied = valueAt(facts.applied, key)
  const [first] = blocked
  if (assignment === undefined) {
    return "waiting"
  }
  if (first === undefined) {
    return "ready"
  }
  const runs = applied !== undefined &&
    (applied.instance ?? assignment.instance) === (assignment.instance ?? applied.instance)
  return runs
    ? "degraded"
    : first.provision.state === "refused"
    ? "refused"
    : first.provision.state === "failed"
    ? "failed"
    : "waiting"
}

const judgedByItsNeeds = meshLaw({
  sentence: "whether it may run is judged by its needs that count, and each that blocks it is named, the worst first",
  paragraph: "§7",
  cases: anyMesh,
  runs: 250,
  atLeast: { ready: 300, waiting: 60, refused: 40, failed: 4, degraded: 30 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    const { plans, provisions } = decide(mesh)
    for (const [key, plan] of plans) {
      const blocked = blockedBy(facts, provisions, key)
      same(plan.blocked ?? [], blocked.map((one) => one.key), `The list of what blocks the plan ${key}`)
      same(plan.state, expectedState(facts, key, blocked), `The state of the plan ${key}`)
      if (plan.build !== undefined) {
        const waits = blocked.find(({ provision }) => provision.waits !== undefined)?.provision.waits
        same(plan.waits, waits, `What the plan ${key} waits for`)
        for (const { key: need, provision } of blocked.slice(0, 20)) {
          must(
            plan.why.includes(need) && plan.why.includes(provision.why),
            `The plan ${key} does not say that ${need} blocks it, and why: ${plan.why}`
          )
        }
      }
      met.count(plan.state)
    }
  }
})

const unassignedWaits = meshLaw({
  sentence: "a plan that is not assigned waits for its assignment, whatever else",
  paragraph: "§7",
  cases: anyMesh,
  runs: 100,
  atLeast: { "not assigned": 20 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    const { plans } = decide(mesh)
    for (const { consumer } of needsOf(facts)) {
      if (assignmentOf(facts, consumer) === undefined) {
        const key = join(consumer.node, consumer.module)
        const plan = plans.get(key)
        same(plan?.state, "waiting", `The state of the plan ${key}`)
        same(plan?.waits, { bucket: "mesh-controller_assignments", key }, `What the plan ${key} waits for`)
        met.count("not assigned")
      }
    }
  }
})

/** The laws of plans, in the order of the protocol. */
export const planLaws = [
  restartChangesNoDigest,
  digestOverWhatIsFound,
  planForEach,
  judgedByItsNeeds,
  unassignedWaits
]
