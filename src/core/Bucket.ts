/**
 * The one table of buckets (protocol §3 to §7): the shape of their keys, what a value must be, and who writes them.
 * Decoding, the verbs, permissions and the docs are read off it.
 */
import * as Result from "effect/Result"
import { bucketName } from "./BucketName.ts"
import { Answer } from "./fact/Answer.ts"
import { Applied } from "./fact/Applied.ts"
import { Assignment } from "./fact/Assignment.ts"
import { Bound } from "./fact/Bound.ts"
import { ConfigValue } from "./fact/ConfigValue.ts"
import { decodeDefinition, type Definition } from "./fact/Definition.ts"
import { Have } from "./fact/Have.ts"
import { Machine } from "./fact/Machine.ts"
import { BoundNeed, type Need, OtherNeed } from "./fact/Need.ts"
import { Seat } from "./fact/Seat.ts"
import { type Json, sameJson } from "./Json.ts"
import type { KeyShape, Names, Part } from "./Key.ts"
import { type Fault, shape } from "./Shape.ts"
import { needExpects } from "./Words.ts"

/**
 * Who writes a bucket (protocol §3, §9): the controller, an operator, each node's host or client (its own node's keys
 * alone), a provider module (its own bound bucket alone), or the provisioner.
 */
export type Writer = "controller" | "operator" | "host" | "client" | "provider" | "provisioner"

/** What a bucket's decoder makes of a value: what is in shape of it, and every fault. */
export interface Decoded<Value> {
  readonly value: Value | undefined
  readonly faults: ReadonlyArray<Fault>
}

/** One row of the table. */
export interface Bucket<P extends Part = Part, Value = unknown> extends KeyShape<P> {
  /** The bucket's name; a provider's is `<provider module>_bound`. */
  readonly name: string
  readonly writer: Writer
  readonly decode: (json: Json, names: Names<P>) => Decoded<Value>
  /**
   * The sort of a key of which many hold the same, where it is of one: what the keys of one sort hold says the same where it
   * is written the same.
   */
  readonly sort?: (names: Names<P>) => string | undefined
}

const decodeBy =
  <Value>(decode: (json: Json) => Result.Result<Value, ReadonlyArray<Fault>>) => (json: Json): Decoded<Value> =>
    Result.match(decode(json), {
      // Mostly nothing is left out: then the value is kept once.
      onSuccess: (value) => ({ value: isSame(json, value) ? json : value, faults: none }),
      onFailure: (faults) => ({ value: undefined, faults })
    })

const none: ReadonlyArray<Fault> = []

const isSame = <Value>(json: Json, value: Value): json is Json & Value => sameJson(json, value as Json)

const boundNeed = decodeBy(shape(BoundNeed))
const otherNeed = decodeBy<Need>(shape(OtherNeed))

/** A `bound` need may not name what is the vault's (protocol §3). */
const decodeNeed = (json: Json, { kind, name }: { readonly kind: string; readonly name: string }): Decoded<Need> => {
  if (kind !== "bound") {
    return otherNeed(json)
  }
  const decoded = boundNeed(json)
  const provision = decoded.value?.provision ?? name
  return decoded.value !== undefined && (provision === "secret" || provision === "credential")
    ? { value: undefined, faults: [{ path: ["provision"], expected: needExpects.notTheVaults }] }
    : decoded
}

// What is decoded of a `bound` need depends on its name only where that is the vault's.
const sortOfNeed = ({ kind, name }: { readonly kind: string; readonly name: string }): string | undefined =>
  kind !== "bound" ? "other" : name === "secret" || name === "credential" ? undefined : "bound"

const decodeModule = (json: Json, { module }: { readonly module: string }): Decoded<Definition> => {
  const { definition, faults } = decodeDefinition(json, module)
  return { value: definition, faults }
}

/**
 * The buckets of facts: what others wrote (protocol §3). Each has its name, the parts of its keys, who writes it, and how
 * its values are decoded.
 *
 * @example
 * ```ts
 * import { factBuckets } from "mesh-provisioner/core"
 *
 * factBuckets.haves.name // "mesh-host_haves"
 * factBuckets.haves.parts // ["node", "module"]
 * factBuckets.haves.writer // "host"
 * ```
 */
export const factBuckets = {
  modules: {
    name: bucketName.modules,
    parts: ["module"],
    local: false,
    writer: "controller",
    decode: decodeModule
  } satisfies Bucket<"module", Definition>,
  assignments: {
    name: bucketName.assignments,
    parts: ["node", "module"],
    local: false,
    writer: "controller",
    decode: decodeBy(shape(Assignment))
  } satisfies Bucket<"node" | "module", Assignment>,
  machines: {
    name: bucketName.machines,
    parts: ["node"],
    local: false,
    writer: "controller",
    decode: decodeBy(shape(Machine)),
    sort: () => "machine"
  } satisfies Bucket<"node", Machine>,
  seats: {
    name: bucketName.seats,
    parts: ["seat"],
    local: false,
    writer: "controller",
    decode: decodeBy(shape(Seat))
  } satisfies Bucket<"seat", Seat>,
  configValues: {
    name: bucketName.configValues,
    parts: ["node", "module", "name"],
    local: false,
    writer: "operator",
    decode: decodeBy(shape(ConfigValue))
  } satisfies Bucket<"node" | "module" | "name", ConfigValue>,
  haves: {
    name: bucketName.haves,
    parts: ["node", "module"],
    local: false,
    writer: "host",
    decode: decodeBy(shape(Have)),
    sort: () => "have"
  } satisfies Bucket<"node" | "module", Have>,
  needs: {
    name: bucketName.needs,
    parts: ["node", "module", "kind", "name"],
    local: false,
    writer: "client",
    decode: decodeNeed,
    sort: sortOfNeed
  } satisfies Bucket<"node" | "module" | "kind" | "name", Need>,
  applied: {
    name: bucketName.applied,
    parts: ["node", "module"],
    local: false,
    writer: "client",
    decode: decodeBy(shape(Applied))
  } satisfies Bucket<"node" | "module", Applied>,
  collect: {
    name: bucketName.collect,
    parts: ["node", "collection", "contributor"],
    local: false,
    writer: "client",
    decode: (json) => ({ value: json, faults: [] })
  } satisfies Bucket<"node" | "collection" | "contributor", Json>,
  answers: {
    name: bucketName.answers,
    parts: ["providerNode", "providerModule", "node", "module", "provision"],
    local: true,
    writer: "provisioner",
    decode: decodeBy(shape(Answer))
  } satisfies Bucket<AskPart, Answer>,
  /** Every provider's own bucket, `<provider module>_bound`. */
  bound: {
    name: "<provider module>_bound",
    parts: ["node", "module", "provision"],
    local: true,
    writer: "provider",
    decode: decodeBy(shape(Bound))
  } satisfies Bucket<"node" | "module" | "provision", Bound>
} as const

/** The parts of an ask's key (protocol §6). */
export type AskPart = "providerNode" | "providerModule" | "node" | "module" | "provision"

/**
 * The buckets of decisions: what the provisioner writes (protocol §4 to §7). A key's `local` may follow its parts.
 *
 * @example
 * ```ts
 * import { decisionBuckets } from "mesh-provisioner/core"
 *
 * decisionBuckets.plans.name // "mesh-provisioner_plans"
 * decisionBuckets.plans.parts // ["node", "module"]
 * ```
 */
export const decisionBuckets = {
  registry: { name: bucketName.registry, parts: ["kind"], local: false, writer: "provisioner" },
  provisions: {
    name: bucketName.provisions,
    parts: ["node", "module", "kind", "name"],
    local: false,
    writer: "provisioner"
  },
  asks: {
    name: bucketName.asks,
    parts: ["providerNode", "providerModule", "node", "module", "provision"],
    local: true,
    writer: "provisioner"
  },
  plans: { name: bucketName.plans, parts: ["node", "module"], local: false, writer: "provisioner" }
} as const satisfies { readonly [name: string]: KeyShape & { readonly name: string; readonly writer: Writer } }

/** The mark that the seat's holder leaves in its buckets, which is no decision (protocol §9). */
export const epochKey = "_epoch"

/** The kind of the fact that a bucket holds, and who may write it, by the bucket's name; `undefined` for a stranger's. */
export const writerOf = (bucket: string): Writer | undefined =>
  [...Object.values(factBuckets), ...Object.values(decisionBuckets)].find((row) => row.name === bucket)?.writer ??
    (bucket.endsWith("_bound") ? factBuckets.bound.writer : undefined)
