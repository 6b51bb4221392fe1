/**
 * What a party of the mesh may publish and subscribe to on NATS: a grant (`ports/Grants`), by subjects. Nobody but the
 * provisioner may make a consumer: it delivers to whatever subject it is told to.
 */
import { decisionBuckets, factBuckets } from "../../core/Bucket.ts"
import { bucketName } from "../../core/BucketName.ts"
import { allKeys, callerName, type Grant, type Keys, userName } from "../../ports/Grants.ts"
import { verbNames } from "../../ports/VerbServer.ts"
import { keyPrefixOf, streamOf } from "./JetStream.ts"
import { seatBucket } from "./SeatBucket.ts"

/** A request: what the user calls it, and what it is called in the account of the buckets. */
export interface Request {
  readonly to: string
  readonly subject: string
}

/** The subjects that a user may use. */
export interface Permissions {
  /** What a key is written by, a bucket read, a verb asked. */
  readonly requests: ReadonlyArray<Request>
  /** What is heard of what others write. */
  readonly notices: ReadonlyArray<string>
  /** What is used within the user's own account, and nowhere else. */
  readonly within: { readonly publish: ReadonlyArray<string>; readonly subscribe: ReadonlyArray<string> }
}

/** What the subjects begin with that a user's answers come to: nobody else may hear them. */
export const inboxPrefixOf = (user: string): string => `_INBOX.${user}`

/** The subject by which a verb is asked. */
export const verbSubject = (verb: string): string => `${service}.${verb}`

const service = "mesh-provisioner"

/** What the requests of JetStream begin with, in the account that it is on for. */
export const ownApiPrefix = "$JS.API"

/**
 * What they begin with in the others: there, the plain ones are answered too, by a server that says that JetStream is not
 * on. It is what clients ask that are told that JetStream is of the domain `mesh`.
 */
export const importedApiPrefix = "$JS.mesh.API"

/**
 * The subjects of a grant, where the requests of JetStream begin with a prefix. A verb is asked with who asks as the last
 * token, which the asker does not say itself.
 */
export const permissionsOf = (grant: Grant, apiPrefix: string): Permissions => {
  const inbox = `${inboxPrefixOf(userName(grant.party))}.>`
  switch (grant.party.role) {
    case "provisioner":
      return { ...none, within: { publish: provisionerPublishes, subscribe: [...provisionerSubscribes, inbox] } }
    case "setup":
      return { ...none, within: { publish: setupPublishes, subscribe: [inbox] } }
    default:
      return {
        requests: [
          ...grant.writes.map((keys) => asItIs(subjectOf(keys))),
          ...grant.reads.flatMap(readRequests).map((request) => ({
            to: `${apiPrefix}.${request}`,
            subject: `${ownApiPrefix}.${request}`
          })),
          ...grant.verbs.map(verbSubject).map((to) => ({ to, subject: `${to}.${callerName(grant.party)}` })),
          ...(grant.party.role === "operator" ? discoveries.map(asItIs) : [])
        ],
        notices: grant.reads.map(subjectOf),
        within: { publish: [whoAmI], subscribe: [inbox] }
      }
  }
}

const asItIs = (subject: string): Request => ({ to: subject, subject })

const none = { requests: [], notices: [] }

/** Asks the server who one is. */
export const whoAmI = "$SYS.REQ.USER.INFO"

/** The subject of keys: what writes them, and what is heard of them. */
const subjectOf = ({ bucket, keys }: Keys): string => `${keyPrefixOf(bucket)}${keys}`

/** The request of JetStream, behind its prefix, that reads keys one by one. */
export const directGetOf = (keys: Keys): string => `DIRECT.GET.${streamOf(keys.bucket)}.${subjectOf(keys)}`

/** The one that says how a bucket stands. It gives the names of all its keys. */
export const infoOf = (bucket: string): string => `STREAM.INFO.${streamOf(bucket)}`

const readRequests = (keys: Keys): ReadonlyArray<string> => [
  directGetOf(keys),
  ...(keys.keys === allKeys ? [infoOf(keys.bucket)] : [])
]

/** The requests by which NATS' own tools find the service; whoever serves it answers the same. */
export const discoveries: ReadonlyArray<string> = ["PING", "INFO", "STATS"].flatMap((what) => [
  `$SRV.${what}`,
  `$SRV.${what}.${service}`,
  `$SRV.${what}.${service}.*`
])

const provisionerBuckets: ReadonlyArray<string> = [...Object.values(decisionBuckets), ...Object.values(factBuckets)]
  .filter(({ writer }) => writer === "provisioner")
  .map(({ name }) => name)

// Providers' buckets come and go, and no part of a token is granted: it may read any bucket, and only buckets.
const provisionerPublishes: ReadonlyArray<string> = [
  "$JS.API.INFO",
  "$JS.API.STREAM.NAMES",
  "$JS.API.STREAM.INFO.*",
  "$JS.API.STREAM.MSG.GET.*",
  "$JS.API.CONSUMER.CREATE.*.*.$KV.>",
  "$JS.FC.>",
  ...[...provisionerBuckets, seatBucket].map((bucket) => `${keyPrefixOf(bucket)}>`),
  "_INBOX.>",
  "_R_.>",
  whoAmI
]

const provisionerSubscribes: ReadonlyArray<string> = [
  "$JS.EVENT.ADVISORY.STREAM.*.*",
  ...verbNames.flatMap((verb) => [verbSubject(verb), `${verbSubject(verb)}.*`]),
  ...discoveries
]

// Definitions name the buckets of providers, and those that answer.
const readsDefinitions: ReadonlyArray<string> = [
  `$JS.API.CONSUMER.CREATE.${streamOf(bucketName.modules)}.*.${keyPrefixOf(bucketName.modules)}>`,
  "$JS.FC.>"
]

const setupPublishes: ReadonlyArray<string> = [
  "$JS.API.INFO",
  "$JS.API.STREAM.NAMES",
  "$JS.API.STREAM.INFO.*",
  "$JS.API.STREAM.CREATE.*",
  "$JS.API.STREAM.UPDATE.*",
  ...readsDefinitions,
  whoAmI
]
