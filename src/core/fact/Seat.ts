import * as Schema from "effect/Schema"
import { ModuleName, Name } from "./Common.ts"

/** The module on a node that holds a seat (protocol §3). */
export const Seat = Schema.Struct({ node: Name, module: ModuleName })

/** A decoded seat: its holder. */
export type Seat = typeof Seat.Type
