/**
 * `snapshot`: what the live bus holds, as a file.
 */
import * as Effect from "effect/Effect"
import type { Json } from "../core/Json.ts"
import type { Snapshot } from "../core/Snapshot.ts"
import { readBus } from "./BusSnapshot.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import { connected } from "./Connect.ts"
import type { Failure } from "./Failure.ts"
import { jsonPieces, printJson, printLines, styled } from "./Print.ts"
import { countText } from "./Say.ts"
import { writeText } from "./Write.ts"

/** What `snapshot` is asked. */
export interface SnapshotConfig {
  readonly connection: BusConfig
  readonly out: string | undefined
}

/** Runs `snapshot`. */
export const run = Effect.fnUntraced(function*({ connection, out }: SnapshotConfig): Effect.fn.Return<void, Failure> {
  const snapshot = yield* Effect.scoped(Effect.flatMap(connected(connection), ({ bus }) => readBus(bus)))
  if (out === undefined) {
    return yield* printJson(jsonOf(snapshot))
  }
  yield* writeText(out, textOf(snapshot))
  yield* printLines([[
    countText(keysIn(snapshot.buckets) + keysIn(snapshot.raw ?? {}), "key", "keys"),
    ` of ${countText(Object.keys(snapshot.buckets).length, "bucket", "buckets")}, written to `,
    styled("bold", out)
  ]])
})

const jsonOf = ({ buckets, raw }: Snapshot): Json => ({ buckets, ...(raw === undefined ? {} : { raw }) })

const textOf = function*(snapshot: Snapshot): Iterable<string> {
  yield* jsonPieces(jsonOf(snapshot), "  ")
  yield "\n"
}

const keysIn = (buckets: { readonly [bucket: string]: object }): number =>
  Object.values(buckets).reduce((count, keys) => count + Object.keys(keys).length, 0)
