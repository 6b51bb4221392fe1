/**
 * Who asks a verb (protocol §8, §9): the account that a party of the mesh connects with, named so that the bus can say
 * it as one token of a subject and it reads back; and what of the mesh is its own to see.
 */
import { isModuleName, readToken, writeToken } from "./Name.ts"

/**
 * A party of the mesh that has an account of its own: a node (its host and its client), a provider module on one node,
 * an operator, or a reader. `node` and `name` are names, not tokens.
 */
export type Caller =
  | { readonly role: "node"; readonly node: string }
  | { readonly role: "provider"; readonly module: string; readonly node: string }
  | { readonly role: "operator" | "reader"; readonly name: string }

/**
 * The name of a caller's account, which is one token of a subject: `node:<node>`, `provider:<module>@<node>`,
 * `operator:<name>` or `reader:<name>`, of which node and name are written as tokens (protocol §2).
 *
 * @returns the name; what could not be read back gives `""`, which is no account's.
 *
 * @example
 * ```ts
 * import { writeAccountName } from "mesh-provisioner/core"
 *
 * writeAccountName({ role: "provider", module: "postgres", node: "n2" }) // "provider:postgres@n2"
 * writeAccountName({ role: "operator", name: "ann.b" }) // "operator:ann=2Eb"
 * ```
 */
export const writeAccountName = (caller: Caller): string => {
  const token = writeToken("node" in caller ? caller.node : caller.name)
  if (token === "" || (caller.role === "provider" && !isModuleName(caller.module))) {
    return ""
  }
  return caller.role === "provider" ? `provider:${caller.module}@${token}` : `${caller.role}:${token}`
}

/**
 * Reads the name of an account back to the caller that {@link writeAccountName} wrote it for, or gives `undefined` where
 * it would not have written it so.
 *
 * @example
 * ```ts
 * import { readAccountName } from "mesh-provisioner/core"
 *
 * readAccountName("provider:postgres@n2") // { role: "provider", module: "postgres", node: "n2" }
 * readAccountName("operator:ann.b") // undefined
 * ```
 */
export const readAccountName = (account: string): Caller | undefined => {
  const [, role, module, token = ""] = accountName.exec(account) ?? []
  const name = readToken(token)
  if (name === undefined) {
    return undefined
  }
  switch (role) {
    case "node":
      return { role, node: name }
    case "operator":
    case "reader":
      return { role, name }
    default:
      return module !== undefined && isModuleName(module) ? { role: "provider", module, node: name } : undefined
  }
}

// The token is what stands behind the first `@` or `:`, neither of which a module's name or a token can hold.
const accountName = /^(?:(node|operator|reader):|provider:([^@:]*)@)([^@:]*)$/
