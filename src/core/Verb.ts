/**
 * What the three verbs share (protocol §8): what they answer from, and how a request that cannot be answered is refused.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Decisions } from "./Decision.ts"
import type { FactsView } from "./Facts.ts"
import { isJsonObject } from "./Json.ts"
import type { OrderedKeys } from "./OrderedKeys.ts"
import type { QueryWhat } from "./QueryWhat.ts"
import { sayFaults, shape } from "./Shape.ts"
import { verbWhy } from "./Words.ts"

/** What the verbs answer from: the facts, and what was decided from them. */
export interface VerbSource {
  readonly facts: FactsView
  readonly decisions: Decisions
  /** The keys of what is listed in order, where they are kept so: a page is read from them once they are whole. */
  readonly order?: (what: QueryWhat) => OrderedKeys | undefined
}

/**
 * Why a request is not answered (protocol §8): 400 what the request got wrong, naming what is allowed; 404 what it asks
 * for is not there; 409 it cannot be done as things stand.
 */
export interface VerbError {
  readonly code: 400 | 404 | 409
  readonly message: string
}

/** A refusal of a request. */
export const refuse = (code: VerbError["code"], message: string): Result.Result<never, VerbError> =>
  Result.fail({ code, message })

/** How a verb reads its requests: an object of the schema's fields and no others, so that a misspelt one is not passed over. */
export const requestOf = <A>(schema: Schema.Codec<A, unknown> & { readonly fields: object }) => {
  const read = shape(schema)
  const allowed = Object.keys(schema.fields)
  return (request: unknown): Result.Result<A, VerbError> => {
    if (!isJsonObject(request)) {
      return refuse(400, verbWhy.noObject(allowed))
    }
    return Object.keys(request).every((name) => allowed.includes(name))
      ? Result.mapError(read(request), (faults) => ({ code: 400, message: sayFaults(faults) }) as const)
      : refuse(400, verbWhy.unknownField(allowed))
  }
}
