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
const moduleParts: ReadonlySet<Part> = new Set<Part>(["module", "contributor", "providerModule"])

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
export const readKey = <P extends Part>(shape: KeyShape<P>, key: string): Result.Result<Names<P>, string> =>
  readNames(shape, key, (name) => name)

/**
 * Reads a key as `readKey` does, where many are kept.
 *
 * @param share gives for a name one that is the same: many keys are of few names, and each would be a text of its own.
 */
export const readNames = <P extends Part>(
  shape: KeyShape<P>,
  key: string,
  share: (name: string) => string
): Result.Result<Names<P>, string> => {
  if (key.length > keyBytesMax) {
    return Result.fail(keyWhy.tooLong())
  }
  const tokens = key.split(".")
  const least = shape.parts.length
  if (tokens.length < least || tokens.length > least + (shape.local ? 1 : 0)) {
    return Result.fail(keyWhy.tokens(tokens.length, shape))
  }
  const names: { [part: string]: string } = {}
  for (const [index, token] of tokens.entries()) {
    const part = shape.parts[index] ?? "local"
    const name = readToken(token)
    if (name === undefined) {
      return Result.fail(keyWhy.token(index + 1, part))
    }
    if (part !== "local" && moduleParts.has(part) && !isModuleName(name)) {
      return Result.fail(keyWhy.module(index + 1, part))
    }
    names[part] = share(name)
  }
  return Result.succeed(names as Names<P>)
}

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
