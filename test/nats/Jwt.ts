/**
 * A server whose users have credentials (JWTs), as the tools of NATS issue them.
 */
import { nkeys } from "@nats-io/transport-node"

type KeyPair = ReturnType<typeof nkeys.createUser>

/** A server's configuration, and what issues credentials of its one account; `validFor` may be over already. */
export const operatorConfig = (): {
  readonly config: string
  readonly credentials: (
    validForSeconds?: number
  ) => { readonly file: string; readonly jwt: string; readonly seed: string }
} => {
  const operator = nkeys.createOperator()
  const system = nkeys.createAccount()
  const mesh = nkeys.createAccount()
  const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
  const store = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const account = (keys: KeyPair, more: object) =>
    issue(operator, keys, { type: "account", limits: { ...limits, ...more } })
  return {
    config: [
      `operator: ${issue(operator, operator, { type: "operator", system_account: system.getPublicKey() })}`,
      `system_account: ${system.getPublicKey()}`,
      "resolver: MEMORY",
      "resolver_preload: {",
      `  ${system.getPublicKey()}: ${account(system, {})}`,
      `  ${mesh.getPublicKey()}: ${account(mesh, store)}`,
      "}"
    ].join("\n"),
    credentials: (validForSeconds) => {
      const user = nkeys.createUser()
      const jwt = issue(mesh, user, { type: "user", subs: -1, data: -1, payload: -1 }, validForSeconds)
      const seed = new TextDecoder().decode(user.getSeed())
      return { file: credentialsFile(jwt, seed), jwt, seed }
    }
  }
}

const issue = (issuer: KeyPair, subject: KeyPair, nats: object, validForSeconds?: number): string => {
  const now = Math.floor(Date.now() / 1_000)
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString("base64url")
  const signed = [
    part({ typ: "JWT", alg: "ed25519-nkey" }),
    part({
      jti: `${Math.random()}`,
      iat: now - 60,
      ...(validForSeconds === undefined ? {} : { exp: now + validForSeconds }),
      iss: issuer.getPublicKey(),
      sub: subject.getPublicKey(),
      name: "tests",
      nats: { ...nats, version: 2 }
    })
  ].join(".")
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString("base64url")}`
}

const credentialsFile = (jwt: string, seed: string): string =>
  [
    "-----BEGIN NATS USER JWT-----",
    jwt,
    "------END NATS USER JWT------",
    "",
    "-----BEGIN USER NKEY SEED-----",
    seed,
    "------END USER NKEY SEED------",
    ""
  ].join("\n")
