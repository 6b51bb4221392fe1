/**
 * How the provisioner lives on change events (protocol §9): a change writes what it changes and nothing else, and its own
 * writes wake nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import { decide } from "../../src/core/index.ts"
import { echo, slowly } from "./Hearing.ts"
import {
  assertSettled,
  bound,
  databaseKey,
  facts,
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

const recorded = (more: object = {}) => ({ state: "provided", by: "n2", values: { host: "db" }, ...more })

describe("a change of facts", () => {
  it.effect("writes what it changes and nothing else", () =>
    Effect.gen(function*() {
      yield* put(facts)
      yield* put(needs(20))
      // By a plain function, whose decisions before stay as they were.
      const running = yield* start({ decide })
      yield* pass()
      running.asked.length = 0
      yield* write("postgres_bound", bound, { state: "failed", why: "disk full", by: "n2" })
      yield* pass()
      assert.deepStrictEqual(running.asked, [
        { op: "update", bucket: provisions, key: databaseKey, ok: true },
        { op: "update", bucket: "mesh-provisioner_plans", key: "n1.shop", ok: true }
      ])
      const turn = running.turns.at(-1)
      assert.strictEqual(turn?.changes, 1)
      assert.strictEqual(turn?.before?.provisions.get(databaseKey)?.state, "provided")
      assert.deepInclude(turn?.after.provisions.get(databaseKey), { state: "failed", why: "disk full" })
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("that comes alone is decided at once, and waits for no other", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      for (let index = 0; index < 20; index++) {
        const before = running.decided()
        yield* write("mesh-provisioner_needs", `n1.shop.port.p${index}`, {})
        yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
        assert.strictEqual(running.decided() - before, 1)
        assert.isDefined(yield* stored(provisions, `n1.shop.port.p${index}`))
      }
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("waits for others no longer than a bounded time where a moment is to be quiet, and is decided with them", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start({ quiet: "2 millis" })
      yield* pass()
      const before = running.decided()
      // One fact every millisecond: a batch that waited for a quiet moment would never be decided.
      for (let index = 0; index < 60; index++) {
        yield* write("mesh-provisioner_needs", `n1.shop.port.p${index}`, {})
        yield* pass(1)
      }
      const turns = running.decided() - before
      assert.isAtLeast(turns, 60 / (10 + 2) - 1)
      assert.isAtMost(turns, 15)
      yield* pass()
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("made at once with thousands of others is decided once", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      const before = running.decided()
      yield* put(needs(3_000))
      assert.strictEqual(running.decided() - before, 1)
      assert.strictEqual(running.turns.at(-1)?.changes, 3_000)
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("while a turn is written waits with all others that do, and is decided with them", () =>
    Effect.gen(function*() {
      let millis = 0
      yield* put(facts)
      const running = yield* start({ interference: { beforeWrite: () => Effect.sleep(millis) } })
      yield* pass()
      const before = running.decided()
      millis = 5
      for (let index = 0; index < 60; index++) {
        yield* write("mesh-provisioner_needs", `n1.shop.port.p${index}`, {})
        yield* pass(1)
      }
      yield* pass()
      assert.isAtMost(running.decided() - before, 60 / 5 + 1)
      assert.strictEqual(
        running.turns.slice(-(running.decided() - before)).reduce((sum, { changes }) => sum + changes, 0),
        60
      )
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("while a turn is written is taken up by the next", () =>
    Effect.gen(function*() {
      const bus = (yield* MemoryBus).as({ role: "admin" })
      yield* put(facts)
      let planted = false
      const running = yield* start({
        interference: {
          beforeWrite: () =>
            Effect.suspend(() => {
              if (planted) {
                return Effect.void
              }
              planted = true
              return Effect.asVoid(
                bus.create("mesh-provisioner_needs", "n1.shop.port.late", new TextEncoder().encode("{}"))
              )
            })
        }
      })
      yield* pass()
      assert.isDefined(yield* stored(provisions, "n1.shop.port.late"))
      assert.strictEqual(running.turns.length, 2)
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("that is undone before it is decided writes nothing", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      running.asked.length = 0
      yield* write("mesh-provisioner_needs", "n1.shop.port.other", {})
      yield* remove("mesh-provisioner_needs", "n1.shop.port.other")
      yield* pass()
      assert.deepStrictEqual(running.asked, [])
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("a need that goes and comes within a turn is written upon its tombstone (report 076)", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      for (let round = 0; round < 3; round++) {
        yield* remove("mesh-provisioner_needs", databaseKey)
        yield* pass()
        assert.isUndefined(yield* stored(provisions, databaseKey))
        yield* write("mesh-provisioner_needs", databaseKey, {})
        yield* pass()
        assert.isDefined(yield* stored(provisions, databaseKey))
      }
      assert.isTrue(running.asked.every(({ ok }) => ok))
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("what changes nothing", () => {
  it.effect("its own writes coming back wake nothing: no decision, no turn (report 088)", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      yield* remove("mesh-provisioner_needs", databaseKey)
      yield* pass()
      yield* pass(500)
      assert.strictEqual(running.decided(), 3)
      assert.strictEqual(running.turns.length, 3)
      assert.isTrue(running.turns.every(({ writes }) => writes.length > 0))
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("its own writes coming back late, when it has written again already", () =>
    Effect.gen(function*() {
      const answers = "mesh-provisioner_answers"
      yield* put({
        ...facts,
        [answers]: { "n2.postgres.n1.shop.database": { answer: "keep", entry: "0".repeat(32), by: "ann" } }
      })
      const running = yield* start({ interference: { follow: slowly("50 millis", provisions, answers) } })
      yield* pass(100)
      running.asked.length = 0
      for (const state of ["making", "provided", "making", "failed"]) {
        yield* write("postgres_bound", bound, { state, by: "n2", values: { host: "db" } })
        yield* pass(15)
      }
      yield* remove("mesh-provisioner_needs", databaseKey)
      yield* pass(15)
      yield* write("mesh-provisioner_needs", databaseKey, {})
      yield* pass(200)
      const ops = running.asked.flatMap(({ bucket, key, op }) =>
        bucket === provisions && key === databaseKey ? [op] : []
      )
      assert.deepStrictEqual(ops, ["update", "update", "update", "update", "delete", "create"])
      assert.isTrue(running.asked.every(({ ok }) => ok))
      assert.strictEqual(running.turns.length, 7)
      assert.strictEqual(running.asked.filter(({ bucket }) => bucket === answers).length, 0)
      yield* assertSettled
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("a fact put again as it is, a hundred times: not even decided", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      running.asked.length = 0
      const before = running.decided()
      for (let round = 0; round < 100; round++) {
        yield* write("postgres_bound", bound, recorded())
        yield* pass(1)
      }
      yield* pass()
      assert.strictEqual(running.decided(), before)
      assert.deepStrictEqual(running.asked, [])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("a provider that re-records one outcome with a new time 50 times: coalesced, and nothing written (report 090)", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      running.asked.length = 0
      const before = running.decided()
      for (let round = 0; round < 50; round++) {
        yield* write("postgres_bound", bound, recorded({ since: `12:00:00.${round}` }))
      }
      yield* pass()
      assert.strictEqual(running.decided(), before + 1)
      assert.deepStrictEqual(running.asked, [])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("facts that arrive twice or late: passed over", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const said = echo()
      const running = yield* start({ interference: { follow: said.follow } })
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      yield* write("postgres_bound", bound, recorded())
      yield* remove("mesh-provisioner_needs", "n1.shop.port.http")
      yield* pass()
      running.asked.length = 0
      const before = running.decided()
      assert.isAtLeast(said.again("mesh-provisioner_needs"), 3)
      assert.isAtLeast(said.again("postgres_bound"), 3)
      assert.isAtLeast(said.again(provisions), 3)
      yield* pass()
      assert.strictEqual(running.decided(), before)
      assert.deepStrictEqual(running.asked, [])
      assert.deepInclude(yield* stored(provisions, databaseKey), { state: "provided" })
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("the mark of the seat's holder (`_epoch`)", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      running.asked.length = 0
      const turns = running.turns.length
      yield* write(provisions, "_epoch", { term: 3 })
      yield* pass()
      yield* write(provisions, "_epoch", { term: 4 })
      yield* passLong("1 hour")
      assert.deepStrictEqual(running.asked, [])
      assert.strictEqual(running.turns.length, turns)
      assert.deepStrictEqual(yield* stored(provisions, "_epoch"), { term: 4 })
    }).pipe(Effect.provide(MemoryBus.layer())))
})
