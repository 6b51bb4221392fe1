/**
 * What the micro service says of itself, as NATS' own tools ask for it (`nats micro list`, `info`, `stats`): pure, and of
 * a stranger's making nothing is in it.
 */
import { verbNames } from "../../ports/VerbServer.ts"

/** The service's name, with which the subjects of its verbs begin (protocol §8). */
const serviceName = "mesh-provisioner"

/** A subject that is served, and what came there. */
export interface Endpoint {
  readonly name: string
  readonly subject: string
  readonly verb: (typeof verbNames)[number]
  /** What stands before the caller's account in the subject; none where the caller is not named. */
  readonly callerBehind?: string
  requests: number
  errors: number
  nanoseconds: number
  lastError: string
}

/** The endpoints of a service that begins: each verb by itself, and with the caller's account as the last token. */
export const endpointsOf = (): ReadonlyArray<Endpoint> =>
  verbNames.flatMap((verb) => {
    const none = { verb, requests: 0, errors: 0, nanoseconds: 0, lastError: "" }
    const subject = `${serviceName}.${verb}`
    return [
      { ...none, name: verb, subject },
      { ...none, name: `${verb}-by-account`, subject: `${subject}.*`, callerBehind: `${subject}.` }
    ]
  })

/** The service, as one instance of it is. */
export interface Identity {
  readonly id: string
  readonly version: string
  /** When it began, as ISO 8601 writes it. */
  readonly started: string
}

/** The subjects at which the service is asked about itself, each with how it answers. */
export const discovery = (
  identity: Identity,
  endpoints: ReadonlyArray<Endpoint>
): ReadonlyArray<{ readonly subject: string; readonly json: () => string }> => {
  const { id, started, version } = identity
  const head = (type: string) => ({
    type: `io.nats.micro.v1.${type}_response`,
    name: serviceName,
    id,
    version,
    metadata: {}
  })
  const answers = {
    PING: () => head("ping"),
    INFO: () => ({ ...head("info"), description, endpoints: endpoints.map(infoOf) }),
    STATS: () => ({ ...head("stats"), started, endpoints: endpoints.map(statsOf) })
  }
  return Object.entries(answers).flatMap(([what, answer]) =>
    [`$SRV.${what}`, `$SRV.${what}.${serviceName}`, `$SRV.${what}.${serviceName}.${id}`]
      .map((subject) => ({ subject, json: () => JSON.stringify(answer()) }))
  )
}

const description = "What the mesh's provisioner has decided, and why; and operators' answers to what it asks."

const infoOf = ({ name, subject }: Endpoint) => ({ name, subject, queue_group: noQueueGroup, metadata: {} })

const statsOf = ({ errors, lastError, name, nanoseconds, requests, subject }: Endpoint) => ({
  name,
  subject,
  queue_group: noQueueGroup,
  num_requests: requests,
  num_errors: errors,
  last_error: lastError,
  processing_time: Math.round(nanoseconds),
  average_processing_time: requests === 0 ? 0 : Math.round(nanoseconds / requests)
})

// One instance serves, the seat's holder. In a group, one that is frozen would swallow every second request.
const noQueueGroup = ""

/** A refusal as the statistics say it: by its code alone, for a sentence may quote strangers. */
export const sayCode = (code: number): string => `${code}: ${meaning.get(code) ?? "refused"}`

const meaning: ReadonlyMap<number, string> = new Map([
  [400, "the request is wrong"],
  [404, "what it asks for is not there"],
  [409, "it cannot be done as things stand"],
  [503, "it cannot be answered now"]
])
