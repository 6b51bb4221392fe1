/**
 * A minute of 1,000 changes a second on a large mesh: how long a change waits at the most until its decision is seen, how much
 * the memory grows meanwhile, and how long a verb takes. And one change with very many consequences: how long a verb takes
 * while they are worked off.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { bucketName } from "../../src/core/index.ts"
import { quantile } from "../Quantile.ts"
import { type Row, row } from "../Row.ts"
import { hub, type MeshConsumer, seededMesh } from "../SeededMesh.ts"
import { Load } from "./Load.ts"
import { fill, provisioner, type Stage, type Value } from "./Stage.ts"
import { bucketsOf, decidedMesh } from "./start.ts"

/** How large the mesh is, how many seconds a round takes, and how many rounds there are. */
interface Times {
  readonly needs: number
  readonly seconds: number
  readonly rounds: number
}

/** The rows `bus.minute.wait`, `bus.minute.memory`, `bus.minute.verb` and `bus.minute.turning`. */
export const minute = async function*(on: Stage, { needs, rounds, seconds }: Times): AsyncIterable<Row> {
  const { decisions, facts } = decidedMesh(needs)
  await on.clear(bucketsOf(facts))
  await fill(on, facts)
  await fill(on, decisions)
  const decider = provisioner(on)
  await decider.live
  const change = changesOf(needs)
  // What is put at first finds code that was never run before, and memory that was never taken.
  await oneRound(on, change, Math.ceil(seconds / 4))
  const waits: Array<number> = []
  const growth: Array<number> = []
  const verbs: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const before = decider.memory()
    const { verbMillis, waitMillis } = await oneRound(on, change, seconds)
    waits.push(Math.max(...waitMillis))
    verbs.push(quantile(verbMillis, 0.99))
    growth.push(decider.memory() / before)
  }
  const turning: Array<{ readonly consequences: number; readonly verbMillis: number }> = []
  for (let round = 0; round < rounds; round++) {
    turning.push(await oneTurn(on, round))
  }
  await decider.stop()
  const while_ = `while 1,000 changes come a second for ${seconds} s`
  yield row({
    name: "bus.minute.wait",
    what: `the longest that a change waits until its decision is seen, ${while_}`,
    needs,
    unit: "ms",
    rounds: waits,
    targets: [{ of: "figure", atMost: 250 }]
  })
  yield row({
    name: "bus.minute.memory",
    what: `the daemon's memory after against before, ${while_}`,
    needs,
    unit: "×",
    rounds: growth,
    targets: [{ of: "figure", atMost: 1.1 }]
  })
  yield row({
    name: "bus.minute.verb",
    what: `a page of 500 by the verb, ${while_}: p99`,
    needs,
    unit: "ms",
    rounds: verbs,
    targets: [{ of: "figure", atMost: 100 }]
  })
  const [{ consequences } = { consequences: 0 }] = turning
  yield row({
    name: "bus.minute.turning",
    what: `the longest answer of a verb while a have turns ${consequences.toLocaleString("en")} consumers`,
    needs,
    unit: "ms",
    rounds: turning.map(({ verbMillis }) => verbMillis),
    targets: [{ of: "figure", atMost: 50 }]
  })
}

/** Another bound entry of one consumer after the other. */
const changesOf = (needs: number): () => Value & { readonly seen: string } => {
  const mesh = seededMesh({ seed: 1, needs })
  let count = 0
  const next = (): MeshConsumer => {
    const consumer = mesh.consumer(count % mesh.consumers)
    count += 1
    return consumer.isOdd ? next() : consumer
  }
  return () => {
    const { database: { bucket, key, value: { by = "" } }, need } = next()
    const values = { host: `h${count}`, port: 5_432, user: `u${count}` }
    return { bucket, key, value: { state: "provided", by, values }, seen: need.key }
  }
}

/** Has the provider that most consumers read turn, and asks a verb again and again until all is written. */
const oneTurn = async (
  on: Stage,
  round: number
): Promise<{ readonly consequences: number; readonly verbMillis: number }> => {
  let consequences = 0
  let lastAt = performance.now()
  const watching = on.admin.client.subscribe(`$KV.${bucketName.provisions}.>`, {
    callback: () => {
      consequences += 1
      lastAt = performance.now()
    }
  })
  await on.admin.client.flush()
  const have = { build: "b1", health: round % 2 === 0 ? "unhealthy" : "healthy" }
  on.admin.client.publish(`$KV.${bucketName.haves}.${hub}`, JSON.stringify(have))
  let verbMillis = 0
  const isOver = () => consequences > 0 && performance.now() - lastAt > quietMillis
  for (const until = performance.now() + turnMillisMax; !isOver(); await sleep(5)) {
    if (performance.now() > until) {
      throw new Error(`after ${turnMillisMax} ms the provider's consumers still turn`)
    }
    const from = performance.now()
    await on.admin.client.request("mesh-provisioner.provisioning", JSON.stringify({ what: "registry" }), {
      timeout: 10_000
    })
    verbMillis = Math.max(verbMillis, performance.now() - from)
  }
  watching.unsubscribe()
  return { consequences, verbMillis }
}

const turnMillisMax = 120_000

/** When nothing was written for so long, all was. */
const quietMillis = 1_000

const oneRound = async (
  on: Stage,
  change: () => Value & { readonly seen: string },
  seconds: number
): Promise<{ readonly waitMillis: ReadonlyArray<number>; readonly verbMillis: ReadonlyArray<number> }> => {
  const waiting = new Map<string, number>()
  const waitMillis: Array<number> = []
  const verbMillis: Array<number> = []
  const prefix = `$KV.${bucketName.provisions}.`
  const watching = on.admin.client.subscribe(`${prefix}>`, {
    callback: (_, { subject }) => {
      const key = subject.slice(prefix.length)
      const from = waiting.get(key)
      if (from !== undefined) {
        waiting.delete(key)
        waitMillis.push(performance.now() - from)
      }
    }
  })
  await on.admin.client.flush()
  const load = new Load(on, () => {
    const { seen, ...value } = change()
    waiting.set(seen, performance.now())
    return value
  }, 1_000)
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; await sleep(100)) {
    const from = performance.now()
    const answer = await on.admin.client.request(
      "mesh-provisioner.provisioning",
      JSON.stringify({ what: "provisions", limit: 500 }),
      { timeout: 10_000 }
    )
    verbMillis.push(performance.now() - from)
    if (answer.data.length < 1_000) {
      throw new Error(`the verb answers: ${answer.string()}`)
    }
  }
  load.stop()
  for (let looks = 0; waiting.size > 0; looks++) {
    if (looks > 100) {
      throw new Error(`${waiting.size} changes of ${load.count}: no decision is seen`)
    }
    await sleep(100)
  }
  watching.unsubscribe()
  return { waitMillis, verbMillis }
}
