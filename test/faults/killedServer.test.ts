/**
 * Goal: a server that is killed in the middle of twenty thousand writes and started again has every decision that it
 * acknowledged, and comes to what is decided, by itself and soon.
 *
 * Method: the daemon's layers in this process, whose bus notes what is acknowledged; all that the buckets hold is read by the
 * bare client.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { act, until } from "../adapters/nats/Ground.ts"
import { inProcess } from "../daemon/InProcess.ts"
import { comesTo, followers, mesh, setHealth } from "../daemon/Mesh.ts"
import { figure, lostOf, messages, millisSince } from "./Ground.ts"

const followerCount = 10_000
const writeCount = 2 * followerCount

/** It takes under 3 s where nothing else is run; what else a machine does may slow it down ten times. */
const backMillisMax = 30_000

describe("a server that is killed", () => {
  it.live.each([0.2, 0.7])(
    `after %f of ${writeCount} writes loses none that it acknowledged, and all are written soon after it is back`,
    (share) =>
      Effect.gen(function*() {
        const on = yield* mesh(followers(followerCount, "unhealthy"))
        const { acknowledged, stands } = yield* inProcess(on.server)
        yield* stands("live")
        const atFirst = acknowledged.size
        yield* setHealth(on, "healthy")
        yield* until("it is in the middle", () => acknowledged.size > atFirst + share * writeCount, 120_000)
        yield* act(() => on.server.stop("SIGKILL"))
        const beforeKill = new Map(acknowledged)
        assert.isBelow(beforeKill.size, atFirst + writeCount, "it was under way")
        yield* act(() => on.server.start())
        const back = performance.now()
        // As many decisions are left as were not acknowledged, less what was stored and could not be answered any more.
        yield* until("it writes again", () => acknowledged.size > beforeKill.size, backMillisMax)
        const written = millisSince(back)
        yield* stands("live")
        const millis = millisSince(back)
        const all = acknowledged.size
        yield* comesTo(on, followers(followerCount, "healthy"), 120_000)
        assert.deepStrictEqual(lostOf(beforeKill, yield* messages(on)), [])
        assert.strictEqual(acknowledged.size, all, "nothing was written once it was live")
        assert.isAtMost(all, atFirst + writeCount, "nothing was written twice")
        assert.isBelow(millis, backMillisMax)
        figure(
          `killed after ${beforeKill.size - atFirst} of ${writeCount} writes: the first other was acknowledged ` +
            `${written} ms after it was back, the last (${all - beforeKill.size} more) ${millis} ms`
        )
      }),
    300_000
  )
})
