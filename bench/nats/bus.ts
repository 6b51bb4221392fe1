/**
 * The daemon on a real server, beside the bare client.
 */
import type { Benchmark, Row, Run } from "../Row.ts"
import { live } from "./live.ts"
import { minute } from "./minute.ts"
import { openStage } from "./Stage.ts"
import { coldStart, firstStart } from "./start.ts"

/** So many needs have a million facts. */
const millionNeeds = 500_000

const rows = async function*({ at, isAsked, isQuick, needs }: Run): AsyncIterable<Row> {
  const on = await openStage()
  try {
    if (isAsked("bus.live")) {
      at("live: changes on a bus")
      yield* live(on, { needs: 1_000, rounds: isQuick ? 2 : 5, changes: isQuick ? 40 : 400 })
    }
    if (isAsked("bus.first")) {
      at("first: the first start")
      yield await firstStart(on, needs ?? (isQuick ? 4_000 : 100_000), isQuick ? 1 : 5)
    }
    if (isAsked("bus.cold")) {
      at("cold: a start with nothing to write")
      yield await coldStart(on, needs ?? (isQuick ? 5_000 : millionNeeds), isQuick ? 2 : 5)
    }
    if (isAsked("bus.minute")) {
      at("minute: many changes a second")
      yield* minute(on, {
        needs: needs ?? (isQuick ? 5_000 : 1_000_000),
        seconds: isQuick ? 2 : 60,
        rounds: isQuick ? 1 : 5
      })
    }
  } finally {
    await on.close()
  }
}

/** The rows `bus.live`, `bus.first`, `bus.cold` and `bus.minute`. */
export const bus: Benchmark = { name: "bus", rows }
