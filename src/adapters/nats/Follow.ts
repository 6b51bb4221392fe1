/**
 * Follows a bucket on NATS (`ports/Bus`, follow): reads its start to an end, and then lives on, over lost connections,
 * restarted servers and lost messages, for as long as it can be said that nothing was missed.
 *
 * `kv.watch` of NATS' own client does not do here: it does not say where the start ends, keeps what waits without bound,
 * and goes blind in silence where its server dies, or its bucket is made again, purged or expires.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { BucketEvent } from "../../ports/Bus.ts"
import { BusError, type BusErrorReason } from "../../ports/BusError.ts"
import { Follower } from "../memory/Follower.ts"
import type { Advisories } from "./Advisories.ts"
import type { Connection } from "./Connection.ts"
import { Consumer, type Destination } from "./Consumer.ts"
import { isBucket, isBucketName, type JetStream, type StreamInfo } from "./JetStream.ts"
import { isPassing, readReasonOf, type Trouble } from "./NatsErrors.ts"
import { Reading } from "./Reading.ts"
import type { Settings } from "./Settings.ts"

/** What a following stands on. */
export interface Ground {
  readonly connection: Connection
  readonly jetStream: JetStream
  readonly advisories: Advisories
  readonly settings: Settings
}

/** Follows a bucket, until the scope closes. */
export const follow = Effect.fnUntraced(function*(
  ground: Ground,
  bucket: string
): Effect.fn.Return<Queue.Dequeue<BucketEvent, BusError>, BusError, Scope.Scope> {
  const errorOf = (reason: BusErrorReason) => new BusError({ operation: "follow", bucket, reason })
  if (!isBucketName(bucket)) {
    return yield* Effect.fail(errorOf({ _tag: "Lost", how: "missing" }))
  }
  const queue = yield* Effect.acquireRelease(Queue.unbounded<BucketEvent, BusError>(), Queue.shutdown)
  const following = new Following(ground, bucket, new Follower(queue, keyOf, []))
  yield* Effect.forkScoped(following.run.pipe(
    Effect.catch((reason) => Effect.sync(() => following.fail(reason, errorOf)))
  ))
  yield* Effect.mapError(Deferred.await(following.opened), errorOf)
  return Queue.asDequeue(queue)
})

const keyOf = (event: BucketEvent): string | undefined => event._tag === "End" ? undefined : event.key

/** How long the server may take to find every key's last message: 3 s for 100,000 keys were seen of an old one. */
const startMillisMax = 60_000

class Following {
  readonly opened = Deferred.makeUnsafe<void, BusErrorReason>()
  readonly #ground: Ground
  readonly #to: Destination
  #isOpen = false

  constructor(ground: Ground, bucket: string, follower: Follower<BucketEvent>) {
    this.#ground = ground
    this.#to = { bucket, follower, reading: new Reading() }
  }

  /** Reads by one consumer after the other, until it cannot be said any more that nothing is missed. */
  get run(): Effect.Effect<never, BusErrorReason> {
    const { silenceMillisMax } = this.#ground.settings
    return this.#readOnce.pipe(
      Effect.retry({
        while: (reason) => this.#isOpen && isPassing(reason),
        schedule: Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: silenceMillisMax }))
      }),
      Effect.andThen(Effect.sleep("20 millis")),
      Effect.forever
    )
  }

  fail(reason: BusErrorReason, errorOf: (reason: BusErrorReason) => BusError): void {
    Deferred.doneUnsafe(this.opened, Effect.fail(reason))
    this.#to.follower.fail(errorOf(reason))
  }

  /** Reads by one consumer. Ends where another is to go on. */
  readonly #readOnce: Effect.Effect<void, BusErrorReason> = Effect.scoped(Effect.gen({ self: this }, function*() {
    const { connection, jetStream, settings } = this.#ground
    const { bucket, reading } = this.#to
    const broken = yield* Deferred.make<void, BusErrorReason>()
    const breakOff = (why: Effect.Effect<void, BusErrorReason> = Effect.void) => {
      Deferred.doneUnsafe(broken, why)
    }
    const info = yield* this.#info
    if (!reading.isSame(info, reading.mark)) {
      return yield* Effect.fail(deleted)
    }
    if (!isBucket(bucket, info.config)) {
      return yield* Effect.fail(noBucket)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        connection.listen(({ _tag }) => {
          if (_tag !== "Denied") {
            breakOff()
          }
          return false
        })
      ),
      (stop) => Effect.sync(stop)
    )
    const consumer = yield* Effect.acquireRelease(
      Effect.sync(() => new Consumer(connection, settings, this.#to, breakOff)),
      (made) => Effect.sync(() => made.close())
    )
    const sequence = reading.begin(info)
    const pending = yield* this.#orReason(jetStream.makeConsumer(bucket, consumer.configFrom(sequence), startMillisMax))
    consumer.tell(reading.made(pending))
    this.#isOpen = true
    yield* Deferred.succeed(this.opened, undefined)
    yield* Effect.raceFirst(Deferred.await(broken), this.#watchOver(consumer))
  }))

  get #info(): Effect.Effect<StreamInfo, BusErrorReason> {
    return this.#orReason(this.#ground.jetStream.info(this.#to.bucket))
  }

  // A bucket that was there is deleted where it is not there any more.
  #orReason<A>(asked: Effect.Effect<A, Trouble>): Effect.Effect<A, BusErrorReason> {
    return Effect.mapError(asked, (trouble) => {
      const reason = readReasonOf(trouble)
      return this.#isOpen && reason._tag === "Lost" ? deleted : reason
    })
  }

  /** Ends where the consumer says nothing any more; fails where the bucket is another one, or lacks what was read. */
  #watchOver(consumer: Consumer): Effect.Effect<void, BusErrorReason> {
    const { advisories, settings } = this.#ground
    const { bucket, reading } = this.#to
    return Effect.scoped(Effect.gen({ self: this }, function*() {
      const alarm = yield* advisories.about(bucket)
      let nextAudit = 0
      let isAlarmed = false
      while (true) {
        // An alarm stays where it is until it is taken for sure: who loses a race drops what it took.
        yield* Effect.raceFirst(
          Queue.peek(alarm),
          Effect.sleep(reading.isStartOver ? Math.min(1_000, settings.silenceMillisMax / 4) : 50)
        )
        isAlarmed = (yield* Queue.clear(alarm)).length > 0 || isAlarmed
        if (yield* this.#isSilent(consumer)) {
          return
        }
        if (reading.isShortOfKeys) {
          consumer.tell(reading.aim(yield* this.#info))
        }
        const isDue = isAlarmed || performance.now() >= nextAudit
        if (isDue && reading.isStartOver && !consumer.isHeldUp) {
          nextAudit = performance.now() + settings.auditEveryMillis
          isAlarmed = false
          if (!(yield* this.#audit)) {
            return
          }
        }
      }
    }))
  }

  // What has come while this process was busy is looked at before it counts as silence.
  #isSilent(consumer: Consumer): Effect.Effect<boolean> {
    const isSilent = Effect.sync(() => consumer.silentMillis > this.#ground.settings.silenceMillisMax)
    return Effect.flatMap(
      isSilent,
      (suspected) => suspected ? Effect.delay(isSilent, "50 millis") : Effect.succeed(false)
    )
  }

  /** Gives whether all that the stream speaks of was delivered. */
  get #audit(): Effect.Effect<boolean, BusErrorReason> {
    const { reading } = this.#to
    return Effect.gen({ self: this }, function*() {
      const before = reading.mark
      const info = yield* this.#info
      if (reading.isSame(info, before) && !(yield* this.#hasTaken(info.state.last_seq ?? 0))) {
        return false
      }
      const audit = reading.audit(info, before)
      if (audit !== "whole") {
        return yield* Effect.fail(audit === "replaced" ? deleted : ended)
      }
      return true
    })
  }

  #hasTaken(sequence: number): Effect.Effect<boolean> {
    const { reading } = this.#to
    const { silenceMillisMax } = this.#ground.settings
    return Effect.gen(function*() {
      for (let waited = 0; reading.last < sequence && waited < silenceMillisMax; waited += takenEveryMillis) {
        yield* Effect.sleep(takenEveryMillis)
      }
      return reading.last >= sequence
    })
  }
}

const takenEveryMillis = 20

const deleted: BusErrorReason = { _tag: "Lost", how: "deleted" }
const noBucket: BusErrorReason = { _tag: "Lost", how: "no-bucket" }
const ended: BusErrorReason = { _tag: "Lost", how: "ended" }
