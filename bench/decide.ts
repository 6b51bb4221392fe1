/**
 * How long `decide` takes for 100,000 needs, from a snapshot of plain data to all decisions on it.
 *
 * `node bench/decide.ts` prints medians of three runs; the target is under 10 s. `node bench/decide.ts 10000` takes so many
 * needs instead.
 */
import { decide, Facts, type Json, type Snapshot } from "../src/core/index.ts"

const needs = Number(process.argv[2] ?? 100_000)
const consumersANode = 100

type Values = Array<readonly [string, Json]>

/** A mesh of a database each for so many consumers, on as many nodes as they take; with or without a password each. */
const meshOf = (count: number, withCredentials: boolean): Snapshot => {
  const assignments: Values = [["n0.mesh-vault", { build: "v1" }], ["n0.postgres", { build: "p1" }], ["n1.postgres", {
    build: "p1"
  }]]
  const wanted: Values = []
  const bound: Values = []
  const vault: Values = []
  for (let index = 0; index < count; index++) {
    const consumer = `n${Math.floor(index / consumersANode)}.shop${index % consumersANode}`
    assignments.push([consumer, { build: "s1" }])
    wanted.push([`${consumer}.bound.database`, { contract: "^1.0.0", fields: ["host", "port"] }])
    bound.push([`${consumer}.database`, {
      state: "provided",
      by: "n0",
      values: { host: "db.example.org", port: 5_432 }
    }])
    vault.push([
      `${consumer}.credential.postgres=2Edatabase=2Epassword`,
      { state: "provided", by: "n0", values: { version: index } }
    ])
  }
  const fields = { host: "string", port: "integer", ...(withCredentials ? { password: "secret" } : {}) }
  return {
    buckets: {
      "mesh-controller_modules": {
        postgres: { provides: { database: { credential: "consumer", contract: { version: "1.4.0", fields } } } }
      },
      "mesh-controller_assignments": Object.fromEntries(assignments),
      "mesh-controller_seats": { vault: { node: "n0", module: "mesh-vault" } },
      "mesh-provisioner_needs": Object.fromEntries(wanted),
      postgres_bound: Object.fromEntries(bound),
      "mesh-vault_bound": withCredentials ? Object.fromEntries(vault) : {}
    }
  }
}

const secondsOf = <A>(run: () => A): readonly [seconds: number, result: A] => {
  const start = performance.now()
  const result = run()
  return [(performance.now() - start) / 1_000, result]
}

const median = (seconds: ReadonlyArray<number>): string =>
  ([...seconds].sort((one, other) => one - other)[1] ?? 0).toFixed(2)

for (const withCredentials of [false, true]) {
  const snapshot = meshOf(needs, withCredentials)
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
