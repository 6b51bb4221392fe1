/**
 * Keys and facts, one alone (protocol §2, §3).
 */
import * as fc from "fast-check"
import type { Change } from "../../core/Facts.ts"
import type { Json } from "../../core/Json.ts"
import type { KeyShape, Part } from "../../core/Key.ts"
import { join } from "../naive/name.ts"
import { leavingOut, simplerJson } from "./LeavingOut.ts"
import { anyModuleName, anyName } from "./Names.ts"
import {
  applied,
  assignment,
  bound,
  configValue,
  definition,
  have,
  holder,
  item,
  local,
  machine,
  need,
  node,
  pick,
  providerModule,
  provision
} from "./WildFacts.ts"

const isModulePart = (part: Part): boolean => ["module", "providerModule", "contributor"].includes(part)

/** The names of a key of such a shape: one for each part, and where it may end in a local name, sometimes that too. */
export const namesOf = ({ local, parts }: KeyShape): fc.Arbitrary<ReadonlyArray<string>> =>
  fc.tuple(
    fc.tuple(...parts.map((part) => isModulePart(part) ? anyModuleName : anyName(6))),
    local ? fc.option(anyName(6), { nil: undefined }) : fc.constant(undefined)
  ).map(([names, local]) => local === undefined ? names : [...names, local])

/**
 * Keys in the shape of a bucket's, of names of all kinds (protocol §2, §3). Long names can make a key longer than 1,024 bytes,
 * which is out of shape.
 *
 * @param shape a row of `factBuckets` or `decisionBuckets`.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { factBuckets, readKey } from "mesh-provisioner/core"
 * import { anyKey } from "mesh-provisioner/testing"
 *
 * fc.assert(fc.property(anyKey(factBuckets.haves), (key) => {
 *   return key.length > 1_024 || readKey(factBuckets.haves, key)._tag === "Success"
 * }))
 * ```
 */
export const anyKey = (shape: KeyShape): fc.Arbitrary<string> => namesOf(shape).map((names) => join(...names))

const keyOf = (...parts: ReadonlyArray<fc.Arbitrary<string | undefined>>): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((names) => join(...names))

const consumer = pick([4, "shop"], [1, "wiki"])
const kind = pick([6, "bound"], [1, "secret"], [1, "config"], [1, "port"], [1, "collected"])
const needName = pick([4, "database"], [2, "cache"], [1, "http"])

/** The facts of each bucket, of few names, so that those of several meet. */
const facts: ReadonlyArray<readonly [bucket: string, key: fc.Arbitrary<string>, value: fc.Arbitrary<Json>]> = [
  ["mesh-controller_modules", fc.constant("postgres"), definition("postgres")],
  ["mesh-controller_assignments", keyOf(node, fc.oneof(providerModule, consumer)), assignment],
  ["mesh-controller_machines", node, machine],
  ["mesh-controller_seats", fc.constant("vault"), holder("vault")],
  ["mesh-config_values", keyOf(node, consumer, needName), configValue],
  ["mesh-host_haves", keyOf(node, providerModule), have],
  ["mesh-provisioner_needs", keyOf(node, consumer, kind, needName), need],
  ["mesh-provisioner_applied", keyOf(node, consumer), applied],
  ["mesh-provisioner_collect", keyOf(node, needName, consumer), item],
  ["postgres_bound", keyOf(node, consumer, provision, local), bound(node)]
]

/**
 * Facts of every bucket (protocol §3): most of them in shape and of few names, so that those of several meet; some are spoiled
 * in one place, or are nothing of the kind. They shrink towards the bucket that comes first, and to less in their value.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { Facts } from "mesh-provisioner/core"
 * import { anyFact } from "mesh-provisioner/testing"
 *
 * // Whatever comes, it is taken in.
 * fc.assert(fc.property(fc.array(anyFact), (changes) => {
 *   const facts = new Facts()
 *   for (const change of changes) facts.apply(change)
 * }))
 * ```
 */
export const anyFact: fc.Arbitrary<Change & { readonly value: Json }> = fc.oneof(
  ...facts.map(([bucket, key, value]) =>
    leavingOut(fc.record({ bucket: fc.constant(bucket), key, value }), {
      without: () => [],
      simpler: function*(fact) {
        for (const simpler of simplerJson(fact.value)) {
          yield { ...fact, value: simpler }
        }
      }
    })
  )
)
