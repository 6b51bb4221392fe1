/**
 * A process of the benchmarks on the bus, told by its parent what to do: the bare client, which has nothing of this project.
 * It says when it is ready, and what it saw when, by the one clock of the machine.
 *
 * - `put`: puts what it is told to.
 * - `watch`: says each change of a bucket's keys that end so.
 * - `relay`: puts into one bucket what it hears of others: what the provisioner does with a change, without deciding.
 * - `read`: reads every bucket to its end: what the provisioner does at its start, without keeping or deciding anything.
 * - `write`: publishes values that it was given by a file, each to follow the one before in its stream.
 */
import { jetstream, jetstreamManager } from "@nats-io/jetstream"
import { Kvm, KvWatchInclude } from "@nats-io/kv"
import { connect, createInbox, headers } from "@nats-io/transport-node"
import { once } from "node:events"
import { readFileSync } from "node:fs"

/** What a parent tells: to put, or to begin. */
export type Told =
  | { readonly put: { readonly bucket: string; readonly key: string; readonly value: string } }
  | { readonly begin: true }

/** What a party says. */
export type Said =
  | { readonly ready: true }
  | { readonly put: string; readonly atMicros: number }
  | { readonly seen: string; readonly atMicros: number }
  | { readonly done: number; readonly millis: number }

/** How many writes are on their way at once: twice as many made it no faster. */
const inFlightMax = 1_024

const nowMicros = (): number => Number(process.hrtime.bigint() / 1_000n)
const say = (said: Said): void => {
  process.send?.(said)
}
const told = async (): Promise<Told> => {
  const [message]: ReadonlyArray<Told> = await once(process, "message")
  return message ?? { begin: true }
}

const [, , role = "", url = "", ...rest] = process.argv
const client = await connect({ servers: url })
// Of a stream with a million keys, and beside others, a server takes its time to begin.
const timeout = 120_000
const kv = new Kvm(jetstream(client, { timeout }))

/** Hears what changes of buckets. Says that it is ready, and then what `hear` makes of each change. */
const watch = async (
  buckets: ReadonlyArray<string>,
  hear: (key: string, value: Uint8Array) => void,
  key = ">"
): Promise<void> => {
  const all = await Promise.all(
    buckets.map(async (bucket) => await (await kv.open(bucket)).watch({ include: KvWatchInclude.UpdatesOnly, key }))
  )
  await client.flush()
  say({ ready: true })
  await Promise.all(all.map(async (changes) => {
    for await (const { key, value } of changes) {
      hear(key, value)
    }
  }))
}

const read = async (): Promise<void> => {
  say({ ready: true })
  const from = performance.now()
  const manager = await jetstreamManager(client, { timeout })
  const streams: Array<string> = []
  for await (const name of manager.streams.names()) {
    streams.push(name)
  }
  let read = 0
  // One after the other: a client that reads many at once is kept from hearing that each of them lives, and begins it anew.
  for (const stream of streams) {
    const { state: { num_subjects: count = 0 } } = await manager.streams.info(stream)
    read += count
    let left = count
    // The watch of an empty bucket says nothing at all.
    if (left > 0) {
      for await (const { value } of await (await kv.open(stream.replace("KV_", ""))).watch()) {
        left -= value.length < 0 ? 0 : 1
        if (left === 0) {
          break
        }
      }
    }
  }
  say({ done: read, millis: performance.now() - from })
}

const write = async (file: string): Promise<void> => {
  const values: ReadonlyArray<readonly [bucket: string, key: string, value: string]> = readFileSync(file, "utf8").trim()
    .split("\n").map((line) => JSON.parse(line))
  const manager = await jetstreamManager(client, { timeout })
  const lasts = new Map<string, number>()
  for (const bucket of new Set(values.map(([name]) => name))) {
    lasts.set(bucket, (await manager.streams.info(`KV_${bucket}`)).state.last_seq)
  }
  say({ ready: true })
  await told()
  const from = performance.now()
  const inbox = createInbox()
  const isAnswered = { count: 0, wake: () => {} }
  client.subscribe(inbox, {
    callback: (_, answer) => {
      isAnswered.count += 1
      if (answer.string().includes(`"error"`)) {
        throw new Error(answer.string())
      }
      isAnswered.wake()
    }
  })
  const until = async (enough: () => boolean): Promise<void> => {
    while (!enough()) {
      await new Promise<void>((resolve) => isAnswered.wake = resolve)
    }
  }
  let sent = 0
  for (const [bucket, key, value] of values) {
    const last = lasts.get(bucket) ?? 0
    lasts.set(bucket, last + 1)
    const expected = headers()
    expected.set("Nats-Expected-Last-Sequence", `${last}`)
    client.publish(`$KV.${bucket}.${key}`, value, { reply: inbox, headers: expected })
    sent += 1
    await until(() => sent - isAnswered.count < inFlightMax)
  }
  await until(() => isAnswered.count === sent)
  say({ done: sent, millis: performance.now() - from })
}

const roles: { readonly [role: string]: () => Promise<void> } = {
  put: async () => {
    say({ ready: true })
    while (true) {
      const message = await told()
      if ("put" in message) {
        const { bucket, key, value } = message.put
        const atMicros = nowMicros()
        client.publish(`$KV.${bucket}.${key}`, value)
        await client.flush()
        say({ put: key, atMicros })
      }
    }
  },
  watch: async () => {
    const [bucket = "", keys] = rest
    await watch([bucket], (key) => say({ seen: key, atMicros: nowMicros() }), keys)
  },
  relay: async () => {
    const [to = "", ...from] = rest
    const provisionOf = (key: string): string =>
      key.replace(/\.dns$/u, ".shop.bound.resolver").replace(/\.database$/u, ".bound.database")
    const store = await kv.open(to)
    await watch(from, (key, value) => void store.put(provisionOf(key), value))
  },
  read,
  write: async () => await write(rest[0] ?? "")
}

await roles[role]?.()
