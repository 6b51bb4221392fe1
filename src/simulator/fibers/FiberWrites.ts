/**
 * The writes of a provisioner's fibers on the bus of a simulated mesh (`ports/Bus`): each by itself, or many at once.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readUtf8 } from "../../core/Utf8.ts"
import type { ManyWrites } from "../../ports/Bus.ts"
import type { BusError } from "../../ports/BusError.ts"
import { type Write, writeError } from "../../ports/Write.ts"
import type { Surroundings } from "../Run.ts"

/** What writes go by. */
type Way = Pick<Surroundings, "bus" | "party" | "whenAwake" | "fenced">

/** Sends writes in a term, and hears what became of each. */
export class FiberWrites {
  readonly #way: Way
  readonly #term: number | undefined

  constructor(way: Way, term: number | undefined) {
    this.#way = way
    this.#term = term
  }

  /** Does one write. Gives its revision. */
  write(write: Write): Effect.Effect<number, BusError> {
    return Effect.callback((resume) => this.#send(write, (outcome) => resume(Effect.fromResult(outcome))))
  }

  /** Does many, so many at once; interrupted, it waits for those that are on their way, and sends no more. */
  writeMany<One extends Write>({ next, onTheirWayMax, settled }: ManyWrites<One>): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      let onTheirWay = 0
      let isOver = false
      let over = () => resume(Effect.void)
      const go = (): void => {
        while (!isOver && onTheirWay < onTheirWayMax) {
          const write = next()
          if (write === undefined) {
            isOver = true
            break
          }
          onTheirWay += 1
          this.#send(write, (outcome) => {
            onTheirWay -= 1
            settled(write, outcome)
            go()
          })
        }
        if (isOver && onTheirWay === 0) {
          over()
        }
      }
      go()
      return Effect.callback<void>((ended) => {
        over = () => ended(Effect.void)
        isOver = true
        go()
      })
    })
  }

  #send(write: Write, heard: (outcome: Result.Result<number, BusError>) => void): void {
    const { bus, fenced, party, whenAwake } = this.#way
    const { bucket, key, revision: follows, value } = write
    const term = this.#term === undefined ? {} : { term: this.#term }
    const text = value === undefined ? undefined : readUtf8(value)
    bus.send({ by: party, bucket, key, text, follows, ...term }, (reply) =>
      whenAwake(() => {
        if (!("wrong" in reply)) {
          return heard(Result.succeed(reply.revision))
        }
        if (reply.wrong._tag === "Fenced") {
          fenced()
        }
        heard(Result.fail(writeError(write, reply.wrong)))
      }))
  }
}
