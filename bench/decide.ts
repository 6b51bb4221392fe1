/**
 * How long `decide` takes for 100,000 needs, from a snapshot of plain data to all decisions on it.
 *
 * `node bench/decide.ts` prints medians of three runs; the target is under 10 s. `node bench/decide.ts 10000` takes so many
 * needs instead.
 */
import { decide, Facts } from "../src/core/index.ts"
import { databasesFor } from "./Mesh.ts"

const needs = Number(process.argv[2] ?? 100_000)
const secondsOf = <A>(run: () => A): readonly [seconds: number, result: A] => {
  const start = performance.now()
  const result = run()
  return [(performance.now() - start) / 1_000, result]
}

const median = (seconds: ReadonlyArray<number>): string =>
  ([...seconds].sort((one, other) => one - other)[1] ?? 0).toFixed(2)

for (const withCredentials of [false, true]) {
  const snapshot = databasesFor(needs, withCredentials)
  const decoding: Array<number> = []
  const deciding: Array<number> = []
  for (let run = 0; run < 3; run++) {
    const [decoded, facts] = secondsOf(() => Facts.fromSnapshot(snapshot))
    const [seconds, decisions] = secondsOf(() => decide(facts))
    decoding.push(decoded)
    deciding.push(seconds)
    const provided = [...decisions.provisions.values()].filter(({ state }) => state === "provided").length
    if (provided !== needs) {
      throw new Error(`${provided} of ${needs} needs are provided`)
    }
  }
  const whole = decoding.map((seconds, run) => seconds + (deciding[run] ?? 0))
  console.log(
    `${needs} needs, ${withCredentials ? "with a credential each" : "without credentials"}: ` +
      `${median(whole)} s (decode ${median(decoding)} s, decide ${median(deciding)} s)`
  )
}
