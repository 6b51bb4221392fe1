/**
 * How long the provisioner takes from its start until all is read and decided: beside the bare client that only reads the same
 * buckets; and, where nothing is decided yet, how fast it writes, beside the bare client's fenced writes of the same values.
 */
import { hash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { decidedBuckets } from "../../src/core/Diff.ts"
import { Engine } from "../../src/core/index.ts"
import { type Row, row } from "../Row.ts"
import { seededMesh } from "../SeededMesh.ts"
import { decisionsIn, fill, party, provisioner, type Stage, type Value } from "./Stage.ts"

/** A mesh, and what is decided on it. */
export interface Decided {
  readonly facts: ReadonlyArray<Value>
  readonly decisions: ReadonlyArray<Value>
}

/** The mesh of about so many needs, by bucket, and its decisions. */
export const decidedMesh = (needs: number): Decided => {
  const engine = new Engine({ sha256: (text) => hash("sha256", text) })
  const facts = [...seededMesh({ seed: 1, needs }).facts]
  engine.step(facts)
  const decisions = [...decidedBuckets(engine.decisions)].flatMap(([bucket, values]) =>
    Array.from(values, ([key, value]): Value => ({ bucket, key, value }))
  )
  return { facts: facts.sort(byBucket), decisions }
}

const byBucket = (one: Value, other: Value): number =>
  one.bucket < other.bucket ? -1 : Number(one.bucket > other.bucket)

/** The buckets of values. */
export const bucketsOf = (values: ReadonlyArray<Value>): ReadonlySet<string> =>
  new Set(values.map(({ bucket }) => bucket))

/** The row `bus.cold`, on one filling of the server: everything is stored as it is decided, and nothing is written. */
export const coldStart = async (on: Stage, needs: number, rounds: number): Promise<Row> => {
  const { decisions, facts } = decidedMesh(needs)
  await on.clear(bucketsOf(facts))
  await fill(on, facts)
  await fill(on, decisions)
  const ours: Array<number> = []
  const bare: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const reader = await party(on, "read")
    const said = await reader.hear()
    bare.push("millis" in said ? said.millis / 1_000 : Number.NaN)
    await reader.stop()
    const decider = provisioner(on)
    const { millis, writes } = await decider.live
    ours.push(millis / 1_000)
    await decider.stop()
    if (writes > 0) {
      throw new Error(`${writes} decisions were written, and all were stored as they are`)
    }
  }
  return row({
    name: "bus.cold",
    what: "the daemon's start until all is read, decided and compared, with nothing to write",
    needs,
    unit: "s",
    rounds: ours,
    limit: { what: "the bare client only reading the same buckets", rounds: bare },
    targets: [{ of: "ratio", atMost: 2 }, { of: "figure", atMost: 30 }],
    notes: [`${facts.length} facts and ${decisions.length} decisions are read; ours includes Node's own start`]
  })
}

/** The row `bus.first`: facts alone are there, and every decision is written. */
export const firstStart = async (on: Stage, needs: number, rounds: number): Promise<Row> => {
  const { decisions, facts } = decidedMesh(needs)
  const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-bench-"))
  const file = join(folder, "decisions")
  writeFileSync(
    file,
    decisions.map(({ bucket, key, value }) => JSON.stringify([bucket, key, JSON.stringify(value)])).join("\n")
  )
  const ours: Array<number> = []
  const bare: Array<number> = []
  try {
    for (let round = 0; round < rounds; round++) {
      await on.clear(bucketsOf(facts))
      const writer = await party(on, "write", file)
      writer.tell({ begin: true })
      const said = await writer.hear()
      bare.push("done" in said ? said.done / said.millis * 1_000 : Number.NaN)
      await writer.stop()
      await on.clear(bucketsOf(facts))
      await fill(on, facts)
      const decider = provisioner(on)
      ours.push(await writesASecond(on, bucketsOf(decisions), decisions.length))
      await decider.stop()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return row({
    name: "bus.first",
    what: "decisions written at the first start, from the first to the last",
    needs,
    unit: "writes/s",
    rounds: ours,
    limit: { what: "the bare client's fenced writes of the same values, many at once", rounds: bare },
    targets: [{ of: "ratio", atLeast: 0.7 }],
    notes: [`${decisions.length} decisions`]
  })
}

/** How many writes there were a second, from the first that is seen to the last. */
const writesASecond = async (on: Stage, buckets: ReadonlySet<string>, count: number): Promise<number> => {
  let first: { readonly at: number; readonly count: number } | undefined
  for (const until = performance.now() + writtenMillisMax; performance.now() < until; await sleep(20)) {
    const written = await decisionsIn(on, buckets)
    first ??= written > 0 ? { at: performance.now(), count: written } : undefined
    if (first !== undefined && written >= count) {
      return (written - first.count) / (performance.now() - first.at) * 1_000
    }
  }
  throw new Error(`${count} decisions: not written in ${writtenMillisMax} ms`)
}

const writtenMillisMax = 600_000
