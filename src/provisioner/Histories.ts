/**
 * What the keys of a page were before (protocol §8, `history`), as the bus still has it. Each key is asked for on its own, so the
 * bus is asked for few of them at once, however many ask for their pages: nothing else waits long behind them.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { readJson } from "../core/Decode.ts"
import { type Json, sameJson } from "../core/Json.ts"
import type { Earlier, QueryEntry } from "../core/Query.ts"
import type { Bus, Revision } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"

/**
 * Gives what the first of these entries were before: of as many as fill a reply of so many bytes, and seldom of many more. Keys
 * that are not there were not looked up.
 */
export type Histories = (
  bucket: string,
  entries: ReadonlyArray<QueryEntry>,
  bytesMax: number
) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Earlier>>, BusError>

/** The histories on a bus, for all who ask. */
export const historiesOf = (bus: Bus["Service"]): Histories => {
  const atOnce = Semaphore.makeUnsafe(askedAtOnceMax)
  return Effect.fnUntraced(function*(bucket, entries, bytesMax) {
    const histories = new Map<string, ReadonlyArray<Earlier>>()
    let bytes = 0
    for (let start = 0; start < entries.length && bytes <= bytesMax; start += askedAtOnceMax) {
      const read = yield* Effect.forEach(
        entries.slice(start, start + askedAtOnceMax),
        ({ key, value }) =>
          Effect.map(atOnce.withPermit(bus.history(bucket, key)), (history) => ({ key, value, history })),
        { concurrency: askedAtOnceMax }
      )
      for (const { history, key, value } of read) {
        histories.set(key, earlierOf(history, value))
        bytes += bytesOf(history)
      }
    }
    return histories
  })
}

/** The keys whose history the bus is asked for at once: a change that is written meanwhile waits behind no more. */
const askedAtOnceMax = 16

const bytesOf = (history: ReadonlyArray<Revision>): number =>
  history.reduce((sum, revision) => sum + (revision._tag === "Put" ? revision.value.length : 0), 0)

/** What a key held before what it holds now. */
const earlierOf = (history: ReadonlyArray<Revision>, now: Json | undefined): ReadonlyArray<Earlier> => {
  const values = history.map((revision): Earlier => ({
    value: revision._tag === "Put" ? Result.getOrUndefined(readJson(revision.value)) : undefined,
    time: DateTime.formatIso(DateTime.makeUnsafe(revision.timeMillis))
  }))
  return values.length > 0 && sameJson(values.at(-1)?.value, now) ? values.slice(0, -1) : values
}
