/**
 * What it takes when a provider's have changes and all its consumers turn with it, in slices.
 */
import type { Engine } from "../src/core/index.ts"
import { rounds, sum, timed, workedOff } from "./coreStage.ts"
import { type Row, row, type Run } from "./Row.ts"
import { gauge, hub } from "./SeededMesh.ts"
import { Toy } from "./Toy.ts"

/** The rows `change.turning` and `change.turningMany`, and the longest slice of each. */
export const turning = function*(run: Run, engine: Engine, needs: number): Iterable<Row> {
  const providers = [
    { name: "change.turning", key: gauge, consumers: consumersOf(engine, gauge) },
    { name: "change.turningMany", key: hub, consumers: consumersOf(engine, hub) }
  ]
  for (const { consumers, key, name } of providers.filter((one) => run.isAsked(one.name) && one.consumers > 0)) {
    run.at(name)
    const found = turned(engine, key)
    const size = consumers.toLocaleString("en")
    yield row({
      name,
      what: `have with ${size} consumers turning, each`,
      needs,
      unit: "µs",
      rounds: found.map((slices) => sum(slices) * 1_000 / consumers),
      limit: { what: "the toy's, each", rounds: toyTurned(consumers) },
      targets: [{ of: "figure", atMost: 2.5 }]
    })
    yield row({
      name: `${name}.slice`,
      what: `have with ${size} consumers, longest slice`,
      needs,
      unit: "ms",
      rounds: found.map((slices) => Math.max(...slices)),
      targets: [{ of: "figure", atMost: 20 }]
    })
  }
}

const consumersOf = (engine: Engine, provider: string): number => {
  let count = 0
  for (const { provider: by } of engine.decisions.provisions.values()) {
    count += by !== undefined && `${by.node}.${by.module}` === provider ? 1 : 0
  }
  return count
}

/** Each turn's slices, in milliseconds. The first two find code that was seldom run, and are not counted. */
const turned = (engine: Engine, key: string): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: rounds + 2 }, (_, turn) =>
    workedOff(engine, [{
      bucket: "mesh-host_haves",
      key,
      value: { build: "b1", health: turn % 2 === 0 ? "unhealthy" : "healthy" }
    }])).slice(2)

const toyTurned = (consumers: number): ReadonlyArray<number> => {
  const toy = new Toy()
  for (let index = 0; index < consumers; index++) {
    toy.add(`n${index}.shop.bound.events`, hub)
    toy.bound(`n${index}.shop.bound.events`, "provided")
  }
  return Array.from(
    { length: rounds },
    (_, round) => timed(() => toy.have(hub, round % 2 === 0 ? "unhealthy" : "healthy"))[0] * 1_000 / consumers
  )
}
