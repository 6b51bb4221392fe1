/**
 * Goal: a bucket that is lost under a running daemon stops all writing and retires nothing, is said in health and log, and is
 * taken up again when it is back, whatever it holds then (protocol §9).
 *
 * Method: streams are deleted, purged and made again under a daemon, of facts, of decisions and of the seat.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { seatBucket } from "../../src/adapters/nats/SeatBucket.ts"
import { bucketName } from "../../src/core/BucketName.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { act, until } from "../adapters/nats/Ground.ts"
import { homelab, inProcess } from "./InProcess.ts"
import { comesTo, followers, type Mesh, mesh, sequences, setHealth, timeToLiveMillis } from "./Mesh.ts"

const running = Effect.fnUntraced(function*(facts: Snapshot) {
  const on = yield* mesh(facts)
  const one = yield* inProcess(on.server, { auditEvery: "500 millis", bucketsEvery: "500 millis" })
  yield* one.stands("live")
  yield* comesTo(on, facts)
  return { on, one }
})

const makeAgain = ({ admin, nats }: Mesh, bucket: string, values: Snapshot["buckets"][string] = {}) =>
  Effect.gen(function*() {
    const options = { buckets: [bucket], seatTimeToLiveMillis: timeToLiveMillis }
    yield* Effect.orDie(Effect.flatMap(nats.planBuckets(options), nats.applyPlans))
    yield* act(() =>
      admin.plant(bucket, Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const))
    )
  })

const without = (facts: Snapshot, bucket: string): Snapshot => ({ buckets: { ...facts.buckets, [bucket]: {} } })

describe("a bucket that is lost under a daemon", () => {
  const kept = [bucketName.needs, bucketName.modules, bucketName.haves, "postgres_bound"]
  it.live.each(kept)(
    "%s: it is said, nothing is written, and it is taken up when it is back",
    (bucket) =>
      Effect.gen(function*() {
        const { on, one } = yield* running(homelab)
        const before = yield* sequences(on)
        yield* act(() => on.admin.deleteBucket(bucket))
        const { lost, missing, sentence } = yield* one.stands("lost")
        assert.include([...lost.map((loss) => loss.bucket), ...missing], bucket)
        assert.include(sentence, bucket)
        yield* until("the log says so", () => one.lines.some((line) => line.includes(bucket) && line.includes("lost")))
        // Other facts that change meanwhile are waited with.
        yield* act(() => on.admin.plant("mesh-controller_machines", [["n1", `{"lost":true}`]]))
        yield* Effect.sleep("300 millis")
        assert.deepStrictEqual(yield* sequences(on), before)
        yield* makeAgain(on, bucket, homelab.buckets[bucket])
        yield* one.stands("live")
        const machines = { ...homelab.buckets["mesh-controller_machines"], n1: { lost: true } }
        yield* comesTo(on, { buckets: { ...homelab.buckets, "mesh-controller_machines": machines } })
      }),
    60_000
  )

  it.live("that is made again at once with other contents is read anew", () =>
    Effect.gen(function*() {
      const { on, one } = yield* running(homelab)
      yield* act(() => on.admin.deleteBucket(bucketName.haves))
      yield* makeAgain(on, bucketName.haves)
      yield* comesTo(on, without(homelab, bucketName.haves))
      yield* one.stands("live")
    }), 60_000)

  it.live("of which every message is purged is read as empty", () =>
    Effect.gen(function*() {
      const { on } = yield* running(homelab)
      yield* act(() => on.admin.manager.streams.purge(`KV_${bucketName.haves}`))
      yield* comesTo(on, without(homelab, bucketName.haves))
    }), 60_000)

  // The mark of the term goes with the bucket: what is made again is written in a term that has marked it.
  it.live.each([bucketName.provisions, bucketName.registry, bucketName.answers])(
    "%s: nothing is written without a bucket that the holder alone writes; it is taken up in a term of its own",
    (bucket) =>
      Effect.gen(function*() {
        const { on, one } = yield* running(homelab)
        yield* act(() => on.admin.deleteBucket(bucket))
        yield* until("the log says so", () => one.lines.some((line) => line.includes(bucket) && line.includes("lost")))
        yield* until(
          "and what to do",
          () => one.lines.some((line) => line.includes(bucket) && line.includes("mesh-provisioner setup"))
        )
        yield* act(() => on.admin.plant("mesh-controller_machines", [["n1", `{"lost":true}`]]))
        yield* Effect.sleep("300 millis")
        yield* makeAgain(on, bucket, bucket === bucketName.answers ? homelab.buckets[bucket] : {})
        yield* one.stands("live")
        const machines = { ...homelab.buckets["mesh-controller_machines"], n1: { lost: true } }
        yield* comesTo(on, { buckets: { ...homelab.buckets, "mesh-controller_machines": machines } })
        const terms = () => one.lines.filter((line) => line.startsWith("Holds the seat")).length
        const before = terms()
        yield* act(() => on.admin.plant("mesh-controller_machines", [["n1", "{}"]]))
        yield* Effect.sleep("500 millis")
        assert.strictEqual(terms(), before, "no write ended the term")
      }),
    60_000
  )

  it.live(
    "the seat's: it steps down, says so, and takes the seat when its bucket is back",
    () =>
      Effect.gen(function*() {
        const facts = followers(3, "healthy")
        const { on, one } = yield* running(facts)
        yield* act(() => on.admin.deleteBucket(seatBucket))
        yield* until("it says so", () => one.lines.some((line) => line.includes("The seat cannot be taken")))
        const before = yield* sequences(on)
        yield* setHealth(on, "unhealthy")
        yield* Effect.sleep("300 millis")
        assert.deepStrictEqual(yield* sequences(on), before)
        yield* makeAgain(on, seatBucket)
        yield* comesTo(on, followers(3, "unhealthy"))
      }),
    60_000
  )
})
