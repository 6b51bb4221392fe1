/**
 * Where in a JSON text something stands: for a person who has to mend the file.
 */
import { parse, type ValueNode } from "@humanwhocodes/momoa"

/** A place in a text, counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

const start: TextPlace = { line: 1, column: 1 }

/** Where a text stops being JSON. */
export const placeOfSyntaxError = (text: string): TextPlace => {
  try {
    parse(text, { mode: "json" })
    return placeOf(text, rawControlCharacter(text))
  } catch (error) {
    return error instanceof Error && "line" in error && "column" in error &&
        typeof error.line === "number" && typeof error.column === "number"
      ? { line: error.line, column: error.column }
      : start
  }
}

// The parser takes a tab or a line break inside a string as it stands, and JSON does not.
const rawControlCharacter = (text: string): number => {
  for (const { 0: string, index } of text.matchAll(/"(?:[^"\\]|\\[^])*"/g)) {
    const inside = string.search(/[^ -\uffff]/)
    if (inside !== -1) {
      return index + inside
    }
  }
  return 0
}

const placeOf = (text: string, offset: number): TextPlace => {
  const before = text.slice(0, offset)
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") }
}

/** Where the value at a path stands in a JSON text; as near to it as the text goes. */
export const placeOfPath = (text: string, path: ReadonlyArray<string>): TextPlace => {
  try {
    let node = parse(text, { mode: "json" }).body
    for (const step of path) {
      const inner = node.type === "Object" ? memberNode(node, step) : undefined
      if (inner === undefined) {
        break
      }
      node = inner
    }
    return { line: node.loc.start.line, column: node.loc.start.column }
  } catch {
    return start
  }
}

// The last of several members of one name is the one that `JSON.parse` keeps.
const memberNode = (node: Extract<ValueNode, { type: "Object" }>, name: string): ValueNode | undefined =>
  node.members.findLast((found) => found.name.type === "String" && found.name.value === name)?.value
