/**
 * Writes what differs (protocol §9): each write by compare-and-set at the revision that is known, said in one line.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Write } from "../core/Diff.ts"
import type { Bus } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import { Batch, type BatchWrite, writeMany } from "./Batch.ts"
import { Bytes } from "./Bytes.ts"
import type { KeyOf } from "./Decider.ts"
import { idOf, type PutOffHow, PutOffs, type Unwritten } from "./PutOff.ts"
import { type Say, saying } from "./Saying.ts"
import type { Settings } from "./Settings.ts"
import type { WriteDone, WriteOutcome } from "./Turn.ts"
import type { View } from "./View.ts"
import { escaped, lineOf, notesOf, overtakenWords } from "./Words.ts"

/** Writes into the buckets of the provisioner. */
export class Writer {
  readonly #bus: Bus["Service"]
  readonly #view: View
  readonly #settings: Settings
  readonly #putOffs = new PutOffs()
  readonly #bytes = new Bytes()
  /** How often in a row another wrote a key before this could. */
  readonly #overtakenTimes = new Map<string, number>()
  /** The buckets that were found to be full since the writes began. */
  readonly #full = new Set<string>()
  /** The buckets that were said to be full, until something could be written there. */
  readonly #saidFull = new Set<string>()
  #stopped: BusError | undefined

  constructor(bus: Bus["Service"], view: View, settings: Settings) {
    this.#bus = bus
    this.#view = view
    this.#settings = settings
  }

  /** What is wanted and is not written, by bucket and why. */
  get unwritten(): ReadonlyArray<Unwritten> {
    return this.#putOffs.unwritten
  }

  /** How often that changed. */
  get unwrittenChanges(): number {
    return this.#putOffs.changes
  }

  /** Whether any of that is to be tried again by itself: others kept writing there, or the bucket was full. */
  get isWaiting(): boolean {
    return this.#putOffs.isAnyWaiting
  }

  /**
   * What was put off in these buckets may be tried once more: they were read anew. What was said of it stands said.
   *
   * @returns those writes.
   */
  retryIn(buckets: ReadonlySet<string>): ReadonlyArray<Write> {
    return this.#putOffs.retryIn(buckets)
  }

  /** What was put off for a reason that may have passed may be tried once more. Gives those writes. */
  retryWaiting(): ReadonlyArray<Write> {
    return this.#putOffs.retryPassing()
  }

  /** A key is as it is wanted: nothing of it is put off. */
  forget(unwanted: KeyOf): void {
    // A start compares everything, and nearly always nothing is put off.
    if (!this.#putOffs.isEmpty || this.#overtakenTimes.size > 0) {
      this.#settled(idOf(unwanted))
    }
  }

  /** Nothing but these is wanted. */
  keepOnly(wanted: ReadonlyArray<Write>): void {
    this.#putOffs.keepOnly(wanted)
  }

  /** Reads the keys of which nobody knows what they hold. Fails where the bus does not say. */
  readonly readUnknown: Effect.Effect<void, BusError> = Effect.suspend(() =>
    Effect.forEach(this.#view.unknown(), ({ bucket, key }) => this.#read(bucket, key), { discard: true })
  )

  /**
   * Does the writes, many at once, each key's once. Where the bus is lost, those that have not begun are left.
   *
   * @returns what became of each, and the error that stopped them, if one did.
   */
  writeAll(
    writes: ReadonlyArray<Write>
  ): Effect.Effect<{ readonly writes: ReadonlyArray<WriteDone>; readonly stopped: BusError | undefined }> {
    return Effect.gen({ self: this }, function*() {
      this.#stopped = undefined
      this.#full.clear()
      const batch = new Batch(writes.filter((write) => this.#isDue(write)))
      const overtaken: Array<BatchWrite> = []
      const say = yield* saying
      const run = Effect.runSyncWith(yield* Effect.context<never>())
      yield* writeMany(this.#bus, {
        count: batch.count,
        next: () => this.#next(batch),
        settled: (one, outcome) => {
          if (Result.isSuccess(outcome)) {
            this.#keep(one.write, outcome.success)
            batch.became(one.place, "written")
            this.#sayWritten(one.write, say)
          } else if (outcome.failure.reason._tag === "Conflict") {
            overtaken.push(one)
          } else {
            batch.became(one.place, run(this.#fail(one.write, outcome.failure)))
          }
        },
        onTheirWayMax: this.#settings.writesInFlightMax
      })
      yield* Effect.forEach(
        overtaken,
        ({ place, write }) =>
          Effect.map(
            Effect.catch(this.#overtaken(write), (error) => this.#fail(write, error)),
            (outcome) => batch.became(place, outcome)
          ),
        { concurrency: this.#settings.writesInFlightMax, discard: true }
      )
      return { writes: batch.done, stopped: this.#stopped }
    })
  }

  /** The next that is to be sent: none once they are stopped, and none into a bucket that is full. */
  #next(batch: Batch): BatchWrite | undefined {
    let next = this.#stopped === undefined ? batch.next() : undefined
    while (next !== undefined && this.#full.has(next.write.bucket)) {
      this.#putOffs.add(next.write, "full")
      batch.became(next.place, "full")
      next = batch.next()
    }
    return next === undefined ? undefined : this.#sendable(next)
  }

  #sendable({ place, write }: { readonly place: number; readonly write: Write }): BatchWrite {
    const { bucket, key } = write
    const revision = this.#revisionOf(write)
    const follows = revision === undefined ? undefined : { revision }
    return write.op === "delete"
      ? { operation: "delete", bucket, key, write, place, ...follows }
      : {
        operation: revision === undefined ? "create" : "update",
        bucket,
        key,
        value: this.#bytes.of(JSON.stringify(write.value)),
        write,
        place,
        ...follows
      }
  }

  #keep(write: Write, revision: number): void {
    if (write.op === "delete") {
      this.#view.wroteDelete(write.bucket, write.key, revision)
    } else {
      this.#view.wrotePut(write.bucket, write.key, revision, write.value)
    }
  }

  // An answer that is gone already is not deleted again, and what was refused is not tried again.
  #isDue(write: Write): boolean {
    if (write.op === "delete" && this.#revisionOf(write) === undefined) {
      return false
    }
    return this.#putOffs.isDue(write)
  }

  // Another wrote the key, and may have decided from newer facts. So this write is left, never forced: the next turn takes
  // in what was heard, decides anew, and writes what still differs then.
  #overtaken(write: Write): Effect.Effect<WriteOutcome, BusError> {
    return Effect.flatMap(this.#read(write.bucket, write.key), (): Effect.Effect<WriteOutcome, BusError> => {
      const id = idOf(write)
      const tries = (this.#overtakenTimes.get(id) ?? 0) + 1
      if (this.#isDone(write)) {
        this.#settled(id)
        return Effect.succeed("same")
      }
      if (tries < this.#settings.conflictTriesMax) {
        this.#overtakenTimes.set(id, tries)
        return Effect.succeed("overtaken")
      }
      this.#overtakenTimes.delete(id)
      return this.#putOffFor(write, "overtaken", "overtaken", overtakenWords(write))
    })
  }

  #settled(id: string): void {
    this.#putOffs.remove(id)
    this.#overtakenTimes.delete(id)
  }

  #read(bucket: string, key: string): Effect.Effect<void, BusError> {
    return Effect.map(this.#bus.get(bucket, key), (put) => this.#view.learn(bucket, key, Option.getOrUndefined(put)))
  }

  #isDone(write: Write): boolean {
    const { bucket, key } = write
    return write.op === "delete"
      ? this.#revisionOf(write) === undefined
      : this.#view.stored.writeOf(bucket, key, write.value) === undefined
  }

  #revisionOf({ bucket, key }: Write): number | undefined {
    return this.#view.contents(bucket)?.revisionOf(key)
  }

  #fail(write: Write, error: BusError): Effect.Effect<WriteOutcome> {
    switch (error.reason._tag) {
      case "Refused":
        return this.#putOffFor(write, "refused", "refused", escaped(error.message))
      case "TooLarge":
        return this.#putOffFor(write, "too-large", "refused", escaped(error.message))
      case "Full":
        return this.#putOffAsFull(write, error)
      case "Unreachable":
        this.#view.contents(write.bucket)?.unknown.add(write.key)
    }
    this.#stopped ??= error
    return Effect.succeed("stopped")
  }

  // Said once, however often the same write is tried again.
  #putOffFor(write: Write, how: PutOffHow, outcome: WriteOutcome, words: string): Effect.Effect<WriteOutcome> {
    return this.#putOffs.add(write, how)
      ? Effect.as(Effect.annotateLogs(Effect.logWarning(words), { ...notesOf(write), error: how }), outcome)
      : Effect.succeed(outcome)
  }

  // A full bucket is said once, and stops nothing that is written elsewhere.
  #putOffAsFull(write: Write, { message }: BusError): Effect.Effect<WriteOutcome> {
    const { bucket } = write
    const isSaid = this.#saidFull.has(bucket)
    this.#putOffs.add(write, "full")
    this.#full.add(bucket)
    this.#saidFull.add(bucket)
    return isSaid
      ? Effect.succeed("full")
      : Effect.as(
        Effect.annotateLogs(Effect.logWarning(`${escaped(message)} It is tried again.`), {
          ...notesOf(write),
          error: "full"
        }),
        "full"
      )
  }

  #sayWritten(write: Write, say: Say): void {
    const notes = notesOf(write)
    this.forget(write)
    this.#saidFull.delete(write.bucket)
    say(lineOf(notes), { ...notes })
  }
}
