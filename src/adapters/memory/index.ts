/**
 * The bus in memory, and the port that it and every other bus implement. Put a service of yours on it, as the account
 * that it will have, and look at what the bus then holds:
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Bus, MemoryBus } from "mesh-provisioner/adapters/memory"
 *
 * const service = Effect.gen(function*() {
 *   const bus = yield* Bus
 *   yield* bus.create("mesh-host_haves", "n1.shop", new TextEncoder().encode(`{ "build": "s1", "health": "healthy" }`))
 * })
 *
 * const held = Effect.gen(function*() {
 *   const memory = yield* MemoryBus
 *   yield* service.pipe(Effect.provide(MemoryBus.layerAs({ role: "host", node: "n1" })))
 *   return (yield* memory.snapshot).buckets["mesh-host_haves"]
 * })
 *
 * await Effect.runPromise(held.pipe(Effect.provide(MemoryBus.layer())))
 * // { "n1.shop": { build: "s1", health: "healthy" } }
 * ```
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
  type ManyWrites,
  type Put,
  type Revision,
  type Vanished
} from "../../ports/Bus.ts"
export { BusError, type BusErrorReason, type Operation } from "../../ports/BusError.ts"
export type { Write } from "../../ports/Write.ts"
export type { Faults } from "./Faults.ts"
export { followFile, type FollowFileOptions } from "./followFile.ts"
export { MemoryBus, type MemoryBusOptions } from "./MemoryBus.ts"
export { readSnapshotFile, SnapshotFileError } from "./SnapshotFile.ts"
