/**
 * Credentials as the client of NATS takes them. Files are read, and looked through, before the first connection, and read
 * again for each later one: who renews them need not start anything anew.
 */
import {
  type Authenticator,
  credsAuthenticator,
  jwtAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator
} from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { NatsConnectError } from "./NatsConnectError.ts"
import { seedIn } from "./Seeds.ts"
import type { NatsCredentials } from "./Settings.ts"

/** The authenticator of credentials. Fails where a file cannot be read, or holds none, and where a seed is none. */
export const authenticatorOf = (credentials: NatsCredentials): Effect.Effect<Authenticator, NatsConnectError> =>
  Effect.suspend(() => {
    const make = makers(credentials)
    const where = whereOf(credentials)
    return Effect.map(
      Effect.try({
        try: () => {
          const made = make()
          made("nonce")
          return made
        },
        catch: (error) => new NatsConnectError({ reason: "settings", where, detail: detailOf(error, credentials) })
      }),
      (first) => lasting(make, first)
    )
  })

// The client closes for good where an authenticator throws: a file that is being replaced must not end the connection.
const lasting = (make: () => Authenticator, first: Authenticator): Authenticator => {
  let last = first
  return (nonce) => {
    try {
      const made = make()
      const said = made(nonce)
      last = made
      return said
    } catch {
      return last(nonce)
    }
  }
}

const makers = (credentials: NatsCredentials): () => Authenticator => {
  switch (credentials._tag) {
    case "CredentialsFile":
      return () => credsAuthenticator(readFileSync(credentials.path))
    case "NkeyFile":
      return () => nkeyAuthenticator(seedIn(readFileSync(credentials.path, "utf8")))
    case "Nkey":
      return () => nkeyAuthenticator(seedIn(Redacted.value(credentials.seed)))
    case "Password":
      return () => usernamePasswordAuthenticator(credentials.user, Redacted.value(credentials.password))
    case "Token":
      return () => tokenAuthenticator(Redacted.value(credentials.token))
    case "Jwt":
      return () =>
        jwtAuthenticator(
          Redacted.value(credentials.jwt).trim(),
          credentials.seed === undefined ? undefined : seedIn(Redacted.value(credentials.seed))
        )
  }
}

const whereOf = (credentials: NatsCredentials): string =>
  "path" in credentials
    ? `File ${credentials.path}`
    : `The ${credentials._tag === "Jwt" ? "JWT" : "nkey"} that was given`

// What the parsers say of a seed or of credentials is not shown: it could hold them.
const detailOf = (error: unknown, { _tag }: NatsCredentials): string => {
  if (error instanceof Error && "syscall" in error && "code" in error) {
    return error.code === "ENOENT" ? "there is no such file" : `it cannot be read: ${String(error.code)}`
  }
  return _tag === "CredentialsFile" ? "it holds no JWT and seed" : "it holds no seed of a user's nkey (SU…)"
}
