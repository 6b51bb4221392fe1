import * as Schema from "effect/Schema"
import { AnyJson, Name, Range } from "./Common.ts"

/** A need of kind `bound` (protocol §3): it alone has a provision, a local name, a contract, fields and its own. */
export const BoundNeed = Schema.Struct({
  provision: Schema.optionalKey(Name),
  local: Schema.optionalKey(Name),
  contract: Schema.optionalKey(Range),
  fields: Schema.optionalKey(Schema.Array(Name)),
  optional: Schema.optionalKey(Schema.Boolean),
  own: Schema.optionalKey(Schema.Boolean),
  default: Schema.optionalKey(AnyJson)
})

/** A need of any other kind: what only a `bound` need has is ignored (protocol §3). */
export const OtherNeed = Schema.Struct({
  optional: Schema.optionalKey(Schema.Boolean),
  default: Schema.optionalKey(AnyJson)
})

/** A decoded need, of whatever kind. */
export type Need = typeof BoundNeed.Type
