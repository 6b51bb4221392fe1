import * as Schema from "effect/Schema"
import { AnyJson } from "./Common.ts"

/** A value that an operator set for a module on a node (protocol §3). */
export const ConfigValue = Schema.Struct({ value: AnyJson })

/** A decoded config value. */
export type ConfigValue = typeof ConfigValue.Type
