/**
 * The bus, as everything here sees it (protocol §9): buckets of keys, each key with its last few revisions. A reader
 * reads a bucket to its end and then follows it; a writer writes by compare-and-set.
 *
 * No implementation: `adapters/memory` is the reference, and the contract suite (`testing/conformance`) holds every adapter
 * to what stands here. Each "law" below is a test of it.
 *
 * Two laws of all of it:
 * - a key is data. `__proto__` is a key like any other, and what is read can have keys that nobody could write through
 *   this port (`n1.*`, `é`): others write the bus too. Read every key as untrusted.
 * - an error names a bucket and a key, never what was written ({@link BusError}).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Queue from "effect/Queue"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { BusError } from "./BusError.ts"
import type { Write } from "./Write.ts"

/** A key was given a value. */
export interface Put {
  readonly _tag: "Put"
  readonly key: string
  /** The bytes as they were written, perhaps none, perhaps no JSON. Shared between readers: not to be altered. */
  readonly value: Uint8Array
  /** Counts up within the bucket by at least one for each change: of two changes, the later has the larger. */
  readonly revision: number
  /** When the bus took it, in milliseconds since 1970. */
  readonly timeMillis: number
}

/** A key was deleted; what it held is an absent fact (protocol §3). */
export interface Delete {
  readonly _tag: "Delete"
  readonly key: string
  readonly revision: number
  readonly timeMillis: number
}

/** One change of one key. */
export type Revision = Put | Delete

/** The start has been read: what was there when reading began has all been said. */
export interface End {
  readonly _tag: "End"
}

/** What a follower of a bucket is told. */
export type BucketEvent = Put | Delete | End

/** A bucket is there, perhaps made anew since it was last heard of. */
export interface Appeared {
  readonly _tag: "Appeared"
  readonly bucket: string
}

/** A bucket is no longer there. */
export interface Vanished {
  readonly _tag: "Vanished"
  readonly bucket: string
}

/** What a follower of the buckets' names is told. */
export type BucketsEvent = Appeared | Vanished | End

/** What the bus holds at most. */
export interface BusLimits {
  /** The most bytes of a value. */
  readonly valueBytesMax: number
  /** The most bytes of a key. */
  readonly keyBytesMax: number
}

/** Many writes, each asked for only once there is room for it. */
export interface ManyWrites<One extends Write> {
  /** How many there are at most. */
  readonly count: number
  /** The next write, none where there is no more; asked for in the moment in which it is sent. */
  readonly next: () => One | undefined
  /** Is told what became of a write, as soon as it is known: its revision, or why it was not done. */
  readonly settled: (write: One, outcome: Result.Result<number, BusError>) => void
  /** How many may be on their way at once. */
  readonly onTheirWayMax: number
}

/**
 * The bus as one account sees it.
 *
 * @example
 * ```ts
 * import { Effect, Queue } from "effect"
 * import { Bus } from "mesh-provisioner/adapters/memory"
 *
 * const countOfNeeds = Effect.gen(function*() {
 *   const bus = yield* Bus
 *   const events = yield* bus.follow("mesh-provisioner_needs")
 *   const keys = new Set<string>()
 *   while (true) {
 *     for (const event of yield* Queue.takeAll(events)) {
 *       if (event._tag === "End") return keys.size
 *       if (event._tag === "Put") keys.add(event.key)
 *       else keys.delete(event.key)
 *     }
 *   }
 * }).pipe(Effect.scoped)
 * ```
 */
export class Bus extends Context.Service<Bus, {
  /**
   * Reads a bucket to its end and then follows it, until the scope closes.
   *
   * Laws:
   * - first the start: a `Put` for each key that is there, in the order of revisions, with its latest value; then one
   *   `End` (at once where the bucket is empty), and no other ever; then each change, in the order of revisions.
   * - no change is lost or said twice, whatever is written while the start is read, but for a reader that falls behind:
   *   of one key's changes that wait to be taken, only the latest need be said. So memory is bounded by the keys and
   *   not by their changes, and a `Delete` can be heard of a key that was never seen. `End` is never before what the
   *   start holds.
   * - the queue fails with `Lost` where the bucket is deleted or its reading ended, and with `Unreachable` where the
   *   bus is gone, after what had been said before. Follow again: it is read anew from the start.
   * - a bucket that was made again is another one: its revisions may start from one again.
   *
   * @returns the events: take them by the batch (`Queue.takeAll`), in one fiber.
   *
   * Fails with `Lost` where there is no such bucket, or what is called so is none; with `Refused` where this account may not
   * read it; with `Failed` where the bus answers by an error of its own; with `Unreachable`.
   */
  readonly follow: (bucket: string) => Effect.Effect<Queue.Dequeue<BucketEvent, BusError>, BusError, Scope.Scope>

  /**
   * The same for the names of the buckets: `Appeared` for each that is there, one `End`, then each that appears or
   * vanishes, in that order. A bucket deleted and made again between two takings may be said by one `Appeared`.
   *
   * The queue, and the call, fail with `Unreachable`, `Failed`, or `Refused` where this account may not.
   */
  readonly followBuckets: Effect.Effect<Queue.Dequeue<BucketsEvent, BusError>, BusError, Scope.Scope>

  /**
   * What a key holds now; none where it is absent or deleted.
   *
   * Law: it is this key's, never another's, though the key read like a pattern (`n1.*`).
   *
   * Fails with `Lost` where there is no such bucket, `Refused`, `Failed`, `Unreachable`.
   */
  readonly get: (bucket: string, key: string) => Effect.Effect<Option.Option<Put>, BusError>

  /**
   * A key's last ten changes, deletes among them, the oldest first (protocol §8, `history`); none where it never was.
   *
   * Fails with `Lost` where there is no such bucket, `Refused`, `Failed`, `Unreachable`.
   */
  readonly history: (bucket: string, key: string) => Effect.Effect<ReadonlyArray<Revision>, BusError>

  /**
   * Writes a key that is absent: never there, or deleted.
   *
   * @returns the new revision.
   *
   * Fails, with nothing written, with `Conflict` where the key is there; with `Lost` where there is no such bucket;
   * with `Refused` where this account may not write there, or no key is written so (protocol §2); with `TooLarge`; with
   * `Full`. Fails with `Unreachable` where nobody answered: then nobody knows whether it was written, until it is read again.
   */
  readonly create: (bucket: string, key: string, value: Uint8Array) => Effect.Effect<number, BusError>

  /**
   * Writes a key whose last change, be it a delete, is `revision`.
   *
   * @returns the new revision.
   *
   * Fails as `create` does, with `Conflict` where the last change is another, or the key never was.
   */
  readonly update: (
    bucket: string,
    key: string,
    value: Uint8Array,
    revision: number
  ) => Effect.Effect<number, BusError>

  /**
   * Deletes a key whose last change is `revision`; its history stays.
   *
   * @returns the revision of the delete.
   *
   * Fails as `update` does.
   */
  readonly delete: (bucket: string, key: string, revision: number) => Effect.Effect<number, BusError>

  /**
   * Does many writes side by side, each as `create`, `update` or `delete` does it; of one key there is one at most. It may be
   * left out where many at once cost as much as each by itself.
   *
   * Laws:
   * - each write that was asked for is settled once, whatever becomes of the others, and all are when it ends;
   * - interrupted, it asks for no more, and ends when all that it asked for are settled.
   */
  readonly writeMany?: <One extends Write>(many: ManyWrites<One>) => Effect.Effect<void>

  /** What this bus holds at most: a value or key of exactly so many bytes is taken, one more is `TooLarge`. */
  readonly limits: BusLimits
}>()("mesh-provisioner/ports/Bus") {}
