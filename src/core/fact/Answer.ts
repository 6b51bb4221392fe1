import * as Schema from "effect/Schema"
import { Digest } from "./Common.ts"

/** An operator's answer to a question about retiring (protocol §3); `entry` is the digest of what the maker has. */
export const Answer = Schema.Struct({
  answer: Schema.Literals(["retire", "keep"]),
  entry: Digest,
  by: Schema.String,
  words: Schema.optionalKey(Schema.String)
})

/** A decoded answer. */
export type Answer = typeof Answer.Type
