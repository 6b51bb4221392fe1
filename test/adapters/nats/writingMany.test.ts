/**
 * Goal: many writes at once come to what each by itself comes to, whatever becomes of the others: stored, or refused for what
 * is wrong with it; and nothing of an old term is stored.
 *
 * Method: a batch in which some must fail, on a fenced bus and on one that is not; and ways that carry nothing for a while.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { whileHeld } from "../../../src/adapters/nats/HeldBus.ts"
import type { NatsSettings } from "../../../src/adapters/nats/index.ts"
import { Lease } from "../../../src/adapters/nats/Lease.ts"
import type { Bus } from "../../../src/ports/Bus.ts"
import type { Write } from "../../../src/ports/Write.ts"
import { proxy } from "../../nats/Proxy.ts"
import { act, bytes, connected, ground } from "./Ground.ts"

const patient: NatsSettings = { answerWaitMax: "10 seconds", silenceMax: "10 seconds" }

/** A batch of writes, how many of them were asked for, and what became of each. */
class Batch {
  readonly outcomes: Array<readonly [key: string, outcome: string | number]> = []
  asked = 0
  readonly #writes: ReadonlyArray<Write>

  constructor(writes: ReadonlyArray<Write>) {
    this.#writes = writes
  }

  /** Has a bus do them, so many at once. */
  readonly on = ({ writeMany }: Bus["Service"], onTheirWayMax = 256): Effect.Effect<void> =>
    writeMany === undefined ? Effect.die(new Error("it does not many at once")) : writeMany({
      count: this.#writes.length,
      next: () => {
        const next = this.#writes[this.asked]
        this.asked += next === undefined ? 0 : 1
        return next
      },
      settled: ({ key }, outcome) => {
        const settled = Result.match(outcome, {
          onSuccess: (revision) => revision,
          onFailure: ({ reason }) => reason._tag
        })
        this.outcomes.push([key, settled])
      },
      onTheirWayMax
    })

  get failed(): ReadonlyArray<readonly [string, string | number]> {
    return this.outcomes.filter(([, outcome]) => typeof outcome === "string")
  }
}

const create = (key: string, value = key, bucket = "b"): Write => ({
  operation: "create",
  bucket,
  key,
  value: bytes(value)
})

const creates = (count: number, name = "k"): ReadonlyArray<Write> =>
  Array.from({ length: count }, (_, index) => create(`${name}${index}`))

/** Buses that are to come to the same: fenced, and not. */
const buses = [
  ["a plain bus", (nats: { readonly bus: Bus["Service"] }) => Effect.succeed(nats.bus)],
  [
    "a fenced bus",
    (nats: Effect.Success<ReturnType<typeof connected>>) =>
      Effect.map(nats.beginTerm({ buckets: ["b"], mark: bytes("1") }), ({ bus }) => bus)
  ]
] as const

for (const [name, busOf] of buses) {
  describe(`many writes at once on ${name}`, () => {
    it.live("are all stored, each once and in its place", () =>
      Effect.gen(function*() {
        const { nats } = yield* ground(patient)
        const bus = yield* busOf(nats)
        const batch = new Batch(creates(3_000))
        yield* batch.on(bus)
        const revisions = batch.outcomes.map(([, outcome]) => Number(outcome))
        assert.deepStrictEqual(
          revisions.map((revision) => revision - (revisions[0] ?? 0)),
          revisions.map((_, index) => index)
        )
        assert.deepStrictEqual(batch.outcomes.map(([key]) => key), creates(3_000).map(({ key }) => key))
        assert.strictEqual((yield* bus.get("b", "k2999"))._tag, "Some")
      }))

    it.live("those that cannot be stored fail for what they are, and all others are stored", () =>
      Effect.gen(function*() {
        const { nats } = yield* ground(patient)
        const bus = yield* busOf(nats)
        const there = yield* bus.create("b", "there", bytes("1"))
        const gone = yield* bus.create("b", "gone", bytes("1"))
        yield* bus.delete("b", "gone", gone)
        const batch = new Batch([
          ...creates(400, "before"),
          create("there"),
          create("gone"),
          { operation: "update", bucket: "b", key: "there", value: bytes("2"), revision: there + 1 },
          create("not a key"),
          create("nowhere", "1", "none"),
          ...creates(400, "after"),
          { operation: "delete", bucket: "b", key: "there", revision: there }
        ])
        yield* batch.on(bus, 64)
        assert.strictEqual(batch.outcomes.length, 806)
        assert.deepStrictEqual([...batch.failed].sort(), [
          ["not a key", "Refused"],
          ["nowhere", "Lost"],
          ["there", "Conflict"],
          ["there", "Conflict"]
        ])
        assert.deepStrictEqual(
          [yield* bus.get("b", "there"), yield* bus.get("b", "gone"), yield* bus.get("b", "after399")].map(({ _tag }) =>
            _tag
          ),
          ["None", "Some", "Some"]
        )
      }))

    it.live("interrupted, they ask for no more, and those that were asked for are waited for", () =>
      Effect.gen(function*() {
        const { server } = yield* ground(patient)
        const way = yield* proxy(server)
        const bus = yield* busOf(yield* connected({ ...server, url: way.url }, patient))
        way.holdUp()
        const batch = new Batch(creates(500))
        const writing = yield* Effect.forkChild(batch.on(bus, 100))
        yield* Effect.sleep("50 millis")
        assert.deepStrictEqual([batch.asked, batch.outcomes.length], [100, 0])
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(writing))
        yield* Effect.sleep("50 millis")
        assert.strictEqual(interrupting.pollUnsafe(), undefined)
        way.letThrough()
        yield* Fiber.join(interrupting)
        assert.deepStrictEqual([batch.asked, batch.outcomes.length, batch.failed.length], [100, 100, 0])
      }))

    it.live("whose answers do not come are said to be so, each", () =>
      Effect.gen(function*() {
        const { server } = yield* ground()
        const way = yield* proxy(server)
        const bus = yield* busOf(
          yield* connected({ ...server, url: way.url }, { answerWaitMax: "300 millis", silenceMax: "10 seconds" })
        )
        way.holdUp()
        const batch = new Batch(creates(20))
        yield* batch.on(bus)
        assert.deepStrictEqual(batch.failed, creates(20).map(({ key }) => [key, "Unreachable"]))
        way.letThrough()
      }))
  })
}

describe("many writes at once of a holder", () => {
  it.live("that was cut off while it wrote: nothing of it is stored once another has begun", () =>
    Effect.gen(function*() {
      const { admin, nats: second, server } = yield* ground(patient)
      const way = yield* proxy(server)
      const first = yield* connected({ ...server, url: way.url }, patient)
      const old = yield* first.beginTerm({ buckets: ["b"], mark: bytes("1") })
      way.holdUp()
      const batch = new Batch(creates(1_000, "stale"))
      const late = yield* Effect.forkChild(batch.on(old.bus))
      yield* Effect.sleep("50 millis")
      yield* (yield* second.beginTerm({ buckets: ["b"], mark: bytes("2") })).bus.create("b", "fresh", bytes("new"))
      way.letThrough()
      yield* Fiber.join(late)
      assert.deepStrictEqual(
        [...batch.failed].sort(),
        creates(1_000, "stale").map(({ key }) => [key, "Fenced"] as const).sort()
      )
      assert.strictEqual(yield* Effect.timeout(old.over, "1 second"), "b")
      const { state } = yield* act(() => admin.manager.streams.info("KV_b"))
      assert.strictEqual(state.num_subjects, 2)
    }))

  it.live("whose lease has run out: none is sent", () =>
    Effect.gen(function*() {
      const { nats } = yield* ground(patient)
      const lease = new Lease(1_000)
      lease.renewed(1, performance.now())
      const bus = whileHeld(nats.bus, lease)
      const held = new Batch(creates(3))
      yield* held.on(bus)
      lease.end()
      const late = new Batch(creates(3, "late"))
      yield* late.on(bus)
      assert.deepStrictEqual([held.failed.length, late.failed.map(([, outcome]) => outcome)], [0, [
        "Fenced",
        "Fenced",
        "Fenced"
      ]])
      assert.strictEqual((yield* nats.bus.get("b", "late0"))._tag, "None")
    }))
})
