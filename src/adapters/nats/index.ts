/**
 * The bus on NATS JetStream.
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
export { type BucketDifference, type BucketOptions, type BucketPlan, planBucket } from "./BucketPlan.ts"
export { type Environment, readNatsContext } from "./Context.ts"
export { layer, NatsBus, type Term } from "./NatsBus.ts"
export { NatsConnectError, type NatsConnectReason } from "./NatsConnectError.ts"
export type { NatsCredentials, NatsSettings, NatsTls } from "./Settings.ts"
export { NatsSetupError, type SetupOptions } from "./Setup.ts"
