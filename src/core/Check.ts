/**
 * What is wrong with a module's definition (protocol §3), for the person who writes it: every fault with its path and
 * how to mend it, and what no bus would call a fault, but a reader of the module would miss.
 */
import { decodeDefinition } from "./fact/Definition.ts"
import { isJsonObject, type Json, member, valueFault } from "./Json.ts"
import { isCompiledIn } from "./Registry.ts"
import type { Fault } from "./Shape.ts"
import { conflictWhy, mendWhy } from "./Words.ts"

/** A fault of a definition: where, what is wrong there, and how to mend it. */
export interface DefinitionFault {
  readonly path: ReadonlyArray<string>
  readonly what: string
  readonly mend: string
}

/**
 * Checks a module's definition (protocol §3): each provision, answer and directory, and that no answer is for a kind
 * which the mesh answers itself.
 *
 * @param module the module's name: the buckets of its answers begin with it.
 *
 * @example
 * ```ts
 * import { checkDefinition } from "mesh-provisioner/core"
 *
 * checkDefinition({ directories: { state: {} } }, "shop")[0]?.path // ["directories", "state", "unknown"]
 * ```
 */
export const checkDefinition = (definition: Json, module: string): ReadonlyArray<DefinitionFault> => {
  const whole = valueFault(definition)
  if (whole !== undefined) {
    return [{ path: [], what: whole, mend: mendWhy.value() }]
  }
  const { faults } = decodeDefinition(definition, module)
  return [
    ...faults.map((fault) => ({ path: fault.path, what: fault.expected, mend: mendOf(fault, module) })),
    ...compiledInAnswers(definition, module)
  ]
}

const compiledInAnswers = (definition: Json, module: string): ReadonlyArray<DefinitionFault> => {
  const answers = isJsonObject(definition) ? member(definition, "answers") : undefined
  return Object.keys(isJsonObject(answers) ? answers : {}).filter(isCompiledIn).map((kind) => ({
    path: ["answers", kind],
    what: conflictWhy.compiledIn(kind, module),
    mend: mendWhy.compiledIn()
  }))
}

const mendOf = ({ path }: Fault, module: string): string => {
  const [group, name, part, inner] = path
  if (group === undefined || name === undefined) {
    return group === undefined ? mendWhy.definition() : mendWhy.group(group)
  }
  switch (group) {
    case "directories":
      return mendWhy.directory()
    case "answers":
      return part === "bucket" ? mendWhy.bucket(module) : part === "key" ? mendWhy.pattern() : mendWhy.answer()
    default:
      return mendOfProvision(part, inner)
  }
}

const mendOfProvision = (part: string | undefined, inner: string | undefined): string => {
  switch (part) {
    case "credential":
      return mendWhy.credential()
    case "contract":
      return inner === "version" ? mendWhy.version() : mendWhy.fields()
    case "retire":
      return mendWhy.retire()
    case "seat":
      return mendWhy.seat()
    default:
      return mendWhy.provision()
  }
}
