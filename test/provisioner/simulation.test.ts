/**
 * Goal: whatever happens to the bus and on it, once nothing more goes wrong everything comes to rest at exactly what the facts
 * decide (protocol §9: two provisioners at once agree; a restart loses nothing).
 *
 * Method: a story of random changes and faults, under two provisioners that are restarted in it, on virtual time. Then the
 * faults stop: all must be settled, for hours nothing is written, and of all that was written each write changed what its key
 * held.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { MemoryBus, type Revision } from "../../src/adapters/memory/index.ts"
import { decisionBuckets, type Json } from "../../src/core/index.ts"
import { assertSettled, facts, pass, passLong, put, remove, type Running, start, write } from "./Running.ts"

const answered = (entry: string) => ({ answer: "retire", entry, by: "ann" })

/** What is written in a story, by bucket and key. */
const values: ReadonlyArray<readonly [bucket: string, key: string, values: ReadonlyArray<Json>]> = [
  ["mesh-controller_modules", "postgres", [
    facts["mesh-controller_modules"]?.["postgres"] ?? {},
    { provides: { database: { credential: "consumer", retire: "free" } } },
    { provides: 7 },
    { answers: { zone: { bucket: "postgres_zones", key: "<name>" } } }
  ]],
  ["mesh-controller_assignments", "n1.shop", [{ build: "s1" }, { build: "s2", instance: "i2" }]],
  ["mesh-controller_assignments", "n2.postgres", [{ build: "p1" }, { build: "p2", draining: true }]],
  ["mesh-controller_assignments", "n3.postgres", [{ build: "p1" }]],
  ["mesh-provisioner_needs", "n1.shop.bound.database", [{}, { local: "x" }, "broken"]],
  ["mesh-provisioner_needs", "n1.shop.zone.home", [{}]],
  ["postgres_zones", "home", ["10.0.0.0", { mask: 8 }]],
  ["postgres_bound", "n1.shop.database", [
    { state: "making", by: "n2" },
    { state: "provided", by: "n2", values: { host: "db" } },
    { state: "provided", by: "n3", also: ["n2"] },
    "broken"
  ]],
  ["mesh-provisioner_answers", "n2.postgres.n1.shop.database", [answered("0".repeat(32)), {}]],
  ["mesh-provisioner_provisions", "n1.shop.bound.database", [{ state: "refused" }, "tampered"]],
  ["mesh-provisioner_plans", "n9.planted", [{}]],
  ["mesh-provisioner_registry", "config", [{}]],
  ["mesh-provisioner_asks", "_epoch", [{ term: 1 }, { term: 2 }]]
]

const anyKey = fc.constantFrom(...values.map(([bucket, key]) => ({ bucket, key })))
const anyBucket = fc.constantFrom(...new Set(values.map(([bucket]) => bucket)), "mesh-host_haves")
const anyWrite = fc.constantFrom(...values).chain(([bucket, key, all]) =>
  fc.record({ bucket: fc.constant(bucket), key: fc.constant(key), value: fc.constantFrom(...all) })
)

type Event =
  | { readonly do: "write"; readonly bucket: string; readonly key: string; readonly value: Json }
  | { readonly do: "remove"; readonly bucket: string; readonly key: string }
  | { readonly do: "deleteBucket" | "makeBucket" | "endReading"; readonly bucket: string }
  | { readonly do: "cutOff" | "restore" | "loseNextAnswer" | "loseNextWrite" }
  | { readonly do: "restart"; readonly which: 0 | 1 }
  | { readonly do: "pass"; readonly millis: number }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: anyWrite.map((write) => ({ do: "write" as const, ...write })) },
  { weight: 4, arbitrary: anyKey.map((key) => ({ do: "remove" as const, ...key })) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 40 }).map((millis) => ({ do: "pass" as const, millis })) },
  { weight: 1, arbitrary: anyBucket.map((bucket) => ({ do: "deleteBucket" as const, bucket })) },
  { weight: 2, arbitrary: anyBucket.map((bucket) => ({ do: "makeBucket" as const, bucket })) },
  { weight: 2, arbitrary: anyBucket.map((bucket) => ({ do: "endReading" as const, bucket })) },
  {
    weight: 4,
    arbitrary: fc.constantFrom("cutOff" as const, "restore", "restore", "loseNextAnswer", "loseNextWrite")
      .map((fault) => ({ do: fault }))
  },
  { weight: 2, arbitrary: fc.constantFrom(0 as const, 1 as const).map((which) => ({ do: "restart" as const, which })) }
)

const happen = Effect.fnUntraced(function*(event: Event, running: Array<Running>) {
  const { deleteBucket, faults, makeBucket } = yield* MemoryBus
  switch (event.do) {
    // A bucket may be away, and a bus; what others could not write then they have not written.
    case "write":
      return yield* Effect.ignore(write(event.bucket, event.key, event.value))
    case "remove":
      return yield* Effect.ignore(remove(event.bucket, event.key))
    case "deleteBucket":
      return yield* deleteBucket(event.bucket)
    case "makeBucket":
      return yield* makeBucket(event.bucket)
    case "endReading":
      return yield* faults.endReading(event.bucket)
    case "restart":
      yield* running[event.which]?.stop ?? Effect.void
      running[event.which] = yield* start()
      return
    case "pass":
      return yield* pass(event.millis)
    default:
      return yield* faults[event.do]
  }
})

/** The writes of a key that put what was there already. */
const useless = (history: ReadonlyArray<Revision>): number =>
  history.filter((change, index) => {
    const before = history[index - 1]
    return before?._tag === "Put" && change._tag === "Put" && Buffer.compare(before.value, change.value) === 0
  }).length

const tell = (events: ReadonlyArray<Event>) =>
  Effect.gen(function*() {
    const memory = yield* MemoryBus
    yield* put(facts)
    const running = [yield* start(), yield* start({ quiet: "5 millis" })]
    for (const event of events) {
      yield* happen(event, running)
    }

    yield* memory.faults.restore
    yield* Effect.forEach(everyBucket, memory.makeBucket, { discard: true })
    yield* passLong("1 minute")
    yield* passLong("2 hours")
    for (const { asked, provisioner } of running) {
      const health = yield* provisioner.health
      assert.strictEqual(health.state, "live", health.sentence)
      asked.length = 0
    }
    yield* assertSettled
    yield* passLong("5 hours")
    assert.deepStrictEqual(running.flatMap(({ asked }) => asked), [])
    for (const [bucket, key] of untouched) {
      assert.strictEqual(useless(yield* memory.as({ role: "reader" }).history(bucket, key)), 0, `${bucket} ${key}`)
    }
  }).pipe(Effect.scoped, Effect.provide(MemoryBus.layer()), Effect.provide(TestClock.layer()))

/** Decisions that nobody but the provisioners writes in a story. */
const untouched = [
  ["mesh-provisioner_plans", "n1.shop"],
  ["mesh-provisioner_plans", "n2.postgres"],
  ["mesh-provisioner_provisions", "n1.shop.zone.home"],
  ["mesh-provisioner_asks", "n2.postgres.n1.shop.database"]
] as const

const everyBucket = [
  ...new Set([
    ...values.map(([bucket]) => bucket),
    "mesh-host_haves",
    ...Object.values(decisionBuckets).map(({ name }) => name)
  ])
]

describe("a story of changes and faults", () => {
  it("comes to rest at exactly what the facts decide, and stays there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), async (events) => {
        const exit = await Effect.runPromiseExit(tell(events))
        if (Exit.isFailure(exit)) {
          throw new Error(String(exit.cause))
        }
      }),
      { numRuns: 60 }
    )
  }, 120_000)
})
