/**
 * What one change costs the engine, on a small mesh and on a large one.
 */
import { decide, Engine, type EngineChange, type Json } from "../src/core/index.ts"
import { decoded, inBytes, rounds, seed, sha256, spread, timed, toyChanges, toyOf, workedOff } from "./coreStage.ts"
import { turning } from "./coreTurning.ts"
import { quantile } from "./Quantile.ts"
import { type Benchmark, type Row, row, type Run } from "./Row.ts"
import { type MeshConsumer, type SeededMesh, seededMesh } from "./SeededMesh.ts"

const changesARound = 1_000
const warmUpRounds = 3

interface Kind {
  readonly what: string
  /** A change of a consumer, by the time that it is its turn: odd ones bring back what even ones changed, where there is such. */
  readonly change: (of: MeshConsumer, turn: number) => EngineChange
}

const kinds: { readonly [name: string]: Kind } = {
  need: {
    what: "need deleted, or put",
    change: ({ need: { bucket, key, value } }, turn) => turn % 2 === 0 ? { bucket, key } : { bucket, key, value }
  },
  boundState: {
    what: "bound entry's state",
    change: ({ database }, turn) =>
      turn % 2 === 0
        ? { ...database, value: { ...database.value, state: "failed", why: "the disk is full" } }
        : database
  },
  boundValues: {
    what: "bound entry's values, so its digest",
    change: ({ database }, turn) => ({
      ...database,
      value: { ...database.value, values: { host: "h", port: turn, user: "u" } }
    })
  },
  have: {
    what: "have without effect",
    change: ({ node }, turn) => ({
      bucket: "mesh-host_haves",
      key: `${node}.dns`,
      value: { build: "b1", health: "healthy", words: `up ${turn}` }
    })
  },
  assignment: {
    what: "assignment's build, so the plan's digest",
    change: ({ assignment, key }, turn) => ({
      bucket: "mesh-controller_assignments",
      key,
      value: { ...assignment, build: `s${turn + 2}` }
    })
  }
}

/** What changes of one kind took, each, in microseconds, and what they had decided anew and written. */
interface Changed {
  readonly rounds: ReadonlyArray<ReadonlyArray<number>>
  readonly computed: number
  readonly written: number
}

/** A consumer about whom nothing is odd, and whose name server is as it should be, by any number. */
const soundConsumer = (mesh: SeededMesh, at: number): MeshConsumer => {
  for (let index = spread(at, mesh.consumers);; index = (index + 1) % mesh.consumers) {
    const consumer = mesh.consumer(index)
    const node = Number(consumer.node.slice(1)) % 40
    if (!consumer.isOdd && ![5, 11, 17, 23].includes(node)) {
      return consumer
    }
  }
}

const changed = (mesh: SeededMesh, engine: Engine, { change }: Kind): Changed => {
  const found: Array<ReadonlyArray<number>> = []
  let computed = 0
  let written = 0
  // The first rounds find code that was seldom run, and are not counted.
  for (let round = -warmUpRounds; round < rounds; round++) {
    const times: Array<number> = []
    for (let at = 0; at < changesARound; at++) {
      const turn = (round + warmUpRounds) * changesARound + at
      const one = change(soundConsumer(mesh, Math.floor(turn / 2)), turn)
      const [millis, step] = timed(() => engine.step([one]))
      times.push(millis * 1_000)
      if (round >= 0) {
        computed += step.computed.provisions + step.computed.plans
        written += step.writes.filter(({ bucket }) => !bucket.endsWith("_asks")).length
      }
    }
    if (round >= 0) {
      found.push(times)
    }
  }
  return { rounds: found, computed: computed / rounds / changesARound, written: written / rounds / changesARound }
}

const atShare = ({ rounds: found }: Changed, share: number): ReadonlyArray<number> =>
  found.map((times) => quantile(times, share))

/** SHA-256 of texts as long as a plan's of five needs, each in microseconds. */
const sha256Micros = (): number => {
  const text = "0".repeat(600)
  const [millis] = timed(() => Array.from({ length: 2_000 }, (_, turn) => sha256(`${text}${turn}`)))
  return millis * 1_000 / 2_000
}

/** An engine that has decided all. */
const standing = (mesh: SeededMesh): Engine => {
  const engine = new Engine({ sha256, facts: decoded(inBytes(mesh.facts)) })
  workedOff(engine)
  globalThis.gc?.()
  return engine
}

const rows = function*(run: Run): Iterable<Row> {
  const needs = run.needs ?? (run.isQuick ? 20_000 : 1_000_000)
  const fewNeeds = run.isQuick ? 2_000 : Math.min(10_000, needs)
  const asked = Object.entries(kinds).filter(([name]) => run.isAsked(`change.${name}`))
  const few = new Map<string, ReadonlyArray<number>>()
  if (asked.length > 0) {
    run.at(`change: a mesh of ${fewNeeds} needs`)
    const mesh = seededMesh({ seed, needs: fewNeeds })
    const engine = standing(mesh)
    for (const [name, kind] of asked) {
      few.set(name, atShare(changed(mesh, engine, kind), 0.5))
    }
  }
  run.at(`change: a mesh of ${needs} needs`)
  const mesh = seededMesh({ seed, needs })
  const engine = standing(mesh)
  const toy = toyOf(needs)
  const slowest: Array<number> = []
  for (const [name, kind] of asked) {
    run.at(`change.${name}`)
    const found = changed(mesh, engine, kind)
    slowest.push(quantile(atShare(found, 0.5), 0.5))
    yield* ofKind({ name: `change.${name}`, what: kind.what, needs, fewNeeds }, found, toy, few.get(name) ?? [])
  }
  yield* whatIf(run, mesh, engine, needs)
  yield* turning(run, engine, needs)
  if (run.isAsked("change.decide") && slowest.length > 0) {
    yield anew(run, mesh, needs, Math.max(...slowest))
  }
}

const ofKind = function*(
  { fewNeeds, name, needs, what }: {
    readonly name: string
    readonly what: string
    readonly needs: number
    readonly fewNeeds: number
  },
  found: Changed,
  toy: ReturnType<typeof toyOf>,
  few: ReadonlyArray<number>
): Iterable<Row> {
  const toys = found.rounds.map((_, round) => toyChanges(toy, needs, changesARound, `${name} ${round}`))
  const medians = atShare(found, 0.5)
  yield row({
    name,
    what,
    needs,
    unit: "µs",
    rounds: medians,
    limit: { what: "a change of the toy's", rounds: toys.map((times) => quantile(times, 0.5)) },
    targets: [{ of: "figure", atMost: 20 }],
    notes: [
      `decided anew ${found.computed.toFixed(2)}, written ${found.written.toFixed(2)} provisions and plans a change; ` +
      `a plan's SHA-256 alone takes ${sha256Micros().toFixed(1)} µs`
    ]
  })
  yield row({
    name: `${name}.p99`,
    what: `${what}, p99`,
    needs,
    unit: "µs",
    rounds: atShare(found, 0.99),
    limit: { what: "a change of the toy's, p99", rounds: toys.map((times) => quantile(times, 0.99)) },
    targets: [{ of: "figure", atMost: 100 }]
  })
  yield row({
    name: `${name}.growth`,
    what: `${what}, against a small mesh`,
    needs,
    unit: "µs",
    rounds: medians,
    limit: { what: `on ${fewNeeds.toLocaleString("en")} needs`, rounds: few },
    targets: [{ of: "ratio", atMost: 6 }]
  })
}

const whatIf = function*(run: Run, mesh: SeededMesh, engine: Engine, needs: number): Iterable<Row> {
  if (!run.isAsked("change.whatIf")) {
    return
  }
  const tried: Array<number> = []
  const done: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const ones = Array.from({ length: 200 }, (_, at) => {
      const { assignment, key } = soundConsumer(mesh, round * 200 + at)
      const change = (value: Json): EngineChange => ({ bucket: "mesh-controller_assignments", key, value })
      const there = change({ ...assignment, instance: "another", pins: { database: { node: "n0" } } })
      const [whatIfMillis] = timed(() => engine.whatIf([there]))
      const [stepsMillis] = timed(() => [engine.step([there]), engine.step([change(assignment)])])
      return { whatIfMillis, stepsMillis }
    })
    tried.push(quantile(ones.map(({ whatIfMillis }) => whatIfMillis), 0.5))
    done.push(quantile(ones.map(({ stepsMillis }) => stepsMillis), 0.5))
  }
  yield row({
    name: "change.whatIf",
    what: "what-if of one assignment's change",
    needs,
    unit: "ms",
    rounds: tried,
    limit: { what: "the same as two steps, there and back", rounds: done },
    targets: [{ of: "figure", atMost: 5 }]
  })
}

/** `decide` from scratch, once: it takes minutes at a million. */
const anew = (run: Run, mesh: SeededMesh, needs: number, changeMicros: number): Row => {
  run.at("change.decide")
  const facts = decoded(inBytes(mesh.facts))
  const [millis] = timed(() => decide(facts))
  return row({
    name: "change.decide",
    what: "decide from scratch, beside one change",
    needs,
    unit: "ms",
    rounds: [millis],
    limit: { what: "the slowest kind of change", rounds: [changeMicros / 1_000] },
    targets: [{ of: "ratio", atLeast: 10_000 }]
  })
}

/** The rows `change.…`. */
export const coreChange: Benchmark = { name: "change", rows }
