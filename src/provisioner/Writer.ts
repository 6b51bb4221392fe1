/**
 * Writes what differs (protocol §9): each write by compare-and-set at the revision that is known, said in one line.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Write } from "../core/Diff.ts"
import { type Json, sameJson } from "../core/Json.ts"
import { writeUtf8 } from "../core/Utf8.ts"
import type { Bus } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
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
  /** Writes that are not tried again as they are, by bucket and key, and why. */
  readonly #putOff = new Map<string, PutOff>()
  /** How often in a row another wrote a key before this could. */
  readonly #overtakenTimes = new Map<string, number>()
  #stopped: BusError | undefined

  constructor(bus: Bus["Service"], view: View, settings: Settings) {
    this.#bus = bus
    this.#view = view
    this.#settings = settings
  }

  /** Whether there are keys that others kept writing. */
  get isOvertaken(): boolean {
    return [...this.#putOff.values()].some(({ tag }) => tag === "Conflict")
  }

  /**
   * What was refused in these buckets may be tried once more: they were read anew. What was said of it stands said.
   *
   * @returns whether there is any such write.
   */
  retryRefused(buckets: ReadonlySet<string>): boolean {
    return this.#retry(({ write }) => buckets.has(write.bucket))
  }

  /** Keys that others kept writing may be written once more. */
  retryOvertaken(): boolean {
    return this.#retry(({ tag }) => tag === "Conflict")
  }

  // What may be tried since the last time and was not is not wanted any more.
  #retry(isMeant: (putOff: PutOff) => boolean): boolean {
    let isAny = false
    for (const [id, putOff] of this.#putOff) {
      if (isMeant(putOff) && putOff.again) {
        this.#putOff.delete(id)
      } else if (isMeant(putOff)) {
        putOff.again = true
        isAny = true
      }
    }
    return isAny
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
    const putOff = this.#putOff.get(idOf(write))
    return putOff === undefined || putOff.again || !isSameWrite(putOff.write, write)
  }

  #write(write: Write): Effect.Effect<WriteOutcome> {
    return this.#stopped === undefined
      ? this.#attempt(write).pipe(Effect.catch((error) => this.#fail(write, error)))
      : Effect.succeed("stopped")
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
    return Effect.map(sent, (written) => this.#view.wrotePut(bucket, key, written, bytes, json))
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
      return this.#putOffFor(write, "Conflict", "overtaken", overtakenWords(write))
    })
  }

  #settled(id: string): void {
    this.#putOff.delete(id)
    this.#overtakenTimes.delete(id)
  }

  #read(bucket: string, key: string): Effect.Effect<void, BusError> {
    return Effect.map(this.#bus.get(bucket, key), (put) => this.#view.learn(bucket, key, Option.getOrUndefined(put)))
  }

  #isDone(write: Write): boolean {
    const there = this.#revisionOf(write) !== undefined
    return write.op === "delete"
      ? !there
      : there && sameJson(this.#view.stored.get(write.bucket)?.get(write.key), write.value)
  }

  #revisionOf({ bucket, key }: Write): number | undefined {
    return this.#view.contents(bucket)?.revisionOf(key)
  }

  #fail(write: Write, error: BusError): Effect.Effect<WriteOutcome> {
    switch (error.reason._tag) {
      case "Refused":
      case "TooLarge":
        return this.#putOffFor(write, error.reason._tag, "refused", escaped(error.message))
      case "Unreachable":
        this.#view.contents(write.bucket)?.unknown.add(write.key)
    }
    this.#stopped ??= error
    return Effect.succeed("stopped")
  }

  // Said once, however often the same write is tried again.
  #putOffFor(write: Write, tag: PutOff["tag"], outcome: WriteOutcome, words: string): Effect.Effect<WriteOutcome> {
    const before = this.#putOff.get(idOf(write))
    this.#putOff.set(idOf(write), { write, tag, again: false })
    return before?.tag === tag && isSameWrite(before.write, write)
      ? Effect.succeed(outcome)
      : Effect.logWarning(words).pipe(
        Effect.annotateLogs({ ...notesOf(write), error: tag }),
        Effect.as(outcome)
      )
  }

  #sayWritten(write: Write): Effect.Effect<void> {
    const notes = notesOf(write)
    this.#settled(idOf(write))
    return Effect.annotateLogs(Effect.logInfo(lineOf(notes)), { ...notes })
  }
}

interface PutOff {
  readonly write: Write
  readonly tag: "Refused" | "TooLarge" | "Conflict"
  /** It may be tried once more. */
  again: boolean
}

const idOf = ({ bucket, key }: Write): string => `${bucket} ${key}`

const isSameWrite = (one: Write, other: Write): boolean => one.op === other.op && sameJson(valueOf(one), valueOf(other))

const valueOf = (write: Write): Json | undefined => write.op === "put" ? write.value : undefined
