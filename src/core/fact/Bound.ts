import * as Schema from "effect/Schema"
import type { Json } from "../Json.ts"
import { AnyObject, Name } from "./Common.ts"

/** What a provider says of a claim: its outcome (protocol §3). */
export const Bound = Schema.Struct({
  state: Name,
  why: Schema.optionalKey(Schema.String),
  by: Name,
  also: Schema.optionalKey(Schema.Array(Name)),
  for: Schema.optionalKey(Name),
  values: Schema.optionalKey(AnyObject)
})

/** A decoded bound entry. */
export type Bound = typeof Bound.Type

/** The nodes that made, or still hold, something for the claim: `by` unless retired, and each of `also` (protocol §3). */
export const makersOf = (entry: Bound): ReadonlySet<string> =>
  new Set([...(entry.state === "retired" ? [] : [entry.by]), ...(entry.also ?? [])])

/** What a maker has, as an answer's digest is taken over it (protocol §3). */
export const whatMakerHas = (entry: Bound, maker: string): Json =>
  maker === entry.by && entry.state !== "retired"
    ? {
      by: entry.by,
      ...(entry.for === undefined ? {} : { for: entry.for }),
      ...(entry.values === undefined ? {} : { values: entry.values })
    }
    : { also: maker }
