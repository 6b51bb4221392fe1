import * as Schema from "effect/Schema"
import { Digest, Name, ProvisionKey } from "./Common.ts"

/** What a node's client applied for a module (protocol §3); `own` lists the claims that the module answers by itself. */
export const Applied = Schema.Struct({
  plan: Digest,
  build: Schema.optionalKey(Name),
  instance: Schema.optionalKey(Name),
  own: Schema.optionalKey(Schema.Array(ProvisionKey))
})

/** A decoded applied entry. */
export type Applied = typeof Applied.Type
