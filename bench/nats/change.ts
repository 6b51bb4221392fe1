/**
 * How long it takes from a have that one process puts to the provision that another sees.
 */
import { bucketName, decide } from "../../src/core/index.ts"
import { databasesFor, providerKey, provisionKey, withRunners } from "../Mesh.ts"
import { quantile, ratios } from "./figures.ts"
import { fill, filled, type Party, party, provisioner, type Stage } from "./Stage.ts"

const runners = 50

/** Measures it in a mesh of so many needs, so many times in each round, and says what it comes to. */
export const changes = async (
  on: Stage,
  { needs, rounds, times }: { readonly needs: number; readonly rounds: number; readonly times: number }
): Promise<string> => {
  const mesh = withRunners(databasesFor(needs - runners, false), runners)
  const ours: Array<ReadonlyArray<number>> = []
  const bare: Array<ReadonlyArray<number>> = []
  const { haves, provisions } = bucketName
  for (let round = 0; round < rounds; round++) {
    await on.clear(Object.keys(mesh.buckets))
    await fill(on, mesh)
    const decider = provisioner(on)
    await filled(on, new Map([[provisions, needs], [bucketName.plans, decide(mesh).plans.size]]), 120_000)
    ours.push(await measure(on, times))
    await decider.stop()
    const relay = await party(on, "relay", haves, provisions)
    bare.push(await measure(on, times))
    await relay.stop()
  }
  const line = (name: string, found: ReadonlyArray<ReadonlyArray<number>>): string =>
    `${name} ${quantile(found.flat(), 0.5).toFixed(1)} ms, p99 ${quantile(found.flat(), 0.99).toFixed(1)} ms`
  const medians = (found: ReadonlyArray<ReadonlyArray<number>>) => found.map((all) => quantile(all, 0.5))
  return `change, ${needs} needs: ${line("median", ours)}; ${line("bare client", bare)}; ratio ` +
    ratios(medians(ours), medians(bare))
}

/** So many changes, one after the other, each as milliseconds. */
const measure = async (on: Stage, times: number): Promise<ReadonlyArray<number>> => {
  const putter = await party(on, "put", bucketName.haves)
  const watcher = await party(on, "watch", bucketName.provisions)
  const found: Array<number> = []
  // The first ones find code that was never run before: they are not counted.
  const first = -Math.min(10, Math.ceil(times / 2))
  for (let turn = first; turn < times; turn++) {
    const node = (turn - first) % runners
    const health = Math.floor((turn - first) / runners) % 2 === 0 ? "unhealthy" : "healthy"
    const value = JSON.stringify({ build: "d1", health, words: `${turn}` })
    const millis = await changeMillis(putter, watcher, node, value)
    if (turn >= 0) {
      found.push(millis)
    }
  }
  await Promise.all([putter.stop(), watcher.stop()])
  return found
}

const changeMillis = async (putter: Party, watcher: Party, node: number, value: string): Promise<number> => {
  const seeing = seenAt(watcher, provisionKey(node))
  putter.tell({ put: { key: providerKey(node), value } })
  const put = await putter.hear()
  const seen = await seeing
  return "put" in put ? (seen - put.atMicros) / 1_000 : Number.NaN
}

const seenAt = async (watcher: Party, key: string): Promise<number> => {
  while (true) {
    const said = await watcher.hear()
    if ("seen" in said && said.seen === key) {
      return said.atMicros
    }
  }
}
