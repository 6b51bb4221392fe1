/**
 * A process of the benchmark on NATS, told by its parent what to do. It says when it is ready, and what it saw when, by
 * the one clock of the machine.
 *
 * - `put`: puts what it is told to.
 * - `watch`: says each change of a bucket.
 * - `relay`: puts into one bucket what it hears of another: what the provisioner does, without deciding.
 * - `copy`: reads buckets to their end, and puts values that it was given by a file: what the provisioner does at its start,
 *   without deciding.
 */
import { type KV, Kvm, KvWatchInclude } from "@nats-io/kv"
import { connect } from "@nats-io/transport-node"
import { once } from "node:events"
import { readFileSync } from "node:fs"

/** What a parent tells: to put, or to begin. */
export type Told =
  | { readonly put: { readonly key: string; readonly value: string } }
  | { readonly begin: true }

/** What a party says. */
export type Said =
  | { readonly ready: true }
  | { readonly put: string; readonly atMicros: number }
  | { readonly seen: string; readonly value: string; readonly atMicros: number }

/** How many puts the bare client has on their way at once. */
const inFlightMax = 256

const nowMicros = (): number => Number(process.hrtime.bigint() / 1_000n)
const say = (said: Said): void => {
  process.send?.(said)
}
const told = async (): Promise<Told> => {
  const [message]: ReadonlyArray<Told> = await once(process, "message")
  return message ?? { begin: true }
}

/** Puts values, many at once. */
const putAll = async (values: ReadonlyArray<readonly [KV, key: string, value: string]>): Promise<void> => {
  let next = 0
  const one = async () => {
    for (let value = values[next++]; value !== undefined; value = values[next++]) {
      const [store, key, text] = value
      await store.put(key, text)
    }
  }
  await Promise.all(Array.from({ length: inFlightMax }, one))
}

const [, , role = "", url = "", ...rest] = process.argv
const client = await connect({ servers: url })
const kv = new Kvm(client)

/** Hears what changes of a bucket. Says that it is ready, and then what `hear` makes of each change. */
const watch = async (bucket: string, hear: (key: string, value: string) => void): Promise<void> => {
  const changes = await (await kv.open(bucket)).watch({ include: KvWatchInclude.UpdatesOnly })
  await client.flush()
  say({ ready: true })
  for await (const { key, value } of changes) {
    hear(key, new TextDecoder().decode(value))
  }
}

const roles: { readonly [role: string]: () => Promise<void> } = {
  put: async () => {
    const [bucket = ""] = rest
    const store = await kv.open(bucket)
    say({ ready: true })
    while (true) {
      const message = await told()
      if ("put" in message) {
        const atMicros = nowMicros()
        await store.put(message.put.key, message.put.value)
        say({ put: message.put.key, atMicros })
      }
    }
  },
  watch: async () => {
    const [bucket = ""] = rest
    await watch(bucket, (key, value) => say({ seen: key, value, atMicros: nowMicros() }))
  },
  relay: async () => {
    const [from = "", to = ""] = rest
    const store = await kv.open(to)
    const provisionOf = (key: string): string => key.replace(".dns", ".shop.bound.resolver")
    await watch(from, (key, value) => void store.put(provisionOf(key), value))
  },
  copy: async () => {
    const [file = ""] = rest
    const { facts, decisions }: {
      readonly facts: { readonly [bucket: string]: number }
      readonly decisions: { readonly [bucket: string]: { readonly [key: string]: string } }
    } = JSON.parse(readFileSync(file, "utf8"))
    const values: Array<readonly [KV, string, string]> = []
    for (const [bucket, entries] of Object.entries(decisions)) {
      const store = await kv.open(bucket)
      values.push(...Object.entries(entries).map(([key, value]) => [store, key, value] as const))
    }
    say({ ready: true })
    await told()
    for (const [bucket, count] of Object.entries(facts)) {
      let left = count
      const changes = await (await kv.open(bucket)).watch()
      for await (const { value } of changes) {
        JSON.parse(new TextDecoder().decode(value))
        left -= 1
        if (left === 0) {
          break
        }
      }
    }
    await putAll(values)
  }
}

await roles[role]?.()
