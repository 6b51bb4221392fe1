/**
 * Who a connection to the bus is, and what it may write (protocol §9): read off the one table of buckets.
 *
 * The memory bus enforces exactly this; on NATS the server does, by the permissions that are printed from the same
 * rule.
 */
import { writerOf } from "../core/Bucket.ts"
import { boundBucket } from "../core/BucketName.ts"
import { writeToken } from "../core/Name.ts"

/**
 * An account of the mesh. `node` and `module` are names, not tokens. A `host` and a `client` are of one node, a
 * `provider` is one module, a `reader` writes nothing, and an `admin` is whoever runs the bus: it writes everything.
 */
export type Account =
  | { readonly role: "admin" | "provisioner" | "controller" | "operator" | "reader" }
  | { readonly role: "host" | "client"; readonly node: string }
  | { readonly role: "provider"; readonly module: string }

/**
 * Whether an account may write a key of a bucket (protocol §3, §9).
 *
 * A bucket that protocol §3 does not name belongs to the module whose name it begins with (`dns_zones` to `dns`): it
 * may be what a definition's `answers` speak of.
 *
 * @example
 * ```ts
 * import { mayWrite } from "mesh-provisioner/adapters/memory"
 *
 * mayWrite({ role: "client", node: "n1" }, "mesh-provisioner_needs", "n1.shop.bound.database") // true
 * mayWrite({ role: "client", node: "n1" }, "mesh-provisioner_needs", "n2.shop.bound.database") // false
 * ```
 */
export const mayWrite = (account: Account, bucket: string, key: string): boolean => {
  if (account.role === "admin") {
    return true
  }
  const writer = writerOf(bucket)
  switch (account.role) {
    case "host":
    case "client":
      return writer === account.role && key.startsWith(`${writeToken(account.node)}.`)
    case "provider":
      return writer === undefined ? bucket.startsWith(`${account.module}_`) : bucket === boundBucket(account.module)
    default:
      return writer === account.role
  }
}
