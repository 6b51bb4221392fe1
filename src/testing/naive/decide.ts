/**
 * A twin of `decide`, written from the protocol's text alone, with nothing in mind but to be read beside it: no index, no
 * sharing, each sentence looked up anew. It says everything that `decide` says but the words, and of those only a failed
 * outcome's own (protocol §5).
 */
import type { RegistryEntry } from "../../core/Decision.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { answersToDelete, asksOf, type NaiveAsk } from "./ask.ts"
import { type Facts, readFacts } from "./facts.ts"
import { answersTo, isCompiledIn } from "./mesh.ts"
import { write } from "./name.ts"
import { type NaivePlan, plansOf } from "./plan.ts"
import { type NaiveProvision, provisionsOf } from "./provision.ts"

export interface NaiveDecisions {
  readonly registry: ReadonlyMap<string, RegistryEntry>
  readonly provisions: ReadonlyMap<string, NaiveProvision>
  readonly asks: ReadonlyMap<string, NaiveAsk>
  readonly plans: ReadonlyMap<string, NaivePlan>
  readonly answersToDelete: ReadonlyArray<string>
  readonly outOfShape: ReadonlyArray<{ readonly bucket: string; readonly key: string }>
  readonly conflicts: ReadonlyArray<{ readonly kind: string; readonly module: string }>
}

/** Decides everything of a snapshot: slowly, and without the words. */
export const naiveDecide = (snapshot: Snapshot): NaiveDecisions => {
  const facts = readFacts(snapshot)
  const provisions = provisionsOf(facts)
  const asks = asksOf(facts, provisions)
  return {
    registry: registryOf(facts),
    provisions,
    asks,
    plans: plansOf(facts, provisions),
    answersToDelete: answersToDelete(facts, asks),
    outOfShape: facts.outOfShape,
    conflicts: conflictsOf(facts)
  }
}

const vault = (kind: string): RegistryEntry => ({
  kind,
  module: "mesh-vault",
  find: { seat: "vault", verb: `mesh-vault.${kind}` }
})

const bucket = (kind: string, module: string, bucket: string, key: string): RegistryEntry => ({
  kind,
  module,
  find: { bucket, key }
})

const collected = (kind: string): RegistryEntry =>
  bucket(kind, "mesh-provisioner", "mesh-provisioner_collect", "<node>.<collection>.<contributor>")

const placed = (kind: string): RegistryEntry => ({
  kind,
  module: "mesh-controller",
  find: { bucket: "mesh-controller_assignments", key: "<node>.<module>", at: ["placement", kind, "<name>"] }
})

const compiledIn: ReadonlyArray<RegistryEntry> = [
  bucket("config", "mesh-config", "mesh-config_values", "<node>.<module>.<name>"),
  vault("secret"),
  vault("consumers"),
  bucket("bound", "<provider-module>", "<provider-module>_bound", "<node>.<module>.<provision>[.<local>]"),
  ...["collected", "shell", "environment", "contribution"].map(collected),
  ...["dir", "access", "port", "seat", "machine"].map(placed)
]

const registryOf = (facts: Facts): Map<string, RegistryEntry> => {
  const registry = new Map(compiledIn.map((entry) => [entry.kind, entry]))
  for (const kind of declaredKinds(facts)) {
    const [first, second] = answersTo(facts, kind)
    if (first !== undefined && second === undefined && !isCompiledIn(kind)) {
      const [module, answer] = first
      const find = "seat" in answer
        ? { seat: answer.seat, verb: answer.verb }
        : { bucket: answer.bucket, key: answer.key }
      registry.set(write(kind), { kind, module, find })
    }
  }
  return registry
}

const conflictsOf = (facts: Facts): ReadonlyArray<ModuleOfKind> =>
  declaredKinds(facts).flatMap((kind) => {
    const modules = answersTo(facts, kind).map(([module]) => ({ kind, module }))
    return isCompiledIn(kind) || modules.length > 1 ? modules : []
  })

type ModuleOfKind = { readonly kind: string; readonly module: string }

const declaredKinds = (facts: Facts): ReadonlyArray<string> => [
  ...new Set(facts.definitions.flatMap(({ answers }) => [...answers.keys()]))
]
