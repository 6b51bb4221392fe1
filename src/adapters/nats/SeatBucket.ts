/**
 * The bucket in which the provisioner's seat is held (protocol §9): one key, which goes by itself where its holder does not
 * renew it. How long that takes is the bucket's own to say, and whoever holds the seat reads it there.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Put } from "../../ports/Bus.ts"

/** The bucket of the seat. */
export const seatBucket = "mesh-provisioner_seat"

/** The key of who holds it. */
export const seatKey = "holder"

/** How long the seat is held after it was last renewed, where nothing else is set. */
export const seatTimeToLiveMillis = 10_000

const Holder = Schema.fromJsonString(Schema.Struct({ name: Schema.String, id: Schema.String }))

/** Who holds the seat: the name is for people, the id is of one process. */
export type Holder = typeof Holder.Type

/** Who holds the seat, by what its key holds; none where that is nothing of this shape. */
export const holderOf = (put: Put | undefined): Holder | undefined =>
  put === undefined || put.value.length > holderBytesMax
    ? undefined
    : Option.getOrUndefined(Schema.decodeUnknownOption(Holder)(new TextDecoder().decode(put.value)))

const holderBytesMax = 4_096
