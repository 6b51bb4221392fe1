/**
 * Why a verb that was asked for over NATS was not answered: one tagged error, with a tagged `reason`.
 */
import * as Schema from "effect/Schema"
import { type VerbName, verbNames } from "../../ports/VerbServer.ts"

/** The provisioner refused it: its code (400, 404, 409, 503), and its own words on what was wrong (protocol §8). */
const Refused = Schema.TaggedStruct("Refused", { code: Schema.Int, words: Schema.String })

/**
 * Nobody said anything that helps:
 * - `Nobody`: nobody listens there, so that nothing was done;
 * - `Denied`: this account may not ask;
 * - `Deaf`: this account may not hear answers where they would come to;
 * - `Silent`: no answer came in time: of `retire`, it is not known whether it was done;
 * - `Unreachable`: there is no connection now, and nothing was asked;
 * - `TooLarge`: the server takes no message so large;
 * - `Unreadable`: what came is no answer of this protocol.
 */
const unanswered = ["Nobody", "Denied", "Deaf", "Silent", "Unreachable", "TooLarge", "Unreadable"] as const

const reason = Schema.Union([Refused, Schema.Struct({ _tag: Schema.Literals(unanswered) })])

/** Why a verb was not answered. */
export type VerbCallReason = typeof reason.Type

/**
 * The error of a verb that was not answered. Its `message` is a sentence for a person, but for a refusal: that is in the
 * provisioner's own words, which may quote names of the request.
 */
export class VerbCallError extends Schema.TaggedError<VerbCallError>("mesh-provisioner/adapters/nats/VerbCallError")(
  "VerbCallError",
  { verb: Schema.Literals(verbNames), reason }
) {
  override get message(): string {
    return this.reason._tag === "Refused" ? this.reason.words : sentences[this.reason._tag](this.verb)
  }
}

const sentences: { readonly [Tag in Exclude<VerbCallReason["_tag"], "Refused">]: (verb: VerbName) => string } = {
  Nobody: (verb) =>
    `Nobody answers ${subjectOf(verb)}: no provisioner holds the seat, or this account may not ask it. ` +
    "Start one (mesh-provisioner serve), or have the account granted the verbs.",
  Denied: (verb) => `This account may not ask ${subjectOf(verb)}. Have it granted the verbs.`,
  Deaf: (verb) =>
    `${
      subjectOf(verb)
    } was not asked: this account may not subscribe to where its answers come. Give what the subjects of ` +
    "its answers begin with, as it was granted: --inbox-prefix.",
  Silent: (verb) =>
    `No answer to ${subjectOf(verb)} came in time. ` +
    (verb === "retire"
      ? "It is not known whether the answer was taken: look at the ask, and answer again where it was not."
      : "Look how the provisioner is, or give it more time (--timeout)."),
  Unreachable: (verb) => `${subjectOf(verb)} was not asked: the NATS server cannot be reached now. Try again.`,
  TooLarge: (verb) => `The request to ${subjectOf(verb)} is larger than the NATS server takes. Ask in fewer words.`,
  Unreadable: (verb) =>
    `What answers ${subjectOf(verb)} is no provisioner of this protocol: its answer cannot be read. ` +
    "Look who listens there."
}

/** The subject that a verb is asked by. */
export const subjectOf = (verb: VerbName): string => `mesh-provisioner.${verb}`
