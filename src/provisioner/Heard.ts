/**
 * What the loop hears: everything comes to it by one queue, so that one fiber takes it all in.
 */
import type { BucketEvent, BucketsEvent } from "../ports/Bus.ts"
import type { BusError } from "../ports/BusError.ts"

/**
 * What the loop hears. `reader` tells which reading of a bucket it is from: what an abandoned one still says is passed over.
 * A `Failed` without a bucket is of the list of the buckets.
 */
export type Heard =
  | {
    readonly _tag: "Bucket"
    readonly bucket: string
    readonly reader: number
    readonly events: ReadonlyArray<BucketEvent>
  }
  | { readonly _tag: "Buckets"; readonly reader: number; readonly events: ReadonlyArray<BucketsEvent> }
  | { readonly _tag: "Failed"; readonly bucket: string | undefined; readonly reader: number; readonly error: BusError }
  /** The hour is over: all is to be read and compared again. */
  | { readonly _tag: "Compare" }
  /** Writing was stopped, and may be tried again. */
  | { readonly _tag: "TryAgain" }

/**
 * What is to be read from now on. `attempt` counts from 0 how often in a row it has failed: the next one waits the longer.
 * Without a bucket, it is the list of the buckets.
 */
export type Order =
  | {
    readonly _tag: "Start"
    readonly bucket: string | undefined
    readonly reader: number
    readonly attempt: number
  }
  | { readonly _tag: "Stop"; readonly bucket: string | undefined }
