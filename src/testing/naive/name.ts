/**
 * The twin's names, tokens and digests (protocol §2, §3): one character after another.
 */
import { createHash } from "node:crypto"
import type { Json } from "../../core/Json.ts"

export const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.isWellFormed()

export const isModule = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9_-]{1,200}$/.test(value)

/** A name as it is written in a key. */
export const write = (name: string): string => {
  let token = ""
  for (const character of name) {
    if (/^[A-Za-z0-9_\-/]$/.test(character)) {
      token += character
    } else {
      for (const byte of Buffer.from(character)) {
        token += "=" + byte.toString(16).toUpperCase().padStart(2, "0")
      }
    }
  }
  return token
}

/** The name that a token stands for, or nothing where it is out of shape. */
export const read = (token: string): string | undefined => {
  const bytes: Array<number> = []
  for (let at = 0; at < token.length; at++) {
    if (token[at] === "=") {
      bytes.push(Number.parseInt(token.slice(at + 1, at + 3), 16))
      at += 2
    } else {
      bytes.push(token.charCodeAt(at))
    }
  }
  const name = Buffer.from(bytes).toString("utf8")
  return isName(name) && write(name) === token ? name : undefined
}

/** The names of a text of tokens joined by `.`, or nothing where one of them is out of shape. */
export const readTokens = (text: string): Array<string> | undefined => {
  const names: Array<string> = []
  for (const token of text.split(".")) {
    const name = read(token)
    if (name === undefined) {
      return undefined
    }
    names.push(name)
  }
  return names
}

/** Names as tokens joined by `.`; the ones left out are passed over. */
export const join = (...names: ReadonlyArray<string | undefined>): string =>
  names.filter((name) => name !== undefined).map(write).join(".")

const bytesOf = (key: string): number => Buffer.byteLength(key)

export const isKeyTooLong = (key: string): boolean => bytesOf(key) > 1_024

/** Canonical JSON, as RFC 8785 has it, and for texts that are not well-formed too. */
export const canonical = (value: Json): string => {
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`
  }
  const members = Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`
}

export const digest = (value: Json): string => createHash("sha256").update(canonical(value)).digest("hex").slice(0, 32)
