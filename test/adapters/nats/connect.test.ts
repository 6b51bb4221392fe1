/**
 * Goal: a connection is made by every way that is offered, and where it cannot be, it is said which server or file, why,
 * and what to do, and nothing of what is secret.
 *
 * Method: servers that let in by password, token, nkey, credentials and certificate; and what is no server at all.
 */
import { assert, describe, it } from "@effect/vitest"
import { nkeys } from "@nats-io/transport-node"
import { Effect, Redacted, type Scope } from "effect"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { inspect } from "node:util"
import { NatsBus, type NatsConnectError, type NatsSettings } from "../../../src/adapters/nats/index.ts"
import { authority } from "../../nats/Certificate.ts"
import { operatorConfig } from "../../nats/Jwt.ts"
import { type NatsServer, natsServer } from "../../nats/Server.ts"
import { act, connected, until } from "./Ground.ts"

const secret = "p@ss:w/rd%25 hunter2"

/** Connects, and makes a bucket and writes there. */
const works = (settings: NatsSettings): Effect.Effect<void> =>
  Effect.scoped(Effect.gen(function*() {
    const nats = yield* NatsBus.make(settings)
    const bucket = `b${performance.now()}`.replace(".", "_")
    yield* nats.applyPlans(yield* nats.planBuckets({ buckets: [bucket] }))
    yield* nats.bus.create(bucket, "a", new Uint8Array())
  })).pipe(Effect.orDie)

/** The error of a connection that is not made. It shows nothing secret, however it is rendered. */
const fails = (settings: NatsSettings): Effect.Effect<NatsConnectError, unknown> =>
  Effect.flip(Effect.scoped(NatsBus.make(settings))).pipe(Effect.tap((error) =>
    Effect.sync(() => {
      const shown = [error.message, inspect(error, { depth: 9 }), JSON.stringify(error)].join("\n")
      assert.notMatch(shown, /hunter2|SU[A-Z2-7]{50}|eyJ/)
    })
  ))

const fileOf = ({ folder }: NatsServer, name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/**
 * What is said again though the connection was neither lost nor made in between. A server may let in, for a moment, by
 * what has expired: then it is lost and made once more.
 */
const repeated = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const changes = lines.filter((line) => /is lost|again\.$/.test(line))
  const said = new Set<string>()
  return [
    ...changes.filter((line, index) => line === changes[index - 1]),
    ...lines.filter((line) => {
      if (changes.includes(line)) {
        said.clear()
        return false
      }
      const isAgain = said.has(line)
      said.add(line)
      return isAgain
    })
  ]
}

const seedOf = (user: ReturnType<typeof nkeys.createUser>): string => new TextDecoder().decode(user.getSeed())

describe("ways in", () => {
  it.live("a user and password, by themselves or in the URL", () =>
    Effect.gen(function*() {
      const { port, url } = yield* natsServer({
        config: JSON.stringify({ authorization: { user: "ann", password: secret } })
      })
      const password = (text: string) => ({ _tag: "Password", user: "ann", password: Redacted.make(text) }) as const
      yield* works({ servers: [url], credentials: password(secret) })
      yield* works({ servers: [`nats://ann:${encodeURIComponent(secret)}@127.0.0.1:${port}`] })
      const wrong = yield* fails({ servers: [url], credentials: password(`${secret}!`) })
      assert.strictEqual(
        wrong.message,
        `The NATS server at 127.0.0.1:${port} did not let this user in. ` +
          "Look at the credentials, and at the users that it knows."
      )
      assert.strictEqual((yield* fails({ servers: [url] })).reason, "refused")
    }))

  it.live("a token, by itself or in the URL", () =>
    Effect.gen(function*() {
      const { port, url } = yield* natsServer({ config: JSON.stringify({ authorization: { token: secret } }) })
      yield* works({ servers: [url], credentials: { _tag: "Token", token: Redacted.make(secret) } })
      yield* works({ servers: [`nats://${encodeURIComponent(secret)}@127.0.0.1:${port}`] })
      const wrong = yield* fails({ servers: [url], credentials: { _tag: "Token", token: Redacted.make("hunter2") } })
      assert.strictEqual(wrong.reason, "refused")
    }))

  it.live("an nkey, as a seed or a file of it", () =>
    Effect.gen(function*() {
      const user = nkeys.createUser()
      const server = yield* natsServer({
        config: JSON.stringify({ authorization: { users: [{ nkey: user.getPublicKey() }] } })
      })
      const seed = seedOf(user)
      const path = fileOf(server, "ann.nk", `# the key of ann\n${seed}\n`)
      yield* works({ servers: [server.url], credentials: { _tag: "Nkey", seed: Redacted.make(seed) } })
      yield* works({ servers: [server.url], credentials: { _tag: "NkeyFile", path } })
      const other = Redacted.make(seedOf(nkeys.createUser()))
      const wrong = yield* fails({ servers: [server.url], credentials: { _tag: "Nkey", seed: other } })
      assert.strictEqual(wrong.reason, "refused")
    }))

  it.live(
    "a credentials file, or a JWT with its seed; read again when the connection is made anew",
    () =>
      Effect.gen(function*() {
        const { config, credentials } = operatorConfig()
        const server = yield* natsServer({ config })
        const { file, jwt, seed } = credentials()
        const path = fileOf(server, "ann.creds", file)
        yield* works({ servers: [server.url], credentials: { _tag: "CredentialsFile", path } })
        yield* works({
          servers: [server.url],
          credentials: { _tag: "Jwt", jwt: Redacted.make(jwt), seed: Redacted.make(seed) }
        })
        const short = fileOf(server, "short.creds", credentials(3).file)
        const lines: Array<string> = []
        const nats = yield* connected(server, { credentials: { _tag: "CredentialsFile", path: short } }, lines)
        fileOf(server, "short.creds", "half a file")
        yield* until("they have expired", () => lines.some((line) => line.includes("is lost")))
        yield* Effect.sleep("1 second")
        fileOf(server, "short.creds", credentials().file)
        yield* until(
          "it is let in by the new ones",
          () => lines.some((line) => line.includes("again.")) && Effect.runSync(nats.connection).isUp
        )
        assert.deepStrictEqual(repeated(lines), [], "each is said once")
      }),
    30_000
  )

  it.live("credentials that have expired, before or while they are used", () =>
    Effect.gen(function*() {
      const { config, credentials } = operatorConfig()
      const server = yield* natsServer({ config })
      const path = fileOf(server, "old.creds", credentials(-10).file)
      const error = yield* fails({ servers: [server.url], credentials: { _tag: "CredentialsFile", path } })
      assert.include(["refused", "expired"], error.reason)
    }))

  it.live(
    "TLS, by the authority that signed the server's certificate, and by one's own certificate",
    () =>
      Effect.gen(function*() {
        const trusted = authority()
        const serverCertificate = trusted.certify("server")
        const own = trusted.certify("ann")
        const folder = yield* natsServer()
        const caFile = fileOf(folder, "ca.pem", trusted.certificate)
        const certFile = fileOf(folder, "own.pem", own.certificate)
        const keyFile = fileOf(folder, "own-key.pem", own.key)
        const tls = {
          cert_file: fileOf(folder, "server.pem", serverCertificate.certificate),
          key_file: fileOf(folder, "server-key.pem", serverCertificate.key),
          ca_file: caFile
        }
        const { port, url } = yield* natsServer({ config: JSON.stringify({ tls }) })
        yield* works({ servers: [`tls://127.0.0.1:${port}`], tls: { caFile } })
        yield* works({ servers: [url], tls: { caFile } })
        const stranger = yield* fails({ servers: [url] })
        assert.strictEqual(stranger.reason, "tls")
        const elsewhere = trusted.certify("server", [127, 0, 0, 9])
        const misplaced = yield* natsServer({
          config: JSON.stringify({
            tls: {
              ...tls,
              cert_file: fileOf(folder, "elsewhere.pem", elsewhere.certificate),
              key_file: fileOf(folder, "elsewhere-key.pem", elsewhere.key)
            }
          })
        })
        assert.strictEqual((yield* fails({ servers: [misplaced.url], tls: { caFile } })).reason, "tls")
        const verifying = yield* natsServer({ config: JSON.stringify({ tls: { ...tls, verify: true } }) })
        yield* works({ servers: [verifying.url], tls: { caFile, certFile, keyFile } })
        const plain = yield* fails({ servers: [folder.url], tls: { caFile } })
        assert.strictEqual(plain.reason, "tls")
        const missing = yield* fails({ servers: [url], tls: { caFile: join(folder.folder, "nowhere.pem") } })
        assert.strictEqual(missing.reason, "settings")
        assert.include(missing.message, "nowhere.pem")
      }),
    30_000
  )
})

describe("no way in", () => {
  /** Something that listens, and is no NATS server: what it does with who connects. */
  const listener = (greet: (write: (text: string) => void) => void): Effect.Effect<string, never, Scope.Scope> =>
    Effect.map(
      Effect.acquireRelease(
        act(() =>
          new Promise<ReturnType<typeof createServer>>((resolve) => {
            const server = createServer((socket) => {
              socket.on("error", () => undefined)
              greet((text) => socket.write(text))
            })
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
        ),
        (server) => Effect.sync(() => server.close())
      ),
      (server) => {
        const address = server.address()
        return `127.0.0.1:${typeof address === "object" ? address?.port : 0}`
      }
    )

  it.live("nobody listens there", () =>
    Effect.gen(function*() {
      const error = yield* fails({ servers: ["nats://ann:hunter2@127.0.0.1:1"] })
      assert.strictEqual(
        error.message,
        "No NATS server answers at 127.0.0.1:1 (ECONNREFUSED). Start it there, or name where it is."
      )
      assert.strictEqual((yield* fails({ servers: ["nats://no-such-host.invalid"] })).reason, "unreachable")
    }))

  it.live("one of several answers: it is found", () =>
    Effect.gen(function*() {
      const { port } = yield* natsServer()
      yield* works({ servers: ["127.0.0.1:1", `127.0.0.1:${port}`, "nats://127.0.0.1:2"] })
      yield* works({ servers: [`nats://127.0.0.1:1,nats://127.0.0.1:${port}`] })
    }))

  it.live("who listens is another kind of server, or says nothing", () =>
    Effect.gen(function*() {
      const ssh = yield* fails({ servers: [yield* listener((write) => write("SSH-2.0-OpenSSH_9.2\r\n"))] })
      assert.strictEqual(ssh.reason, "not-nats")
      const info = yield* fails({ servers: [yield* listener((write) => write("INFO {half\r\n"))] })
      assert.strictEqual(info.reason, "not-nats")
      const mute = yield* fails({ servers: [yield* listener(() => undefined)] })
      assert.strictEqual(mute.reason, "silent")
    }), 20_000)

  it.live("a server without JetStream, and an account without it", () =>
    Effect.gen(function*() {
      const off = yield* natsServer({ jetstream: false })
      const error = yield* fails({ servers: [off.url] })
      assert.strictEqual(error.reason, "no-jetstream")
      assert.include(error.message, `127.0.0.1:${off.port} keeps no buckets`)
      const server = yield* natsServer({
        config: JSON.stringify({ accounts: { bare: { users: [{ user: "ann", password: "hunter2" }] } } })
      })
      const account = yield* fails({
        servers: [server.url],
        credentials: { _tag: "Password", user: "ann", password: Redacted.make("hunter2") }
      })
      assert.strictEqual(account.reason, "no-jetstream")
    }))

  it.live("files and addresses that cannot be used are named", () =>
    Effect.gen(function*() {
      const server = yield* natsServer()
      const from = (credentials: NatsSettings["credentials"]) =>
        Effect.map(fails({ servers: [server.url], ...(credentials === undefined ? {} : { credentials }) }), (error) => {
          assert.strictEqual(error.reason, "settings")
          return error.message
        })
      const empty = fileOf(server, "empty.creds", "hunter2")
      assert.strictEqual(
        yield* from({ _tag: "CredentialsFile", path: empty }),
        `File ${empty} cannot be used (it holds no JWT and seed). Give another, or mend it.`
      )
      assert.include(yield* from({ _tag: "NkeyFile", path: "/nowhere/ann.nk" }), "there is no such file")
      assert.include(yield* from({ _tag: "Nkey", seed: Redacted.make("hunter2") }), "no seed of a user's nkey")
      for (
        const address of ["", "http://127.0.0.1", "nats://", "nats://a b", "127.0.0.1:99999999", "nats://%zz:hunter2@a"]
      ) {
        assert.strictEqual((yield* fails({ servers: [address] })).reason, "settings", address)
      }
      assert.strictEqual((yield* fails({ servers: [] })).reason, "settings")
    }))

  it.live("a server that comes later is waited for, as long as is set", () =>
    Effect.gen(function*() {
      const server = yield* natsServer()
      yield* act(() => server.stop())
      const started = performance.now()
      const error = yield* fails({ servers: [server.url], connectFor: "1500 millis" })
      assert.strictEqual(error.reason, "unreachable")
      assert.isAbove(performance.now() - started, 900)
      const [, nats] = yield* Effect.all([
        Effect.delay(act(server.start), "1 second"),
        NatsBus.make({ servers: [server.url], connectFor: Infinity })
      ], { concurrency: 2 })
      assert.isTrue((yield* nats.connection).isUp)
    }), 20_000)
})
