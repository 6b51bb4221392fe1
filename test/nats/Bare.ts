/**
 * NATS by its own client, with nothing of this project's: what the tests make buckets with, plant strangers' messages, and
 * compare with.
 */
import {
  DiscardPolicy,
  jetstream,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig
} from "@nats-io/jetstream"
import { connect, createInbox, type MsgHdrs, type NatsConnection, type WithRequired } from "@nats-io/transport-node"
import { Effect, type Scope } from "effect"
import type { NatsServer } from "./Server.ts"

/** A connection of the bare client. */
export interface Bare {
  readonly client: NatsConnection
  readonly manager: JetStreamManager
  /** Makes a bucket as this project does (hardened), or with what else is given; nothing where it is there so. */
  readonly makeBucket: (bucket: string, config?: Partial<StreamConfig>) => Promise<void>
  readonly deleteBucket: (bucket: string) => Promise<void>
  /** Publishes messages into a bucket, whatever their keys, and waits until all are stored. */
  readonly plant: (
    bucket: string,
    values: Iterable<readonly [key: string, value: Uint8Array | string, headers?: MsgHdrs]>
  ) => Promise<void>
  /**
   * Every message that a bucket holds, oldest first; without a text where it is a delete. They are pulled: what is pushed
   * waits for a minute where a busy machine loses one.
   */
  readonly messages: (bucket: string) => Promise<ReadonlyArray<Message>>
}

/** A message of a bucket. */
export interface Message {
  readonly key: string
  readonly revision: number
  readonly text: string | undefined
}

/** Connects as a user, by default as the admin, until the scope closes. */
export const bare = (
  server: Pick<NatsServer, "url">,
  user: { readonly user: string; readonly pass: string } = { user: "admin", pass: "admin" }
): Effect.Effect<Bare, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = await connect({ servers: server.url, ...user, maxReconnectAttempts: -1, reconnectTimeWait: 100 })
      const manager = await jetstreamManager(client, { checkAPI: false })
      return {
        client,
        manager,
        makeBucket: async (bucket, config) => {
          await manager.streams.add(bucketConfig(bucket, config))
        },
        deleteBucket: async (bucket) => {
          await manager.streams.delete(`KV_${bucket}`)
        },
        plant: (bucket, values) => plant(client, bucket, values),
        messages: (bucket) => messagesOf(client, manager, bucket)
      } satisfies Bare
    }),
    ({ client }) => Effect.promise(() => client.close())
  )

/** A bucket's stream as this project makes it, or with what else is given. */
const bucketConfig = (
  bucket: string,
  config: Partial<StreamConfig> = {}
): WithRequired<Partial<StreamConfig>, "name"> => ({
  name: `KV_${bucket}`,
  subjects: [`$KV.${bucket}.>`],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_msgs_per_subject: 10,
  num_replicas: 1,
  allow_direct: true,
  allow_rollup_hdrs: false,
  deny_delete: true,
  duplicate_window: 100_000_000,
  ...config
})

const messagesOf = async (
  client: NatsConnection,
  manager: JetStreamManager,
  bucket: string
): Promise<ReadonlyArray<Message>> => {
  const stream = `KV_${bucket}`
  const found: Array<Message> = []
  const { state } = await manager.streams.info(stream)
  const consumer = await jetstream(client).consumers.get(stream)
  const messages = state.messages === 0 ? [] : await consumer.consume()
  for await (const message of messages) {
    const isDelete = message.headers?.has("KV-Operation") === true
    found.push({
      key: message.subject.slice(`$KV.${bucket}.`.length),
      revision: message.seq,
      text: isDelete ? undefined : message.string()
    })
    if (message.seq >= state.last_seq || message.info.pending === 0) {
      break
    }
  }
  await consumer.delete()
  return found
}

const plant = async (
  client: NatsConnection,
  bucket: string,
  values: Iterable<readonly [key: string, value: Uint8Array | string, headers?: MsgHdrs]>
): Promise<void> => {
  const inbox = createInbox()
  const count = { sent: 0, stored: 0 }
  const refused: Array<string> = []
  const answers = client.subscribe(inbox, {
    callback: (_, answer) => {
      count.stored += 1
      if (answer.string().includes(`"error"`)) {
        refused.push(answer.string())
      }
    }
  })
  const until = async (inFlightMax: number) => {
    while (count.sent - count.stored > inFlightMax) {
      await new Promise(setImmediate)
    }
  }
  for (const [key, value, headers] of values) {
    client.publish(`$KV.${bucket}.${key}`, value, { reply: inbox, ...(headers === undefined ? {} : { headers }) })
    count.sent += 1
    await until(2_048)
  }
  await until(0)
  answers.unsubscribe()
  if (refused.length > 0) {
    throw new Error(`not planted: ${refused[0]}`)
  }
}
