import * as Schema from "effect/Schema"
import { Name } from "./Common.ts"

/** The node host's word on what runs there: which build, how healthy (protocol §3). */
export const Have = Schema.Struct({
  build: Name,
  health: Schema.Literals(["healthy", "starting", "unhealthy", "stopped", "failed"]),
  words: Schema.optionalKey(Schema.String)
})

/** A decoded have. */
export type Have = typeof Have.Type
