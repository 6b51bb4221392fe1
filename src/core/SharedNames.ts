/**
 * The names that keys are made of, each kept once: a mesh has many keys and few names, and each key would have texts of its
 * own.
 */
import { isModuleName, readToken } from "./Name.ts"

/** Reads tokens to names that are shared by all keys that have them. */
export class SharedNames {
  readonly #names = new Map<string, string>()
  readonly #modules = new Map<string, string>()
  readonly #texts = new Map<string, string>()

  /** The name that a token says, or `undefined` where it does not read back (protocol §2). */
  name(token: string): string | undefined {
    return this.#names.get(token) ?? keep(this.#names, token, readToken(token))
  }

  /** The module's name that a token says, or `undefined` where it says none (protocol §2). */
  module(token: string): string | undefined {
    return this.#modules.get(token) ?? (isModuleName(token) ? keep(this.#modules, token, this.name(token)) : undefined)
  }

  /** The same text, as one that is shared by all who ask for it. */
  share(text: string): string {
    return this.#texts.get(text) ?? keep(this.#texts, text, text) ?? text
  }
}

/** Names that are shared at most; past it they are forgotten, and shared anew. */
const namesSharedMax = 100_000

const keep = (names: Map<string, string>, token: string, name: string | undefined): string | undefined => {
  if (name === undefined) {
    return undefined
  }
  if (names.size >= namesSharedMax) {
    names.clear()
  }
  const own = ownText(name)
  names.set(name === token ? own : ownText(token), own)
  return own
}

// What was cut from a key would keep all of the key.
const ownText = (text: string): string => text.split("").join("")
