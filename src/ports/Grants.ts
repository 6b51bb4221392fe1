/**
 * What each party of a mesh may do on the bus (protocol §9): which keys it writes, which it reads, which verbs it asks.
 *
 * What is written is read off the one table of buckets, by {@link mayWrite}; what is read is the least that a party's work
 * needs. How a bus enforces it is its adapter's to say.
 */
import { decisionBuckets, factBuckets } from "../core/Bucket.ts"
import { boundBucket, bucketName } from "../core/BucketName.ts"
import { readAccountName, writeAccountName } from "../core/Caller.ts"
import { writeKey } from "../core/Key.ts"
import { readToken, writeToken } from "../core/Name.ts"
import { type Account, mayWrite } from "./Account.ts"
import type { VerbName } from "./VerbServer.ts"

/** A mesh, by who takes part in it. All are names, not tokens. */
export interface Parties {
  readonly nodes: ReadonlyArray<string>
  /** The provider modules, each with a node that it runs on. */
  readonly providers: ReadonlyArray<{ readonly module: string; readonly node: string }>
  readonly operators: ReadonlyArray<string>
  readonly readers: ReadonlyArray<string>
  /** The buckets that definitions' `answers` name (protocol §3), each a module's own. */
  readonly buckets: ReadonlyArray<{ readonly bucket: string; readonly module: string }>
}

/**
 * A party that connects to the bus as a user of its own. `setup` makes the mesh's buckets and does nothing else; of a node
 * there are two, its `host` and its `client`.
 */
export type Party =
  | { readonly role: "provisioner" | "setup" | "controller" }
  | { readonly role: "host" | "client"; readonly node: string }
  | { readonly role: "provider"; readonly module: string; readonly node: string }
  | { readonly role: "operator" | "reader"; readonly name: string }

/**
 * The keys of a bucket that a grant is of: one key, or all that begin with some tokens (`n1.>`), or all (`>`).
 */
export interface Keys {
  readonly bucket: string
  readonly keys: string
}

/** What a party may do. */
export interface Grant {
  readonly party: Party
  readonly writes: ReadonlyArray<Keys>
  readonly reads: ReadonlyArray<Keys>
  readonly verbs: ReadonlyArray<VerbName>
}

/** All keys of a bucket. */
export const allKeys = ">"

/** The parties of a mesh, each once: those that each mesh has first, then by node, provider, operator and reader. */
export const partiesOf = ({ nodes, operators, providers, readers }: Parties): ReadonlyArray<Party> => {
  const parties: ReadonlyArray<Party> = [
    { role: "provisioner" },
    { role: "setup" },
    { role: "controller" },
    ...nodes.flatMap((node) => [{ role: "client", node }, { role: "host", node }] as const),
    ...providers.map(({ module, node }) => ({ role: "provider", module, node }) as const),
    ...operators.map((name) => ({ role: "operator", name }) as const),
    ...readers.map((name) => ({ role: "reader", name }) as const)
  ]
  return [...new Map(parties.map((party) => [userName(party), party])).values()]
}

/**
 * What a party's user is called: `provisioner`, `client:n1`, `provider:postgres@n2`, `operator:ann`, with names as tokens.
 *
 * @returns the name; a party of which a part is no name gives one that ends with `:` or `@`.
 */
export const userName = (party: Party): string => {
  switch (party.role) {
    case "provisioner":
    case "setup":
    case "controller":
      return party.role
    case "host":
    case "client":
      return `${party.role}:${writeToken(party.node)}`
    default:
      return writeAccountName(party)
  }
}

/** As whom a party asks the verbs (protocol §8): a node's host and client both as the node. */
export const callerName = (party: Party): string =>
  party.role === "host" || party.role === "client"
    ? writeAccountName({ role: "node", node: party.node })
    : userName(party)

/** What a party of a mesh may do (protocol §3, §8, §9). */
export const grantOf = (party: Party, mesh: Parties): Grant => ({
  party,
  writes: writesOf(party, mesh),
  reads: readsOf(party, mesh),
  verbs: verbsOf(party)
})

/** The buckets of a mesh: those of protocol §3 to §7, its providers' and those that answer. */
export const bucketsOf = ({ buckets, providers }: Parties): ReadonlyArray<string> => [
  ...new Set([
    ...[...Object.values(factBuckets), ...Object.values(decisionBuckets)]
      .filter(({ writer }) => writer !== "provider")
      .map(({ name }) => name),
    ...providers.map(({ module }) => boundBucket(module)),
    ...buckets.map(({ bucket }) => bucket)
  ])
]

const accountOf = (party: Party): Account | undefined =>
  "node" in party ? party : party.role === "setup" ? undefined : { role: party.role }

const writesOf = (party: Party, mesh: Parties): ReadonlyArray<Keys> => {
  const account = accountOf(party)
  const keys = "node" in party && party.role !== "provider" ? keysOfNode(party.node) : allKeys
  return account === undefined ? [] : bucketsOf(mesh)
    .filter((bucket) => mayWrite(account, bucket, keys))
    .map((bucket) => ({ bucket, keys }))
}

const keysOfNode = (node: string): string => `${writeToken(node)}.${allKeys}`

const decisions: ReadonlyArray<Keys> = Object.values(decisionBuckets).map(({ name }) => ({
  bucket: name,
  keys: allKeys
}))

const readsOf = (party: Party, mesh: Parties): ReadonlyArray<Keys> => {
  switch (party.role) {
    case "provisioner":
      return bucketsOf(mesh).map((bucket) => ({ bucket, keys: allKeys }))
    case "setup":
      return []
    case "controller":
      return [...writesOf(party, mesh), { bucket: bucketName.haves, keys: allKeys }, {
        bucket: bucketName.plans,
        keys: allKeys
      }]
    case "host":
      return [...writesOf(party, mesh), { bucket: bucketName.assignments, keys: keysOfNode(party.node) }]
    case "client":
      return clientReads(party.node, mesh)
    case "provider":
      return [
        ...writesOf(party, mesh),
        { bucket: bucketName.asks, keys: `${writeKey(party.node, party.module)}.${allKeys}` },
        { bucket: bucketName.modules, keys: allKeys }
      ]
    case "operator":
      return [...writesOf(party, mesh), ...decisions]
    case "reader":
      return decisions
  }
}

/** What the answers to a node's needs may be found in (protocol §5: `find`), and what its own client has written. */
const clientReads = (node: string, mesh: Parties): ReadonlyArray<Keys> => {
  const own = keysOfNode(node)
  const ofNode = [
    bucketName.plans,
    bucketName.provisions,
    bucketName.asks,
    bucketName.needs,
    bucketName.applied,
    bucketName.collect,
    bucketName.configValues,
    bucketName.assignments,
    ...new Set(mesh.providers.map(({ module }) => boundBucket(module)))
  ]
  return [
    ...ofNode.map((bucket) => ({ bucket, keys: own })),
    // A provider that makes nothing for its consumers is found by its own assignment (protocol §5.3).
    ...mesh.providers.filter((provider) => provider.node !== node).map(({ module, node }) => ({
      bucket: bucketName.assignments,
      keys: writeKey(node, module)
    })),
    { bucket: bucketName.registry, keys: allKeys },
    ...mesh.buckets.map(({ bucket }) => ({ bucket, keys: allKeys }))
  ]
}

const verbsOf = (party: Party): ReadonlyArray<VerbName> => {
  switch (party.role) {
    case "provisioner":
    case "setup":
    case "controller":
      return []
    case "operator":
      return ["provisioning", "explain", "retire", "what-if"]
    case "reader":
      return ["provisioning", "explain", "what-if"]
    default:
      return ["provisioning", "explain"]
  }
}

/**
 * Reads what {@link userName} wrote, and `node:n1` as that node's client, or gives `undefined`.
 */
export const readParty = (text: string): Party | undefined => {
  const [, role, token = ""] = /^(host|client):(.*)$/s.exec(text) ?? []
  const node = readToken(token)
  if ((role === "host" || role === "client") && node !== undefined) {
    return { role, node }
  }
  if (text === "provisioner" || text === "setup" || text === "controller") {
    return { role: text }
  }
  const caller = readAccountName(text)
  return caller?.role === "node" ? { role: "client", node: caller.node } : caller
}

/** Whether some of these keys are a bucket's key. */
export const covers = (granted: ReadonlyArray<Keys>, bucket: string, key: string): boolean =>
  granted.some((one) =>
    one.bucket === bucket &&
    (one.keys === key || (one.keys.endsWith(allKeys) && key.startsWith(one.keys.slice(0, -allKeys.length))))
  )
