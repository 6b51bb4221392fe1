/**
 * What is asked of a write before it is sent, the same on every bus: that its key is written as keys are, and that key
 * and value are not larger than the bus holds (`Bus`, the laws of `create`).
 */
import type { BusLimits } from "./Bus.ts"
import { BusError, type BusErrorReason } from "./BusError.ts"

/** A write: `value` is left out where it deletes, `revision` where the key is to be absent. */
export interface Write {
  readonly operation: "create" | "update" | "delete"
  readonly bucket: string
  readonly key: string
  readonly value?: Uint8Array
  readonly revision?: number
}

/** The error of a write. */
export const writeError = ({ operation, bucket, key }: Write, reason: BusErrorReason): BusError =>
  new BusError({ operation, bucket, key, reason })

/** Why a write cannot be sent, if it cannot. */
export const unsendable = (write: Write, limits: BusLimits): BusError | undefined => {
  if (!writableKey.test(write.key)) {
    return writeError(write, { _tag: "Refused", because: "key" })
  }
  return tooLarge(write, "key", write.key.length, limits.keyBytesMax) ??
    tooLarge(write, "value", write.value?.length ?? 0, limits.valueBytesMax)
}

// Tokens joined by single dots, whether or not a token can be read back: that is for readers to judge.
const writableKey = /^[A-Za-z0-9_\-/=]+(?:\.[A-Za-z0-9_\-/=]+)*$/

const tooLarge = (write: Write, what: "key" | "value", bytes: number, bytesMax: number): BusError | undefined =>
  bytes > bytesMax ? writeError(write, { _tag: "TooLarge", what, bytes, bytesMax }) : undefined
