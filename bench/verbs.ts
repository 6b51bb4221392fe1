/**
 * What the verbs and a scrape take on a large mesh while it changes: before each answer, a change was decided.
 */
import { type Caller, Engine, explain, query, type QueryWhat, retire } from "../src/core/index.ts"
import { Metrics } from "../src/provisioner/Metrics.ts"
import { decoded, inBytes, rounds, seed, sha256, spread, timed, workedOff } from "./coreStage.ts"
import { quantile } from "./Quantile.ts"
import { type Benchmark, type Row, row, type Run } from "./Row.ts"
import { type SeededMesh, seededMesh } from "./SeededMesh.ts"

const answersARound = 20
const pageEntries = 500
const answerMillisMax = 100
const caller: Caller = { role: "operator", name: "ann" }

/** A question, by the turn in which it is asked: an answer to it, which is then written as text. */
interface Question {
  readonly what: string
  readonly answer: (engine: Engine, turn: number) => unknown
}

const keysOf = (engine: Engine, from: "asks" | "plans"): ReadonlyArray<string> => {
  const keys: Array<string> = []
  for (const key of engine.decisions[from].keys()) {
    keys.push(key)
    if (keys.length === keysKept) {
      break
    }
  }
  return keys
}

const keysKept = 10_000
const keysFilledAtOnce = 5_000
const keysLookedAtOnce = 10_000

// As the daemon answers: keys are brought in order once, in the first round, and so many are looked at in one piece.
const page = (what: string, request: { readonly what: QueryWhat; readonly [name: string]: string }): Question => {
  let after: string | undefined
  return {
    what,
    answer: (engine) => {
      const order = engine.order(request.what)
      while (order?.fill(keysFilledAtOnce) === false) {
        // The next of them.
      }
      const further = { ...request, limit: pageEntries, ...(after === undefined ? {} : { after }) }
      const reply = query(engine, further, { looksMax: keysLookedAtOnce })
      after = reply._tag === "Success" ? reply.success.next : undefined
      return reply
    }
  }
}

const questionsOf = (engine: Engine): { readonly [name: string]: Question } => {
  const asks = keysOf(engine, "asks")
  const plans = keysOf(engine, "plans")
  const metrics = new Metrics("1.0.0")
  const standing = {
    seat: { _tag: "Looking" },
    health: undefined,
    connection: undefined,
    busyMillis: undefined,
    hasEnded: false
  } as const
  return {
    page: page("a page of 500 provisions", { what: "provisions" }),
    asks: page("a page of 500 asks", { what: "asks" }),
    plans: page("a page of 500 plans", { what: "plans" }),
    needs: page("a page of 500 needs", { what: "needs" }),
    node: page("the provisions of a node", { what: "provisions", node: "n7" }),
    state: page("a page of 500 provisions that failed", { what: "provisions", state: "failed" }),
    explain: {
      what: "a plan explained",
      answer: (_, turn) => {
        const [node, module] = (plans[spread(turn, plans.length)] ?? "").split(".")
        return explain(engine, { node, module })
      }
    },
    retire: {
      what: "an answer about retiring, but for its write",
      answer: (_, turn) => retire(engine, { key: asks[spread(turn, asks.length)] ?? "", answer: "keep" }, { caller })
    },
    scrape: { what: "a scrape of the metrics", answer: () => metrics.text({ standing, source: engine }) }
  }
}

const asked = (mesh: SeededMesh, engine: Engine, { answer }: Question) => {
  const times: Array<ReadonlyArray<number>> = []
  const texts: Array<ReadonlyArray<number>> = []
  // The first round finds code that was seldom run, and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const answered: Array<number> = []
    const written: Array<number> = []
    for (let at = 0; at < answersARound; at++) {
      const turn = round * answersARound + at
      const { assignment, key } = mesh.consumer(spread(turn, mesh.consumers))
      engine.step([{ bucket: "mesh-controller_assignments", key, value: { ...assignment, build: `s${turn}` } }])
      const [millis, reply] = timed(() => answer(engine, turn))
      const [textMillis] = timed(() => JSON.stringify(reply))
      answered.push(millis + textMillis)
      written.push(textMillis)
    }
    if (round > 0) {
      times.push(answered)
      texts.push(written)
    }
  }
  return { times, texts }
}

const rows = function*(run: Run): Iterable<Row> {
  const needs = run.needs ?? (run.isQuick ? 20_000 : 1_000_000)
  run.at(`verbs: a mesh of ${needs} needs`)
  const mesh = seededMesh({ seed, needs })
  const engine = new Engine({ sha256, facts: decoded(inBytes(mesh.facts)) })
  workedOff(engine)
  for (const [name, question] of Object.entries(questionsOf(engine))) {
    if (run.isAsked(`verbs.${name}`)) {
      run.at(`verbs.${name}`)
      const { texts, times } = asked(mesh, engine, question)
      yield row({
        name: `verbs.${name}`,
        what: `${question.what}, p99`,
        needs,
        unit: "ms",
        rounds: times.map((one) => quantile(one, 0.99)),
        limit: { what: "the reply as text alone, p99", rounds: texts.map((one) => quantile(one, 0.99)) },
        targets: [{ of: "figure", atMost: answerMillisMax }]
      })
    }
  }
}

/** What the verbs take. */
export const verbs: Benchmark = { name: "verbs", rows }
