/**
 * The port of the provisioner's seat (protocol §9): one instance of the mesh writes, the others stand by.
 *
 * No implementation: `adapters/nats` keeps it in a bucket with a time to live.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Bus } from "./Bus.ts"

/**
 * How it stands with the seat:
 * - `Looking`: it is not known yet who holds it;
 * - `Missing`: there is no bucket to hold it in, those that its holder writes are not all there (`missing`), or this account
 *   may not use them (`sentence` says what to do);
 * - `Unreachable`: the bus does not answer;
 * - `StandingBy`: another holds it, by this name;
 * - `Held`: this instance holds it.
 */
export type SeatState =
  | { readonly _tag: "Looking" }
  | { readonly _tag: "Missing"; readonly missing: ReadonlyArray<string>; readonly sentence: string }
  | { readonly _tag: "Unreachable" }
  | { readonly _tag: "StandingBy"; readonly holder: string }
  | { readonly _tag: "Held" }

/** The time for which the seat is held. */
export interface SeatTerm {
  /** The bus, of which the decisions are written only while nobody else has written them since the term began. */
  readonly bus: Bus["Service"]
  /** Whether the seat is still held for certain, by a clock that nobody sets. */
  readonly isHeld: () => boolean
  /** Waits until the term is over, though its scope is open; gives why, as a sentence. */
  readonly over: Effect.Effect<string>
}

/**
 * The seat, as one instance sees it.
 *
 * @example
 * ```ts
 * import { Effect, Stream } from "effect"
 * import { Bus, Seat } from "mesh-provisioner/adapters/nats"
 *
 * // The seat of a mesh in which nobody else wants it.
 * const alone = Effect.map(Bus, (bus) =>
 *   Seat.of({
 *     state: Effect.succeed({ _tag: "Held" }),
 *     changes: Stream.make({ _tag: "Held" }),
 *     take: Effect.succeed({ bus, isHeld: () => true, over: Effect.never })
 *   }))
 * ```
 */
export class Seat extends Context.Service<Seat, {
  /** How it stands, now. */
  readonly state: Effect.Effect<SeatState>

  /** How it stands, now and whenever that changes. */
  readonly changes: Stream.Stream<SeatState>

  /**
   * Waits for the seat, for as long as it takes, and takes it: renewed until the scope closes, and then given up at once, so
   * that another need not wait for it to expire. All that is read of the bus is to be read within the term.
   */
  readonly take: Effect.Effect<SeatTerm, never, Scope.Scope>
}>()("mesh-provisioner/ports/Seat") {}
