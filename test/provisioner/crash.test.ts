/**
 * A provisioner that is cut short, and two at once (protocol §9): whoever writes, the end is the same.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import { assertSettled, bound, facts, needs, pass, passLong, put, remove, start, write } from "./Running.ts"

describe("a crash (report 094)", () => {
  it.effect("after every k-th write: the next one begun reaches the same end, with no write done twice", () =>
    Effect.gen(function*() {
      const story = {
        ...facts,
        ...needs(3),
        "mesh-controller_modules": { ...facts["mesh-controller_modules"], shop: {} }
      }
      const undisturbed = yield* Effect.gen(function*() {
        yield* put(story)
        const running = yield* start()
        yield* pass()
        return { writes: running.asked.length, end: yield* (yield* MemoryBus).snapshot }
      }).pipe(Effect.scoped, Effect.provideServiceEffect(MemoryBus, MemoryBus.make()))
      assert.isAbove(undisturbed.writes, 15)
      for (let crashAfter = 0; crashAfter <= undisturbed.writes; crashAfter++) {
        yield* Effect.gen(function*() {
          yield* put(story)
          let left = crashAfter
          const first = yield* start({
            dies: true,
            interference: { beforeWrite: () => Effect.suspend(() => left-- > 0 ? Effect.void : Effect.interrupt) }
          })
          yield* pass()
          yield* first.stop
          const written = first.asked.filter(({ ok }) => ok).length
          assert.strictEqual(written, crashAfter)
          const second = yield* start()
          yield* pass()
          assert.strictEqual(second.asked.length, undisturbed.writes - crashAfter)
          assert.deepStrictEqual(yield* (yield* MemoryBus).snapshot, undisturbed.end)
        }).pipe(Effect.scoped, Effect.provideServiceEffect(MemoryBus, MemoryBus.make()))
      }
    }))

  it.effect("a clean stop waits for the writes that are on their way, and begins no others", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, ...needs(40) })
      const gate = yield* Deferred.make<void>()
      let begun = 0
      const running = yield* start({
        writesInFlightMax: 4,
        interference: {
          beforeWrite: () =>
            Effect.suspend(() => {
              begun += 1
              return Deferred.await(gate)
            })
        }
      })
      yield* pass()
      assert.strictEqual(begun, 4)
      const stopping = yield* Effect.forkChild(running.stop, { startImmediately: true })
      yield* pass()
      assert.strictEqual(running.asked.length, 0)
      yield* Deferred.succeed(gate, undefined)
      yield* pass()
      assert.isDefined(stopping.pollUnsafe())
      assert.deepStrictEqual(running.asked.map(({ ok }) => ok), [true, true, true, true])
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("two provisioners at once", () => {
  it.effect("end in the same decided state, and then both rest", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const one = yield* start()
      const other = yield* start({ quiet: "3 millis" })
      yield* pass()
      yield* assertSettled
      for (let round = 0; round < 10; round++) {
        yield* write("postgres_bound", bound, {
          state: round % 2 === 0 ? "making" : "provided",
          by: "n2",
          values: { host: "db" }
        })
        yield* round % 3 === 0 ? remove("mesh-provisioner_needs", "n1.shop.port.http") : put(needs(round))
        yield* pass(40)
        yield* assertSettled
      }
      one.asked.length = 0
      other.asked.length = 0
      yield* passLong("2 hours")
      assert.deepStrictEqual([...one.asked, ...other.asked], [])
    }).pipe(Effect.provide(MemoryBus.layer())))
})
