/**
 * Goal: on NATS a daemon does what a change asks for and nothing else: its own writes coming back wake nothing, and a decision
 * that another wrote is put right, in a term of its own.
 *
 * Method: a daemon within this process; what it writes is recorded, and its turns are counted.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, PubSub } from "effect"
import { bucketName } from "../../src/core/BucketName.ts"
import { act, until } from "../adapters/nats/Ground.ts"
import { inProcess } from "./InProcess.ts"
import { comesTo, followers, mesh, setHealth } from "./Mesh.ts"

const count = 50

describe("a daemon on NATS", () => {
  it.live("takes one turn for one change, and none for what it wrote itself", () =>
    Effect.gen(function*() {
      const on = yield* mesh(followers(count, "healthy"))
      const one = yield* inProcess(on.server)
      yield* one.stands("live")
      const turns = yield* one.turns
      yield* PubSub.takeAll(turns)
      const before = one.acknowledged.size
      yield* setHealth(on, "unhealthy")
      yield* comesTo(on, followers(count, "unhealthy"))
      yield* Effect.sleep("500 millis")
      const taken = yield* PubSub.takeUpTo(turns, 10)
      assert.deepStrictEqual(taken.map(({ changes, writes }) => [changes, writes.length]), [[1, 2 * count]])
      assert.strictEqual(one.acknowledged.size - before, 2 * count)
    }))

  it.live("a fact that is put again as it was changes nothing", () =>
    Effect.gen(function*() {
      const on = yield* mesh(followers(count, "healthy"))
      const one = yield* inProcess(on.server)
      yield* one.stands("live")
      const before = one.acknowledged.size
      for (let time = 0; time < 20; time++) {
        yield* setHealth(on, "healthy")
      }
      yield* Effect.sleep("500 millis")
      assert.strictEqual(one.acknowledged.size, before)
    }))

  it.live("puts a decision right that another wrote or took away, and says that it looked at the seat", () =>
    Effect.gen(function*() {
      const facts = followers(count, "healthy")
      const on = yield* mesh(facts)
      const one = yield* inProcess(on.server)
      yield* one.stands("live")
      yield* act(() => on.admin.plant(bucketName.plans, [["n2.follower1", `{"state":"ready"}`], ["n9.ghost", "{}"]]))
      yield* comesTo(on, facts)
      yield* until("it says so", () => one.lines.some((line) => line.includes(bucketName.plans)))
      yield* one.stands("live")
    }))
})
