/**
 * Candidates of a wild mesh that contend for one claim: a crowd of them, or three alike in all but what ranks them.
 */
import * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"

interface Fact {
  readonly bucket: string
  readonly key: string
  readonly value: Json
}

const seldom = (facts: fc.Arbitrary<ReadonlyArray<Fact>>, oneIn: number): fc.Arbitrary<ReadonlyArray<Fact>> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: oneIn - 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: facts }
  )

/** So many candidates that not all of them are named. */
export const crowd: fc.Arbitrary<ReadonlyArray<Fact>> = seldom(
  fc.integer({ min: 19, max: 23 }).map((size) =>
    Array.from({ length: size }, (_, index) => ({
      bucket: "mesh-controller_assignments",
      key: `m${index}.postgres`,
      value: { build: "b1" }
    }))
  ),
  30
)

const contender = (node: string): fc.Arbitrary<ReadonlyArray<Fact>> =>
  fc.tuple(fc.boolean(), fc.boolean(), fc.constantFrom("home", "away")).map(([draining, lost, site]) => [
    { bucket: "mesh-controller_assignments", key: `${node}.dns`, value: { build: "b1", draining } },
    { bucket: "mesh-controller_machines", key: node, value: { site, lost } }
  ])

/** Three of a module on three nodes, one of them the consumer's, that differ only in what they are ranked by. */
export const contest: fc.Arbitrary<ReadonlyArray<Fact>> = seldom(
  fc.tuple(contender("n1"), contender("n2"), contender("n3")).map((contenders) => [
    { bucket: "mesh-controller_modules", key: "dns", value: { provides: { resolver: { credential: "none" } } } },
    { bucket: "mesh-controller_assignments", key: "n1.shop", value: { build: "b1" } },
    { bucket: "mesh-provisioner_needs", key: "n1.shop.bound.resolver", value: {} },
    ...contenders.flat()
  ]),
  8
)
