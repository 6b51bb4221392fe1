/**
 * A law of the protocol: a sentence of it, with its paragraph, as a property of whatever decides (protocol's first idea: to
 * decide is a function of the facts).
 */
import * as fc from "fast-check"
import type { Decisions } from "../../core/Decision.ts"
import { Facts } from "../../core/Facts.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { Broken, LawBroken } from "./Broken.ts"

/** What decides: the core's `decide`, or that with a rule of one's own. */
export type Decide = (facts: Facts) => Decisions

/** What decides, as laws call it: on facts, or on a snapshot of them. */
export type DecideOn = (facts: Facts | Snapshot) => Decisions

/**
 * What was met while a law was tried: a law over meshes in which nothing happens says nothing.
 *
 * @example
 * ```ts
 * import { Met } from "mesh-provisioner/testing"
 *
 * const met = new Met()
 * met.count("ask")
 * met.count("ask", 2)
 * met.counts.get("ask") // 3
 * ```
 */
export class Met {
  readonly counts = new Map<string, number>()

  /** Something was met, so many times. */
  count(what: string, number = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + number)
  }
}

/** How often something is met at least, by what it is, where the core's own `decide` is tried. */
export type Least = { readonly [what: string]: number }

/** A law, by what it is tried on. */
export interface LawSpec<Case> {
  readonly sentence: string
  readonly paragraph: string
  readonly cases: fc.Arbitrary<Case>
  /** How many cases are tried. */
  readonly runs: number
  readonly atLeast: Least
  /** Tells a case to a person, a line each. */
  readonly tell: (given: Case) => ReadonlyArray<string>
  /** Throws where the law does not hold. */
  readonly holds: (decide: DecideOn, given: Case, met: Met) => void
}

/** How a law is tried. */
export interface CheckOptions {
  /** What all is drawn from: the same seed draws the same. Default: the same each time. */
  readonly seed?: number
  /** How many cases are tried. Default: as many as the law says, some hundreds. */
  readonly runs?: number
  /** A law that fails is told within so many milliseconds, with what is left of its case by then. Default: 40,000. */
  readonly millisMax?: number
}

/** A law of the protocol, held against something that decides. */
export interface Law {
  /** The law, as the protocol has it. */
  readonly sentence: string
  /** Its paragraphs in the protocol, such as `§5, §5.3`. */
  readonly paragraph: string
  /** The law as a property of fast-check, for whoever tries it in ways of their own. */
  readonly property: fc.IProperty<unknown>
  /** How many cases are tried by default. */
  readonly runs: number
  /** What the core's own `decide` comes by at least in as many cases as are tried by default. */
  readonly atLeast: Least
  /**
   * Tries the law. Where it does not hold it throws, with a message that tells the smallest case that was found.
   *
   * @returns how often what was met.
   */
  readonly check: (options?: CheckOptions) => ReadonlyMap<string, number>
}

/** A law of the protocol, not yet held against anything. */
export type LawOf = (decide: Decide) => Law

const seedByDefault = 20_261

/**
 * A law of one's own, tried and told as the protocol's are.
 *
 * @param spec the law, and what it is tried on.
 * @returns the law, to be held against whatever decides.
 *
 * @example
 * ```ts
 * import { decide } from "mesh-provisioner/core"
 * import { coherentMesh, lawOf, must, tellMesh } from "mesh-provisioner/testing"
 *
 * const everyAskSaysWhy = lawOf({
 *   sentence: "every ask says why",
 *   paragraph: "§6",
 *   cases: coherentMesh,
 *   runs: 20,
 *   atLeast: { ask: 20 },
 *   tell: tellMesh,
 *   holds: (decide, mesh, met) => {
 *     for (const [key, { why }] of decide(mesh).asks) {
 *       must(why !== "", `The ask ${key} does not say why.`)
 *       met.count("ask")
 *     }
 *   }
 * })
 * everyAskSaysWhy(decide).check().get("ask") === undefined // false
 * ```
 */
export const lawOf = <Case>(spec: LawSpec<Case>): LawOf => (decide) => {
  const { atLeast, paragraph, runs, sentence } = spec
  const decideOn: DecideOn = (facts) => decide(facts instanceof Facts ? facts : Facts.fromSnapshot(facts))
  const propertyWith = (met: Met): fc.IProperty<unknown> =>
    fc.property(spec.cases, (given) => {
      try {
        spec.holds(decideOn, given, met)
      } catch (cause) {
        if (fc.PreconditionFailure.isFailure(cause)) {
          throw cause
        }
        throw new LawBroken(spec, spec.tell(given), cause)
      }
    })
  return {
    sentence,
    paragraph,
    runs,
    atLeast,
    property: propertyWith(new Met()),
    check: ({ millisMax = 40_000, runs: numRuns = runs, seed = seedByDefault } = {}) => {
      const met = new Met()
      const details = fc.check(propertyWith(met), { seed, numRuns, interruptAfterTimeLimit: millisMax })
      if (details.failed) {
        throw failureOf(details)
      }
      return met.counts
    }
  }
}

const failureOf = (details: fc.RunDetails<unknown>): Error => {
  if (!(details.errorInstance instanceof LawBroken)) {
    return new Error(fc.defaultReportMessage(details))
  }
  const { numRuns, numShrinks, seed } = details
  const found = `Found in case ${numRuns} of seed ${seed}, shortened ${numShrinks} times; the same seed finds it again.`
  return new Broken(`${details.errorInstance.message}\n\n${found}`)
}
