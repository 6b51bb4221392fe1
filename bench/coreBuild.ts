/**
 * What it takes to build an engine, from decoded facts and from bytes to writes as text, and how much room it has.
 */
import { Engine, type Write } from "../src/core/index.ts"
import { decoded, inBytes, rounds, seed, sha256, sum, thingsASlice, timed, toyOf, workedOff } from "./coreStage.ts"
import { type Benchmark, type Row, row, type Run } from "./Row.ts"
import { seededMesh } from "./SeededMesh.ts"

type Bytes = ReadonlyArray<{ readonly bucket: string; readonly key: string; readonly value: Uint8Array }>

const heapBytes = (): number => {
  if (globalThis.gc === undefined) {
    throw new Error("the heap is measured after a collection: start Node with --expose-gc")
  }
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const perSecond = (count: number, millis: number): number => count / millis * 1_000

/** Every value parsed and every one written again: what `JSON` alone takes. */
const parsedAndWritten = (facts: Bytes): number => {
  const reader = new TextDecoder()
  return sum(facts.map(({ value }) => JSON.stringify(JSON.parse(reader.decode(value))).length))
}

const textOf = (write: Write): string => write.op === "put" ? JSON.stringify(write.value) : ""

/** Bytes in, writes as text out; gives how long the texts are. */
const textsOf = (facts: Bytes): number => {
  const engine = new Engine({ sha256 })
  engine.take(facts)
  let length = 0
  for (let pending = 1; pending > 0;) {
    const step = engine.step([], thingsASlice)
    pending = step.pending
    length += sum(step.writes.map((write) => textOf(write).length))
  }
  return length
}

/** An engine with all its facts and decisions, and what was there before it. */
const built = (facts: Bytes) => {
  const before = heapBytes()
  const held = decoded(facts)
  const [millis, engine] = timed(() => {
    const begun = new Engine({ sha256, facts: held })
    workedOff(begun)
    return begun
  })
  const bytes = heapBytes() - before
  // Asked for after the heap was looked at, so that the engine is there till then.
  return { millis, provisions: engine.decisions.provisions.size, bytes }
}

const rows = function*(run: Run): Iterable<Row> {
  const needs = run.needs ?? (run.isQuick ? 20_000 : 1_000_000)
  run.at("build: the facts in bytes")
  const facts: Bytes = [...inBytes(seededMesh({ seed, needs }).facts)]
  yield* fromDecoded(run, needs, facts)
  if (run.isAsked("build.text")) {
    const bare: Array<number> = []
    const ours: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      run.at(`build.text, round ${round + 1}`)
      bare.push(perSecond(facts.length, timed(() => parsedAndWritten(facts))[0]))
      ours.push(perSecond(facts.length, timed(() => textsOf(facts))[0]))
    }
    yield row({
      name: "build.text",
      what: "bytes in, decided, writes as text out",
      needs,
      unit: "facts/s",
      rounds: ours,
      limit: { what: "JSON.parse and stringify of the facts", rounds: bare },
      targets: [{ of: "figure", atLeast: 100_000 }]
    })
  }
}

/** Rows of one engine: what is built, and the room that it has. */
const fromDecoded = function*(run: Run, needs: number, facts: Bytes): Iterable<Row> {
  if (!run.isAsked("build.decoded") && !run.isAsked("build.heap")) {
    return
  }
  const found: Array<ReturnType<typeof built>> = []
  const toys: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    run.at(`build.decoded, round ${round + 1}`)
    const one = built(facts)
    found.push(one)
    toys.push(perSecond(one.provisions, timed(() => toyOf(one.provisions))[0]))
  }
  if (run.isAsked("build.decoded")) {
    yield row({
      name: "build.decoded",
      what: "engine built from decoded facts",
      needs,
      unit: "needs/s",
      rounds: found.map(({ millis, provisions }) => perSecond(provisions, millis)),
      limit: { what: "the toy built", rounds: toys },
      targets: [{ of: "figure", atLeast: 250_000 }]
    })
  }
  if (run.isAsked("build.heap")) {
    const [{ provisions } = { provisions: Number.NaN }] = found
    yield row({
      name: "build.heap",
      what: "heap of engine, facts, decisions, a need",
      needs,
      unit: "B",
      rounds: found.map(({ bytes }) => bytes / provisions),
      targets: [{ of: "figure", atMost: 1_200 }],
      notes: [`${(facts.length / provisions).toFixed(1)} facts a need`]
    })
  }
}

/** The rows `build.…`. */
export const coreBuild: Benchmark = { name: "build", rows }
