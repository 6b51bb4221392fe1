/**
 * What the tests of faults share: what became of what was acknowledged, and figures that are said as they are seen.
 */
import type { Effect } from "effect"
import { bucketName, isDecisionBucket } from "../../src/core/BucketName.ts"
import { act } from "../adapters/nats/Ground.ts"
import type { Acknowledged } from "../daemon/InProcess.ts"
import type { Mesh } from "../daemon/Mesh.ts"
import { serverVersion } from "../nats/Server.ts"

/** The buckets of decisions. */
export const decisionBuckets: ReadonlyArray<string> = Object.values(bucketName).filter(isDecisionBucket)

/** Says a figure that was seen. docs/testing.md has those of one run. */
export const figure = (words: string): void => {
  process.stderr.write(`Seen on nats-server ${serverVersion}: ${words}\n`)
}

/** Whole milliseconds since a moment. */
export const millisSince = (from: number): number => Math.round(performance.now() - from)

/** A message of a decision that a bucket still holds. */
export interface DecisionMessage {
  /** Its bucket and key. */
  readonly id: string
  readonly revision: number
  /** Empty where it is a delete. */
  readonly text: string
}

/** Every message of decisions that the buckets still hold, oldest first; not the marks of who holds the seat. */
export const messages = ({ admin }: Pick<Mesh, "admin">): Effect.Effect<ReadonlyArray<DecisionMessage>> =>
  act(async () => {
    const found: Array<DecisionMessage> = []
    for (const bucket of decisionBuckets) {
      for (const { key, revision, text = "" } of await admin.messages(bucket)) {
        found.push({ id: `${bucket} ${key}`, revision, text })
      }
    }
    return found.filter(({ id }) => !id.endsWith(" _epoch"))
  })

/**
 * What was acknowledged and is not there: neither itself, nor as many later messages of its key as a bucket keeps.
 */
export const lostOf = (acknowledged: Acknowledged, found: ReadonlyArray<DecisionMessage>): ReadonlyArray<string> => {
  const texts = new Map(found.map(({ id, revision, text }) => [`${id} ${revision}`, text]))
  const revisions = Map.groupBy(found, ({ id }) => id)
  return [...acknowledged].flatMap(([written, text]) => {
    const at = written.lastIndexOf(" ")
    const revision = Number(written.slice(at + 1))
    const later = (revisions.get(written.slice(0, at)) ?? []).filter((message) => message.revision > revision)
    return texts.get(written) === text || (!texts.has(written) && later.length >= changesKept) ? [] : [written]
  })
}

/** How many changes of a key a bucket keeps (protocol §9). */
const changesKept = 10
