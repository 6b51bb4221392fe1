/**
 * The bus in memory, and the port that it and every other bus implement.
 */
export { type Account, mayWrite } from "../../ports/Account.ts"
export {
  type Appeared,
  type BucketEvent,
  type BucketsEvent,
  Bus,
  type BusLimits,
  type Delete,
  type End,
  type Put,
  type Revision,
  type Vanished
} from "../../ports/Bus.ts"
export { BusError, type BusErrorReason, type Operation } from "../../ports/BusError.ts"
export type { Faults } from "./Faults.ts"
export { followFile, type FollowFileOptions } from "./followFile.ts"
export { MemoryBus, type MemoryBusOptions } from "./MemoryBus.ts"
export { readSnapshotFile, SnapshotFileError } from "./SnapshotFile.ts"
