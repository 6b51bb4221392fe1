/**
 * What a change costs the engine, beside `decide` from scratch: `node --expose-gc bench/engine.ts 10000 100000` takes meshes of
 * so many provisions, one after another. `decide` is left out for meshes larger than 200,000, which take it minutes.
 */
import { hash } from "node:crypto"
import { decide, Engine, type EngineChange, Facts } from "../src/core/index.ts"
import { assignmentOf, consumerOf, consumersOf, databaseOf, engineMesh, nodeOf } from "./EngineMesh.ts"

const sizes = process.argv.slice(2).map(Number)
const decideNeedsMax = 200_000
const samples = 2_000
const warmUps = 1_000

const sorted = (times: ReadonlyArray<number>): ReadonlyArray<number> => [...times].sort((one, other) => one - other)
const at = (times: ReadonlyArray<number>, share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0
const micros = (milliseconds: number): string => `${(milliseconds * 1_000).toFixed(1)} µs`
const say = (what: string, ...figures: ReadonlyArray<string>): void =>
  console.log(`  ${what.padEnd(46)} ${figures.join("   ")}`)

const timed = <A>(run: () => A): readonly [milliseconds: number, result: A] => {
  const start = performance.now()
  const result = run()
  return [performance.now() - start, result]
}

const heapBytes = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** Changes by the number of a consumer and of the time that it is its turn. */
const kinds: { readonly [name: string]: (index: number, turn: number) => EngineChange } = {
  "need deleted, and put": (index, turn) => ({
    bucket: "mesh-provisioner_needs",
    key: `${consumerOf(index)}.bound.database`,
    ...(turn % 2 === 0 ? {} : { value: { contract: "^1.0.0", fields: ["host", "port"] } })
  }),
  "bound entry": (index, turn) => ({
    bucket: "postgres_bound",
    key: `${consumerOf(index)}.database`,
    value: turn % 2 === 0 ? { ...databaseOf(index), state: "failed", why: "disk full" } : databaseOf(index)
  }),
  "bound entry's values": (index, turn) => ({
    bucket: "postgres_bound",
    key: `${consumerOf(index)}.database`,
    value: { ...databaseOf(index), values: { host: "h", port: turn, user: "u" } }
  }),
  "have without effect": (index, turn) => ({
    bucket: "mesh-host_haves",
    key: `${nodeOf(index)}.dns`,
    value: { build: "b1", health: "healthy", words: `up ${turn}` }
  }),
  "assignment's build": (index, turn) => ({
    bucket: "mesh-controller_assignments",
    key: consumerOf(index),
    value: { ...assignmentOf(index), build: `s${2 + turn}` }
  })
}

const benchChanges = (engine: Engine, consumers: number, decideMillis: number | undefined): void => {
  // A step that has no common divisor with the number of consumers goes round all of them.
  const stride = 7_919
  for (const [name, change] of Object.entries(kinds)) {
    const times: Array<number> = []
    let computed = 0
    let written = 0
    for (let count = 0; count < warmUps + samples; count++) {
      const index = (Math.floor(count / 2) * stride) % consumers
      const one = change(index, count)
      const [milliseconds, step] = timed(() => engine.step([one]))
      if (count >= warmUps) {
        times.push(milliseconds)
        computed += step.computed.provisions + step.computed.plans
        written += step.writes.filter(({ bucket }) => !bucket.endsWith("_asks")).length
      }
    }
    const inOrder = sorted(times)
    const median = at(inOrder, 0.5)
    say(
      name,
      `median ${micros(median)}`,
      `p99 ${micros(at(inOrder, 0.99))}`,
      `${computed / samples} computed, ${written / samples} written`,
      ...(decideMillis === undefined
        ? []
        : [`decide takes ${Math.round(decideMillis / median).toLocaleString("en")} ×`])
    )
  }
}

const benchTurns = (engine: Engine): void => {
  let health = "unhealthy"
  const turn = (): EngineChange => ({
    bucket: "mesh-host_haves",
    key: "n0.hub",
    value: { build: "b1", health: health = health === "healthy" ? "unhealthy" : "healthy" }
  })
  turn()
  for (const thingsMax of [Number.POSITIVE_INFINITY, 2_000]) {
    const wholes: Array<number> = []
    const slices: Array<number> = []
    let turned = 0
    for (let run = 0; run < 6; run++) {
      let whole = 0
      let changes: ReadonlyArray<EngineChange> = [turn()]
      turned = 0
      for (let pending = 1; pending > 0;) {
        const [milliseconds, step] = timed(() => engine.step(changes, thingsMax))
        changes = []
        pending = step.pending
        whole += milliseconds
        turned += step.computed.provisions
        slices.push(milliseconds)
      }
      wholes.push(whole)
    }
    const median = at(sorted(wholes), 0.5)
    say(
      `have of ${turned} consumers${Number.isFinite(thingsMax) ? `, in slices of ${thingsMax}` : ""}`,
      `${median.toFixed(1)} ms`,
      `${micros(median / turned)} a consumer`,
      `longest slice ${Math.max(...slices).toFixed(1)} ms`
    )
  }
}

const benchWhatIf = (engine: Engine, consumers: number): void => {
  const times: Array<number> = []
  for (let run = 0; run < 200; run++) {
    const index = (run * 7_919) % consumers
    const value = { ...assignmentOf(index), instance: "another", pins: { database: { node: "n0" } } }
    const [milliseconds] = timed(() =>
      engine.whatIf([{ bucket: "mesh-controller_assignments", key: consumerOf(index), value }])
    )
    times.push(milliseconds)
  }
  say("what-if of an assignment", `median ${micros(at(sorted(times), 0.5))}`, `p99 ${micros(at(sorted(times), 0.99))}`)
}

const benchDecide = (needs: number): number => {
  const facts = new Facts()
  for (const change of engineMesh(needs)) {
    if (!("isThere" in change)) {
      facts.apply(change)
    }
  }
  const times = [0, 1, 2].map(() => timed(() => decide(facts))[0])
  return at(sorted(times), 0.5)
}

for (const needs of sizes.length === 0 ? [10_000, 100_000] : sizes) {
  const decideMillis = needs > decideNeedsMax ? undefined : benchDecide(needs)
  const before = heapBytes()
  const engine = new Engine({ sha256: (text) => hash("sha256", text) })
  const [buildMillis] = timed(() => engine.step(engineMesh(needs)))
  const provisions = engine.decisions.provisions.size
  const provided = [...engine.decisions.provisions.values()].filter(({ state }) => state === "provided").length
  console.log(`${provisions} provisions, ${provided} of them provided, ${engine.decisions.asks.size} asks`)
  say("built from JSON values", `${(buildMillis / 1_000).toFixed(2)} s`, `${Math.round(provisions / buildMillis)} k/s`)
  if (decideMillis !== undefined) {
    say("decide from decoded facts", `${(decideMillis / 1_000).toFixed(2)} s`)
  }
  if (globalThis.gc !== undefined) {
    say("heap of engine, facts and decisions", `${Math.round((heapBytes() - before) / provisions)} B a provision`)
  }
  benchChanges(engine, consumersOf(needs), decideMillis)
  benchWhatIf(engine, consumersOf(needs))
  benchTurns(engine)
}
