/**
 * The laws that a simulated mesh is held to, and where it is said that one is broken.
 */

/**
 * The laws, each with its paragraph of the protocol and a sentence.
 *
 * @example
 * ```ts
 * import { laws } from "mesh-provisioner/simulator"
 *
 * laws["one provider"].paragraph // "§6"
 * ```
 */
export const laws = {
  "provided by outcome": {
    paragraph: "§5",
    sentence: "Nothing is provided without the outcome of its provider at hand."
  },
  "failed in its words": { paragraph: "§5", sentence: "What failed is said in the provider's own words." },
  "asked for a fact": {
    paragraph: "§5",
    sentence: "What is asked waits for a fact that is not there, or not as it is to be."
  },
  "served rightly": {
    paragraph: "§5.2",
    sentence: "What holds a consumer's data keeps it, and whoever serves a claim may."
  },
  "planned rightly": { paragraph: "§7", sentence: "A plan is ready exactly when all that counts is provided." },
  "asked rightly": { paragraph: "§6", sentence: "A provider is asked for what is needed, or about what it made." },
  "one provider": { paragraph: "§6", sentence: "No claim is wanted of two providers at once." },
  "nothing undone": {
    paragraph: "§6",
    sentence: "Nothing is undone while it is needed, nor without an answer or free."
  },
  "nothing forgotten": { paragraph: "§6", sentence: "Whatever was made is bound, and asked about." },
  "no secret": { paragraph: "§5, §7", sentence: "No decision shows a secret, or a value that is not its own." },
  "only what changes": {
    paragraph: "§9",
    sentence: "A change of facts writes what it changes and nothing else."
  },
  "not on what is lost": { paragraph: "§9", sentence: "Nothing is written while a bucket of facts is lost." },
  "as decided": { paragraph: "§9", sentence: "Once all is quiet the bus holds what the facts decide." },
  "at rest": {
    paragraph: "§9",
    sentence: "Once the faults have stopped, all comes to rest, and nothing is written any more."
  },
  "no defect": { paragraph: "§3", sentence: "Whatever is on the bus, nothing throws." },
  "nothing stuck": {
    paragraph: "§6",
    sentence: "At rest whatever is wanted is made, and whatever is to be retired is undone."
  }
} as const

/** The name of a law. */
export type Law = keyof typeof laws

/** A law that was broken: thrown, so that nothing goes on after it. */
export class Broken extends Error {
  readonly law: Law

  constructor(law: Law, what: string) {
    super(what)
    this.law = law
  }
}

/** Where it is said. */
export class Laws {
  /** How often something was held against a law. */
  checked = 0
  /** How often each state and reason was met. */
  readonly met = new Map<string, number>()
  /** The law that was found to be broken first, whoever caught it. */
  found: Broken | undefined

  /** Something of this state and reason was held against the laws. */
  meet(what: string): void {
    this.checked += 1
    this.met.set(what, (this.met.get(what) ?? 0) + 1)
  }

  /** Says that a law is broken: what goes on then is of no interest. */
  broken(law: Law, what: string): never {
    this.found ??= new Broken(law, what)
    throw this.found
  }
}
