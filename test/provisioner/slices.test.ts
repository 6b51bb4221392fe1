/**
 * Goal: long work lets others have their turn (protocol §8: a verb is answered meanwhile): what is heard, decided and compared
 * goes in slices of a bounded time.
 *
 * Method: a clock that goes on by a fixed time whenever it is looked at, so that slices are counted and not timed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { inSlices, sliceMillisMax, thingsDecidedAtOnceMin, thingsMaxAfter } from "../../src/provisioner/Slices.ts"

/** A clock by which so long passes from one look to the next. */
const clock = (millis: number): Clock.Clock => {
  let nanos = 0n
  const look = () => nanos += BigInt(millis) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => Number(look() / 1_000_000n),
    currentTimeMillis: Effect.sync(() => Number(look() / 1_000_000n)),
    currentTimeNanosUnsafe: look,
    currentTimeNanos: Effect.sync(look),
    monotonicTimeNanosUnsafe: look,
    monotonicTimeNanos: Effect.sync(look),
    sleep: () => Effect.yieldNow
  }
}

/** How many steps were done each time that another had its turn, while so many were done by such a clock. */
const seenBetween = (steps: number, millis: number) =>
  Effect.gen(function*() {
    let done = 0
    const other = { isOver: false }
    const seen: Array<number> = []
    const work = Effect.ensuring(
      inSlices(() => {
        done += 1
        return done < steps
      }),
      Effect.sync(() => {
        other.isOver = true
      })
    )
    const watch = Effect.gen(function*() {
      while (!other.isOver) {
        seen.push(done)
        yield* Effect.yieldNow
      }
    })
    yield* Effect.all([watch, work], { concurrency: "unbounded" })
    assert.strictEqual(done, steps)
    return seen
  }).pipe(Effect.provideService(Clock.Clock, clock(millis)))

describe("work in slices", () => {
  it.effect("lets others have their turn whenever a slice's time is over, and does every step once", () =>
    Effect.gen(function*() {
      const seen = yield* seenBetween(1_000, sliceMillisMax)
      assert.isAtLeast(seen.length, 1_000 / 64)
      const longest = Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 0)))
      assert.isAtMost(longest, 64)
    }))

  it.effect("is one piece where it takes no time", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual([...new Set(yield* seenBetween(1_000, 0))], [0])
    }))

  it("decides the more in a slice the faster it goes, and the less the slower", () => {
    assert.strictEqual(thingsMaxAfter(1_000, sliceMillisMax), 1_000)
    assert.strictEqual(thingsMaxAfter(1_000, 2 * sliceMillisMax), 500)
    assert.strictEqual(thingsMaxAfter(1_000, 0), 2_000)
    assert.strictEqual(thingsMaxAfter(1_000, 1_000 * sliceMillisMax), 250)
    assert.strictEqual(thingsMaxAfter(thingsDecidedAtOnceMin, 1_000 * sliceMillisMax), thingsDecidedAtOnceMin)
  })
})
