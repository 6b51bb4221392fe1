/**
 * The world's answer to a need that is asked: the fact that it waits for, as it is to be.
 */
import type { Provision } from "../../core/Decision.ts"
import type { Json, JsonObject } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { asObject, objectAt, put } from "../arbitrary/Snapshots.ts"
import { readFacts } from "../naive/facts.ts"
import { fieldsOf, holderOf, providedOf } from "../naive/mesh.ts"
import { join, read, readTokens } from "../naive/name.ts"

/** The snapshot once the fact that a need waits for is as it is to be. */
export const satisfy = (snapshot: Snapshot, needKey: string, provision: Provision): Snapshot => {
  const { reason, waits } = provision
  if (waits === undefined) {
    return snapshot
  }
  const there = objectAt(snapshot, waits) ?? {}
  const set = (value: JsonObject): Snapshot => put(snapshot, waits, { ...there, ...value })
  if (waits.bucket.endsWith("_bound")) {
    return put(snapshot, waits, entryFor(snapshot, needKey, provision))
  }
  switch (waits.bucket) {
    case "mesh-controller_assignments":
      return reason === "two-holders"
        ? set(pinned(snapshot, needKey, there))
        : reason === "not-placed"
        ? set(placed(needKey, there))
        : put(snapshot, waits, { build: "b1" })
    case "mesh-controller_modules":
      return put(snapshot, waits, { provides: { [provisionOf(snapshot, needKey)]: { credential: "consumer" } } })
    case "mesh-controller_seats":
      return seated(snapshot, provision)
    case "mesh-controller_machines":
      return set({ lost: false })
    case "mesh-host_haves":
      return put(snapshot, waits, { build: buildOf(snapshot, waits.key), health: "healthy" })
    default:
      return put(snapshot, waits, { value: "here" })
  }
}

const provisionOf = (snapshot: Snapshot, needKey: string): string => {
  const provision = objectAt(snapshot, { bucket: "mesh-provisioner_needs", key: needKey })?.["provision"]
  return typeof provision === "string" ? provision : readTokens(needKey)?.[3] ?? ""
}

const buildOf = (snapshot: Snapshot, key: string): Json =>
  objectAt(snapshot, { bucket: "mesh-controller_assignments", key })?.["build"] ?? "b1"

/** A provider's entry, with every field of its contract: the vault's, where it is the vault that is waited for. */
const entryFor = (snapshot: Snapshot, needKey: string, { provider, waits }: Provision): Json => {
  const facts = readFacts(snapshot)
  const [node = "", module = ""] = readTokens(needKey) ?? []
  const owner = waits?.bucket.slice(0, -"_bound".length) ?? ""
  const by = owner === "mesh-vault" ? holderOf(facts, "vault")?.node : provider?.node
  const contract = owner === "mesh-vault" ? undefined : providedOf(facts, owner, provisionOf(snapshot, needKey))
  const shown = fieldsOf(contract).filter(([, type]) => type !== "secret")
  const instance = objectAt(snapshot, { bucket: "mesh-controller_assignments", key: join(node, module) })?.["instance"]
  return {
    state: "provided",
    // Nobody knows whose an entry out of shape is: the first node that the module is assigned to will write it anew.
    by: by ?? facts.assignments.find(({ names }) => names[1] === owner)?.names[0] ?? "n1",
    ...(instance === undefined ? {} : { for: instance }),
    values: Object.fromEntries(
      shown.map(([field, type]) => [field, type === "integer" ? 5_432 : type === "boolean" ? true : "here"])
    )
  }
}

/** A pin to the first of the modules that hold a claim. */
const pinned = (snapshot: Snapshot, needKey: string, assignment: JsonObject): JsonObject => {
  const { local } = objectAt(snapshot, { bucket: "mesh-provisioner_needs", key: needKey }) ?? {}
  const [node = "", module = ""] = readTokens(needKey) ?? []
  const claim = join(provisionOf(snapshot, needKey), typeof local === "string" ? local : undefined)
  const holder = Object.entries(snapshot.buckets).find(([bucket, entries]) =>
    bucket.endsWith("_bound") && Object.hasOwn(entries, `${join(node, module)}.${claim}`)
  )?.[0].slice(0, -"_bound".length)
  return { pins: { ...asObject(assignment["pins"]), [claim]: { module: holder ?? "" } } }
}

const placed = (needKey: string, assignment: JsonObject): JsonObject => {
  const [, , kind = "", name = ""] = readTokens(needKey) ?? []
  const placement = asObject(assignment["placement"]) ?? {}
  return { placement: { ...placement, [kind]: { ...asObject(placement[kind]), [name]: "here" } } }
}

/** A seat's holder: the vault's is the vault; of another, the provider that waits for it, or the first that could hold it. */
const seated = (snapshot: Snapshot, { provider, waits }: Provision): Snapshot => {
  const seat = read(waits?.key ?? "") ?? ""
  const facts = readFacts(snapshot)
  const candidate = facts.assignments.find(({ names: [, module = ""], value }) =>
    value !== undefined &&
    facts.definitions.some((definition) =>
      definition.module === module && [...definition.provides.values()].some((provided) => provided.seat === seat)
    )
  )
  const [node = "n1", module = "keeper"] = candidate?.names ?? []
  const holder = seat === "vault" ? { node: "n1", module: "mesh-vault" } : provider ?? { node, module }
  return waits === undefined ? snapshot : put(snapshot, waits, { node: holder.node, module: holder.module })
}
