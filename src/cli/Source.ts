/**
 * What `show`, `explain`, `retire` and `diff` answer from: a file, or the bus. The commands do not know which.
 */
import * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { EngineChange } from "../core/Engine.ts"
import type { ExplainReply } from "../core/Explain.ts"
import type { Json } from "../core/Json.ts"
import type { QueryReply } from "../core/Query.ts"
import type { WhatIfReply } from "../core/WhatIf.ts"
import type { Decided } from "./Changes.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import { notBoth } from "./Connect.ts"
import { type Failure, failure, usage } from "./Failure.ts"

/** A request of a verb (protocol §8). */
export type Request = { readonly [field: string]: Json }

/** What is answered to an ask. */
export interface AnswerToAsk {
  readonly key: string
  readonly answer: "retire" | "keep"
  readonly by: string | undefined
  readonly words: string | undefined
}

/** What came of an answer: who gave it, where it was written, and the ask as it stands now; none where it is gone. */
export interface Answered {
  readonly by: string
  readonly writtenTo: string
  readonly ask: { readonly state: string; readonly why: string } | undefined
}

/** Where answers come from. A refusal of a request is a sentence, with a command that lists what is there. */
export interface Source {
  /** All that the verb `provisioning` lists, in one. */
  readonly provisioning: (request: Request) => Effect.Effect<QueryReply, Failure>
  readonly explain: (request: Request) => Effect.Effect<ExplainReply, Failure>
  readonly retire: (answer: AnswerToAsk) => Effect.Effect<Answered, Failure>
  /** What a change of facts would change. */
  readonly whatIf: (changes: ReadonlyArray<EngineChange>) => Effect.Effect<WhatIfReply, Failure>
  /** Everything that is decided. */
  readonly decided: Effect.Effect<Decided, Failure>
  /** What the verb `provisioning` lists, followed until the scope closes. */
  readonly follow: (request: Request) => Effect.Effect<Following, Failure, Scope.Scope>
}

/** A listing that is followed. */
export interface Following {
  /** All of it, as it is now; or why it cannot be told, as a sentence, where that is not said already. */
  readonly read: Effect.Effect<QueryReply, Unread>
  /** Each time that some of it may be another. It ends where that is not told. */
  readonly hints: Queue.Dequeue<unknown, unknown>
  /** What else there is to say meanwhile, as sentences: that the connection is back, and who holds the seat now. */
  readonly news: Queue.Dequeue<string>
}

/** Why a listing cannot be told now. */
export interface Unread {
  readonly sentence: string | undefined
}

/** The source that a command names: the file, or where there is none, the bus. */
export const openSource = (
  from: string | undefined,
  connection: BusConfig
): Effect.Effect<Source, Failure, Scope.Scope> => {
  const opened = from === undefined
    ? Effect.flatMap(Effect.promise(() => import("./BusSource.ts")), ({ busSource }) => busSource(connection))
    : openFile(from)
  return Effect.andThen(notBoth(from, connection), opened)
}

/** The source that a file is, or standard input as `-`. */
export const openFile = (path: string): Effect.Effect<Source> =>
  Effect.map(Effect.promise(() => import("./FileSource.ts")), ({ fileSource }) => fileSource(path))

/** A request that is refused, by the verb's code: as a sentence, with what to do where it does not say that itself. */
export const refused = (code: number, words: string, hint: string): Failure => {
  const sentence = sentenceOf(words)
  return code === 400 ? usage(sentence) : failure(code === 404 || code === 409 ? `${sentence}${hint}` : sentence)
}

const sentenceOf = (words: string): string =>
  `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`

/** What to do where there is no such plan or need. `more` stands behind the command. */
export const plansHint = (request: Request, more = ""): string =>
  ` mesh-provisioner show ${request["kind"] === undefined ? "plans" : "provisions"}${more} lists what is there.`

/** What to do where a change would change more than the provisioner tells while others wait. */
export const snapshotHint =
  " mesh-provisioner snapshot --out mesh.json takes one, which diff mesh.json --change FILE compares."

/** What to do where an ask cannot be answered. */
export const asksHint = (more = ""): string => ` mesh-provisioner show asks${more} lists what is asked, and why.`
