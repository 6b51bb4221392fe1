/**
 * How the provisioner writes (protocol §9): by compare-and-set, and what it does where another writes too, or nobody answers.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import { decide, type Json } from "../../src/core/index.ts"
import { slowly } from "./Hearing.ts"
import {
  assertSettled,
  bound,
  databaseKey,
  facts,
  linesOf,
  pass,
  passLong,
  plans,
  provisions,
  put,
  settled,
  start,
  stored,
  unreachable,
  write
} from "./Running.ts"

const ask = "n2.postgres.n1.shop.database"

describe("a write that loses its compare-and-set (report 076)", () => {
  it.effect("is compared with what is there now, and written upon that", () =>
    Effect.gen(function*() {
      yield* settled
      let rivals = 3
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key }) =>
            bucket === provisions && key === databaseKey && rivals > 0
              ? Effect.orDie(Effect.provideService(write(bucket, key, { rival: rivals-- }), MemoryBus, memory))
              : Effect.void
        }
      })
      const memory = yield* MemoryBus
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      const tries = running.asked.filter(({ key }) => key === databaseKey).map(({ ok }) => ok)
      assert.deepStrictEqual(tries, [false, false, false, true])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is not written again where another wrote the same", () =>
    Effect.gen(function*() {
      yield* settled
      const memory = yield* MemoryBus
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key }) =>
            Effect.gen(function*() {
              const { plans: wanted, provisions: provided } = decide(yield* memory.snapshot)
              const value = bucket === provisions ? provided.get(key) : wanted.get(key)
              yield* value === undefined ? Effect.void : write(bucket, key, value)
            }).pipe(Effect.orDie, Effect.provideService(MemoryBus, memory))
        }
      })
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      assert.deepStrictEqual(running.asked.map(({ bucket, ok }) => [bucket, ok]), [[provisions, false], [plans, false]])
      assert.deepStrictEqual(running.turns.at(-1)?.writes.map(({ outcome }) => outcome), ["same", "same"])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("though the other wrote what was there is written all the same", () =>
    Effect.gen(function*() {
      yield* settled
      const memory = yield* MemoryBus
      let rivals = 1
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key }) =>
            Effect.gen(function*() {
              const held = yield* stored(bucket, key)
              if (bucket === provisions && rivals-- > 0 && held !== undefined) {
                yield* write(bucket, key, held)
              }
            }).pipe(Effect.orDie, Effect.provideService(MemoryBus, memory))
        }
      })
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* passLong("1 second")
      assert.deepStrictEqual(
        running.asked.flatMap(({ bucket, ok }) => bucket === provisions ? [ok] : []),
        [false, true]
      )
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("again and again is tried a bounded number of times, said once, and put right when the other stops", () =>
    Effect.gen(function*() {
      yield* settled
      const memory = yield* MemoryBus
      let rivals = 0
      let fights = true
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key }) =>
            bucket === provisions && key === databaseKey && fights
              ? Effect.orDie(Effect.provideService(write(bucket, key, { rival: rivals++ }), MemoryBus, memory))
              : Effect.void
        }
      })
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      assert.isAtMost(rivals, 10)
      // The others are not held up by it.
      assert.deepInclude(running.asked, { op: "update", bucket: plans, key: "n1.shop", ok: true })
      yield* write("postgres_bound", bound, { state: "failed", by: "n2" })
      yield* passLong("1 minute")
      assert.isAtMost(rivals, 150)
      assert.strictEqual(linesOf(running, "Warn").filter((line) => line.includes("again and again")).length <= 2, true)
      fights = false
      yield* passLong("10 seconds")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("now and then, with others that succeed in between, is no fight and not said", () =>
    Effect.gen(function*() {
      yield* settled
      const memory = yield* MemoryBus
      let rivals: Array<Json> = []
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key }) =>
            Effect.suspend(() => {
              const rival = bucket === provisions ? rivals.shift() : undefined
              return rival !== undefined
                ? Effect.orDie(Effect.provideService(write(bucket, key, rival), MemoryBus, memory))
                : Effect.void
            })
        }
      })
      yield* pass()
      for (let round = 0; round < 12; round++) {
        const entry = { state: round % 2 === 0 ? "making" : "failed", by: "n2" }
        const { provisions: wanted } = decide({ buckets: { ...facts, postgres_bound: { [bound]: entry } } })
        // Another value; or that and, at the next try, the very one that is to be written.
        rivals = [{ rival: round }, ...(round < 6 ? [] : [wanted.get(databaseKey) ?? null])]
        yield* write("postgres_bound", bound, entry)
        yield* passLong("1 second")
      }
      assert.strictEqual(running.asked.filter(({ ok }) => !ok).length, 18)
      assert.deepStrictEqual(linesOf(running, "Warn"), [])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("of the delete of an answer leaves the new answer, which is judged anew", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      const answers = "mesh-provisioner_answers"
      // Retire what the maker has no more: such an answer is deleted (§6).
      const stale = { answer: "retire", entry: "0".repeat(32), by: "ann" }
      const keep = { answer: "keep", entry: "0".repeat(32), by: "ann" }
      yield* put({ ...facts, "mesh-provisioner_needs": {}, [answers]: { [ask]: stale } })
      let rival = true
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket }) =>
            Effect.suspend(() => {
              if (bucket !== answers || !rival) {
                return Effect.void
              }
              rival = false
              return Effect.orDie(Effect.provideService(write(answers, ask, keep), MemoryBus, memory))
            })
        }
      })
      yield* pass()
      assert.deepStrictEqual(yield* stored(answers, ask), keep)
      assert.deepInclude(yield* stored("mesh-provisioner_asks", ask), { state: "kept" })
      assert.strictEqual(running.asked.filter(({ bucket }) => bucket === answers).length, 1)
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("an answer that no longer counts is deleted once", () =>
    Effect.gen(function*() {
      const answers = "mesh-provisioner_answers"
      yield* put({ ...facts, [answers]: { [ask]: { answer: "keep", entry: "0".repeat(32), by: "ann" } } })
      const running = yield* start()
      yield* pass()
      yield* write(provisions, databaseKey, { tampered: true })
      yield* pass()
      assert.isUndefined((yield* running.provisioner.source)?.facts.answers.fact(ask))
      assert.deepStrictEqual(linesOf(running, "Info").filter((line) => line.includes(answers)), [
        `delete ${answers} ${ask}`
      ])
      assert.deepStrictEqual(running.asked.filter(({ bucket }) => bucket === answers), [
        { op: "delete", bucket: answers, key: ask, ok: true }
      ])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a write that was not answered", () => {
  for (const fault of ["loseNextAnswer", "loseNextWrite"] as const) {
    it.effect(`is read before it is written again, never repeated blindly: ${fault}`, () =>
      Effect.gen(function*() {
        yield* settled
        const read: Array<string> = []
        const running = yield* start({
          interference: { beforeGet: (bucket, key) => Effect.sync(() => read.push(`${bucket} ${key}`)) }
        })
        yield* pass()
        const { faults } = yield* MemoryBus
        yield* write("postgres_bound", bound, { state: "making", by: "n2" })
        yield* faults[fault]
        yield* pass(20)
        // What was not answered stops the others: nobody knows whether the bus is there.
        assert.deepStrictEqual(running.asked, [{ op: "update", bucket: provisions, key: databaseKey, ok: false }])
        assert.strictEqual((yield* running.provisioner.health).state, "lost")
        yield* pass(200)
        assert.strictEqual((yield* running.provisioner.health).state, "live")
        assert.deepStrictEqual(read, fault === "loseNextWrite" ? [`${provisions} ${databaseKey}`] : [])
        assert.deepStrictEqual(
          running.asked.slice(1).map(({ bucket }) => bucket),
          fault === "loseNextWrite" ? [provisions, plans] : [plans]
        )
        yield* assertSettled
        assert.strictEqual(linesOf(running, "Warn").length, 1)
      }).pipe(Effect.provide(MemoryBus.layer())))
  }

  it.effect("and whose event does not come either is read", () =>
    Effect.gen(function*() {
      yield* settled
      const { faults } = yield* MemoryBus
      const read: Array<string> = []
      let deaf = false
      let lose = Effect.void
      const running = yield* start({
        interference: {
          beforeGet: (bucket, key) => Effect.sync(() => read.push(`${bucket} ${key}`)),
          beforeWrite: () => lose,
          follow: (bucket, follow) =>
            bucket === provisions && deaf
              ? Effect.fail(unreachable(bucket))
              : slowly("500 millis", provisions)(bucket, follow)
        }
      })
      yield* passLong("1 second")
      deaf = true
      yield* faults.endReading(provisions)
      yield* pass()
      deaf = false
      yield* passLong("2 seconds")
      lose = Effect.andThen(Effect.sync(() => lose = Effect.void), faults.loseNextWrite)
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      yield* passLong("1 second")
      assert.deepStrictEqual(read, [`${provisions} ${databaseKey}`])
      assert.isTrue(running.asked.length > 0)
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("stays unwritten while the bus does not say what is there", () =>
    Effect.gen(function*() {
      yield* settled
      let silent = false
      const running = yield* start({
        interference: { beforeGet: (bucket) => silent ? Effect.fail(unreachable(bucket)) : Effect.void }
      })
      yield* pass()
      const { faults } = yield* MemoryBus
      silent = true
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* faults.loseNextWrite
      yield* passLong("10 minutes")
      assert.strictEqual(running.asked.length, 1)
      assert.strictEqual((yield* running.provisioner.health).state, "lost")
      assert.strictEqual(linesOf(running, "Warn").length, 1)
      silent = false
      yield* passLong("10 seconds")
      assert.strictEqual((yield* running.provisioner.health).state, "live")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})
