/**
 * Facts in words: a mesh, and what becomes of it, as a story of a line a fact; and a decision in a sentence.
 */
import type { Provision } from "../../core/Decision.ts"
import type { EngineChange } from "../../core/Engine.ts"
import type { Json, JsonObject } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { isSameAt, type Turn } from "../arbitrary/LeavingOut.ts"
import { asObject, isThere, ownMember, type Place, placesOf, valueAt } from "../arbitrary/Snapshots.ts"
import { readTokens } from "../naive/name.ts"
import { shown } from "./Broken.ts"

/** What a fact says, and which of its members that says. */
interface Said {
  readonly text: string
  readonly members: ReadonlyArray<string>
}

type Say = (names: ReadonlyArray<string>, value: JsonObject, bucket: string) => Said

const said = (text: string, ...members: ReadonlyArray<string>): Said => ({ text, members })

const word = (value: JsonObject, name: string): string => {
  const member = ownMember(value, name)
  return typeof member === "string" ? member : shown(member)
}

/** A provision, and its local name where it has one. */
export const provision = (name: string | undefined, local: string | undefined): string =>
  local === undefined ? `${name}` : `${name} "${local}"`

/** How each bucket's facts are said (protocol §3). */
const sentences = new Map<string, Say>([
  ["mesh-controller_modules", ([module], { provides }) => {
    const parts = Object.entries(asObject(provides) ?? {})
    return parts.length === 0
      ? said(`${module} is a module`)
      : said(`${module} provides ${parts.map(([name, part]) => `${name} ${shown(part)}`).join(" and ")}`, "provides")
  }],
  ["mesh-controller_assignments", ([node, module]) => said(`${module} is assigned to ${node}`, "build")],
  [
    "mesh-controller_machines",
    ([node], { lost }) => lost === true ? said(`${node} is lost`, "lost") : said(`${node} is a machine`)
  ],
  [
    "mesh-controller_seats",
    ([seat], value) =>
      said(`the seat ${seat} is held by ${word(value, "module")} on ${word(value, "node")}`, "module", "node")
  ],
  ["mesh-config_values", ([node, module, name]) => said(`${name} is set for ${module} on ${node}`)],
  [
    "mesh-host_haves",
    ([node, module], value) =>
      said(`${module} on ${node} is ${word(value, "health")}, of build ${word(value, "build")}`, "health", "build")
  ],
  [
    "mesh-provisioner_needs",
    ([node, module, kind, name]) => said(`${module} on ${node} needs ${kind === "bound" ? "" : `${kind} `}${name}`)
  ],
  ["mesh-provisioner_applied", ([node, module]) => said(`${module} on ${node} runs by a plan`, "plan")],
  [
    "mesh-provisioner_collect",
    ([node, collection, contributor]) => said(`${contributor} contributes to ${collection} on ${node}`)
  ],
  ["mesh-provisioner_answers", ([node, module, consumerNode, consumer, name, local], value) =>
    said(
      `${word(value, "by")} answers ${word(value, "answer")} about ${provision(name, local)} of ${consumer} on ` +
        `${consumerNode} at ${module} on ${node}`,
      "by",
      "answer"
    )]
])

const sayBound: Say = ([node, module, name, local], value, bucket) => {
  const also = ownMember(value, "also")
  const others = Array.isArray(also) && also.length > 0 ? `, and has it on ${also.map(String).join(" and ")} too` : ""
  return said(
    `${bucket.slice(0, -"_bound".length)} on ${word(value, "by")} says ${word(value, "state")} of ` +
      `${provision(name, local)} for ${module} on ${node}${others}`,
    "by",
    "state",
    ...(others === "" ? [] : ["also"])
  )
}

/** A fact in words; one of another bucket, or whose key or value nobody could read, as it stands there. */
const sayFact = ({ bucket, key }: Place, value: Json | undefined): string => {
  const say = bucket.endsWith("_bound") ? sayBound : sentences.get(bucket)
  const names = readTokens(key)
  const object = asObject(value)
  if (say === undefined || names === undefined || object === undefined) {
    return `${bucket} ${JSON.stringify(key)} holds ${value === undefined ? "bytes that are no JSON" : shown(value)}`
  }
  const { members, text } = say(names, object, bucket)
  const rest = Object.entries(object).filter(([name]) => !members.includes(name))
  return rest.length === 0 ? text : `${text} ${shown(Object.fromEntries(rest))}`
}

const order = [...sentences.keys()]

// In the order in which a mesh comes about; what providers say comes before what is answered to it.
const rank = ({ bucket }: Place): number =>
  bucket.endsWith("_bound") ? order.indexOf("mesh-provisioner_answers") - 0.5 : (order.indexOf(bucket) + 100) % 100

/** A provision in a sentence, with what it says of itself. */
export const sayProvision = (key: string, { provider, reason, state, why }: Provision): string => {
  const by = provider === undefined ? "" : `, by ${provider.module} on ${provider.node}`
  const words = why.length > 300 ? `${why.slice(0, 300)}…` : why
  return `${key} is ${state}${by} (${reason})${words === "" ? "" : `: ${words}`}${/[.!?]$/.test(words) ? "" : "."}`
}

/**
 * Tells a mesh as a story: a line a fact (protocol §3), in the order in which a mesh comes about.
 *
 * @example
 * ```ts
 * import { tellMesh } from "mesh-provisioner/testing"
 *
 * const mesh = {
 *   buckets: {
 *     "mesh-controller_assignments": { "n1.shop": { build: "s1" } },
 *     "mesh-provisioner_needs": { "n1.shop.bound.database": { optional: true } }
 *   }
 * }
 * tellMesh(mesh) // ["shop is assigned to n1.", "shop on n1 needs database { optional: true }."]
 * ```
 */
export const tellMesh = (mesh: Snapshot): ReadonlyArray<string> => [
  ...placesOf(mesh).toSorted((one, other) => rank(one) - rank(other)).map((place) =>
    sentence(sayFact(place, valueAt(mesh, place)))
  ),
  ...Object.keys({ ...mesh.buckets, ...mesh.raw }).filter((bucket) => placesOf(mesh, bucket).length === 0).map((
    bucket
  ) => sentence(`the bucket ${bucket} is there, and empty`))
]

/** What was, and what then changes, as a story. */
export const tellTurn = ({ after, before }: Turn): ReadonlyArray<string> => {
  const places = new Map(
    [...placesOf(before), ...placesOf(after)].map((place) => [`${place.bucket} ${place.key}`, place])
  )
  const changed = [...places.values()].filter((place) => !isSameAt(before, after, place))
  return [
    ...tellMesh(before),
    ...changed.map((place) =>
      isThere(after, place)
        ? sentence(`then ${sayFact(place, valueAt(after, place))}`)
        : sentence(`then it is gone that ${sayFact(place, valueAt(before, place))}`)
    ),
    ...Object.keys(before.buckets).filter((bucket) => !Object.hasOwn(after.buckets, bucket)).map((bucket) =>
      sentence(`then the bucket ${bucket} is gone`)
    )
  ]
}

/** Changes as they came, as a story. */
export const tellChanges = (changes: ReadonlyArray<EngineChange>): ReadonlyArray<string> =>
  changes.map((change) => {
    if ("isThere" in change) {
      return sentence(`the bucket ${change.bucket} ${change.isThere ? "is there" : "is gone"}`)
    }
    const { value } = change
    return value === undefined
      ? sentence(`${change.bucket} ${JSON.stringify(change.key)} is gone`)
      : sentence(sayFact(change, value instanceof Uint8Array ? undefined : value))
  })

const sentence = (text: string): string => `${text}.`
