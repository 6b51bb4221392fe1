/**
 * Writes that are done together, and what became of each.
 */
import * as Effect from "effect/Effect"
import type { Write } from "../core/Diff.ts"
import type { Bus, ManyWrites } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"
import type * as port from "../ports/Write.ts"
import type { WriteDone, WriteOutcome } from "./Turn.ts"

/** A write of the batch, as the bus is to do it. */
export interface BatchWrite extends port.Write {
  readonly write: Write
  readonly place: number
}

/** A batch of writes, each key's once. */
export class Batch {
  readonly #writes: ReadonlyArray<Write>
  readonly #outcomes: Array<WriteOutcome>
  #begun = 0

  constructor(writes: ReadonlyArray<Write>) {
    this.#writes = writes
    this.#outcomes = writes.map(() => "stopped")
  }

  get count(): number {
    return this.#writes.length
  }

  /** The next that has not begun, by its place. */
  next(): { readonly write: Write; readonly place: number } | undefined {
    const place = this.#begun
    const write = this.#writes[place]
    this.#begun += 1
    return write === undefined ? undefined : { write, place }
  }

  became(place: number, outcome: WriteOutcome): void {
    this.#outcomes[place] = outcome
  }

  /** What became of each: those that have not begun are stopped. */
  get done(): ReadonlyArray<WriteDone> {
    return this.#writes.map((write, place) => ({ write, outcome: this.#outcomes[place] ?? "stopped" }))
  }
}

/** Does many writes on a bus: as it does many at once, or else each by itself. */
export const writeMany = (bus: Bus["Service"], many: ManyWrites<BatchWrite>): Effect.Effect<void> => {
  if (bus.writeMany !== undefined) {
    return bus.writeMany(many)
  }
  let begun = 0
  const one: Effect.Effect<void> = Effect.suspend(() => {
    const toWrite = many.next()
    if (toWrite === undefined) {
      return Effect.void
    }
    begun += 1
    const done = Effect.map(Effect.result(writeOn(bus, toWrite)), (outcome) => many.settled(toWrite, outcome))
    // A bus that answers at once would let nothing else be heard: no signal, no verb.
    const breath = begun % writesBetweenBreaths === 0 ? Effect.sleep(0) : Effect.void
    return Effect.uninterruptible(done).pipe(Effect.andThen(breath), Effect.andThen(one))
  })
  const side = Math.min(many.onTheirWayMax, many.count)
  return Effect.all(Array.from({ length: side }, () => one), { concurrency: "unbounded", discard: true })
}

/** After so many writes whoever else waits is heard. */
const writesBetweenBreaths = 1_024

const noBytes = new Uint8Array()

const writeOn = (
  bus: Bus["Service"],
  { bucket, key, operation, revision = 0, value = noBytes }: port.Write
): Effect.Effect<number, BusError> => {
  switch (operation) {
    case "create":
      return bus.create(bucket, key, value)
    case "update":
      return bus.update(bucket, key, value, revision)
    case "delete":
      return bus.delete(bucket, key, revision)
  }
}
