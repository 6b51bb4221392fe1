/**
 * To decide (protocol, its first idea): it never fails, looks at the facts and leaves them as they are, a change of one module's
 * facts changes no decision that does not depend on it, and what is decided is no fact.
 */
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import type { Decisions } from "../../core/Decision.ts"
import { diff, storedIn } from "../../core/Diff.ts"
import { Facts } from "../../core/Facts.ts"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { type Choose, chosen } from "../arbitrary/Choose.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { anyJson } from "../arbitrary/JsonValues.ts"
import { leavingFactsOut, leavingTurnsOut, type Turn } from "../arbitrary/LeavingOut.ts"
import { anyText } from "../arbitrary/Names.ts"
import { placesOf, put, remove, valueAt } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { must, same } from "./Broken.ts"
import { meshLaw, turnLaw } from "./Cases.ts"
import { independentOf, isOfModule, modulesOf } from "./Dependence.ts"

interface ModuleTurn extends Turn {
  readonly module: string
}

const given = () => coherentMesh

/** A mesh, and the same once some of one module's facts are gone, garbled, or like another's; or it is on one more node. */
const changed = leavingTurnsOut<ModuleTurn>(
  chosen((choose) => {
    const before = choose.from(given)
    const module = choose.among(modulesOf(before)) ?? "shop"
    const after = choose.some(placesOf(before).filter(isOfModule(module)), 60)
      .reduce((so, place) => {
        const others = placesOf(before, place.bucket).map((other) => valueAt(before, other) ?? null)
        return choose.chance(35) ? remove(so, place) : put(so, place, choose.among([null, ...others]) ?? null)
      }, before)
    return { before, module, after: choose.chance(50) ? withMore(choose, after, module) : after }
  }),
  (turn, { module }) => ({ ...turn, module })
)

const withMore = (choose: Choose, snapshot: Snapshot, module: string): Snapshot => {
  const node = choose.oneOf("n1", "n2", "n9")
  const provides = Object.fromEntries(
    choose.some(["database", "cache", "a.b"], 40).map((name) => [name, { credential: "consumer" }])
  )
  return [
    [{ bucket: "mesh-controller_modules", key: module }, { provides }],
    [{ bucket: "mesh-controller_assignments", key: `${node}.${module}` }, { build: "b2" }],
    [{ bucket: "mesh-provisioner_needs", key: `${node}.${module}.bound.cache` }, {}]
  ].reduce((so, [place, value]) => choose.chance(60) ? put(so, Object(place), Object(value)) : so, snapshot)
}

const changesWhatDepends = turnLaw<ModuleTurn>({
  sentence: "a change of one module's facts changes no decision that does not depend on it",
  paragraph: "the first idea, §9",
  cases: changed,
  runs: 150,
  atLeast: { provision: 100, ask: 100, plan: 200, changed: 60 },
  holds: (decide, { after, before, module }, met) => {
    const independent = independentOf(module, [before, after])
    const [then, now] = [decide(before), decide(after)]
    const [wanted, found] = [independent(then), independent(now)]
    same(found, wanted, `Only facts of ${module} have changed, and of what does not depend on them,`)
    met.count("provision", found.provisions.size)
    met.count("ask", found.asks.size)
    met.count("plan", found.plans.size)
    met.count("changed", isDeepStrictEqual(now.plans, then.plans) ? 0 : 1)
  }
})

/** Snapshots of anything under any names. */
const hostileSnapshot: fc.Arbitrary<Snapshot> = leavingFactsOut(
  fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(
          "mesh-controller_modules",
          "mesh-controller_assignments",
          "mesh-provisioner_needs",
          "mesh-provisioner_answers",
          "mesh-host_haves",
          "mesh-provisioner_collect",
          "mesh-vault_bound",
          "__proto___bound",
          "mesh-provisioner_plans"
        ),
        anyText
      ),
      fc.array(
        fc.tuple(fc.oneof(anyText, fc.constantFrom("n1.shop", "__proto__", "n1.shop.bound.database")), anyJson),
        { maxLength: 4 }
      )
    ),
    { maxLength: 6 }
  ).map((buckets) => ({
    buckets: Object.fromEntries(buckets.map(([bucket, values]) => [bucket, Object.fromEntries(values)]))
  }))
)

const neverFails = meshLaw({
  sentence: "decide never fails, whatever a snapshot holds",
  paragraph: "§3",
  cases: hostileSnapshot,
  runs: 400,
  atLeast: { "out of shape": 400 },
  holds: (decide, mesh, met) => {
    const { outOfShape, registry } = decide(mesh)
    must(registry.size >= 13, `The registry has ${registry.size} kinds, and 13 are compiled in.`)
    met.count("out of shape", outOfShape.length)
  }
})

// Frozen as deep as it goes: whatever would write into a fact fails.
const frozen = (value: Json): Json => {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen)
    Object.freeze(value)
  }
  return value
}

const leavesFacts = meshLaw({
  sentence: "decide leaves the facts as they are, and says the same of them again",
  paragraph: "the first idea",
  cases: fc.oneof(coherentMesh, wildMesh),
  runs: 100,
  atLeast: { fact: 2_000 },
  holds: (decide, mesh, met) => {
    const snapshot = structuredClone(mesh)
    Object.values(snapshot.buckets).forEach(frozen)
    const facts = Facts.fromSnapshot(snapshot)
    same(decide(facts), decide(facts), "What is decided again, by its")
    same(decide(facts), decide(structuredClone(snapshot)), "What is decided of a copy, by its")
    met.count("fact", placesOf(mesh).length)
  }
})

/** A snapshot once the writes are made, decisions and all. */
const written = (snapshot: Snapshot, decisions: Decisions): Snapshot =>
  diff(storedIn(snapshot), decisions).reduce(
    (so, write) => write.op === "put" ? put(so, write, write.value) : remove(so, write),
    snapshot
  )

const fedBackChangesNothing = meshLaw({
  sentence: "decisions fed back change nothing: with all that was written there is nothing more to write",
  paragraph: "§9",
  cases: fc.oneof(coherentMesh, wildMesh),
  runs: 250,
  atLeast: { "answer deleted": 30 },
  holds: (decide, mesh, met) => {
    const decisions = decide(mesh)
    const after = written(mesh, decisions)
    const again = decide(after)
    const wanted = { ...decisions, answersToDelete: [], outOfShape: [] }
    same({ ...again, outOfShape: [] }, wanted, "Once all that was decided is written, what is decided, by its")
    same(diff(storedIn(after), again), [], "The list of what is then to be written")
    met.count("answer deleted", decisions.answersToDelete.length)
  }
})

/** The laws of deciding as a whole. */
export const decideLaws = [changesWhatDepends, neverFails, leavesFacts, fedBackChangesNothing]
