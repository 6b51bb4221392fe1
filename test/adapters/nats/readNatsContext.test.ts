/**
 * Goal: a context of the `nats` command line is read as that tool reads it, and what only that tool can resolve is said.
 *
 * Method: files as that tool writes them (natscontext of jsm.go), in a folder of the test's own.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { NatsBus, readNatsContext } from "../../../src/adapters/nats/index.ts"
import { natsServer } from "../../nats/Server.ts"

/** A home with these contexts, of which one is selected. */
const homeWith = (contexts: { readonly [name: string]: object | string }, selected?: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const home = mkdtempSync(join(tmpdir(), "mesh-provisioner-context-"))
      mkdirSync(join(home, ".config", "nats", "context"), { recursive: true })
      for (const [name, context] of Object.entries(contexts)) {
        const text = typeof context === "string" ? context : JSON.stringify({ ...blank, ...context })
        writeFileSync(join(home, ".config", "nats", "context", `${name}.json`), text)
      }
      if (selected !== undefined) {
        writeFileSync(join(home, ".config", "nats", "context.txt"), `${selected}\n`)
      }
      return home
    }),
    (home) => Effect.sync(() => rmSync(home, { recursive: true }))
  )

/** What that tool writes where nothing is set. */
const blank = {
  description: "",
  url: "nats://127.0.0.1:4222",
  socks_proxy: "",
  token: "",
  user: "",
  password: "",
  creds: "",
  nkey: "",
  cert: "",
  key: "",
  ca: "",
  nsc: "",
  jetstream_domain: "",
  jetstream_api_prefix: "",
  jetstream_event_prefix: "",
  inbox_prefix: "",
  user_jwt: "",
  user_seed: "",
  color_scheme: "",
  tls_first: false,
  windows_ca_certs_match: null
}

const read = (context: object, environment: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(homeWith({ one: context }), (HOME) => readNatsContext("one", { HOME, ...environment }))

describe("what a context says", () => {
  it.live("nothing but where the server is", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read({}), { servers: ["nats://127.0.0.1:4222"] })
      assert.deepStrictEqual((yield* read({ url: "nats://a:4222,tls://b" })).servers, ["nats://a:4222", "tls://b"])
    }))

  it.live("by what one is let in, in the order in which that tool looks", () =>
    Effect.gen(function*() {
      const all = {
        user: "ann",
        password: "hunter2",
        creds: "/c",
        nkey: "/n",
        user_jwt: "e.y.J",
        user_seed: "SU",
        token: "t"
      }
      const credentials = (without: ReadonlyArray<keyof typeof all>) =>
        Effect.map(
          read(Object.fromEntries(Object.entries(all).filter(([name]) => !without.some((other) => other === name)))),
          (settings) => settings.credentials
        )
      const password = yield* credentials([])
      assert.deepStrictEqual(password?._tag === "Password" ? Redacted.value(password.password) : "", "hunter2")
      assert.notInclude(inspect(password, { depth: 9 }), "hunter2")
      assert.deepStrictEqual(yield* credentials(["user"]), { _tag: "CredentialsFile", path: "/c" })
      assert.deepStrictEqual(yield* credentials(["user", "creds"]), { _tag: "NkeyFile", path: "/n" })
      assert.strictEqual((yield* credentials(["user", "creds", "nkey"]))?._tag, "Jwt")
      assert.strictEqual((yield* credentials(["user", "creds", "nkey", "user_jwt"]))?._tag, "Token")
    }))

  it.live("paths with ~ and variables", () =>
    Effect.gen(function*() {
      const home = yield* homeWith({
        one: { creds: "~/ann.creds", ca: "$KEYS/ca.pem", cert: "${KEYS}/c", key: "file:///k" }
      })
      const settings = yield* readNatsContext("one", { HOME: home, KEYS: "/keys" })
      assert.deepStrictEqual(settings.credentials, { _tag: "CredentialsFile", path: join(home, "ann.creds") })
      assert.deepStrictEqual(settings.tls, { caFile: "/keys/ca.pem", certFile: "/keys/c", keyFile: "/k" })
    }))

  it.live("prefixes, a domain, and TLS before all else", () =>
    Effect.gen(function*() {
      const settings = yield* read({ jetstream_domain: "hub", inbox_prefix: "_INBOX_ann", tls_first: true })
      assert.deepStrictEqual(settings, {
        servers: ["nats://127.0.0.1:4222"],
        tls: { handshakeFirst: true },
        inboxPrefix: "_INBOX_ann",
        apiPrefix: "$JS.hub.API",
        keyPrefix: "$JS.hub.API"
      })
      assert.strictEqual(
        (yield* read({ jetstream_api_prefix: "mesh.API", jetstream_domain: "x" })).apiPrefix,
        "mesh.API"
      )
    }))

  it.live("the selected one, and a folder that is set", () =>
    Effect.gen(function*() {
      const home = yield* homeWith({ one: {}, two: { url: "nats://two" } }, "two")
      assert.deepStrictEqual((yield* readNatsContext(undefined, { HOME: home })).servers, ["nats://two"])
      const settings = yield* readNatsContext("two", { HOME: "/nowhere", XDG_CONFIG_HOME: join(home, ".config") })
      assert.deepStrictEqual(settings.servers, ["nats://two"])
    }))

  it.live("by it, a connection is made", () =>
    Effect.gen(function*() {
      const server = yield* natsServer({
        config: JSON.stringify({ authorization: { user: "ann", password: "hunter2" } })
      })
      const nats = yield* NatsBus.make(yield* read({ url: server.url, user: "ann", password: "hunter2" }))
      assert.isTrue((yield* nats.connection).isUp)
    }))
})

describe("what cannot be used", () => {
  const because = (context: object | string, name?: string) =>
    homeWith({ one: context }).pipe(
      Effect.flatMap((HOME) => Effect.flip(readNatsContext(name ?? "one", { HOME }))),
      Effect.tap(({ message }) => Effect.sync(() => assert.notInclude(message, "hunter2"))),
      Effect.map(({ message }) => message)
    )

  it.live("is said by its name", () =>
    Effect.gen(function*() {
      assert.match(yield* because({}, "two"), /^Context "two" of the nats command line .*there is no file .*two\.json/)
      assert.match(yield* because({}, "../one"), /no context is named so/)
      assert.match(yield* because("{ \"user\": \"hunter2\""), /one\.json is not as that tool writes it/)
      assert.match(yield* because({ url: 4222 }), /one\.json is not as that tool writes it/)
      assert.match(yield* because({ nsc: "nsc://o/a/u" }), /takes its credentials from nsc/)
      assert.match(yield* because({ socks_proxy: "socks5://x" }), /goes by a proxy/)
      assert.match(yield* because({ user: "ann", password: "op://vault/hunter2" }), /its password stands elsewhere/)
      assert.match(
        yield* Effect.map(Effect.flip(readNatsContext(undefined, { HOME: "/nowhere" })), ({ message }) => message),
        /^The selected context of the nats command line .*there is no file .*context\.txt/
      )
    }))
})
