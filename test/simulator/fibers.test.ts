/**
 * Goal: the provisioner's fibers go on in an order that a seed draws and that is the same each time, by a time that passes on a
 * schedule, and their writes go the way of all messages.
 *
 * Method: fibers of the test's own on the clock, the scheduler and the writes that the simulator gives those of the provisioner.
 */
import { Clock, Context, Effect, Exit, Fiber, Result, Scheduler } from "effect"
import { describe, expect, test } from "vitest"
import type { Write } from "../../src/ports/Write.ts"
import { Bus } from "../../src/simulator/Bus.ts"
import { DrawnScheduler } from "../../src/simulator/fibers/DrawnScheduler.ts"
import { FiberWrites } from "../../src/simulator/fibers/FiberWrites.ts"
import { HeapClock } from "../../src/simulator/fibers/HeapClock.ts"
import { Party } from "../../src/simulator/Party.ts"
import { Random } from "../../src/simulator/Random.ts"
import type { Surroundings } from "../../src/simulator/Run.ts"
import { Schedule } from "../../src/simulator/Schedule.ts"

/** A schedule with fibers on it. */
const stage = (seed: number) => {
  const schedule = new Schedule()
  const random = new Random(seed)
  const after = (millis: number, run: () => void) => schedule.after(millis, run)
  const clock = new HeapClock({ now: () => schedule.now, after, random })
  const context = Context.empty().pipe(
    Context.add(Clock.Clock, clock),
    Context.add(Scheduler.Scheduler, new DrawnScheduler(random, (run) => after(0, run)))
  )
  return {
    schedule,
    clock,
    fork: Effect.runForkWith(context),
    /** Does all that is planned, up to a time. */
    pass: (until: number) => {
      while ((schedule.nextAt ?? Number.POSITIVE_INFINITY) <= until) {
        schedule.take()?.()
      }
    }
  }
}

describe("the scheduler", () => {
  const orderOf = (seed: number) => {
    const { fork, pass } = stage(seed)
    const order: Array<string> = []
    const one = (name: string) =>
      Effect.forEach(
        [1, 2, 3],
        (part) => Effect.andThen(Effect.sync(() => order.push(`${name}${part}`)), Effect.yieldNow)
      )
    fork(Effect.all(["a", "b", "c", "d", "e", "f"].map(one), { concurrency: "unbounded" }))
    pass(1_000)
    return order
  }

  test("draws another order for nearly every seed, and the same each time", () => {
    const orders = Array.from({ length: 200 }, (_, seed) => orderOf(seed).join(" "))
    expect(new Set(orders).size).toBeGreaterThan(190)
    expect(Array.from({ length: 200 }, (_, seed) => orderOf(seed).join(" "))).toEqual(orders)
  })

  test("lets every fiber come to its end, each doing one thing after the other", () => {
    const order = orderOf(7)
    expect(order.toSorted()).toEqual(
      ["a", "b", "c", "d", "e", "f"].flatMap((name) => [1, 2, 3].map((part) => `${name}${part}`))
    )
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      expect(order.filter((one) => one.startsWith(name))).toEqual([1, 2, 3].map((part) => `${name}${part}`))
    }
  })
})

describe("the clock", () => {
  test("wakes who sleeps at its millisecond, and lets no time pass by itself", () => {
    const { fork, pass, schedule } = stage(1)
    const woken: Array<readonly [name: string, at: number]> = []
    for (const [name, millis] of [["long", 3_600_000], ["short", 5], ["part", 6.2], ["none", 0]] as const) {
      fork(Effect.andThen(Effect.sleep(millis), Effect.sync(() => woken.push([name, schedule.now]))))
    }
    pass(100)
    expect(woken).toEqual([["none", 0], ["short", 5], ["part", 7]])
    pass(3_600_000)
    expect(woken.at(-1)).toEqual(["long", 3_600_000])
  })

  test("jumps by the time of day alone: what is measured never goes back, nor behind the schedule", () => {
    const { clock, pass, schedule } = stage(1)
    let last = 0n
    for (let at = 0; at < 300; at++) {
      schedule.after(1, () => undefined)
      pass(schedule.now + 1)
      clock.jump(at % 2 === 0 ? -60_000 : 59_000)
      const now = clock.monotonicTimeNanosUnsafe()
      expect(now >= last && now >= BigInt(schedule.now) * 1_000_000n).toBe(true)
      last = now
    }
    expect(clock.currentTimeMillisUnsafe()).toBe(schedule.now - 150_000)
  })
})

describe("many writes at once", () => {
  const staged = (interruptAt?: number) => {
    const { fork, pass, schedule } = stage(3)
    let onTheirWay = 0
    let most = 0
    const settled: Array<string> = []
    const bus = new Bus(schedule, 3, { wrote: () => undefined, faulted: () => undefined })
    const around: Pick<Surroundings, "bus" | "party" | "whenAwake" | "fenced"> = {
      bus,
      party: new Party("provisioner-1"),
      whenAwake: (run) => run(),
      fenced: () => undefined
    }
    const writes: Array<Write> = Array.from({ length: 20 }, (_, at) => ({
      operation: "create",
      bucket: at === 7 ? "not-there" : "mesh-provisioner_plans",
      key: `n1.m${at}`,
      value: new TextEncoder().encode("{}")
    }))
    const left = [...writes]
    const fiber = fork(new FiberWrites(around, undefined).writeMany({
      count: writes.length,
      next: () => {
        const write = left.shift()
        onTheirWay += write === undefined ? 0 : 1
        most = Math.max(most, onTheirWay)
        return write
      },
      settled: ({ key }, outcome) => {
        onTheirWay -= 1
        settled.push(`${key} ${Result.isSuccess(outcome) ? "written" : outcome.failure.reason._tag}`)
      },
      onTheirWayMax: 4
    }))
    if (interruptAt !== undefined) {
      pass(interruptAt)
      fork(Fiber.interrupt(fiber))
    }
    pass(60_000)
    return { exit: fiber.pollUnsafe(), left: left.length, most, onTheirWay, settled }
  }

  test("are so many at most, and each is settled once by what became of it", () => {
    const { exit, most, settled } = staged()
    expect(exit !== undefined && Exit.isSuccess(exit)).toBe(true)
    expect(most).toBe(4)
    expect(settled.toSorted()).toEqual(
      Array.from({ length: 20 }, (_, at) => `n1.m${at} ${at === 7 ? "Lost" : "written"}`).toSorted()
    )
  })

  test("interrupted, no more are sent, and all that were are settled before it ends", () => {
    const { exit, left, onTheirWay, settled } = staged(8)
    expect(exit !== undefined && Exit.isFailure(exit)).toBe(true)
    expect(left).toBeGreaterThan(0)
    expect(onTheirWay).toBe(0)
    expect(settled.length).toBe(20 - left)
  })
})
