/**
 * The bus on NATS JetStream, and the port that it implements as every other bus does. What is written for the bus in
 * memory runs on it unchanged:
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Bus, layer } from "mesh-provisioner/adapters/nats"
 *
 * const service = Effect.gen(function*() {
 *   const bus = yield* Bus
 *   yield* bus.create("mesh-host_haves", "n1.shop", new TextEncoder().encode(`{ "build": "s1", "health": "healthy" }`))
 * })
 *
 * const onNats = service.pipe(Effect.provide(layer({ servers: ["nats://127.0.0.1:1"] })))
 *
 * const error = await Effect.runPromise(Effect.flip(onNats))
 * error.message // "No NATS server answers at 127.0.0.1:1 (ECONNREFUSED). Start it there, or name where it is."
 * ```
 */
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
export type { Parties } from "../../ports/Grants.ts"
export { Seat, type SeatState, type SeatTerm } from "../../ports/Seat.ts"
export {
  type VerbCall,
  type VerbName,
  verbNames,
  type VerbReply,
  VerbServer,
  VerbServerError
} from "../../ports/VerbServer.ts"
export { type BucketDifference, type BucketOptions, type BucketPlan, planBucket } from "./BucketPlan.ts"
export { type Environment, readNatsContext } from "./Context.ts"
export type { TermOptions } from "./Fence.ts"
export {
  type GrantedAccount,
  type GrantedExport,
  type GrantedImport,
  type GrantedUser,
  type Grants,
  type GrantsKind,
  grantsOf
} from "./Grants.ts"
export { grantsConfig, type PublicKeys } from "./GrantsConfig.ts"
export { layer, NatsBus, type Term } from "./NatsBus.ts"
export { NatsConnectError, type NatsConnectReason } from "./NatsConnectError.ts"
export type { SeatOptions } from "./NatsSeat.ts"
export type { NatsCredentials, NatsSettings, NatsTls } from "./Settings.ts"
export { NatsSetupError, type SetupOptions } from "./Setup.ts"
