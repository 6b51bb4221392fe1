/**
 * The registry (protocol §4): which domain answers which kind of need. The mesh's own kinds are compiled in and never
 * replaced; definitions add others, and where several modules answer one kind, none of them does.
 */
import { bucketName } from "./BucketName.ts"
import type { Conflict, Find, RegistryEntry } from "./Decision.ts"
import type { DefinitionAnswer } from "./fact/Definition.ts"
import type { Facts } from "./Facts.ts"
import { addTo } from "./Group.ts"
import { conflictWhy } from "./Words.ts"

/** The kinds of need that a module's placement answers (protocol §4). */
export const placementKinds: ReadonlySet<string> = new Set(["dir", "access", "port", "seat", "machine"])

/** The kinds of need that a collection of the same name answers (protocol §4). */
export const namedCollectionKinds: ReadonlySet<string> = new Set(["shell", "environment", "contribution"])

const collectFind: Find = { bucket: bucketName.collect, key: "<node>.<collection>.<contributor>" }

/** The kinds that are compiled in (protocol §4). */
const compiledIn: ReadonlyMap<string, RegistryEntry> = new Map(
  [
    { kind: "config", module: "mesh-config", find: { bucket: bucketName.configValues, key: "<node>.<module>.<name>" } },
    { kind: "secret", module: "mesh-vault", find: { seat: "vault", verb: "mesh-vault.secret" } },
    { kind: "consumers", module: "mesh-vault", find: { seat: "vault", verb: "mesh-vault.consumers" } },
    {
      kind: "bound",
      module: "<provider-module>",
      find: { bucket: "<provider-module>_bound", key: "<node>.<module>.<provision>[.<local>]" }
    },
    ...["collected", ...namedCollectionKinds].map((kind) => ({ kind, module: "mesh-provisioner", find: collectFind })),
    ...[...placementKinds].map((kind) => ({
      kind,
      module: "mesh-controller",
      find: { bucket: bucketName.assignments, key: "<node>.<module>", at: ["placement", kind, "<name>"] }
    }))
  ].map((entry) => [entry.kind, entry])
)

/** Whether the mesh answers a kind itself, which no definition replaces (protocol §4). */
export const isCompiledIn = (kind: string): boolean => compiledIn.has(kind)

/** The registry as the facts have it. */
export interface Registry {
  /** The entries that stand, by kind. */
  readonly entries: ReadonlyMap<string, RegistryEntry>
  /** The modules that answer a kind which none of them may answer, by kind. */
  readonly contested: ReadonlyMap<string, ReadonlyArray<string>>
  readonly conflicts: ReadonlyArray<Conflict>
}

/** The registry that the definitions make of the compiled-in one (protocol §4). */
export const registryOf = (facts: Facts): Registry => {
  const entries = new Map(compiledIn)
  const contested = new Map<string, ReadonlyArray<string>>()
  const conflicts: Array<Conflict> = []
  for (const [kind, found] of answersByKind(facts)) {
    const modules = found.map(({ module }) => module).sort()
    const [only] = found
    if (isCompiledIn(kind)) {
      conflicts.push(...modules.map((module) => ({ kind, module, why: conflictWhy.compiledIn(kind, module) })))
    } else if (found.length > 1) {
      contested.set(kind, modules)
      conflicts.push(...modules.map((module) => ({ kind, module, why: conflictWhy.several(kind, modules) })))
    } else if (only !== undefined) {
      entries.set(kind, { kind, module: only.module, find: only.answer })
    }
  }
  return { entries, contested, conflicts: conflicts.sort(byKindAndModule) }
}

const answersByKind = (facts: Facts) => {
  const found = new Map<string, Array<{ readonly module: string; readonly answer: DefinitionAnswer }>>()
  for (const { names: { module }, value } of facts.modules.sound()) {
    for (const [kind, answer] of value.answers) {
      addTo(found, kind, { module, answer })
    }
  }
  return found
}

const byKindAndModule = (one: Conflict, other: Conflict): number =>
  compare(one.kind, other.kind) || compare(one.module, other.module)

const compare = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0
