import * as Schema from "effect/Schema"
import { isJsonObject } from "../Json.ts"
import { AnyObject, ModuleName, Name, recordByProvision } from "./Common.ts"

/** Which node or module is to serve a claim (protocol §3). */
export const Pin = Schema.Struct({ node: Schema.optionalKey(Name), module: Schema.optionalKey(ModuleName) })

/** A decoded pin. */
export type Pin = typeof Pin.Type

// A struct would give back its named members alone; the digest of a placement is over all of it (protocol §5.3).
const Placement = AnyObject.pipe(
  Schema.check(
    Schema.makeFilter(
      (placement) =>
        ["dir", "access", "port", "seat", "machine"].every((kind) =>
          !Object.hasOwn(placement, kind) || isJsonObject(placement[kind])
        ),
      { expected: "an object whose dir, access, port, seat and machine are objects" }
    )
  )
)

/** The controller's word that a module is to run on a node, at a wanted build (protocol §3). */
export const Assignment = Schema.Struct({
  build: Name,
  instance: Schema.optionalKey(Name),
  pins: Schema.optionalKey(recordByProvision(Pin)),
  placement: Schema.optionalKey(Placement),
  draining: Schema.optionalKey(Schema.Boolean)
})

/** A decoded assignment. */
export type Assignment = typeof Assignment.Type
