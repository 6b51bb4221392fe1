/**
 * The bus on NATS JetStream.
 */
export { layer, NatsBus } from "./NatsBus.ts"
export { NatsConnectError, type NatsConnectReason } from "./NatsConnectError.ts"
export type { NatsCredentials, NatsSettings, NatsTls } from "./Settings.ts"
