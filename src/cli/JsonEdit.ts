/**
 * Edits of a JSON text that leave all the rest of it as it stands, byte for byte: a person's file keeps its own look.
 *
 * The text is JSON (it has been parsed before), so what is found here is found by skipping.
 */
import { isJsonObject, type Json } from "../core/Json.ts"

/** The text with a value at a path of objects, in the style of what stands around it; objects that are missing are made. */
export const withMember = (text: string, path: ReadonlyArray<string>, value: Json): string => {
  let open = skipSpace(text, 0)
  for (const [depth, name] of path.entries()) {
    const found = lastMember(text, open, name)
    if (found === undefined) {
      const made = path.slice(depth + 1).reduceRight(
        (inner: Json, outer) => Object.fromEntries([[outer, inner]]),
        value
      )
      return insert(text, open, depth + 1, name, made)
    }
    if (depth === path.length - 1) {
      const inside = breakBefore(text, found) ?? ""
      return text.slice(0, found.start) + format(value, styleOf(text), inside) + text.slice(found.end)
    }
    open = found.start
  }
  return text
}

/** The text without the member at a path of objects. */
export const withoutMember = (text: string, path: ReadonlyArray<string>): string => {
  const name = path.at(-1) ?? ""
  let open: number | undefined = skipSpace(text, 0)
  for (const step of path.slice(0, -1)) {
    open = open === undefined ? undefined : lastMember(text, open, step)?.start
  }
  if (open === undefined) {
    return text
  }
  const all = [...membersOf(text, open)]
  const index = all.findLastIndex((member) => member.name === name)
  const [previous, found, next] = [all[index - 1], all[index], all[index + 1]]
  if (found === undefined) {
    return text
  }
  const start = next === undefined && previous !== undefined ? previous.end : found.nameStart
  const rest = text.slice(0, start) + text.slice(next?.nameStart ?? found.end)
  // Of several members of one name, the last is the one that counts: the one before it must not count now.
  return withoutMember(rest, path)
}

/** A member of an object: where its name begins, and where its value begins and ends. */
interface Member {
  readonly name: string
  readonly nameStart: number
  readonly start: number
  readonly end: number
}

const lastMember = (text: string, open: number, name: string): Member | undefined => {
  let found: Member | undefined
  for (const member of membersOf(text, open)) {
    if (member.name === name) {
      found = member
    }
  }
  return found
}

/** The members of the object that opens at a place; none where no object does. */
const membersOf = function*(text: string, open: number): Iterable<Member> {
  if (text[open] !== "{") {
    return
  }
  for (let at = skipSpace(text, open + 1); text[at] !== "}" && at < text.length;) {
    const nameStart = at
    const nameEnd = skipString(text, nameStart)
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = skipValue(text, start)
    yield { name: JSON.parse(text.slice(nameStart, nameEnd)), nameStart, start, end }
    at = skipSpace(text, end)
    at = text[at] === "," ? skipSpace(text, at + 1) : at
  }
}

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") {
    at++
  }
  return at
}

const skipString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text[at] !== "\"") {
    at += text[at] === "\\" ? 2 : 1
  }
  return at + 1
}

const skipValue = (text: string, start: number): number => {
  let at = start
  let depth = 0
  do {
    const character = text[at] ?? ""
    if (character === "\"") {
      at = skipString(text, at)
    } else {
      depth += "{[".includes(character) ? 1 : "}]".includes(character) ? -1 : 0
      at += 1
    }
  } while (at < text.length && (depth > 0 || !/[\s,\]}]/.test(text[at] ?? "")))
  return at
}

// --- style -------------------------------------------------------------------------------------------------------

/** How a text is laid out: one step of indentation, or none where it is on one line; what follows a colon. */
interface TextStyle {
  readonly newline: string
  readonly step: string | undefined
  readonly afterColon: string
}

const styleOf = (text: string): TextStyle => {
  const [, newline = "\n", step] = /(\r?\n)([ \t]+)\S/.exec(text) ?? []
  return { newline, step, afterColon: step !== undefined || /":\s/.test(text.slice(0, 4_096)) ? " " : "" }
}

/** The line break and indentation before a member, where it begins a line. */
const breakBefore = (text: string, { nameStart }: Member): string | undefined =>
  /\r?\n[ \t]*$/.exec(text.slice(Math.max(0, nameStart - indentCharactersMax), nameStart))?.[0]

const indentCharactersMax = 1_024

const insert = (text: string, open: number, depth: number, name: string, value: Json): string => {
  const style = styleOf(text)
  const last = [...membersOf(text, open)].at(-1)
  const line = last === undefined
    ? style.step === undefined ? "" : style.newline + style.step.repeat(depth)
    : breakBefore(text, last) ?? ""
  const member = `${line}${JSON.stringify(name)}:${style.afterColon}${format(value, style, line)}`
  if (last !== undefined) {
    return `${text.slice(0, last.end)},${line === "" ? style.afterColon : ""}${member}${text.slice(last.end)}`
  }
  const close = style.step === undefined ? "" : style.newline + style.step.repeat(depth - 1)
  return text.slice(0, open + 1) + member + close + text.slice(skipSpace(text, open + 1))
}

/** A value as text; `line` is what begins the line that it stands on, `""` where nothing is broken into lines. */
const format = (value: Json, style: TextStyle, line: string): string => {
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    return JSON.stringify(value)
  }
  const inner = line === "" ? "" : line + (style.step ?? "")
  const members = Object.entries(value).map(([name, member]) =>
    `${inner}${JSON.stringify(name)}:${style.afterColon}${format(member, style, inner)}`
  )
  return `{${members.join(line === "" ? `,${style.afterColon}` : ",")}${line}}`
}
