/**
 * Goal: how long it took from a change to the last write that follows from it is measured, whatever lies between, and so is how
 * long the present turn has lasted (docs/operating.md).
 *
 * Method: a provisioner on virtual time whose writes take as long as the test says, or fail for as long.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import { counting } from "./Counting.ts"
import { bound, databaseKey, facts, pass, passLong, provisions, put, start, write } from "./Running.ts"
import { sampled } from "./Scrape.ts"

describe("the time from a change to its last write", () => {
  /** A live mesh, each of whose writes from now on takes so long. */
  const slow = (millis: () => number) =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start({ quiet: "2 millis", interference: { beforeWrite: () => Effect.sleep(millis()) } })
      yield* pass()
      return running
    })

  it.effect("is from the first change that is heard to the last answer", () =>
    Effect.gen(function*() {
      let millis = 0
      const running = yield* slow(() => millis)
      const { scrape } = yield* counting(running)
      millis = 40
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass(100)
      // What was heard waits 2 ms for more.
      assert.strictEqual(running.turns.at(-1)?.changeToWriteMillis, 42)
      const families = yield* scrape
      assert.strictEqual(sampled(families, "mesh_provisioner_change_to_write_seconds_count"), 1)
      assert.strictEqual(sampled(families, "mesh_provisioner_change_to_write_seconds_sum"), 0.042)
      const upTo = (le: string) => sampled(families, "mesh_provisioner_change_to_write_seconds_bucket", { le })
      assert.deepStrictEqual([upTo("0.025"), upTo("0.05"), upTo("+Inf")], [0, 1, 1])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("goes on over writes that the bus did not take, until they are written", () =>
    Effect.gen(function*() {
      let isBroken = false
      yield* put(facts)
      const running = yield* start({
        retryFirst: "500 millis",
        interference: {
          beforeWrite: ({ bucket, key, op }) =>
            isBroken
              ? Effect.fail(new BusError({ operation: op, bucket, key, reason: { _tag: "Unreachable" } }))
              : Effect.void
        }
      })
      yield* pass()
      isBroken = true
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass(300)
      assert.isUndefined(running.turns.at(-1)?.changeToWriteMillis)
      isBroken = false
      yield* passLong("1 second")
      const millis = running.turns.at(-1)?.changeToWriteMillis ?? 0
      assert.isAtLeast(millis, 500)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is none of a start, of a change that nothing follows from, and of what another wrote", () =>
    Effect.gen(function*() {
      const running = yield* slow(() => 0)
      assert.strictEqual(running.turns.length, 1)
      yield* write("mesh-host_haves", "n2.postgres", { build: "p1", health: "healthy", words: "still" })
      yield* pass()
      yield* write(provisions, databaseKey, {})
      yield* pass()
      assert.isAbove(running.turns.length, 2)
      assert.deepStrictEqual([...new Set(running.turns.map(({ changeToWriteMillis }) => changeToWriteMillis))], [
        undefined
      ])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is told while it lasts: a turn that does not end is seen", () =>
    Effect.gen(function*() {
      let millis = 0
      const running = yield* slow(() => millis)
      assert.isUndefined(yield* running.provisioner.busyMillis)
      millis = 3_600_000
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      yield* passLong("6 minutes")
      assert.isAtLeast((yield* running.provisioner.busyMillis) ?? 0, 360_000)
      yield* passLong("1 hour")
      assert.isUndefined(yield* running.provisioner.busyMillis)
    }).pipe(Effect.provide(MemoryBus.layer())))
})
