/**
 * What is tried to see whether a user may do what its party should, and nothing else: for every bucket, its own keys and a
 * stranger's. Pure: it says what is sent, and whether it should come through.
 *
 * Each try is made so that it changes nothing where it does come through:
 * - a write names a stream that there is not as the one that it expects (`Nats-Expected-Stream`). The server looks whether
 *   the user may publish before any stream hears of it, and the stream refuses it before anything is stored;
 * - what could make, change or take away something has a body that is no JSON, which is refused before anything else, or
 *   is of a stream that there is not;
 * - a verb is asked for the least it can be, and `retire` for nothing at all, which is refused as written wrong.
 */
import { bucketName } from "../../core/BucketName.ts"
import { writeToken } from "../../core/Name.ts"
import {
  allKeys,
  bucketsOf,
  covers,
  type Grant,
  grantOf,
  type Keys,
  type Parties,
  type Party
} from "../../ports/Grants.ts"
import { verbNames } from "../../ports/VerbServer.ts"
import { keyPrefixOf, streamOf } from "./JetStream.ts"
import { directGetOf, infoOf, verbSubject } from "./Permissions.ts"
import { seatBucket } from "./SeatBucket.ts"

/**
 * What is tried: to `write` or `read` a key, `hear` its changes, `look` how a bucket stands, `follow` it by a consumer, read
 * `any` key of it by the way that knows no keys, `make` or `remove` streams, `ask` a verb.
 */
export type Act = "write" | "read" | "hear" | "look" | "follow" | "any" | "make" | "remove" | "ask"

/** One try. */
export interface Probe {
  readonly act: Act
  /** The bucket, or the verb that is asked. */
  readonly of: string
  readonly key?: string
  /** Whether it is to come through. */
  readonly should: boolean
  readonly subject: string
  readonly payload: string
  /** Whether it names a stream that it expects, which there is not. */
  readonly expectsNoStream: boolean
}

/** No node, module or stream of this name is to be. */
const nobody = "mesh-provisioner-doctor"

/** The stream that a write expects. */
export const noStream = nobody

/** What is tried as a party of a mesh, whose requests of JetStream begin with a prefix. */
export const probesOf = (party: Party, mesh: Parties, apiPrefix: string): ReadonlyArray<Probe> => {
  const grant = grantOf(party, mesh)
  return [
    ...[...bucketsOf(mesh), seatBucket].flatMap((bucket) => [
      ...keysTried(grant, bucket).flatMap((key) => keyProbes(grant, bucket, key, apiPrefix)),
      ...bucketProbes(grant, bucket, apiPrefix)
    ]),
    ...serverProbes(party, apiPrefix),
    ...verbProbes(grant)
  ]
}

const probe = (
  act: Act,
  of: string,
  should: boolean,
  subject: string,
  rest: Partial<Pick<Probe, "key" | "payload" | "expectsNoStream">> = {}
): Probe => ({ act, of, should, subject, payload: "", expectsNoStream: false, ...rest })

const strangersKey = `${nobody}.none.none.none`

/** A key of each kind that is granted, and a stranger's. */
const keysTried = ({ party, reads, writes }: Grant, bucket: string): ReadonlyArray<string> => {
  const own = "node" in party ? [`${writeToken(party.node)}.${nobody}.none.none`] : []
  const granted = [...writes, ...reads].filter((keys) => keys.bucket === bucket).map(keyIn)
  return [...new Set([strangersKey, ...own, ...granted])]
}

const keyIn = ({ keys }: Keys): string =>
  keys === allKeys
    ? strangersKey
    : keys.endsWith(allKeys)
    ? `${keys.slice(0, -allKeys.length)}${nobody}.none.none`
    : keys

const keyProbes = (grant: Grant, bucket: string, key: string, apiPrefix: string): ReadonlyArray<Probe> => {
  const { party, reads, writes } = grant
  const mayWrite = covers(writes, bucket, key) || (party.role === "provisioner" && bucket === seatBucket)
  const mayRead = covers(reads, bucket, key)
  const subject = `${keyPrefixOf(bucket)}${key}`
  return [
    probe("write", bucket, mayWrite, subject, { key, expectsNoStream: true }),
    // The provisioner reads by consumers, and single keys of the stream's leader.
    ...(party.role === "provisioner" ? [] : [
      probe("read", bucket, mayRead, `${apiPrefix}.${directGetOf({ bucket, keys: key })}`, { key }),
      probe("hear", bucket, mayRead, subject, { key })
    ])
  ]
}

const noJson = "none"

const bucketProbes = ({ party, reads }: Grant, bucket: string, apiPrefix: string): ReadonlyArray<Probe> => {
  const isRunner = party.role === "provisioner" || party.role === "setup"
  const isWhole = reads.some((keys) => keys.bucket === bucket && keys.keys === allKeys)
  const mayFollow = party.role === "provisioner" || (party.role === "setup" && bucket === bucketName.modules)
  const consumer = `CONSUMER.CREATE.${streamOf(bucket)}.${nobody}.${keyPrefixOf(bucket)}>`
  const lastOfKey = JSON.stringify({ last_by_subj: `${keyPrefixOf(bucket)}${strangersKey}` })
  return [
    probe("look", bucket, isRunner || isWhole, `${apiPrefix}.${infoOf(bucket)}`),
    probe("follow", bucket, mayFollow, `${apiPrefix}.${consumer}`, { payload: noJson }),
    probe("any", bucket, party.role === "provisioner", `${apiPrefix}.STREAM.MSG.GET.${streamOf(bucket)}`, {
      payload: lastOfKey
    })
  ]
}

const serverProbes = ({ role }: Party, apiPrefix: string): ReadonlyArray<Probe> => [
  ...["CREATE", "UPDATE"].map((what) =>
    probe("make", nobody, role === "setup", `${apiPrefix}.STREAM.${what}.${streamOf(nobody)}`, { payload: noJson })
  ),
  ...["DELETE", "PURGE"].map((what) =>
    probe("remove", nobody, false, `${apiPrefix}.STREAM.${what}.${streamOf(nobody)}`, { payload: noJson })
  )
]

const verbProbes = ({ verbs }: Grant): ReadonlyArray<Probe> => [
  ...verbNames.map((verb) =>
    probe("ask", verb, verbs.includes(verb), verbSubject(verb), {
      payload: verb === "provisioning" ? `{"limit":1}` : "{}"
    })
  ),
  // Nobody says of himself who he is.
  probe("ask", `provisioning as ${nobody}`, false, `${verbSubject("provisioning")}.operator:${nobody}`, {
    payload: `{"limit":1}`
  })
]
