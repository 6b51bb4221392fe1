/**
 * Writes what differs (protocol §9): each write by compare-and-set at the revision that is known, said in one line.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Write } from "../core/Diff.ts"
import { writeUtf8 } from "../core/Utf8.ts"
import type { Bus } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import type { KeyOf } from "./Decider.ts"
import { idOf, type PutOffHow, PutOffs, type Unwritten } from "./PutOff.ts"
import type { Settings } from "./Settings.ts"
import type { WriteDone, WriteOutcome } from "./Turn.ts"
import type { View } from "./View.ts"
import { escaped, lineOf, notesOf, overtakenWords } from "./Words.ts"

/** After so many writes whoever else waits is heard. */
const writesBetweenBreaths = 1_024

/** Writes into the buckets of the provisioner. */
export class Writer {
  readonly #bus: Bus["Service"]
  readonly #view: View
  readonly #settings: Settings
  readonly #putOffs = new PutOffs()
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
      const due = writes.filter((write) => this.#isDue(write))
      const done: Array<WriteDone> = []
      for (let begin = 0; begin < due.length; begin += writesBetweenBreaths) {
        // A bus that answers at once would let nothing else be heard: no signal, no verb.
        yield* begin === 0 ? Effect.void : Effect.sleep(0)
        const outcomes = yield* Effect.forEach(
          due.slice(begin, begin + writesBetweenBreaths),
          (write) => Effect.map(Effect.uninterruptible(this.#write(write)), (outcome) => ({ write, outcome })),
          { concurrency: this.#settings.writesInFlightMax }
        )
        done.push(...outcomes)
      }
      return { writes: done, stopped: this.#stopped }
    })
  }

  // An answer that is gone already is not deleted again, and what was refused is not tried again.
  #isDue(write: Write): boolean {
    if (write.op === "delete" && this.#revisionOf(write) === undefined) {
      return false
    }
    return this.#putOffs.isDue(write)
  }

  #write(write: Write): Effect.Effect<WriteOutcome> {
    if (this.#stopped !== undefined) {
      return Effect.succeed("stopped")
    }
    return this.#full.has(write.bucket)
      ? Effect.as(Effect.sync(() => this.#putOffs.add(write, "full")), "full")
      : this.#attempt(write).pipe(Effect.catch((error) => this.#fail(write, error)))
  }

  #attempt(write: Write): Effect.Effect<WriteOutcome, BusError> {
    return this.#send(write).pipe(
      Effect.flatMap(() => this.#sayWritten(write)),
      Effect.as<WriteOutcome>("written"),
      Effect.catchReason("BusError", "Conflict", () => this.#overtaken(write))
    )
  }

  #send(write: Write): Effect.Effect<void, BusError> {
    const { bucket, key } = write
    const revision = this.#revisionOf(write)
    if (write.op === "delete") {
      return revision === undefined
        ? Effect.void
        : Effect.map(this.#bus.delete(bucket, key, revision), (deleted) => this.#view.wroteDelete(bucket, key, deleted))
    }
    const json = write.value
    const bytes = writeUtf8(JSON.stringify(json))
    const sent = revision === undefined
      ? this.#bus.create(bucket, key, bytes)
      : this.#bus.update(bucket, key, bytes, revision)
    return Effect.map(sent, (written) => this.#view.wrotePut(bucket, key, written, json))
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

  #sayWritten(write: Write): Effect.Effect<void> {
    const notes = notesOf(write)
    this.#settled(idOf(write))
    this.#saidFull.delete(write.bucket)
    return Effect.annotateLogs(Effect.logInfo(lineOf(notes)), { ...notes })
  }
}
