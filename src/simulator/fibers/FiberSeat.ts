/**
 * The port of the seat (`ports/Seat`) on the seat of a simulated mesh: the daemon's fibers take it, hold it for a term with a
 * bus that is fenced by it, and hear when it is over.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Bus as BusPort } from "../../ports/Bus.ts"
import { Seat as SeatPort, type SeatTerm } from "../../ports/Seat.ts"
import type { Chair, Surroundings } from "../Run.ts"

/** The seat as the fibers of a run see it, with the bus of each of its terms. */
export const fiberSeatOf = (
  { whenAwake }: Surroundings,
  chair: Chair,
  busOf: (term: number) => BusPort["Service"]
): SeatPort["Service"] =>
  SeatPort.of({
    state: Effect.sync(() => chair.isHeld() ? { _tag: "Held" } : { _tag: "Looking" }),
    changes: Stream.empty,
    take: Effect.gen(function*() {
      const over = Deferred.makeUnsafe<string>()
      const term = yield* Effect.acquireRelease(
        Effect.callback<number>((resume) =>
          chair.sit(
            (term) => whenAwake(() => resume(Effect.succeed(term))),
            (why) => whenAwake(() => Deferred.doneUnsafe(over, Effect.succeed(why)))
          )
        ),
        () => Effect.sync(() => chair.leave())
      )
      const seatTerm: SeatTerm = { bus: busOf(term), isHeld: () => chair.isHeld(), over: Deferred.await(over) }
      return seatTerm
    })
  })
