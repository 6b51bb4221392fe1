/**
 * The accounts and users of a mesh on NATS (protocol §9), of either kind.
 *
 * `accounts`: the buckets are in the account `mesh`, in which nobody but the provisioner and `setup` connects; every other
 * party has an account of its own, which imports what it may do and nothing else. Why not permissions by subject alone: the
 * server does not check to which subject an answer goes. Who may ask anything at all has the answer stored as any key of
 * any bucket of its account. Only the border of an account is never crossed so.
 *
 * `single-account`: one account, permissions by subject, and that hole.
 */
import { callerName, grantOf, type Parties, partiesOf, type Party, userName } from "../../ports/Grants.ts"
import {
  discoveries,
  importedApiPrefix,
  inboxPrefixOf,
  ownApiPrefix,
  type Permissions,
  permissionsOf
} from "./Permissions.ts"

/** How the parties of a mesh are kept apart. */
export type GrantsKind = "accounts" | "single-account"

/** A user: who is let in by a key, and the subjects that are allowed; all others are denied. */
export interface GrantedUser {
  readonly name: string
  /** What the subjects begin with that its answers come to. */
  readonly inboxPrefix: string
  /** What its requests of JetStream begin with. */
  readonly apiPrefix: string
  readonly publish: ReadonlyArray<string>
  readonly subscribe: ReadonlyArray<string>
}

/** A subject that the accounts named may import: a service that they ask, or a stream of notices that they hear. */
export interface GrantedExport {
  readonly is: "service" | "stream"
  readonly subject: string
  /** Whether one request may have many answers. */
  readonly manyAnswers: boolean
  readonly accounts: ReadonlyArray<string>
}

/** A subject of another account's, and what it is called in this one. */
export interface GrantedImport {
  readonly is: "service" | "stream"
  readonly account: string
  readonly subject: string
  readonly to: string
}

/** An account, with its users. */
export interface GrantedAccount {
  readonly name: string
  readonly jetStream: boolean
  readonly users: ReadonlyArray<GrantedUser>
  readonly exports: ReadonlyArray<GrantedExport>
  readonly imports: ReadonlyArray<GrantedImport>
}

/** The accounts of a mesh, and what they do not keep from happening. */
export interface Grants {
  readonly kind: GrantsKind
  readonly accounts: ReadonlyArray<GrantedAccount>
  readonly holes: ReadonlyArray<string>
}

/** The account that the buckets are in. */
const meshAccount = "mesh"

/**
 * The accounts and users of a mesh.
 *
 * @example
 * ```ts
 * import { grantsOf } from "mesh-provisioner/adapters/nats"
 *
 * const { accounts } = grantsOf("accounts", { nodes: ["n1"], providers: [], operators: ["ann"], readers: [], buckets: [] })
 * accounts.map(({ name }) => name) // ["mesh", "controller", "node:n1", "host:n1", "operator:ann"]
 * ```
 */
export const grantsOf = (kind: GrantsKind, mesh: Parties): Grants => {
  const granted = partiesOf(mesh).map((party): Granted => {
    const apiPrefix = kind === "single-account" || accountOf(party) === meshAccount ? ownApiPrefix : importedApiPrefix
    return { party, apiPrefix, permissions: permissionsOf(grantOf(party, mesh), apiPrefix) }
  })
  return kind === "accounts"
    ? { kind, accounts: separate(granted), holes: [] }
    : {
      kind,
      accounts: [{
        name: meshAccount,
        jetStream: true,
        users: granted.map(userOf),
        exports: [],
        imports: []
      }],
      holes: singleAccountHoles
    }
}

/** What one account for all does not keep from happening. */
const singleAccountHoles: ReadonlyArray<string> = [
  "The server does not check to which subject an answer goes. Whoever may ask anything can have the answer stored as any " +
  "key of any bucket, decisions among them, or sent to another as if it were the answer to its own question.",
  "The verbs are not told who asks: every party that may ask them sees all of the mesh."
]

interface Granted {
  readonly party: Party
  readonly apiPrefix: string
  readonly permissions: Permissions
}

const userOf = ({ apiPrefix, party, permissions }: Granted): GrantedUser => {
  const name = userName(party)
  return {
    name,
    inboxPrefix: inboxPrefixOf(name),
    apiPrefix,
    publish: [...new Set([...permissions.requests.map(({ to }) => to), ...permissions.within.publish])],
    subscribe: [...new Set([...permissions.notices, ...permissions.within.subscribe])]
  }
}

/** The account that a party's user is in: a client's has the name of its node, by which the verbs know it. */
const accountOf = (party: Party): string => {
  switch (party.role) {
    case "provisioner":
    case "setup":
      return meshAccount
    case "client":
      return callerName(party)
    default:
      return userName(party)
  }
}

const separate = (granted: ReadonlyArray<Granted>): ReadonlyArray<GrantedAccount> => {
  const isOfMesh = ({ party }: Granted) => accountOf(party) === meshAccount
  const others = granted.filter((one) => !isOfMesh(one)).map((one) => ({
    name: accountOf(one.party),
    jetStream: false,
    users: [userOf(one)],
    exports: [],
    imports: importsOf(one)
  }))
  return [
    {
      name: meshAccount,
      jetStream: true,
      users: granted.filter(isOfMesh).map(userOf),
      exports: exportsFor(others),
      imports: []
    },
    ...others
  ]
}

const importsOf = ({ permissions }: Granted): ReadonlyArray<GrantedImport> => [
  ...new Map(
    [
      ...permissions.requests.map((request) => ({ is: "service", ...request }) as const),
      ...permissions.notices.map((subject) => ({ is: "stream", subject, to: subject }) as const)
    ].map((one) => [`${one.is} ${one.to}`, { account: meshAccount, ...one }])
  ).values()
]

/** What is imported of the mesh's account, each subject once, with all who import it. */
const exportsFor = (accounts: ReadonlyArray<GrantedAccount>): ReadonlyArray<GrantedExport> => {
  const bySubject = new Map<string, { readonly first: GrantedImport; readonly accounts: Array<string> }>()
  for (const { imports, name } of accounts) {
    for (const one of imports) {
      const id = `${one.is} ${one.subject}`
      const found = bySubject.get(id) ?? { first: one, accounts: [] }
      found.accounts.push(name)
      bySubject.set(id, found)
    }
  }
  return [...bySubject.values()].map(({ accounts, first: { is, subject } }) => ({
    is,
    subject,
    manyAnswers: discoveries.includes(subject),
    accounts
  }))
}
