/**
 * Goal: one daemon of a mesh writes at a time. When it is killed, frozen or cut off, another takes over within the seat's time
 * to live and a beat; told to end, it hands over at once; and nothing that an earlier holder had under way is stored over what
 * its successor writes.
 *
 * Method: daemons as processes of their own, while facts change all the time, so that writes are always on their way. Who wrote
 * what is told by their logs, and held to the count of messages that the buckets took.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bucketName, isDecisionBucket } from "../../src/core/BucketName.ts"
import { until } from "../adapters/nats/Ground.ts"
import { proxy } from "../nats/Proxy.ts"
import {
  beatMillis,
  comesTo,
  daemon,
  followers,
  live,
  type Mesh,
  mesh,
  type Running,
  sequences,
  setHealth,
  timeToLiveMillis
} from "./Mesh.ts"

const followerCount = 300

/** What of a process's start, a busy machine and reading all adds to a take-over. */
const slackMillis = 1_500

/** Two daemons on a mesh in which facts change all the time: the first holds the seat, and the second stands by. */
const twoUnderLoad = Effect.fnUntraced(function*(way?: (on: Mesh) => string) {
  const on = yield* mesh(followers(followerCount, "healthy"))
  const first = yield* daemon(way?.(on) ?? on.server.url, "first")
  yield* live(first)
  const second = yield* daemon(on.server.url, "second")
  yield* until("the second stands by", () => second.says("Stands by: first holds the seat."))
  const load = { runs: true, health: "healthy" }
  yield* Effect.forkScoped(Effect.gen(function*() {
    while (load.runs) {
      load.health = load.health === "healthy" ? "unhealthy" : "healthy"
      yield* setHealth(on, load.health)
      yield* Effect.sleep("20 millis")
    }
  }))
  yield* until("the first writes", () => first.writesSince(0).length > 3 * followerCount)
  const rest = Effect.gen(function*() {
    load.runs = false
    yield* Effect.sleep("100 millis")
    yield* comesTo(on, followers(followerCount, load.health))
  })
  return { ...on, on, first, second, rest }
})

const takesOver = (second: Running, within: number) =>
  Effect.gen(function*() {
    const from = performance.now()
    yield* until("the second holds the seat", () => second.says("Holds the seat"))
    assert.isBelow(performance.now() - from, within)
    yield* live(second)
  })

describe("a daemon that holds the seat", () => {
  it.live("and is killed is followed within the time to live and a beat", () =>
    Effect.gen(function*() {
      const { first, rest, second } = yield* twoUnderLoad()
      first.kill("SIGKILL")
      yield* takesOver(second, timeToLiveMillis + beatMillis + slackMillis)
      yield* rest
      assert.strictEqual(second.lines.filter(({ message }) => message.includes("Stands by")).length, 1, "said once")
    }))

  it.live("and is told to end hands over at once, with what it had on its way stored, and exits with 0", () =>
    Effect.gen(function*() {
      const { first, rest, second } = yield* twoUnderLoad()
      const from = performance.now()
      first.kill("SIGTERM")
      yield* takesOver(second, beatMillis + slackMillis)
      assert.strictEqual(yield* first.ended, 0)
      assert.isBelow(performance.now() - from, 5_000)
      yield* rest
    }))

  it.live("and is frozen, and wakes with writes on their way, writes nothing over its successor and stands by", () =>
    Effect.gen(function*() {
      const { first, on, rest, second } = yield* twoUnderLoad()
      first.kill("SIGSTOP")
      yield* takesOver(second, timeToLiveMillis + beatMillis + slackMillis)
      yield* rest
      yield* saysNoMore(second)
      const before = yield* sequences(on)
      const written = second.writesSince(0).length
      const lines = first.lines.length
      first.kill("SIGCONT")
      yield* until("the first stands by", () => first.says("Stands by: second holds the seat."))
      yield* saysNoMore(first)
      yield* nothingButTheSecondWrote(on, before, second, written)
      // What was acknowledged before it froze is heard when it wakes; it is stored since then.
      const after = first.writesSince(lines).filter(({ bucket }) => isDecisionBucket(bucket ?? ""))
      assert.isBelow(after.length, 2 * followerCount + 1)
      assert.isTrue(first.says("Writes nothing more"))
    }))

  it.live("and is cut off writes nothing when it is back, and stands by", () =>
    Effect.gen(function*() {
      const on = yield* mesh(followers(followerCount, "healthy"))
      const way = yield* proxy(on.server)
      const first = yield* daemon(way.url, "first")
      yield* live(first)
      const second = yield* daemon(on.server.url, "second")
      yield* until("the second stands by", () => second.says("Stands by: first holds the seat."))
      way.holdUp()
      yield* setHealth(on, "unhealthy")
      yield* takesOver(second, timeToLiveMillis + beatMillis + slackMillis)
      yield* comesTo(on, followers(followerCount, "unhealthy"))
      yield* saysNoMore(second)
      const before = yield* sequences(on)
      const written = second.writesSince(0).length
      way.letThrough()
      yield* until("the first stands by", () => first.says("Stands by: second holds the seat."))
      yield* setHealth(on, "healthy")
      yield* comesTo(on, followers(followerCount, "healthy"))
      yield* saysNoMore(second)
      yield* nothingButTheSecondWrote(on, before, second, written)
    }))
})

/** Waits until a daemon has said all that it wrote: its lines come after its writes. */
const saysNoMore = (running: Running) =>
  Effect.gen(function*() {
    for (let looks = 0, said = -1; looks < 50 && said !== running.writesSince(0).length; looks++) {
      said = running.writesSince(0).length
      yield* Effect.sleep("400 millis")
    }
  })

/** Since then the buckets took as many messages as the second says that it wrote, and no others. */
const nothingButTheSecondWrote = (
  on: Mesh,
  before: ReadonlyMap<string, number>,
  second: Running,
  written: number
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const after = yield* sequences(on)
    const stored = [...after].reduce((sum, [bucket, last]) => sum + last - (before.get(bucket) ?? 0), 0)
    const said = second.writesSince(0).slice(written).filter(({ bucket }) => bucket !== bucketName.answers).length
    assert.strictEqual(stored, said)
  })
