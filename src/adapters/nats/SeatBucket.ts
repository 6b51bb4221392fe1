/**
 * The bucket in which the provisioner's seat is held (protocol §9): one key, which goes by itself where its holder does not
 * renew it. How long that takes is the bucket's own to say, and whoever holds the seat reads it there.
 */

/** The bucket of the seat. */
export const seatBucket = "mesh-provisioner_seat"

/** The key of who holds it. */
export const seatKey = "holder"

/** How long the seat is held after it was last renewed, where nothing else is set. */
export const seatTimeToLiveMillis = 10_000
