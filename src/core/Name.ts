/**
 * Names and tokens (protocol §2). A name is a non-empty string of well-formed Unicode; a token is how it is written in
 * a key. Reading is the exact inverse of writing.
 */
import { moduleNameCharactersMax } from "./Limits.ts"

/**
 * Whether a text is a name: not empty, and without a lone surrogate (protocol §2).
 *
 * @example
 * ```ts
 * import { isName } from "mesh-provisioner/core"
 *
 * isName("shell:zsh:normal") // true
 * isName("") // false
 * ```
 */
export const isName = (text: string): boolean => text.length > 0 && text.isWellFormed()

/**
 * Whether a text is a module's name: 1 to 200 of `A-Z a-z 0-9 _ -` (protocol §2), since it also names a bucket.
 *
 * @example
 * ```ts
 * import { isModuleName } from "mesh-provisioner/core"
 *
 * isModuleName("mesh-vault") // true
 * isModuleName("a/b") // false
 * ```
 */
export const isModuleName = (text: string): boolean => text.length <= moduleNameCharactersMax && moduleName.test(text)

const moduleName = /^[A-Za-z0-9_-]+$/

const plainCharacters: ReadonlySet<number> = new Set(
  Array.from(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-/",
    (character) => character.charCodeAt(0)
  )
)

const isPlainCode: ReadonlyArray<boolean> = Array.from({ length: 128 }, (_, code) => plainCharacters.has(code))

// Every key is made and read by this: on texts as short as names are, a look at each character is faster than a pattern.
const isPlain = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    if (isPlainCode[text.charCodeAt(at)] !== true) {
      return false
    }
  }
  return text.length > 0
}

/**
 * Writes a name as a token of a key (protocol §2). What is not a name gives `""`, which no key holds.
 *
 * @example
 * ```ts
 * import { writeToken } from "mesh-provisioner/core"
 *
 * writeToken("shell:zsh:normal") // "shell=3Azsh=3Anormal"
 * writeToken("é") // "=C3=A9"
 * ```
 */
export const writeToken = (name: string): string => {
  if (isPlain(name)) {
    return name
  }
  return isName(name) ? name.replace(/[^A-Za-z0-9_\-/]+/g, escapeRun) : ""
}

// Most runs are one character of ASCII, whose escape is known; `encodeURIComponent` leaves seven of them alone.
const escapeRun = (run: string): string =>
  escapes.get(run) ??
    encodeURIComponent(run).replace(/[!'()*.~]/g, (character) => escapes.get(character) ?? "").replaceAll("%", "=")

const escapes: ReadonlyMap<string, string> = new Map(
  Array.from(
    "!\"#$%&'()*+,.:;<=>?@[\\]^`{|}~",
    (character) => [character, `=${character.charCodeAt(0).toString(16).toUpperCase()}`]
  )
)

/**
 * Reads a token back to its name, or gives `undefined` where `writeToken` would not have written it so (protocol §2):
 * lower-case hex, an escape of a character that needs none, bytes that are not UTF-8, an empty token.
 *
 * @example
 * ```ts
 * import { readToken } from "mesh-provisioner/core"
 *
 * readToken("a=2Eb") // "a.b"
 * readToken("a=2eb") // undefined
 * ```
 */
export const readToken = (token: string): string | undefined => {
  if (isPlain(token)) {
    return token
  }
  // Two looks, neither of which ever turns back: a token in a value can be megabytes long.
  if (/[^A-Za-z0-9_\-/=]/.test(token) || /=(?![0-9A-F]{2})/.test(token)) {
    return undefined
  }
  const name = unescape(token)
  return name !== undefined && isName(name) && writeToken(name) === token ? name : undefined
}

const unescape = (token: string): string | undefined => {
  try {
    return decodeURIComponent(token.replaceAll("=", "%"))
  } catch {
    return undefined
  }
}
