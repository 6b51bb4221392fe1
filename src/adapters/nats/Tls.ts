/**
 * How a connection is encrypted, as the client takes it.
 */
import type { TlsOptions } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import { access, constants } from "node:fs/promises"
import { isIP } from "node:net"
import { checkServerIdentity, type PeerCertificate } from "node:tls"
import { NatsConnectError } from "./NatsConnectError.ts"
import type { Servers } from "./Servers.ts"
import type { NatsTls } from "./Settings.ts"

/** TLS by its settings, to these servers; none where neither asks for it. Fails where a file cannot be read. */
export const tlsOf = (
  tls: NatsTls | undefined,
  servers: Servers
): Effect.Effect<TlsOptions | undefined, NatsConnectError> => {
  if (tls === undefined && !servers.tls) {
    return Effect.undefined
  }
  const files = [tls?.caFile, tls?.certFile, tls?.keyFile].filter((path) => path !== undefined)
  const options = { ...tls, checkServerIdentity: identityOf(servers.hostPorts) }
  return Effect.as(Effect.forEach(files, checkReadable, { discard: true }), options)
}

const checkReadable = (path: string): Effect.Effect<void, NatsConnectError> =>
  Effect.tryPromise({
    try: () => access(path, constants.R_OK),
    catch: () => new NatsConnectError({ reason: "settings", where: `File ${path}`, detail: "it cannot be read" })
  })

/**
 * Whether a certificate is that of the server. Where a server is named by its address, the client names none to Node,
 * which then looks for `localhost`: the certificate is to be of one of the addresses that were given.
 */
const identityOf = (hostPorts: ReadonlyArray<string>) => {
  const addresses = hostPorts.map((hostPort) => hostPort.replace(/:\d+$/, "").replaceAll(/[[\]]/g, ""))
    .filter((host) => isIP(host) !== 0)
  return (name: string, certificate: PeerCertificate): Error | undefined => {
    const fault = checkServerIdentity(name, certificate)
    const isOfAddress = name === "localhost" &&
      addresses.some((address) => checkServerIdentity(address, certificate) === undefined)
    return isOfAddress ? undefined : fault
  }
}
