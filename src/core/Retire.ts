/**
 * The pure half of the verb `mesh-provisioner.retire` (protocol §8): an operator's answer to a question about retiring,
 * given about exactly what the maker has now.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decisionBuckets } from "./Bucket.ts"
import { bucketName } from "./BucketName.ts"
import type { Caller } from "./Caller.ts"
import type { Write } from "./Diff.ts"
import { digest } from "./Digest.ts"
import { whatMakerHas } from "./fact/Bound.ts"
import type { Json } from "./Json.ts"
import { readKey, writeKey } from "./Key.ts"
import { answerWordsCodePointsMax, replyBytesMax } from "./Limits.ts"
import { writeUtf8 } from "./Utf8.ts"
import { refuse, requestOf, type VerbError, type VerbSource } from "./Verb.ts"
import { cut, verbWhy } from "./Words.ts"

const readRequest = requestOf(Schema.Struct({
  key: Schema.String,
  answer: Schema.Literals(["retire", "keep"]),
  by: Schema.optionalKey(Schema.String),
  words: Schema.optionalKey(Schema.String)
}))

/** What the verb `retire` comes to: the write of the answer, and its value. */
export interface RetireReply {
  readonly write: Write & { readonly op: "put" }
}

/** What a caller may hand in beside the request. */
export interface RetireOptions {
  /** Who asks, where the bus says so. */
  readonly caller?: Caller
  /** The bytes that a reply may have, as JSON; NATS' own default where left out. */
  readonly replyBytesMax?: number
}

/**
 * Answers a question about retiring (protocol §8): `retire` to have undone what the maker has now, `keep` to have it
 * left alone. A mind may change until it is undone.
 *
 * @param request `{ "key", "answer": "retire" | "keep", "by"?, "words"? }`, the key of an ask that is `unneeded`, `kept`
 *   or `retire`.
 * @param options who asks, where the bus says so: only operators answer, and their name stands over the request's `by`.
 * @returns the write of the answer, or why the request is refused: 400, 404 no such ask, 409 it is `wanted` or `held`.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decide, Facts, retire } from "mesh-provisioner/core"
 *
 * const facts = Facts.fromSnapshot({
 *   buckets: {
 *     "mesh-controller_modules": { postgres: { provides: { database: { credential: "consumer" } } } },
 *     "postgres_bound": { "n1.shop.database": { state: "provided", by: "n2" } }
 *   }
 * })
 * const source = { facts, decisions: decide(facts) }
 * const request = { key: "n2.postgres.n1.shop.database", answer: "keep", by: "ann" }
 * Result.getOrThrow(retire(source, request)).write.bucket // "mesh-provisioner_answers"
 * retire(source, { ...request, key: "n2.postgres.n9.shop.database" })._tag // "Failure"
 * ```
 */
export const retire = (
  source: VerbSource,
  request: unknown,
  options: RetireOptions = {}
): Result.Result<RetireReply, VerbError> =>
  Result.flatMap(readRequest(request), ({ answer, by, key, words }) => {
    const { caller } = options
    if (caller !== undefined && caller.role !== "operator") {
      return refuse(400, verbWhy.noOperator())
    }
    const who = caller?.name ?? by
    if (who === undefined || who === "") {
      return refuse(400, verbWhy.noCaller())
    }
    if ([who, words ?? ""].some((text) => cut(text, answerWordsCodePointsMax) !== text)) {
      return refuse(400, verbWhy.longWords(answerWordsCodePointsMax))
    }
    const state = source.decisions.asks.get(key)?.state
    if (state === "wanted" || state === "held") {
      return refuse(409, verbWhy.notAsked(state))
    }
    const entry = state === undefined ? undefined : digestOfMade(source, key)
    if (entry === undefined) {
      return refuse(404, verbWhy.noAsk())
    }
    const value: Json = { answer, entry, by: who, ...(words === undefined ? {} : { words }) }
    if (writeUtf8(JSON.stringify({ key, value })).length > (options.replyBytesMax ?? replyBytesMax)) {
      return refuse(400, verbWhy.longReply())
    }
    return Result.succeed({ write: { op: "put", bucket: bucketName.answers, key, value } as const })
  })

/** The digest of what the maker that an ask is of has for its claim now. */
const digestOfMade = ({ facts }: VerbSource, key: string): string | undefined => {
  const names = Result.getOrUndefined(readKey(decisionBuckets.asks, key))
  if (names === undefined) {
    return undefined
  }
  const claim = writeKey(names.node, names.module, names.provision, names.local)
  const entry = facts.bound.get(names.providerModule)?.value(claim)
  return entry === undefined ? undefined : digest(whatMakerHas(entry, names.providerNode))
}
