/**
 * `check`: a module's definition, every fault of it by its path and how to mend it.
 */
import { parse, type ValueNode } from "@humanwhocodes/momoa"
import * as Effect from "effect/Effect"
import { basename, dirname, resolve } from "node:path"
import { checkDefinition, type DefinitionFault } from "../core/Check.ts"
import type { Json } from "../core/Json.ts"
import { placeOfSyntaxError, type TextPlace } from "../core/JsonText.ts"
import { isModuleName } from "../core/Name.ts"
import { Failure, failure, usage } from "./Failure.ts"
import { type Line, printJson, printLines, styled } from "./Print.ts"
import { nameOf, placeIn, readText } from "./Read.ts"
import { countText } from "./Say.ts"

/** What `check` is asked. */
export interface CheckConfig {
  readonly file: string
  readonly module: string | undefined
  readonly json: boolean
}

/** Runs `check`: fails where there are faults. */
export const run = Effect.fnUntraced(function*(config: CheckConfig): Effect.fn.Return<void, Failure> {
  const { file, json } = config
  const text = yield* readText(file)
  const module = yield* moduleOf(config)
  const definition = yield* definitionOf(file, text)
  const faults = placed(text, checkDefinition(definition, module))
  // Where nobody reads the faults to their end, they are faults all the same.
  process.exitCode = faults.length > 0 ? 1 : 0
  yield* json ? printJson(jsonOf(module, faults)) : printLines(linesOf(config, module, faults))
  if (faults.length > 0) {
    return yield* new Failure({ exitCode: 1 })
  }
})

/** The module that the definition is of: as it is said, or as its folder is named. */
const moduleOf = ({ file, module }: CheckConfig): Effect.Effect<string, Failure> => {
  if (module !== undefined) {
    return isModuleName(module)
      ? Effect.succeed(module)
      : Effect.fail(usage(`--module: ${module} is no module's name. One is 1 to 200 of A-Z a-z 0-9 _ -.`))
  }
  const folder = file === "-" ? "" : basename(dirname(resolve(file)))
  return isModuleName(folder)
    ? Effect.succeed(folder)
    : Effect.fail(usage(
      `Nobody can tell which module this is: the folder of ${nameOf(file)} is not named like one. Give --module NAME.`
    ))
}

const definitionOf = (file: string, text: string): Effect.Effect<Json, Failure> =>
  Effect.try({
    try: (): Json => JSON.parse(text),
    catch: () => {
      const { column, line } = placeOfSyntaxError(text)
      return failure(`${placeIn(file, line, column)}: this is not JSON. Mend it there and try again.`)
    }
  })

type PlacedFault = DefinitionFault & TextPlace

/** The faults with their places in the text, in its order. */
const placed = (text: string, faults: ReadonlyArray<DefinitionFault>): ReadonlyArray<PlacedFault> => {
  const root = rootOf(text)
  return faults
    .map((fault) => ({ ...fault, ...placeAt(root, fault.path) }))
    .sort((one, other) => one.line - other.line || one.column - other.column)
}

/** The text as a tree of places; none where it is nested deeper than that can be. */
const rootOf = (text: string): ValueNode | undefined => {
  try {
    return parse(text, { mode: "json" }).body
  } catch {
    return undefined
  }
}

/** Where the value at a path stands, or as near to it as the text goes. */
const placeAt = (root: ValueNode | undefined, path: ReadonlyArray<string>): TextPlace => {
  let node = root
  for (const step of path) {
    // The last of several members of one name is the one that counts.
    const members = node?.type === "Object" ? node.members : []
    const found = members.findLast(({ name }) => name.type === "String" && name.value === step)
    if (found === undefined) {
      break
    }
    node = found.value
  }
  return { line: node?.loc.start.line ?? 1, column: node?.loc.start.column ?? 1 }
}

const jsonOf = (module: string, faults: ReadonlyArray<PlacedFault>): Json => ({
  module,
  faults: faults.map(({ column, line, mend, path, what }) => ({ path: [...path], what, mend, line, column }))
})

const linesOf = function*({ file }: CheckConfig, module: string, faults: ReadonlyArray<PlacedFault>): Iterable<Line> {
  for (const { column, line, mend, path, what } of faults) {
    yield [styled("bold", `${nameOf(file)}:${line}:${column}`), "  ", styled("red", path.join(".") || "the definition")]
    yield ["    ", what]
    yield ["    to mend it: ", mend]
  }
  yield faults.length === 0
    ? [styled("green", `The definition of ${module} is right.`)]
    : [countText(faults.length, "fault", "faults"), ` in the definition of ${module}.`]
}
