/**
 * The addresses of servers as they are given (URLs, perhaps with a user and password), read into what a connection needs.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { NatsConnectError } from "./NatsConnectError.ts"
import type { NatsCredentials } from "./Settings.ts"

/** Where servers are, as `host:port`; the user that their addresses name; whether they are to be reached by TLS. */
export interface Servers {
  readonly hostPorts: ReadonlyArray<string>
  readonly credentials: NatsCredentials | undefined
  readonly tls: boolean
}

/** Reads addresses. An error shows them without user and password. */
export const readServers = (addresses: ReadonlyArray<string>): Result.Result<Servers, NatsConnectError> =>
  Result.gen(function*() {
    const read: Array<Servers> = []
    for (const address of addresses.flatMap((text) => text.split(",")).map((text) => text.trim())) {
      read.push(yield* readServer(address))
    }
    if (read.length === 0) {
      return yield* Result.fail(new NatsConnectError({ reason: "settings", where: "An empty list of servers" }))
    }
    return {
      hostPorts: read.flatMap(({ hostPorts }) => hostPorts),
      credentials: read.find(({ credentials }) => credentials !== undefined)?.credentials,
      tls: read.some(({ tls }) => tls)
    }
  })

const readServer = (address: string): Result.Result<Servers, NatsConnectError> => {
  const [, scheme = "nats", rest = ""] = /^(?:([a-z+]+):\/\/)?(.*)$/i.exec(address) ?? []
  const at = rest.lastIndexOf("@")
  const hostPort = rest.slice(at + 1).replace(/\/$/, "")
  if (!/^(?:nats|tls)$/i.test(scheme)) {
    return unusable(hostPort, "its scheme is neither nats:// nor tls://")
  }
  if (!hostAndPort.test(hostPort)) {
    return unusable(hostPort, "it is no host, or host:port")
  }
  return Result.map(
    at === -1 ? Result.succeed(undefined) : readUser(hostPort, rest.slice(0, at)),
    (credentials) => ({ hostPorts: [hostPort], credentials, tls: /^tls$/i.test(scheme) })
  )
}

const hostAndPort = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

// A name alone is a token, as in NATS' own tools.
const readUser = (hostPort: string, text: string): Result.Result<NatsCredentials, NatsConnectError> =>
  Result.mapError(
    Result.try(() => text.split(/:(.*)/s, 2).map(decodeURIComponent)),
    () => unusableError(hostPort, "its user or password has a % that encodes nothing: write %25 for it")
  ).pipe(Result.map(([user = "", password]) =>
    password === undefined
      ? { _tag: "Token", token: Redacted.make(user) }
      : { _tag: "Password", user, password: Redacted.make(password) }
  ))

const unusable = (hostPort: string, detail: string) => Result.fail(unusableError(hostPort, detail))

const unusableError = (hostPort: string, detail: string): NatsConnectError =>
  new NatsConnectError({ reason: "settings", where: `Server address ${JSON.stringify(hostPort)}`, detail })
