/**
 * The parts of mesh-provisioner, each a namespace, for services that run it or embed it.
 *
 * @example
 * ```ts
 * import { Core } from "mesh-provisioner"
 *
 * Core.decide({ buckets: {} }).registry.size // 13
 * ```
 */

/** The core that decides: plain data in and out (also `mesh-provisioner/core`). */
export * as Core from "./core/index.ts"

/** The bus in memory, and the port that every bus implements (also `mesh-provisioner/adapters/memory`). */
export * as Memory from "./adapters/memory/index.ts"

/** The loop that reads a bus, decides and writes, with the verbs that it answers. */
export * as Provisioner from "./provisioner/Provisioner.ts"

/** The daemon: the loop for as long as the seat is held, and the verbs on the bus. */
export * as Daemon from "./provisioner/Daemon.ts"
