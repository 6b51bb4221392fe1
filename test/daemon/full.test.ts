/**
 * Goal: a decision that cannot be written, as its bucket is full or it is too large, stops nothing else, is said once, and is
 * told by health until it is written.
 *
 * Method: a bucket on a real server that may hold less than is decided, and one whose messages may be no larger than some plan.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bucketName } from "../../src/core/BucketName.ts"
import { decide } from "../../src/core/Decide.ts"
import { act, until } from "../adapters/nats/Ground.ts"
import { inProcess } from "./InProcess.ts"
import { comesTo, followers, type Mesh, mesh, setHealth } from "./Mesh.ts"

const count = 200

/** Gives a bucket another limit. */
const limit = (
  { admin }: Mesh,
  bucket: string,
  limits: { readonly max_bytes?: number; readonly max_msg_size?: number }
) => act(() => admin.manager.streams.update(`KV_${bucket}`, limits))

const keysIn = ({ admin }: Mesh, bucket: string) =>
  act(async () => {
    const { state } = await admin.manager.streams.info(`KV_${bucket}`, { subjects_filter: ">" })
    return Object.keys(state.subjects ?? {}).filter((subject) => !subject.endsWith("._epoch")).length
  })

describe("a decision that cannot be written", () => {
  it.live(
    "as its bucket is full stops no other bucket's, is said once, and is written when there is room",
    () =>
      Effect.gen(function*() {
        const on = yield* mesh({ buckets: {} })
        const facts = followers(count, "healthy")
        yield* limit(on, bucketName.provisions, { max_bytes: 40_000 })
        yield* Effect.forEach(Object.entries(facts.buckets), ([bucket, values]) =>
          act(() =>
            on.admin.plant(
              bucket,
              Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const)
            )
          ))
        const one = yield* inProcess(on.server)
        const health = yield* one.stands("live")
        const [unwritten] = health.unwritten
        assert.strictEqual(unwritten?.bucket, bucketName.provisions)
        assert.strictEqual(unwritten?.how, "full")
        assert.strictEqual(unwritten?.count, count - (yield* keysIn(on, bucketName.provisions)))
        assert.include(health.sentence, bucketName.provisions)
        assert.strictEqual(yield* keysIn(on, bucketName.plans), decide(facts).plans.size, "the plans are all written")
        yield* Effect.sleep("1 second")
        const said = one.lines.filter((line) => line.includes("full") && line.includes(bucketName.provisions))
        assert.strictEqual(said.length, 1)
        yield* limit(on, bucketName.provisions, { max_bytes: -1 })
        yield* comesTo(on, facts)
        assert.deepStrictEqual((yield* one.stands("live")).unwritten, [])
      }),
    60_000
  )

  it.live("as it is too large is told by health, until it is another that is not", () =>
    Effect.gen(function*() {
      const facts = followers(count, "healthy")
      const on = yield* mesh(facts)
      yield* limit(on, bucketName.plans, { max_msg_size: 600 })
      const one = yield* inProcess(on.server)
      yield* one.stands("live")
      yield* comesTo(on, facts)
      const words = "x".repeat(1_000)
      yield* act(() =>
        on.admin.plant(bucketName.haves, [["n1.leader", JSON.stringify({ build: "l1", health: "failed", words })]])
      )
      yield* until("the provisions are written", () =>
        [...one.acknowledged.values()].some((text) => text.includes(words)))
      yield* Effect.sleep("500 millis")
      const { sentence, unwritten } = yield* one.stands("live")
      assert.deepStrictEqual(unwritten, [{ bucket: bucketName.plans, how: "too-large", count }])
      assert.include(sentence, "too large")
      yield* setHealth(on, "healthy")
      yield* comesTo(on, facts)
      assert.deepStrictEqual((yield* one.stands("live")).unwritten, [])
    }), 60_000)
})
