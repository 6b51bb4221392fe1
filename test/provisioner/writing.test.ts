/**
 * How the provisioner writes (protocol §9): by compare-and-set, and what it does where a write fails, is not answered, or is
 * cut short.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import { decide } from "../../src/core/index.ts"
import {
  assertSettled,
  databaseKey,
  facts,
  linesOf,
  needs,
  pass,
  passLong,
  provisions,
  put,
  remove,
  start,
  stored,
  write
} from "./Running.ts"

const bound = "n1.shop.database"
const ask = "n2.postgres.n1.shop.database"
const plans = "mesh-provisioner_plans"

/** A mesh that is decided and stored, and nothing runs. */
const settled = Effect.gen(function*() {
  yield* put(facts)
  const running = yield* start()
  yield* pass()
  yield* running.stop
})

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
      const read: Array<string> = []
      let deaf = false
      const running = yield* start({
        interference: {
          beforeGet: (bucket, key) => Effect.sync(() => read.push(`${bucket} ${key}`)),
          beforeWrite: () => Effect.void,
          follow: (bucket, follow) =>
            bucket === provisions && deaf ? Effect.fail(unreachable(bucket)) : follow
        }
      })
      yield* pass()
      const { faults } = yield* MemoryBus
      deaf = true
      yield* faults.endReading(provisions)
      yield* pass()
      deaf = false
      yield* passLong("1 second")
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* faults.loseNextWrite
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

describe("a write that cannot succeed", () => {
  it.effect("because it is too large is said once with bucket and key, and does not stop the others", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      running.asked.length = 0
      // A `why` of the provider's words, as long as they may be, is over what this bus holds.
      yield* write("postgres_bound", bound, { state: "failed", why: "e".repeat(1_000), by: "n2" })
      yield* write("mesh-controller_assignments", "n3.web", { build: "w1" })
      yield* pass()
      assert.deepInclude(yield* stored(plans, "n3.web"), { state: "ready" })
      const warnings = linesOf(running, "Warn")
      assert.strictEqual(warnings.length, 2)
      assert.match(warnings[0] ?? "", /^Key "n1\.shop\.bound\.database" of bucket mesh-provisioner_provisions was not updated: its value has \d+ bytes/)
      assert.strictEqual((yield* running.provisioner.health).state, "live")
      const tries = () => running.asked.filter(({ key }) => key === databaseKey).length
      assert.strictEqual(tries(), 1)
      yield* write("mesh-controller_assignments", "n4.web", { build: "w1" })
      yield* pass()
      assert.strictEqual(tries(), 1)
      yield* write("postgres_bound", bound, { state: "failed", why: "disk full", by: "n2" })
      yield* pass()
      assert.strictEqual(tries(), 2)
      yield* assertSettled
      assert.strictEqual(linesOf(running, "Warn").length, 2)
    }).pipe(Effect.provide(MemoryBus.layer({ valueBytesMax: 1_150 }))))

  it.effect("because it is refused is said once with bucket and key, and tried again only when its bucket is read anew", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, ...needs(5) })
      let mayWrite = false
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key, op }) =>
            bucket === plans && !mayWrite
              ? Effect.fail(new BusError({ operation: op, bucket, key, reason: { _tag: "Refused", because: "account" } }))
              : Effect.void
        }
      })
      yield* pass()
      const tries = () => running.asked.filter(({ bucket, key }) => bucket === plans && key === "n1.shop").length
      assert.strictEqual(tries(), 1)
      assert.isDefined(yield* stored(provisions, "n1.shop.port.p4"))
      yield* write("mesh-provisioner_needs", "n1.shop.port.p5", {})
      yield* pass()
      // What is to be written is another plan now.
      assert.strictEqual(tries(), 2)
      yield* write("mesh-provisioner_needs", "n1.other.port.x", {})
      yield* pass()
      const before = tries()
      assert.strictEqual(before, 2)
      yield* (yield* MemoryBus).faults.endReading("mesh-provisioner_needs")
      yield* passLong("10 minutes")
      assert.strictEqual(tries(), before)
      assert.strictEqual(linesOf(running, "Warn").filter((line) => line.includes(`"n1.shop" of bucket ${plans}`)).length, 2)
      yield* passLong("1 hour")
      assert.isAbove(tries(), before)
      assert.strictEqual(linesOf(running, "Warn").filter((line) => line.includes(`"n1.shop" of bucket ${plans}`)).length, 2)
      mayWrite = true
      yield* (yield* MemoryBus).faults.endReading(plans)
      yield* passLong("1 second")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("because a stranger's key cannot be written is said, escaped, and stops nothing", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, [provisions]: { "n1.*": {}, "n1.\u001b[2J\u202e": {} } })
      const running = yield* start()
      yield* pass()
      assert.isDefined(yield* stored(plans, "n1.shop"))
      const warnings = linesOf(running, "Warn")
      assert.strictEqual(warnings.length, 2)
      assert.isTrue(warnings.some((line) => line.includes("n1.*")))
      assert.isTrue(warnings.some((line) => line.includes("\\u001b[2J\\u202e")))
      yield* passLong("30 minutes")
      assert.strictEqual(linesOf(running, "Warn").length, 2)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("into a bucket that is gone stops writing until it is back", () =>
    Effect.gen(function*() {
      yield* settled
      let lost = true
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key, op }) =>
            lost ? Effect.fail(new BusError({ operation: op, bucket, key, reason: { _tag: "Lost", how: "missing" } })) : Effect.void
        }
      })
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* passLong("1 minute")
      assert.strictEqual((yield* running.provisioner.health).state, "lost")
      assert.deepStrictEqual((yield* running.provisioner.health).lost, [{ bucket: provisions, how: "missing" }])
      assert.strictEqual(linesOf(running, "Warn").length, 1)
      assert.isAtMost(running.asked.length, 20)
      lost = false
      yield* passLong("10 seconds")
      assert.strictEqual((yield* running.provisioner.health).state, "live")
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a crash (report 094)", () => {
  it.effect("after every k-th write: the next one begun reaches the same end, with no write done twice", () =>
    Effect.gen(function*() {
      const story = { ...facts, ...needs(3), "mesh-controller_modules": { ...facts["mesh-controller_modules"], shop: {} } }
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
        yield* write("postgres_bound", bound, { state: round % 2 === 0 ? "making" : "provided", by: "n2", values: { host: "db" } })
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

const unreachable = (bucket: string) => new BusError({ operation: "get", bucket, reason: { _tag: "Unreachable" } })
