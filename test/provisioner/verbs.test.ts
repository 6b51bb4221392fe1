/**
 * The verbs on the bus (protocol §8): their pure halves are tested with the core; here is what they need of the bus.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import {
  databaseKey,
  facts,
  linesOf,
  live,
  pass,
  passLong,
  provisions,
  put,
  remove,
  start,
  stored,
  write
} from "./Running.ts"

const answers = "mesh-provisioner_answers"
const ask = "n2.postgres.n1.shop.database"

const noMachine = { changes: [{ bucket: "mesh-controller_machines", key: "n2" }] }

/** A shop that needs its database no more: what postgres made for it is the question. */
const unneeded = Effect.gen(function*() {
  yield* put(facts)
  yield* remove("mesh-provisioner_needs", databaseKey)
})

describe("before everything was read once", () => {
  it.effect("every verb answers 503, and says what is missing", () =>
    Effect.gen(function*() {
      yield* unneeded
      const gate = yield* Deferred.make<void>()
      const { provisioner: { verbs } } = yield* start({
        interference: {
          follow: (bucket, follow) => bucket === answers ? Effect.andThen(Deferred.await(gate), follow) : follow
        }
      })
      yield* pass()
      const refusals = [
        yield* Effect.flip(verbs.provisioning({})),
        yield* Effect.flip(verbs.explain({ node: "n1", module: "shop" })),
        yield* Effect.flip(verbs.retire({ key: ask, answer: "keep", by: "ann" })),
        yield* Effect.flip(verbs.whatIf(noMachine))
      ]
      for (const { code, message } of refusals) {
        assert.strictEqual(code, 503)
        assert.include(message, answers)
      }
      yield* Deferred.succeed(gate, undefined)
      yield* pass()
      assert.strictEqual((yield* verbs.provisioning({})).what, "registry")
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("mesh-provisioner.what-if", () => {
  it.effect("answers 503 while a bucket is lost, names it, and decides of nothing that is read in part", () =>
    Effect.gen(function*() {
      const { provisioner: { verbs } } = yield* live
      const change = { changes: [{ bucket: "mesh-provisioner_needs", key: databaseKey }] }
      const told = yield* verbs.whatIf(change)
      assert.include(told.decisions.map(({ key }) => key), databaseKey)
      const memory = yield* MemoryBus
      yield* memory.deleteBucket("postgres_bound")
      yield* pass()
      const asked = yield* Effect.forkChild(Effect.flip(verbs.whatIf(change)))
      yield* passLong("2 seconds")
      const { code, message } = yield* Fiber.join(asked)
      assert.strictEqual(code, 503)
      assert.include(message, "postgres_bound")
      yield* memory.load({ buckets: { postgres_bound: facts.postgres_bound ?? {} } })
      yield* pass()
      assert.deepStrictEqual(yield* verbs.whatIf(change), told)
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("mesh-provisioner.provisioning", () => {
  it.effect("answers from the last decisions, and refuses as the core does", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      const { entries } = yield* verbs.provisioning({ what: "provisions", state: "provided" })
      assert.deepStrictEqual(entries.map(({ key }) => key), [databaseKey])
      assert.strictEqual(Object.hasOwn(entries[0] ?? {}, "history"), false)
      assert.strictEqual((yield* Effect.flip(verbs.provisioning({ what: "nonsense" }))).code, 400)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("adds what a key held before, each with its time, the oldest first", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      yield* write("postgres_bound", "n1.shop.database", { state: "making", by: "n2" })
      yield* pass(1)
      yield* passLong("1 minute")
      yield* remove("mesh-provisioner_needs", databaseKey)
      yield* pass(1)
      yield* passLong("1 minute")
      yield* write("mesh-provisioner_needs", databaseKey, {})
      yield* pass()
      const { entries } = yield* verbs.provisioning({ what: "provisions", history: true })
      const history = entries.find(({ key }) => key === databaseKey)?.["history"]
      const times = Array.isArray(history) ? history.map(({ time }) => time) : []
      const states = Array.isArray(history) ? history.map(({ value }) => value?.state) : []
      assert.deepStrictEqual(states, ["provided", "asked", undefined])
      assert.match(times[0], /^1970-01-01T00:00:00\.\d{3}Z$/)
      assert.match(times[2], /^1970-01-01T00:01:0\d\.\d{3}Z$/)
      assert.deepStrictEqual(entries.find(({ key }) => key === "n1.shop.port.http")?.["history"], [])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("asks the bus for the history of its page alone, and never exceeds a reply's size", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      for (let round = 0; round < 12; round++) {
        yield* write("postgres_bound", "n1.shop.database", { state: "failed", why: `${round}`.repeat(400), by: "n2" })
        yield* pass()
      }
      const options = { replyBytesMax: 8_000 }
      const reply = yield* verbs.provisioning({ what: "provisions", history: true }, options)
      assert.isAtMost(JSON.stringify(reply).length, options.replyBytesMax)
      const whole = yield* verbs.provisioning({ what: "provisions", history: true })
      const history = whole.entries.find(({ key }) => key === databaseKey)?.["history"]
      assert.strictEqual(Array.isArray(history) ? history.length : 0, 9)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("answers 503 where the bus does not give the history", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      yield* (yield* MemoryBus).faults.cutOff
      yield* pass()
      assert.strictEqual((yield* Effect.flip(verbs.provisioning({ history: true }))).code, 503)
      // What was decided last is still known.
      assert.strictEqual((yield* verbs.provisioning({ what: "plans" })).entries.length, 2)
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("mesh-provisioner.explain", () => {
  it.effect("answers from the last decisions", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      const { tree } = yield* verbs.explain({ node: "n1", module: "shop" })
      assert.deepInclude(tree, { bucket: "mesh-provisioner_plans", key: "n1.shop", state: "waiting" })
      assert.strictEqual((yield* Effect.flip(verbs.explain({ node: "n9", module: "shop" }))).code, 404)
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("mesh-provisioner.retire", () => {
  it.effect("writes the answer, which is decided upon; a mind may change", () =>
    Effect.gen(function*() {
      yield* unneeded
      const running = yield* start()
      const { verbs } = running.provisioner
      yield* pass()
      assert.deepInclude(yield* stored("mesh-provisioner_asks", ask), { state: "unneeded" })
      const ann = { caller: { role: "operator", name: "ann" } } as const
      const { key, value } = yield* running.logged(verbs.retire({ key: ask, answer: "keep", words: "not yet" }, ann))
      assert.strictEqual(key, ask)
      assert.deepInclude(value, { answer: "keep", by: "ann", words: "not yet" })
      assert.deepStrictEqual(yield* stored(answers, ask), value)
      yield* pass()
      assert.deepInclude(yield* stored("mesh-provisioner_asks", ask), { state: "kept" })
      yield* verbs.retire({ key: ask, answer: "retire", by: "ann" })
      yield* pass()
      assert.deepInclude(yield* stored("mesh-provisioner_asks", ask), { state: "retire" })
      assert.includeMembers([...linesOf(running, "Info")], [`put ${answers} ${ask} keep`])
      assert.notInclude(JSON.stringify(running.lines), "not yet")
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("refuses as the core does, and writes nothing", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      const codes = yield* Effect.forEach([
        { key: ask, answer: "maybe", by: "ann" },
        { key: "n2.postgres.n9.nobody.database", answer: "keep", by: "ann" },
        { key: ask, answer: "keep", by: "ann" }
      ], (request) => Effect.map(Effect.flip(verbs.retire(request)), ({ code }) => code))
      assert.deepStrictEqual(codes, [400, 404, 409])
      assert.isUndefined(yield* stored(answers, ask))
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is written upon what another wrote meanwhile, a bounded number of times", () =>
    Effect.gen(function*() {
      yield* unneeded
      const memory = yield* MemoryBus
      let rivals = 0
      const { provisioner: { verbs } } = yield* start({
        interference: {
          beforeWrite: ({ bucket, key }) =>
            Effect.suspend(() =>
              bucket === answers && rivals-- > 0
                ? Effect.orDie(
                  Effect.provideService(
                    write(bucket, key, { answer: "keep", entry: "0".repeat(32), by: `r${rivals}` }),
                    MemoryBus,
                    memory
                  )
                )
                : Effect.void
            )
        }
      })
      yield* pass()
      rivals = 3
      yield* verbs.retire({ key: ask, answer: "keep", by: "ann" })
      assert.deepInclude(yield* stored(answers, ask), { by: "ann" })
      rivals = 1_000
      const { code, message } = yield* Effect.flip(verbs.retire({ key: ask, answer: "keep", by: "ann" }))
      assert.strictEqual(code, 409)
      assert.strictEqual(rivals, 995)
      assert.include(message, ask)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("answers 503 while nothing may be written, and where the bus does not answer", () =>
    Effect.gen(function*() {
      yield* unneeded
      const memory = yield* MemoryBus
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      yield* memory.faults.loseNextWrite
      const unanswered = yield* Effect.flip(verbs.retire({ key: ask, answer: "keep", by: "ann" }))
      assert.strictEqual(unanswered.code, 503)
      assert.include(unanswered.message, "Read it again")
      yield* memory.deleteBucket("mesh-host_haves")
      yield* pass()
      assert.strictEqual((yield* Effect.flip(verbs.retire({ key: ask, answer: "keep", by: "ann" }))).code, 503)
      assert.isUndefined(yield* stored(answers, ask))
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("says a refusal of the bus without what was to be written", () =>
    Effect.gen(function*() {
      yield* unneeded
      const { provisioner: { verbs } } = yield* start({
        interference: {
          beforeWrite: ({ bucket, key, op }) =>
            bucket === answers
              ? Effect.fail(
                new BusError({ operation: op, bucket, key, reason: { _tag: "Refused", because: "account" } })
              )
              : Effect.void
        }
      })
      yield* pass()
      const { code, message } = yield* Effect.flip(
        verbs.retire({ key: ask, answer: "keep", by: "ann", words: "plugh" })
      )
      assert.strictEqual(code, 503)
      assert.notInclude(message, "plugh")
      assert.isDefined(yield* stored(provisions, "n1.shop.port.http"))
    }).pipe(Effect.provide(MemoryBus.layer())))
})
