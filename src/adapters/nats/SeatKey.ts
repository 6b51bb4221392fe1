/**
 * The key of the seat, as one instance writes it: by compare-and-set alone, and read again where an answer does not come.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Bus, Put } from "../../ports/Bus.ts"
import type { BusError } from "../../ports/BusError.ts"
import type { Lease } from "./Lease.ts"
import { type Holder, holderOf, seatBucket, seatKey } from "./SeatBucket.ts"

/** The key of the seat, in the hands of one instance. */
export class SeatKey {
  /** What this instance puts there. */
  readonly value: Uint8Array
  readonly #bus: Bus["Service"]
  readonly #holder: Holder

  constructor(bus: Bus["Service"], holder: Holder) {
    this.#bus = bus
    this.#holder = holder
    this.value = new TextEncoder().encode(JSON.stringify(holder))
  }

  /** Whether it is this instance that holds the seat. */
  isOwn(put: Put | undefined): boolean {
    return holderOf(put)?.id === this.#holder.id
  }

  /** Puts this instance's name, upon nothing or upon a revision. Gives whether it was this put, and no other's, that took it. */
  put(lease: Lease, revision: number | undefined): Effect.Effect<boolean, BusError> {
    const bus = this.#bus
    return Effect.suspend(() => {
      const sentAt = performance.now()
      return (revision === undefined
        ? bus.create(seatBucket, seatKey, this.value)
        : bus.update(seatBucket, seatKey, this.value, revision)).pipe(
          Effect.map((stored) => {
            lease.renewed(stored, sentAt)
            return true
          }),
          Effect.catchReason("BusError", "Conflict", () => Effect.succeed(false)),
          // It may be stored all the same, then or later: what the bucket holds says so.
          Effect.catchReason(
            "BusError",
            "Unreachable",
            () =>
              Effect.map(
                bus.get(seatBucket, seatKey),
                (now) => this.#learn(lease, revision, Option.getOrUndefined(now), sentAt)
              )
          )
        )
    })
  }

  #learn(lease: Lease, before: number | undefined, now: Put | undefined, sentAt: number): boolean {
    const isOwn = this.isOwn(now)
    if (now !== undefined && isOwn && now.revision !== before) {
      lease.renewed(now.revision, sentAt)
    }
    return isOwn && lease.isHeld
  }

  /** Gives the seat up, by its revision; where a renewal was on its way, by the one that this made. */
  giveUp(revision: number): Effect.Effect<void, BusError> {
    const bus = this.#bus
    return Effect.asVoid(bus.delete(seatBucket, seatKey, revision)).pipe(
      Effect.catchReason("BusError", "Conflict", () =>
        Effect.flatMap(bus.get(seatBucket, seatKey), (found) => {
          const put = Option.getOrUndefined(found)
          return put !== undefined && this.isOwn(put)
            ? Effect.asVoid(bus.delete(seatBucket, seatKey, put.revision))
            : Effect.void
        }))
    )
  }
}
