/**
 * The users of a server of the tests: one for each account of the mesh, in one account of NATS, with permissions by
 * subject. Written out from protocol §3 and §9; who writes which bucket is read off the one table.
 */
import { decisionBuckets, factBuckets } from "../../src/core/index.ts"
import type { Account } from "../../src/ports/Account.ts"

/** The name of an account's user; the password is the same. */
export const userOf = (account: Account): string =>
  [account.role, ..."node" in account ? [account.node] : "module" in account ? [account.module] : []].join("-")

/** A server's configuration in which these accounts, and the admin, are users. */
export const usersConfig = (accounts: ReadonlyArray<Account>): string =>
  JSON.stringify({
    authorization: {
      users: [
        { user: "admin", password: "admin" },
        ...accounts.map((account) => ({
          user: userOf(account),
          password: userOf(account),
          permissions: {
            publish: { allow: [...reading, ...writableBy(account)] },
            subscribe: { allow: ["_INBOX.>", "$JS.EVENT.ADVISORY.STREAM.*.*"] }
          }
        }))
      ]
    }
  })

const reading = [
  "$JS.API.INFO",
  "$JS.API.STREAM.INFO.*",
  "$JS.API.STREAM.NAMES",
  "$JS.API.STREAM.MSG.GET.*",
  "$JS.API.CONSUMER.CREATE.*.>",
  "$JS.FC.>"
]

const writableBy = (account: Account): ReadonlyArray<string> => {
  if (account.role === "provider") {
    return ["bound", "zones"].map((what) => `$KV.${account.module}_${what}.>`)
  }
  const own = "node" in account ? `${account.node}.>` : ">"
  return [...Object.values(factBuckets), ...Object.values(decisionBuckets)]
    .filter(({ writer }) => writer === account.role)
    .map(({ name }) => `$KV.${name}.${own}`)
}
