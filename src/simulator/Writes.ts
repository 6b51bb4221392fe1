/**
 * The writes of a run of a simulated provisioner: those of `provisioner/Writer`, step by step. Each is by compare-and-set at
 * the revision that is known, and within the term of the seat.
 */
import type { Write } from "../core/Diff.ts"
import type { Revision } from "../ports/Bus.ts"
import { BusError, type BusErrorReason } from "../ports/BusError.ts"
import type { KeyOf } from "../provisioner/Decider.ts"
import { idOf, type PutOffHow, PutOffs } from "../provisioner/PutOff.ts"
import type { WriteDone, WriteOutcome } from "../provisioner/Turn.ts"
import type { View } from "../provisioner/View.ts"
import type { Reply, Sent } from "./Bus.ts"
import type { Surroundings } from "./Run.ts"

/** How often in a row a key that others keep writing is tried before it waits. */
const conflictTriesMax = 5

/** Writes into the buckets of the provisioner. */
export class Writes {
  readonly #around: Surroundings
  readonly #view: View
  readonly #putOffs = new PutOffs()
  readonly #overtakenTimes = new Map<string, number>()
  readonly #full = new Set<string>()
  #stopped: BusError | undefined

  constructor(around: Surroundings, view: View) {
    this.#around = around
    this.#view = view
  }

  /** Whether anything is to be tried again by itself. */
  get isWaiting(): boolean {
    return this.#putOffs.isAnyWaiting
  }

  /** What was put off in these buckets may be tried once more. */
  retryIn(buckets: ReadonlySet<string>): ReadonlyArray<Write> {
    return this.#putOffs.retryIn(buckets)
  }

  /** What was put off for a reason that may have passed may be tried once more. */
  retryWaiting(): ReadonlyArray<Write> {
    return this.#putOffs.retryPassing()
  }

  /** This is as it is wanted. */
  forget(unwanted: KeyOf): void {
    this.#settled(idOf(unwanted))
  }

  /** Nothing but these is wanted. */
  keepOnly(wanted: ReadonlyArray<Write>): void {
    this.#putOffs.keepOnly(wanted)
  }

  /** Reads the keys of which nobody knows what they hold, one after the other; gives why it could not, if so. */
  readUnknown(done: (trouble: BusError | undefined) => void): void {
    const [next] = this.#view.unknown()
    if (next === undefined) {
      return done(undefined)
    }
    this.#read(next, (trouble) => trouble === undefined ? this.readUnknown(done) : done(trouble))
  }

  #read({ bucket, key }: KeyOf, done: (trouble: BusError | undefined) => void): void {
    const { bus, party, whenAwake } = this.#around
    bus.get(party, bucket, key, (found) =>
      whenAwake(() => {
        if (isReason(found)) {
          return done(new BusError({ operation: "get", bucket, key, reason: found }))
        }
        this.#view.learn(bucket, key, found?._tag === "Put" ? found : undefined)
        done(undefined)
      }))
  }

  /** Does the writes, so many at once; gives what became of each, and what stopped them. */
  writeAll(
    writes: ReadonlyArray<Write>,
    done: (outcomes: ReadonlyArray<WriteDone>, stopped: BusError | undefined) => void
  ): void {
    this.#stopped = undefined
    this.#full.clear()
    const due = writes.filter((write) => this.#isDue(write))
    const outcomes: Array<WriteDone> = []
    let begun = 0
    const next = (): void => {
      const write = due[begun]
      if (write !== undefined) {
        begun += 1
        this.#write(write, (outcome) => {
          outcomes.push({ write, outcome })
          if (outcomes.length === due.length) {
            done(outcomes, this.#stopped)
          } else {
            next()
          }
        })
      }
    }
    if (due.length === 0) {
      return done([], undefined)
    }
    while (begun < Math.min(due.length, this.#around.writesInFlightMax) && outcomes.length < due.length) {
      next()
    }
  }

  #isDue(write: Write): boolean {
    if (write.op === "delete" && this.#revisionOf(write) === undefined) {
      return false
    }
    return this.#putOffs.isDue(write)
  }

  #write(write: Write, done: (outcome: WriteOutcome) => void): void {
    if (this.#stopped !== undefined) {
      return done("stopped")
    }
    if (this.#full.has(write.bucket)) {
      this.#putOffs.add(write, "full")
      return done("full")
    }
    const { bus, party, term, whenAwake } = this.#around
    const text = write.op === "delete" ? undefined : JSON.stringify(write.value)
    const follows = this.#revisionOf(write)
    if (text === undefined && follows === undefined) {
      return done("written")
    }
    const { bucket, key } = write
    const sent: Sent = { by: party, bucket, key, text, follows, ...(term === undefined ? {} : { term }) }
    bus.send(sent, (reply) => whenAwake(() => this.#hear(write, text, reply, done)))
  }

  #hear(write: Write, text: string | undefined, reply: Reply, done: (outcome: WriteOutcome) => void): void {
    const { bucket, key } = write
    if ("wrong" in reply) {
      return reply.wrong._tag === "Conflict"
        ? this.#overtaken(write, done)
        : done(this.#fail(write, errorOf(write, reply.wrong)))
    }
    if (write.op === "delete" || text === undefined) {
      this.#view.wroteDelete(bucket, key, reply.revision)
    } else {
      this.#view.wrotePut(bucket, key, reply.revision, write.value)
    }
    this.#settled(idOf(write))
    done("written")
  }

  #overtaken(write: Write, done: (outcome: WriteOutcome) => void): void {
    this.#read(write, (trouble) => {
      if (trouble !== undefined) {
        return done(this.#fail(write, trouble))
      }
      const id = idOf(write)
      const tries = (this.#overtakenTimes.get(id) ?? 0) + 1
      if (this.#isDone(write)) {
        this.#settled(id)
        return done("same")
      }
      if (tries < conflictTriesMax) {
        this.#overtakenTimes.set(id, tries)
        return done("overtaken")
      }
      this.#overtakenTimes.delete(id)
      done(this.#putOffFor(write, "overtaken", "overtaken"))
    })
  }

  #settled(id: string): void {
    this.#putOffs.remove(id)
    this.#overtakenTimes.delete(id)
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

  #fail(write: Write, error: BusError): WriteOutcome {
    switch (error.reason._tag) {
      case "Refused":
        return this.#putOffFor(write, "refused", "refused")
      case "TooLarge":
        return this.#putOffFor(write, "too-large", "refused")
      case "Full":
        this.#full.add(write.bucket)
        return this.#putOffFor(write, "full", "full")
      case "Unreachable":
        this.#view.contents(write.bucket)?.unknown.add(write.key)
    }
    this.#stopped ??= error
    return "stopped"
  }

  #putOffFor(write: Write, how: PutOffHow, outcome: WriteOutcome): WriteOutcome {
    this.#putOffs.add(write, how)
    return outcome
  }
}

const errorOf = ({ bucket, key, op }: Write, reason: BusErrorReason): BusError =>
  new BusError({ operation: op === "delete" ? "delete" : "update", bucket, key, reason })

const isReason = (found: Revision | undefined | BusErrorReason): found is BusErrorReason =>
  found !== undefined && found._tag !== "Put" && found._tag !== "Delete"
