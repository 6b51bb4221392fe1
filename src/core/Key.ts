/**
 * Keys by their bucket's shape (protocol §2): tokens joined by `.`, each the token of a name.
 */
import * as Result from "effect/Result"
import { keyBytesMax } from "./Limits.ts"
import { isModuleName, readToken, writeToken } from "./Name.ts"
import { keyWhy } from "./Words.ts"

/** What a part of a key is called, as protocol §3 writes it. */
export type Part =
  | "node"
  | "module"
  | "kind"
  | "name"
  | "seat"
  | "collection"
  | "contributor"
  | "providerNode"
  | "providerModule"
  | "provision"

/** The shape of a bucket's keys: their parts in order, and whether a local name may follow. */
export interface KeyShape<P extends Part = Part> {
  readonly parts: ReadonlyArray<P>
  readonly local: boolean
}

/** The names that a key is made of, by part. */
export type Names<P extends Part = Part> = { readonly [Name in P]: string } & { readonly local?: string }

/** The parts whose name is a module's, and so has fewer characters to choose from (protocol §2). */
const moduleParts: ReadonlySet<Part | "local"> = new Set<Part>(["module", "contributor", "providerModule"])

/**
 * Reads a key by its bucket's shape into the names of its parts (protocol §2).
 *
 * @returns the names, or a sentence that says what is wrong with the key.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { factBuckets, readKey } from "mesh-provisioner/core"
 *
 * Result.getOrThrow(readKey(factBuckets.collect, "n1.shell=3Azsh.shop"))
 * // { node: "n1", collection: "shell:zsh", contributor: "shop" }
 * readKey(factBuckets.collect, "n1.shell=3azsh.shop")._tag // "Failure"
 * ```
 */
export const readKey = <P extends Part>(shape: KeyShape<P>, key: string): Result.Result<Names<P>, string> => {
  const read = readParts(shape, key, { name: readToken, module: moduleOf })
  if (typeof read === "string") {
    return Result.fail(read)
  }
  const names: { [part: string]: string } = {}
  for (const [index, name] of read.entries()) {
    names[shape.parts[index] ?? "local"] = name
  }
  return Result.succeed(names as Names<P>)
}

/** What reads a token: to any name, or to a module's alone. */
export interface TokenReader {
  readonly name: (token: string) => string | undefined
  readonly module: (token: string) => string | undefined
}

const moduleOf = (token: string): string | undefined => isModuleName(token) ? token : undefined

/** Reads a key by its bucket's shape: the names of its parts in their order, or a sentence that says what is wrong with it. */
export const readParts = (
  { local, parts }: KeyShape,
  key: string,
  read: TokenReader
): ReadonlyArray<string> | string => {
  if (key.length > keyBytesMax) {
    return keyWhy.tooLong()
  }
  const tokens = key.split(".")
  if (tokens.length !== parts.length && !(local && tokens.length === parts.length + 1)) {
    return keyWhy.tokens(tokens.length, { local, parts })
  }
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? ""
    const part = parts[index] ?? "local"
    const name = moduleParts.has(part) ? read.module(token) : read.name(token)
    if (name === undefined) {
      return partWhy(token, part, index + 1)
    }
    tokens[index] = name
  }
  return tokens
}

const partWhy = (token: string, part: Part | "local", position: number): string =>
  part === "local" || readToken(token) === undefined ? keyWhy.token(position, part) : keyWhy.module(position, part)

/**
 * Writes names as a key: each as its token, joined by `.` (protocol §2). A part left out at the end is no part.
 *
 * @example
 * ```ts
 * import { writeKey } from "mesh-provisioner/core"
 *
 * writeKey("n1", "shop", "bound", "a.b") // "n1.shop.bound.a=2Eb"
 * ```
 */
export const writeKey = (...names: ReadonlyArray<string | undefined>): string => {
  const tokens: Array<string> = []
  for (const name of names) {
    if (name !== undefined) {
      tokens.push(writeToken(name))
    }
  }
  return tokens.join(".")
}

/** The token of the node that a key begins with: the key of its machine. */
export const nodeToken = (key: string): string => key.slice(0, key.indexOf("."))

/** The first two tokens of a key in shape: the module on a node that it is about, as the key of its assignment. */
export const assignmentKeyOf = (key: string): string => {
  const end = key.indexOf(".", key.indexOf(".") + 1)
  return end < 0 ? key : key.slice(0, end)
}

/**
 * The consumer that a key's first two tokens name, if they do, as the key of its assignment: how a key that is out of
 * shape as a whole is still known to be some consumer's (protocol §6).
 */
export const consumerOfBrokenKey = (key: string): string | undefined => {
  const [node, module] = key.split(".", 2)
  return node !== undefined && module !== undefined && readToken(node) !== undefined && isModuleName(module)
    ? `${node}.${module}`
    : undefined
}
