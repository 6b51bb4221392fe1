/**
 * How long it takes from what one process puts to the decision that another sees: beside a bare client that puts into the one
 * bucket what it hears of the other.
 */
import { bucketName } from "../../src/core/index.ts"
import { databasesFor, providerKey, provisionKey, withRunners } from "../Mesh.ts"
import { quantile } from "../Quantile.ts"
import { type Row, row } from "../Row.ts"
import { Load } from "./Load.ts"
import { fill, type Party, party, provisioner, type Stage, type Value } from "./Stage.ts"

const runners = 50

/** What a benchmark of changes is told: how large the mesh is, how often it is measured, and how many changes each time. */
interface Times {
  readonly needs: number
  readonly rounds: number
  readonly changes: number
}

/** Puts number `index`, and the key of the decision that is to be seen. */
interface Change {
  readonly value: Value
  readonly seen: string
}

const haveOf = (index: number): Change => {
  const node = index % runners
  const health = Math.floor(index / runners) % 2 === 0 ? "unhealthy" : "healthy"
  return {
    value: { bucket: bucketName.haves, key: providerKey(node), value: { build: "d1", health, words: `${index}` } },
    seen: provisionKey(node)
  }
}

const boundOf = (consumer: number, values: { readonly host: string }): Change => ({
  value: {
    bucket: "postgres_bound",
    key: `n${Math.floor(consumer / 100)}.shop${consumer % 100}.database`,
    value: { state: "provided", by: "n0", values: { ...values, port: 5_432 } }
  },
  seen: `n${Math.floor(consumer / 100)}.shop${consumer % 100}.bound.database`
})

/** The rows `bus.live.have`, `bus.live.bound` and `bus.live.load`. */
export const live = async function*(on: Stage, { changes, needs, rounds }: Times): AsyncIterable<Row> {
  const ours = { have: [] as Array<number>, bound: [] as Array<number>, load: [] as Array<number> }
  const bare = { have: [] as Array<number>, bound: [] as Array<number>, load: [] as Array<number> }
  const boundAt = (index: number) => boundOf(index % 50, { host: `db${index}.example.org` })
  const others = (index: number) =>
    boundOf(50 + index % (needs - runners - 50), { host: `db${index}.example.org` }).value
  for (let round = 0; round < rounds; round++) {
    await begin(on, needs)
    const decider = provisioner(on)
    await decider.live
    ours.have.push(quantile(await measure(on, haveOf, changes), 0.5))
    ours.bound.push(quantile(await measure(on, boundAt, changes), 0.5))
    ours.load.push(await p99UnderLoad(on, others, changes))
    await decider.stop()
    const relay = await party(on, "relay", bucketName.provisions, bucketName.haves, "postgres_bound")
    bare.have.push(quantile(await measure(on, haveOf, changes), 0.5))
    bare.bound.push(quantile(await measure(on, boundAt, changes), 0.5))
    bare.load.push(await p99UnderLoad(on, others, changes))
    await relay.stop()
  }
  const what = "put by one process, until its decision is seen by a third"
  const limit = "the bare client: put, seen, put, seen"
  yield row({
    name: "bus.live.have",
    what: `a have ${what}: median`,
    needs,
    unit: "ms",
    rounds: ours.have,
    limit: { what: limit, rounds: bare.have },
    targets: [{ of: "ratio", atMost: 1.7 }]
  })
  yield row({
    name: "bus.live.bound",
    what: `a bound entry ${what}: median`,
    needs,
    unit: "ms",
    rounds: ours.bound,
    limit: { what: limit, rounds: bare.bound },
    targets: [{ of: "ratio", atMost: 1.7 }]
  })
  yield row({
    name: "bus.live.load",
    what: `a have ${what}, while 1,000 other changes come a second: p99`,
    needs,
    unit: "ms",
    rounds: ours.load,
    limit: { what: `${limit}; median, with no other changes`, rounds: bare.have },
    targets: [{ of: "ratio", atMost: 4 }],
    notes: [`the bare client's own p99, while the same other changes come: ${quantile(bare.load, 0.5).toFixed(2)} ms`]
  })
}

const p99UnderLoad = async (on: Stage, others: (index: number) => Value, changes: number): Promise<number> => {
  const load = new Load(on, others, 1_000)
  const millis = await measure(on, haveOf, changes)
  load.stop()
  return quantile(millis, 0.99)
}

const begin = async (on: Stage, needs: number): Promise<void> => {
  const { buckets } = withRunners(databasesFor(needs - runners, false), runners)
  await on.clear(Object.keys(buckets))
  await fill(
    on,
    Object.entries(buckets).flatMap(([bucket, values]) =>
      Object.entries(values).map(([key, value]) => ({ bucket, key, value }))
    )
  )
}

/** So many changes, one after the other, each as milliseconds. */
const measure = async (on: Stage, change: (index: number) => Change, times: number): Promise<ReadonlyArray<number>> => {
  const putter = await party(on, "put")
  // Who waits for some keys alone does not wait for those of others.
  const [, , ...rest] = change(0).seen.split(".")
  const watcher = await party(on, "watch", bucketName.provisions, ["*", "*", ...rest].join("."))
  const found: Array<number> = []
  // The first ones find code that was never run before: they are not counted.
  const first = Math.min(20, Math.ceil(times / 2))
  // The values of a later measurement are others than those of this one.
  const salt = Math.floor(performance.now()) * 2 * runners
  for (let turn = 0; turn < first + times; turn++) {
    const millis = await changeMillis(putter, watcher, change(salt + turn))
    if (turn >= first) {
      found.push(millis)
    }
  }
  await Promise.all([putter.stop(), watcher.stop()])
  return found
}

const changeMillis = async (putter: Party, watcher: Party, { seen, value }: Change): Promise<number> => {
  const seeing = seenAt(watcher, seen)
  putter.tell({ put: { bucket: value.bucket, key: value.key, value: JSON.stringify(value.value) } })
  const put = await putter.hear()
  const at = await seeing
  return "put" in put ? (at - put.atMicros) / 1_000 : Number.NaN
}

const seenAt = async (watcher: Party, key: string): Promise<number> => {
  while (true) {
    const said = await watcher.hear()
    if ("seen" in said && said.seen === key) {
      return said.atMicros
    }
  }
}
