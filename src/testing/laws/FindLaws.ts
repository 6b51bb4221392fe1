/**
 * How a provision is put together (protocol §5): with it, wherever its value is known to be, where it is found and what it is
 * the digest of.
 */
import type { Find } from "../../core/Decision.ts"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { asObject, objectAt, ownMember, placesOf, valueAt } from "../arbitrary/Snapshots.ts"
import { digest, readTokens } from "../naive/name.ts"
import { same } from "./Broken.ts"
import { meshLaw } from "./Cases.ts"

/** The value that a reader finds who follows `find`, as `version` is taken over it (§5.1, §5.3). */
const follow = (snapshot: Snapshot, find: Find): Json | undefined => {
  if (!("bucket" in find)) {
    return find.request?.["claim"] === undefined ? undefined : vaultValues(snapshot, find.request["claim"])
  }
  if (find.key.endsWith(".*")) {
    return collectionAt(snapshot, find.bucket, find.key.slice(0, -"*".length))
  }
  const value = objectAt(snapshot, find)
  if (find.at !== undefined) {
    return find.at.reduce<Json | undefined>((at, name) => ownMember(asObject(at), name), { placement: {}, ...value })
  }
  if (find.credentials !== undefined) {
    const credentials = Object.entries(find.credentials).map(([field, { request }]) => [
      field,
      vaultValues(snapshot, request?.["claim"] ?? "") ?? {}
    ])
    return { values: ownMember(value, "values") ?? {}, credentials: Object.fromEntries(credentials) }
  }
  return find.bucket === "mesh-config_values"
    ? ownMember(value, "value")
    : find.bucket.endsWith("_bound")
    ? ownMember(value, "values") ?? {}
    : valueAt(snapshot, find)
}

const vaultValues = (snapshot: Snapshot, key: string): Json | undefined => {
  const entry = objectAt(snapshot, { bucket: "mesh-vault_bound", key })
  return entry && (ownMember(entry, "values") ?? {})
}

const collectionAt = (snapshot: Snapshot, bucket: string, prefix: string): Json =>
  Object.fromEntries(
    placesOf(snapshot, bucket).filter(({ key }) => key.startsWith(prefix) && readTokens(key) !== undefined)
      .flatMap((place) => {
        const value = valueAt(snapshot, place)
        return value === undefined ? [] : [[place.key.slice(prefix.length), value]]
      })
  )

const foundByFind = meshLaw({
  sentence: "whoever follows find finds what version is the digest of",
  paragraph: "§5, §5.1, §5.3",
  cases: coherentMesh,
  runs: 200,
  atLeast: {
    bound: 60,
    secret: 5,
    config: 5,
    collected: 10,
    shell: 10,
    licence: 4,
    dir: 10,
    "with credentials": 12
  },
  holds: (decide, mesh, met) => {
    for (const [key, { find, kind, reason, state, version }] of decide(mesh).provisions) {
      if (state === "provided" && find !== undefined && reason !== "default") {
        const value = follow(mesh, find)
        same(version, value === undefined ? undefined : digest(value), `The version of ${key}`)
        met.count(kind)
        met.count("credentials" in find ? "with credentials" : "without")
      }
    }
  }
})

/** The laws of where a value is found. */
export const findLaws = [foundByFind]
