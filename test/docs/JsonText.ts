/**
 * JSON as the documents write it: on one line where it fits, else a member a line.
 */
import type { Json } from "mesh-provisioner/core"

const columnsMax = 110

/** A value's text. `before` is how many columns of its line are taken. */
export const jsonText = (value: Json, indent = 0, before = indent): string => {
  const line = onOneLine(value)
  if (before + line.length <= columnsMax || typeof value !== "object" || value === null || line === "{}") {
    return line
  }
  const inner = " ".repeat(indent + 2)
  const parts = Array.isArray(value)
    ? value.map((item) => `${inner}${jsonText(item, indent + 2)}`)
    : Object.entries(value).map(([name, item]) => {
      const start = `${inner}${JSON.stringify(name)}: `
      return `${start}${jsonText(item, indent + 2, start.length)}`
    })
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${parts.join(",\n")}\n${" ".repeat(indent)}${close}`
}

const onOneLine = (value: Json): string => {
  if (Array.isArray(value)) {
    return `[${value.map(onOneLine).join(", ")}]`
  }
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value)
  }
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${onOneLine(item)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}
