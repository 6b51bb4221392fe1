/**
 * The port by which the verbs are asked for (protocol §8): whoever holds the seat answers, by one function.
 *
 * No implementation: `adapters/nats` serves a micro service, which NATS' own tools find.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/**
 * The verbs of protocol §8, and `what-if` beside them, without the service's name before them.
 *
 * @example
 * ```ts
 * import { verbNames } from "mesh-provisioner/adapters/nats"
 *
 * verbNames.map((name) => `mesh-provisioner.${name}`).length // 4
 * ```
 */
export const verbNames = ["provisioning", "explain", "retire", "what-if"] as const

/** One of {@link verbNames}. */
export type VerbName = (typeof verbNames)[number]

/** A request as it arrived, of a stranger's making. */
export interface VerbCall {
  readonly verb: VerbName
  /** The bytes, perhaps none, perhaps no JSON. */
  readonly payload: Uint8Array
  /** The caller's account, as the bus names it, where it does. */
  readonly caller: string | undefined
  /** The most bytes that the reply may have. */
  readonly replyBytesMax: number
}

/** What is replied: JSON as text, or a refusal by its code (400, 404, 409, 503) with a sentence. */
export type VerbReply =
  | { readonly _tag: "Answer"; readonly json: string }
  | { readonly _tag: "Refusal"; readonly code: number; readonly message: string }

/**
 * The verbs cannot be served: this account is `refused`, or the bus is `unreachable`. `message` says what to do.
 *
 * @example
 * ```ts
 * import { VerbServerError } from "mesh-provisioner/adapters/nats"
 *
 * new VerbServerError({ reason: "refused", subject: "mesh-provisioner.retire" }).message
 * // "The verbs are not served: this account may not subscribe to mesh-provisioner.retire. Grant it."
 * ```
 */
export class VerbServerError extends Schema.TaggedError<VerbServerError>("mesh-provisioner/ports/VerbServerError")(
  "VerbServerError",
  { reason: Schema.Literals(["refused", "unreachable"]), subject: Schema.String }
) {
  override get message(): string {
    return this.reason === "refused"
      ? `The verbs are not served: this account may not subscribe to ${this.subject}. Grant it.`
      : `The verbs are not served: the bus does not answer (${this.subject}). It is tried again.`
  }
}

/**
 * Whoever serves the verbs.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { VerbServer } from "mesh-provisioner/adapters/nats"
 *
 * // Where nobody asks.
 * const nobody = VerbServer.of({ serve: () => Effect.void })
 * ```
 */
export class VerbServer extends Context.Service<VerbServer, {
  /**
   * Answers every request by this function until the scope closes; the first that listens is served once this returns.
   * Many are answered at once, and none waits for another.
   */
  readonly serve: (
    answer: (call: VerbCall) => Effect.Effect<VerbReply>
  ) => Effect.Effect<void, VerbServerError, Scope.Scope>
}>()("mesh-provisioner/ports/VerbServer") {}
