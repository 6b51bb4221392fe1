/**
 * Goal: of several instances one holds the seat at a time; another follows when it goes, dies or is cut off, within the time
 * to live and a beat; and what cannot be is said.
 *
 * Method: adapters on one server, each an instance. A way that carries nothing stands for a holder that is cut off.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Scope } from "effect"
import type { NatsBus } from "../../../src/adapters/nats/index.ts"
import { bucketName } from "../../../src/core/BucketName.ts"
import type { SeatState, SeatTerm } from "../../../src/ports/Seat.ts"
import type { Bare } from "../../nats/Bare.ts"
import { proxy } from "../../nats/Proxy.ts"
import { act, bytes, connected, ground, hear, reasonOf, until } from "./Ground.ts"

const timeToLiveMillis = 2_000
const beatMillis = timeToLiveMillis / 10
const seatBucket = "mesh-provisioner_seat"

const decisions = [
  bucketName.registry,
  bucketName.provisions,
  bucketName.asks,
  bucketName.plans,
  bucketName.answers
] as const

const makeSeatBucket = (admin: Bare, millis = timeToLiveMillis) =>
  act(() => admin.makeBucket(seatBucket, { max_age: millis * 1_000_000 }))

const seated = Effect.gen(function*() {
  const on = yield* ground()
  yield* makeSeatBucket(on.admin)
  yield* act(async () => {
    for (const bucket of decisions) {
      await on.admin.makeBucket(bucket)
    }
  })
  return on
})

/** An instance that has been told to take the seat, on a connection of its own. */
const instance = Effect.fnUntraced(function*(nats: NatsBus["Service"], name: string) {
  const seat = yield* nats.seat({ name })
  const scope = yield* Scope.make()
  const taken = { at: 0, term: undefined as SeatTerm | undefined }
  yield* Effect.forkScoped(Effect.map(Scope.provide(seat.take, scope), (term) => {
    taken.at = performance.now()
    taken.term = term
  }))
  const close = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => close)
  return { seat, taken, close }
})

const stateOf = (seat: { readonly state: Effect.Effect<SeatState> }) => Effect.runSync(seat.state)

const two = Effect.gen(function*() {
  const on = yield* seated
  const way = yield* proxy(on.server)
  const first = yield* instance(yield* connected({ ...on.server, url: way.url }), "first")
  yield* until("the first holds it", () => first.taken.term !== undefined)
  const second = yield* instance(on.nats, "second")
  yield* until("the second stands by", () => stateOf(second.seat)._tag === "StandingBy")
  return { ...on, way, first, second }
})

describe("the seat", () => {
  it.live("is one instance's, renewed for as long as it runs; another stands by, and knows whose it is", () =>
    Effect.gen(function*() {
      const { first, second } = yield* two
      yield* Effect.sleep(2 * timeToLiveMillis)
      assert.isTrue(first.taken.term?.isHeld())
      assert.isUndefined(second.taken.term)
      assert.deepStrictEqual(stateOf(first.seat), { _tag: "Held" })
      assert.deepStrictEqual(stateOf(second.seat), { _tag: "StandingBy", holder: "first" })
    }))

  it.live("that is given up is taken at once", () =>
    Effect.gen(function*() {
      const { first, second } = yield* two
      const leftAt = performance.now()
      yield* first.close
      yield* until("the second holds it", () => second.taken.term !== undefined)
      assert.isBelow(second.taken.at - leftAt, timeToLiveMillis / 2)
    }))

  // On a slow way a renewal is on its way when the holder leaves: what it leaves is then another revision.
  it.live("that is given up while it is renewed is taken at once, too", () =>
    Effect.gen(function*() {
      const on = yield* seated
      const way = yield* proxy(on.server)
      const nats = yield* connected({ url: way.url })
      const first = yield* instance(nats, "first")
      yield* until("the first holds it", () => first.taken.term !== undefined)
      const second = yield* instance(on.nats, "second")
      yield* until("the second stands by", () => stateOf(second.seat)._tag === "StandingBy")
      yield* Effect.sleep(timeToLiveMillis / 3)
      way.slowDown(150)
      yield* Effect.sleep(timeToLiveMillis / 3 + 50)
      const leftAt = performance.now()
      yield* first.close
      yield* until("the second holds it", () => second.taken.term !== undefined)
      assert.isBelow(second.taken.at - leftAt, timeToLiveMillis / 2)
    }))

  it.live("of a holder that is cut off is taken within the time to live and a beat, and not before the holder knows", () =>
    Effect.gen(function*() {
      const { first, second, way } = yield* two
      const old = first.taken.term
      const over = { at: 0 }
      yield* Effect.forkScoped(Effect.map(old?.over ?? Effect.never, () => {
        over.at = performance.now()
      }))
      const cutAt = performance.now()
      way.holdUp()
      yield* until("the second holds it", () => second.taken.term !== undefined)
      assert.isBelow(second.taken.at - cutAt, timeToLiveMillis + beatMillis + 500)
      assert.isAbove(over.at, 0, "the first had stepped down")
      assert.isFalse(old?.isHeld())
      const refused = yield* reasonOf(old?.bus.create(bucketName.plans, "n1.shop", bytes("{}")) ?? Effect.succeed(0))
      assert.strictEqual(refused._tag, "Fenced", "it writes nothing, though it cannot ask")
    }))

  it.live("once lost is not written over: who comes back stands by", () =>
    Effect.gen(function*() {
      const { first, second, way } = yield* two
      way.holdUp()
      yield* until("the second holds it", () => second.taken.term !== undefined)
      yield* first.close
      way.letThrough()
      const again = yield* instance(yield* connected({ url: way.url }), "first")
      yield* until("the first stands by", () => stateOf(again.seat)._tag === "StandingBy")
      yield* Effect.sleep(timeToLiveMillis)
      assert.deepStrictEqual(stateOf(again.seat), { _tag: "StandingBy", holder: "second" })
      assert.isTrue(second.taken.term?.isHeld())
    }))

  it.live(
    "is taken and kept by a way on which each answer takes a quarter of the time to live",
    () =>
      Effect.gen(function*() {
        const on = yield* seated
        const way = yield* proxy(on.server)
        const nats = yield* connected({ url: way.url }, { answerWaitMax: "5 seconds" })
        way.slowDown(timeToLiveMillis / 8)
        const one = yield* instance(nats, "one")
        yield* until("it holds it", () => one.taken.term !== undefined)
        yield* Effect.sleep(2 * timeToLiveMillis)
        assert.isTrue(one.taken.term?.isHeld())
      }),
    30_000
  )

  it.live("that runs out before its term begins is said to have, and is tried again", () =>
    Effect.gen(function*() {
      const on = yield* seated
      const way = yield* proxy(on.server)
      const nats = yield* connected({ url: way.url }, { answerWaitMax: "10 seconds", silenceMax: "10 seconds" })
      way.slowDown(timeToLiveMillis * 0.6)
      const one = yield* instance(nats, "one")
      yield* until("it says so", () => {
        const state = stateOf(one.seat)
        return state._tag === "Missing" && state.sentence.includes("time to live")
      }, 30_000)
      assert.isUndefined(one.taken.term)
      way.slowDown(0)
      yield* until("it holds it", () => one.taken.term !== undefined)
    }), 60_000)

  it.live("is taken by one of many that come at once", () =>
    Effect.gen(function*() {
      const on = yield* seated
      const instances = yield* Effect.forEach(["a", "b", "c", "d", "e"], (name) =>
        Effect.flatMap(connected(on.server), (nats) => instance(nats, name)), { concurrency: "unbounded" })
      yield* until("each has it or stands by", () =>
        instances.every(({ seat }) =>
          ["Held", "StandingBy"].includes(stateOf(seat)._tag)
        ))
      assert.strictEqual(
        instances.filter(({ taken }) =>
          taken.term !== undefined
        ).length,
        1
      )
    }))

  it.live("cannot be taken without its bucket, and is as soon as that is made", () =>
    Effect.gen(function*() {
      const on = yield* ground()
      const one = yield* instance(on.nats, "one")
      const missing = () => {
        const state = stateOf(one.seat)
        return state._tag === "Missing" ? state.missing : []
      }
      yield* until("it says so", () => missing().length > 0)
      assert.sameMembers([...missing()], [...Object.values(bucketName), seatBucket])
      yield* makeSeatBucket(on.admin)
      yield* until("it says that others are missing", () => missing().length === Object.keys(bucketName).length)
      assert.isTrue(
        yield* Effect.map(on.nats.bus.history(seatBucket, "holder"), (changes) => changes.length === 0),
        "the seat is not taken where nothing can be written"
      )
      yield* act(async () => {
        for (const bucket of decisions) {
          await on.admin.makeBucket(bucket)
        }
      })
      yield* until("it holds it", () => one.taken.term !== undefined)
    }))

  it.live("is not taken in a bucket that keeps what it holds for ever", () =>
    Effect.gen(function*() {
      const on = yield* ground()
      yield* makeSeatBucket(on.admin, 0)
      const one = yield* instance(on.nats, "one")
      yield* until("it says so", () => stateOf(one.seat)._tag === "Missing")
      const state = stateOf(one.seat)
      assert.include(state._tag === "Missing" ? state.sentence : "", "for ever")
      assert.isUndefined(one.taken.term)
    }))

  it.live("marks every bucket of decisions; in that of the answers, no key is left", () =>
    Effect.gen(function*() {
      const { first, nats } = yield* two
      for (const bucket of decisions) {
        const heard = yield* hear(nats, bucket)
        yield* until("it is read", () => heard.ends === 1)
        assert.deepStrictEqual([...heard.state.keys()], bucket === bucketName.answers ? [] : ["_epoch"])
      }
      assert.isTrue(first.taken.term?.isHeld())
    }))

  it.live("nothing of a term before lands, in the bucket of the answers neither", () =>
    Effect.gen(function*() {
      const { first, nats, second, way } = yield* two
      const key = "n2.postgres.n1.shop.database"
      const old = first.taken.term ?? assert.fail("no term")
      const revision = yield* old.bus.create(bucketName.answers, key, bytes("{}"))
      way.holdUp()
      // Sent while the lease stands, it arrives when the seat is another's.
      const late = yield* Effect.forkChild(Effect.exit(old.bus.delete(bucketName.answers, key, revision)))
      yield* until("the second holds it", () => second.taken.term !== undefined)
      way.letThrough()
      yield* Fiber.join(late)
      yield* Effect.sleep("200 millis")
      assert.isTrue(Option.isSome(yield* nats.bus.get(bucketName.answers, key)))
    }))
})
