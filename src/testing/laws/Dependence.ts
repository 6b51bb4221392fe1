/**
 * Which decisions depend on one module's facts, by the protocol's text and on the safe side: what is said here to depend
 * may well stay, and what is not must (protocol §4 to §7).
 */
import type { Decisions, ModuleOn } from "../../core/Decision.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { type Place, placesOf } from "../arbitrary/Snapshots.ts"
import { type Facts, readFacts } from "../naive/facts.ts"
import { answersTo, claimOf, definitionOf, entryAt, holderOf, type Need, needsOf } from "../naive/mesh.ts"
import { join, readTokens } from "../naive/name.ts"

/** Where the module stands in the keys of the buckets that speak of one (§3). */
const modulePart: { readonly [bucket: string]: number } = {
  "mesh-controller_modules": 0,
  "mesh-controller_assignments": 1,
  "mesh-host_haves": 1,
  "mesh-config_values": 1,
  "mesh-provisioner_needs": 1,
  "mesh-provisioner_applied": 1,
  "mesh-provisioner_collect": 2
}

/** The module that a fact is of: about it, or written by it; none for what the controller says of machines and seats. */
const moduleOf = ({ bucket, key }: Place): string | undefined => {
  const part = modulePart[bucket]
  return part === undefined ? /^(.*)_(?:bound|licences)$/.exec(bucket)?.[1] : key.split(".")[part]
}

/** Whether a fact is one of a module's. */
export const isOfModule = (module: string) => (place: Place): boolean => moduleOf(place) === module

/** Every module that a snapshot's facts are of. */
export const modulesOf = (snapshot: Snapshot): ReadonlyArray<string> => [
  ...new Set(placesOf(snapshot).flatMap((place) => moduleOf(place) ?? []))
]

const needDependsOn = (facts: Facts, module: string, need: Need): boolean => {
  const claim = claimOf(need)
  if (need.kind === "bound" && claim !== undefined) {
    const definition = definitionOf(facts, module)
    const mayProvide = definition !== undefined &&
      (definition.provides.has(claim.provision) || definition.misshapen.includes(claim.provision) ||
        definition.couldProvideAny)
    // Of what the vault has, any claim may need a credential.
    return mayProvide || module === "mesh-vault" || entryAt(facts, module, claim.key) !== undefined
  }
  if (["secret", "consumers"].includes(need.kind)) {
    return module === "mesh-vault" || holderOf(facts, "vault")?.module === module
  }
  const answering = answersTo(facts, need.kind)
  const seats = answering.flatMap(([, answer]) => "seat" in answer ? [holderOf(facts, answer.seat)?.module] : [])
  const contributes = facts.collect.some(({ names: [node, , contributor] }) =>
    node === need.consumer.node && contributor === module
  )
  return answering.some(([answerer]) => answerer === module) || seats.includes(module) || contributes
}

const consumerDependsOn = (facts: Facts, module: string, consumer: ModuleOn): boolean =>
  consumer.module === module ||
  needsOf(facts).some((need) =>
    join(need.consumer.node, need.consumer.module) === join(consumer.node, consumer.module) &&
    needDependsOn(facts, module, need)
  )

const askDependsOn = (facts: Facts, module: string, key: string): boolean => {
  const [, maker, node = "", consumer = "", provision, local = ""] = readTokens(key) ?? []
  const opens = maker === "mesh-vault" && provision === "credential" ? readTokens(local)?.[0] : undefined
  return maker === module || opens === module || consumerDependsOn(facts, module, { node, module: consumer })
}

/** What of the decisions does not depend on a module's facts, neither as they were nor as they are. */
export const independentOf = (module: string, snapshots: ReadonlyArray<Snapshot>) => {
  const all = snapshots.map(readFacts)
  const ofConsumer = (key: string): boolean => {
    const [node = "", consumer = ""] = readTokens(key) ?? []
    return !all.some((facts) => consumerDependsOn(facts, module, { node, module: consumer }))
  }
  const ofAsk = (key: string): boolean => !all.some((facts) => askDependsOn(facts, module, key))
  const ofKind = (token: string): boolean =>
    !all.some((facts) => answersTo(facts, readTokens(token)?.[0] ?? "").some(([answerer]) => answerer === module))
  return ({ answersToDelete, asks, outOfShape, plans, provisions, registry }: Decisions) => ({
    registry: only(registry, ofKind),
    provisions: only(provisions, ofConsumer),
    asks: only(asks, ofAsk),
    plans: only(plans, ofConsumer),
    answersToDelete: answersToDelete.filter(ofAsk),
    outOfShape: outOfShape.filter((place) => place.bucket in modulePart && !isOfModule(module)(place))
  })
}

const only = <A>(decided: ReadonlyMap<string, A>, holds: (key: string) => boolean): ReadonlyMap<string, A> =>
  new Map([...decided].filter(([key]) => holds(key)))
