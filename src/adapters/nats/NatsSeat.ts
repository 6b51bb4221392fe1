/**
 * The seat on NATS (`ports/Seat`): a key in a bucket with a time to live. Whoever puts it where it is not there holds the
 * seat, renews it three times within that time, and deletes it to give it up. A holder that is gone is followed once its
 * key has expired, of which the servers say nothing: who stands by asks.
 *
 * A lease does not fence (nats.md, the fifth trap): each term also leaves its mark in the buckets that are the
 * provisioner's alone ({@link Fence}).
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { bucketName } from "../../core/BucketName.ts"
import type { Bus } from "../../ports/Bus.ts"
import { BusError } from "../../ports/BusError.ts"
import { Seat, type SeatState, type SeatTerm } from "../../ports/Seat.ts"
import type { TermOptions } from "./Fence.ts"
import { whileHeld } from "./HeldBus.ts"
import type { JetStream } from "./JetStream.ts"
import { Lease } from "./Lease.ts"
import type { Term } from "./NatsBus.ts"
import { apiCode, reasonOf, type Trouble } from "./NatsErrors.ts"
import { type Holder, holderOf, seatBucket, seatKey } from "./SeatBucket.ts"
import { SeatKey } from "./SeatKey.ts"
import { standingBuckets } from "./Setup.ts"

/** Who takes the seat. */
export interface SeatOptions {
  /** The name by which others see who holds it. */
  readonly name: string
}

/** What the seat stands on. */
export interface SeatGround {
  readonly bus: Bus["Service"]
  readonly jetStream: JetStream
  readonly beginTerm: (term: TermOptions) => Effect.Effect<Term, BusError>
}

/** The seat, as an instance of this name sees it. */
export const makeSeat = (ground: SeatGround, { name }: SeatOptions): Effect.Effect<Seat["Service"]> =>
  Effect.map(SubscriptionRef.make<SeatState>({ _tag: "Looking" }), (shown) => {
    const holder = { name: name.slice(0, nameCharactersMax), id: crypto.randomUUID() }
    const sitting = new Sitting(ground, holder, (state) => show(shown, state))
    return Seat.of({ state: SubscriptionRef.get(shown), changes: SubscriptionRef.changes(shown), take: sitting.take })
  })

const nameCharactersMax = 256

// What is so already is no change.
const show = (shown: SubscriptionRef.SubscriptionRef<SeatState>, state: SeatState): Effect.Effect<void> =>
  Effect.flatMap(
    SubscriptionRef.get(shown),
    (before) => JSON.stringify(before) === JSON.stringify(state) ? Effect.void : SubscriptionRef.set(shown, state)
  )

/** The buckets that a term is marked in (protocol §9); and the one in which no key of the mark may stand. */
const markedBuckets = [bucketName.registry, bucketName.provisions, bucketName.asks, bucketName.plans]
const unmarkedBuckets = [bucketName.answers]
const termBuckets: ReadonlyArray<string> = [...markedBuckets, ...unmarkedBuckets]

class Sitting {
  readonly #ground: SeatGround
  readonly #key: SeatKey
  readonly #show: (state: SeatState) => Effect.Effect<void>

  constructor(ground: SeatGround, holder: Holder, show: (state: SeatState) => Effect.Effect<void>) {
    this.#ground = ground
    this.#key = new SeatKey(ground.bus, holder)
    this.#show = show
  }

  readonly take: Effect.Effect<SeatTerm, never, Scope.Scope> = Effect.gen({ self: this }, function*() {
    let lease: Lease | undefined
    yield* Effect.addFinalizer(() => Effect.andThen(this.#leave(lease), this.#show({ _tag: "Looking" })))
    while (true) {
      lease = yield* this.#grab
      const renewing = yield* Effect.forkScoped(this.#renew(lease))
      const begun = yield* Effect.raceFirst(
        Effect.result<Term, BusError | string, never>(this.#beginTerm),
        Effect.map(Fiber.join(renewing), (why) => Result.fail<BusError | string>(why))
      )
      if (Result.isSuccess(begun)) {
        yield* this.#show({ _tag: "Held" })
        return yield* this.#termOf(lease, renewing, begun.success)
      }
      // Meanwhile the seat is another's to try.
      yield* Fiber.interrupt(renewing)
      yield* this.#leave(lease)
      lease = undefined
      yield* begun.failure instanceof BusError
        ? this.#sayTrouble(begun.failure)
        : this.#sayMissing([], `The seat was taken, and was lost before anything could be read. ${begun.failure}`)
      yield* Effect.sleep(troubleWaitMillis)
    }
  })

  get #beginTerm(): Effect.Effect<Term, BusError> {
    return this.#ground.beginTerm({ buckets: markedBuckets, unmarked: unmarkedBuckets, mark: this.#key.value })
  }

  /** Waits until the seat is free, or this instance's own, and takes it. */
  get #grab(): Effect.Effect<Lease> {
    return Effect.gen({ self: this }, function*() {
      while (true) {
        const lease = yield* Effect.scoped(Effect.gen({ self: this }, function*() {
          const events = yield* Effect.option(this.#ground.bus.follow(seatBucket))
          const news = Option.match(events, { onNone: () => Effect.never, onSome: Queue.takeAll })
          while (true) {
            const found = yield* Effect.catchTag(this.#look, "BusError", (error) => this.#sayTrouble(error))
            if (found instanceof Lease) {
              return found
            }
            const isFollowing = yield* Effect.raceFirst(
              Effect.match(news, { onFailure: () => false, onSuccess: () => true }),
              Effect.as(Effect.sleep(found.waitMillis), Option.isSome(events))
            )
            if (!isFollowing) {
              return undefined
            }
          }
        }))
        if (lease !== undefined) {
          return lease
        }
      }
    })
  }

  /** Looks who holds the seat, and takes it where nobody does. Gives the lease, or how long to wait. */
  get #look(): Effect.Effect<Lease | Waiting, BusError> {
    return Effect.gen({ self: this }, function*() {
      const timeToLiveMillis = yield* this.#timeToLiveMillis
      if (timeToLiveMillis === undefined) {
        return yield* this.#sayMissing(yield* this.#missing)
      }
      if (timeToLiveMillis === 0) {
        return yield* this.#sayMissing([], neverExpires)
      }
      const lease = new Lease(timeToLiveMillis)
      const put = Option.getOrUndefined(yield* this.#ground.bus.get(seatBucket, seatKey))
      const holder = holderOf(put)
      if (put !== undefined && !this.#key.isOwn(put)) {
        yield* this.#show({ _tag: "StandingBy", holder: holder?.name ?? "unknown" })
        return { waitMillis: lease.beatMillis }
      }
      const missing = yield* this.#missing
      if (missing.some((bucket) => termBuckets.includes(bucket))) {
        return yield* this.#sayMissing(missing)
      }
      return (yield* this.#key.put(lease, put?.revision)) ? lease : { waitMillis: 0 }
    })
  }

  /** What the seat's bucket says; none where it is not there. */
  get #timeToLiveMillis(): Effect.Effect<number | undefined, BusError> {
    return this.#ground.jetStream.info(seatBucket).pipe(
      Effect.map(({ config }) => Number(config["max_age"] ?? 0) / 1_000_000),
      Effect.catchIf(isMissing, () => Effect.undefined),
      Effect.mapError(readError(seatBucket))
    )
  }

  /** Those of the mesh's buckets that are not there. */
  get #missing(): Effect.Effect<ReadonlyArray<string>, BusError> {
    return this.#ground.jetStream.buckets.pipe(
      Effect.map((buckets) => {
        const there = new Set(buckets)
        return standingBuckets.filter((bucket) => !there.has(bucket))
      }),
      Effect.mapError((trouble) => new BusError({ operation: "followBuckets", reason: reasonOf(trouble) }))
    )
  }

  #sayTrouble({ message, reason }: BusError): Effect.Effect<Waiting> {
    return reason._tag === "Unreachable"
      ? Effect.as(this.#show({ _tag: "Unreachable" }), { waitMillis: troubleWaitMillis })
      : this.#sayMissing([], message)
  }

  #sayMissing(missing: ReadonlyArray<string>, sentence = sayMissing(missing)): Effect.Effect<Waiting> {
    return Effect.as(this.#show({ _tag: "Missing", missing, sentence }), { waitMillis: troubleWaitMillis })
  }

  #termOf(lease: Lease, renewing: Fiber.Fiber<string>, term: Term): Effect.Effect<SeatTerm, never, Scope.Scope> {
    return Effect.gen(function*() {
      const over = yield* Deferred.make<string>()
      yield* Effect.forkScoped(Effect.flatMap(
        Effect.raceFirst(
          Fiber.join(renewing),
          Effect.map(
            term.over,
            (bucket) => `Bucket ${bucket} was written by another, or it cannot be said that it was not.`
          )
        ),
        (why) => Effect.andThen(Effect.sync(() => lease.end()), Deferred.succeed(over, why))
      ))
      return { bus: whileHeld(term.bus, lease), isHeld: () => lease.isHeld, over: Deferred.await(over) }
    })
  }

  /** Renews the lease for as long as that goes; gives why it goes no longer. */
  #renew(lease: Lease): Effect.Effect<string> {
    return Effect.gen({ self: this }, function*() {
      let waitMillis = lease.renewEveryMillis
      while (true) {
        yield* Effect.sleep(Math.min(waitMillis, Math.max(0, lease.leftMillis)))
        if (!lease.isHeld) {
          return "It was not renewed in time: the bus answers too slowly, or not at all, for the seat's time to live (mesh-provisioner setup --seat-time-to-live)."
        }
        const renewed = yield* Effect.option(Effect.timeoutOption(
          this.#key.put(lease, lease.revision),
          Math.max(1, lease.leftMillis)
        ))
        const isRenewed = Option.flatten(renewed)
        if (Option.isSome(isRenewed) && !isRenewed.value) {
          return "Another holds the seat."
        }
        waitMillis = Option.isSome(isRenewed) ? lease.renewEveryMillis : lease.beatMillis
      }
    })
  }

  /** Gives the seat up, where it is still this instance's. Who does not answer is not waited for long. */
  #leave(lease: Lease | undefined): Effect.Effect<void> {
    return Effect.suspend(() => {
      const revision = lease?.revision
      lease?.end()
      return revision === undefined ? Effect.void : this.#key.giveUp(revision).pipe(
        Effect.timeoutOption(leaveMillisMax),
        Effect.flatMap(Option.match({ onNone: () => sayKept, onSome: () => Effect.void })),
        Effect.catch(() => sayKept)
      )
    })
  }
}

const sayKept = Effect.logWarning(
  "The seat could not be given up, as the bus does not answer: another takes it when its time to live is over."
)

interface Waiting {
  readonly waitMillis: number
}

const troubleWaitMillis = 1_000
const leaveMillisMax = 1_500

const sayMissing = (missing: ReadonlyArray<string>): string =>
  `Nothing is written: there is no bucket ${missing.join(", ")}. Make ${
    missing.length === 1 ? "it" : "them"
  }, by mesh-provisioner setup.`

const isMissing = (trouble: Trouble): boolean => trouble._tag === "Api" && trouble.code === apiCode.noStream

const readError = (bucket: string) => (trouble: Trouble): BusError =>
  new BusError({ operation: "get", bucket, reason: reasonOf(trouble) })

const neverExpires =
  `Bucket ${seatBucket} keeps what it holds for ever, so that a holder that is gone would never be followed. Run ` +
  "mesh-provisioner setup."
