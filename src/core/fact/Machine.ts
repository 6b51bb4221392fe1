import * as Schema from "effect/Schema"
import { Name } from "./Common.ts"

/** What the controller says of a node (protocol §3): its site, the key to seal for it, and whether it is not heard of. */
export const Machine = Schema.Struct({
  site: Schema.optionalKey(Name),
  seal: Schema.optionalKey(Schema.String),
  lost: Schema.optionalKey(Schema.Boolean)
})

/** A decoded machine. */
export type Machine = typeof Machine.Type
