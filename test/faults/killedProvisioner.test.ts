/**
 * Goal: a provisioner that is killed after any of the writes of its first start leaves nothing that the next start does not
 * finish: it ends in the same state, and writes no decision a second time or in another way.
 *
 * Method: a daemon as a process of its own, which is killed by SIGKILL when the way to its server has carried so many of its
 * writes; then another starts. Every message that the buckets took since the first start is read by the bare client.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { seatBucket, seatKey } from "../../src/adapters/nats/SeatBucket.ts"
import { decide } from "../../src/core/Decide.ts"
import { act } from "../adapters/nats/Ground.ts"
import { homelab } from "../daemon/InProcess.ts"
import { comesTo, daemon, live, type Mesh, mesh } from "../daemon/Mesh.ts"
import { proxy } from "../nats/Proxy.ts"
import { decisionBuckets, figure, messages, millisSince } from "./Ground.ts"

/** A write of a decision, and not the mark of a term. */
const decisionWrite = /^\$KV\.mesh-provisioner_(?:registry|provisions|asks|plans)\.(?!_epoch$)/

const { asks, plans, provisions, registry } = decide(homelab)
const all = [asks, plans, provisions, registry].reduce((sum, { size }) => sum + size, 0)

/** After how many writes it is killed: the first, the last, and some between, other ones in each run. */
const samples = [1, 2, 3, ...Array.from({ length: 8 }, (_, index) => between(index / 8, (index + 1) / 8)), all - 1, all]

function between(from: number, to: number): number {
  return 4 + Math.floor((all - 6) * (from + Math.random() * (to - from)))
}

/** Empties the buckets of decisions, and takes away the seat of whoever died: as if nobody had ever started. */
const asIfNew = ({ admin }: Mesh) =>
  act(async () => {
    await freeSeat(admin)
    await Promise.all(decisionBuckets.map((bucket) => admin.manager.streams.purge(`KV_${bucket}`)))
  })

/** The seat of whoever died expires by itself, which other tests wait for. */
const freeSeat = ({ manager }: Mesh["admin"]) =>
  manager.streams.purge(`KV_${seatBucket}`, { filter: `$KV.${seatBucket}.${seatKey}` })

describe("a provisioner that is killed in its first start", () => {
  it.live(
    `after ${samples.length} of its ${all} writes: the next ends in the same state, and writes none of them again`,
    () =>
      Effect.gen(function*() {
        const on = yield* mesh(homelab)
        const took: Array<number> = []
        for (const count of samples) {
          yield* asIfNew(on)
          yield* Effect.scoped(Effect.gen(function*() {
            const way = yield* proxy(on.server)
            const reached = way.loseAllAfter(decisionWrite, count)
            const first = yield* daemon(way.url, "first")
            yield* act(() => reached)
            first.kill("SIGKILL")
            assert.strictEqual(yield* first.ended, "SIGKILL")
            const before = yield* messages(on)
            assert.strictEqual(before.length, count, "it was killed after as many writes")
            yield* act(() => freeSeat(on.admin))
            const from = performance.now()
            const second = yield* daemon(on.server.url, "second")
            yield* live(second)
            took.push(millisSince(from))
            yield* comesTo(on, homelab)
            const after = yield* messages(on)
            assert.strictEqual(new Set(after.map(({ id }) => id)).size, after.length, "each decision was written once")
            assert.strictEqual(after.length, all)
            second.kill("SIGTERM")
            assert.strictEqual(yield* second.ended, 0)
          }))
        }
        figure(
          `killed after ${samples.join(", ")} of ${all} writes: the next start was live in ` +
            `${Math.min(...took)} to ${Math.max(...took)} ms, and wrote each decision that was missing, once`
        )
      }),
    300_000
  )
})
