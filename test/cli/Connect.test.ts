/**
 * Goal: who runs a command knows to which bus it goes, and as whom: a flag wins over the environment, the environment over a
 * context, and what cannot be meant is refused by name.
 *
 * Method: each setting is given in every place where it can be, with another value in each; then the places are taken away
 * from the first on. Secrets are looked for in what is printed of the settings.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import type { NatsSettings } from "../../src/adapters/nats/index.ts"
import { type BusConfig, busFlagTable } from "../../src/cli/command/BusFlags.ts"
import { type Environment, settingsOf } from "../../src/cli/Connect.ts"
import { folderWith } from "./Bin.ts"

const noFlags = Object.fromEntries(Object.keys(busFlagTable).map((name) => [name, undefined])) as BusConfig

const settings = (flags: Partial<BusConfig>, environment: Environment = {}) =>
  settingsOf({ ...noFlags, ...flags }, environment)

const refusal = (flags: Partial<BusConfig>, environment: Environment = {}) =>
  Effect.map(Effect.flip(settings(flags, environment)), ({ exitCode, sentence }) => [exitCode, sentence])

/** Where the nats command line keeps a context `home`. */
const withContext = (context: object): Environment => {
  const folder = folderWith({})
  mkdirSync(join(folder, "nats", "context"), { recursive: true })
  writeFileSync(join(folder, "nats", "context", "home.json"), JSON.stringify(context))
  return { XDG_CONFIG_HOME: folder }
}

const secretsOf = ({ credentials }: NatsSettings) =>
  credentials === undefined ? undefined : Object.fromEntries(
    Object.entries(credentials).map((
      [name, value]
    ) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
  )

describe("a setting", () => {
  /** What each comes to in the settings, as a flag, in the environment, and in a context where that has it. */
  const places: ReadonlyArray<
    readonly [
      flag: Partial<BusConfig>,
      environment: Environment,
      context: object,
      of: (settings: NatsSettings) => unknown,
      expected: readonly [flag: unknown, environment: unknown, context: unknown]
    ]
  > = [
    [{ bus: "a:1,b:2" }, { NATS_URL: "c:3" }, { url: "d:4" }, ({ servers }) => servers, [["a:1", "b:2"], ["c:3"], [
      "d:4"
    ]]],
    [
      { creds: "/a" },
      { NATS_CREDS: "/b" },
      { creds: "/c" },
      secretsOf,
      [{ _tag: "CredentialsFile", path: "/a" }, { _tag: "CredentialsFile", path: "/b" }, {
        _tag: "CredentialsFile",
        path: "/c"
      }]
    ],
    [{ "tls-ca": "/a" }, { NATS_CA: "/b" }, { ca: "/c" }, ({ tls }) => tls?.caFile, ["/a", "/b", "/c"]],
    [{ "tls-cert": "/a" }, { NATS_CERT: "/b" }, { cert: "/c" }, ({ tls }) => tls?.certFile, ["/a", "/b", "/c"]],
    [{ "tls-key": "/a" }, { NATS_KEY: "/b" }, { key: "/c" }, ({ tls }) => tls?.keyFile, ["/a", "/b", "/c"]],
    [
      { "inbox-prefix": "a" },
      { MESH_PROVISIONER_INBOX_PREFIX: "b" },
      { inbox_prefix: "c" },
      ({ inboxPrefix }) => inboxPrefix,
      ["a", "b", "c"]
    ],
    [
      { "api-prefix": "a" },
      { MESH_PROVISIONER_API_PREFIX: "b" },
      { jetstream_api_prefix: "c" },
      ({ apiPrefix }) => apiPrefix,
      ["a", "b", "c"]
    ],
    [
      { "key-prefix": "a" },
      { MESH_PROVISIONER_KEY_PREFIX: "b" },
      { jetstream_api_prefix: "c" },
      ({ keyPrefix }) => keyPrefix,
      ["a", "b", "c"]
    ],
    [
      { timeout: "1m" },
      { MESH_PROVISIONER_TIMEOUT: "500ms" },
      {},
      ({ answerWaitMax }) => answerWaitMax,
      [60_000, 500, undefined]
    ]
  ]

  it.effect.each(places)(
    "%j is taken as a flag, then from %j, then from a context, %j",
    (place) =>
      Effect.gen(function*() {
        const [flag, environment, context, of, expected] = place
        const home = withContext(context)
        const named = { ...home, NATS_CONTEXT: "home" }
        assert.deepStrictEqual(
          of(yield* settings({ ...flag, context: "home" }, { ...home, ...environment })),
          expected[0]
        )
        assert.deepStrictEqual(of(yield* settings({}, { ...named, ...environment })), expected[1])
        assert.deepStrictEqual(of(yield* settings({}, named)), expected[2])
        assert.deepStrictEqual(yield* settings({}, home), {}, "no context, where none is named")
      })
  )

  it.effect("of the environment that holds nothing is none", () =>
    Effect.gen(function*() {
      const empty = Object.values(busFlagTable).flatMap((row) =>
        "secretVariable" in row ? [row.variable, row.secretVariable] : [row.variable]
      )
      assert.deepStrictEqual(yield* settings({}, Object.fromEntries(empty.map((name) => [name, ""]))), {})
    }))

  it.effect("a context's TLS stands beside what is given", () =>
    Effect.gen(function*() {
      const home = withContext({ ca: "/ca", cert: "/cert", key: "/key", tls_first: true })
      const { tls } = yield* settings({ context: "home", "tls-ca": "/mine" }, home)
      assert.deepStrictEqual(tls, { caFile: "/mine", certFile: "/cert", keyFile: "/key", handshakeFirst: true })
    }))
})

describe("who one is", () => {
  const secret = () => {
    const folder = folderWith({ password: "open sesame\n", token: "tok\r\n", empty: "\n", two: "a\nb\n" })
    return (name: string) => join(folder, name)
  }

  it.effect("a password and a token are read from files, as they stand but for the line's end", () =>
    Effect.gen(function*() {
      const at = secret()
      const password = yield* settings({ user: "ann", "password-file": at("password") })
      assert.deepStrictEqual(secretsOf(password), { _tag: "Password", user: "ann", password: "open sesame" })
      const token = yield* settings({ "token-file": at("token") })
      assert.deepStrictEqual(secretsOf(token), { _tag: "Token", token: "tok" })
      assert.notMatch(inspect([password, token], { depth: 9 }) + JSON.stringify([password, token]), /sesame|tok"/)
    }))

  it.effect("they are taken from the environment, and a file is taken before them", () =>
    Effect.gen(function*() {
      const at = secret()
      const held = { NATS_USER: "ann", NATS_PASSWORD: "held" }
      const password = (flags: Partial<BusConfig>, environment: Environment) =>
        Effect.map(settings(flags, environment), secretsOf)
      assert.deepStrictEqual(yield* password({}, held), { _tag: "Password", user: "ann", password: "held" })
      assert.deepStrictEqual(yield* password({ user: "root" }, held), {
        _tag: "Password",
        user: "root",
        password: "held"
      })
      assert.deepStrictEqual(yield* password({}, { ...held, MESH_PROVISIONER_PASSWORD_FILE: at("password") }), {
        _tag: "Password",
        user: "ann",
        password: "open sesame"
      })
      assert.deepStrictEqual(yield* password({}, { NATS_TOKEN: "t" }), { _tag: "Token", token: "t" })
      assert.deepStrictEqual(yield* password({}, { NATS_NKEY: "/seed" }), { _tag: "NkeyFile", path: "/seed" })
    }))

  it.effect("one way that a flag says stands over all that the environment and a context say", () =>
    Effect.gen(function*() {
      const home = withContext({ user: "ann", password: "context" })
      const environment = { ...home, NATS_USER: "ann", NATS_PASSWORD: "held", NATS_CONTEXT: "home" }
      assert.deepStrictEqual(secretsOf(yield* settings({ creds: "/c" }, environment)), {
        _tag: "CredentialsFile",
        path: "/c"
      })
      assert.deepStrictEqual(secretsOf(yield* settings({}, { ...home, NATS_CONTEXT: "home", NATS_CREDS: "/d" })), {
        _tag: "CredentialsFile",
        path: "/d"
      })
      assert.deepStrictEqual(secretsOf(yield* settings({}, { ...home, NATS_CONTEXT: "home", NATS_PASSWORD: "new" })), {
        _tag: "Password",
        user: "ann",
        password: "new"
      })
      const byUrl = yield* settings({}, { ...home, NATS_CONTEXT: "home", NATS_URL: "nats://bob:pw@h" })
      assert.deepStrictEqual([byUrl.servers, byUrl.credentials], [["nats://bob:pw@h"], undefined])
    }))

  it.effect("what cannot be meant is refused, by the name of what was given", () =>
    Effect.gen(function*() {
      const at = secret()
      assert.deepStrictEqual(yield* refusal({ creds: "/a", nkey: "/b" }), [
        2,
        "--creds and --nkey each say who one is. Give only one of them."
      ])
      assert.deepStrictEqual(yield* refusal({}, { NATS_CREDS: "/a", NATS_TOKEN: "t" }), [
        2,
        "NATS_CREDS and NATS_TOKEN (or its file) each say who one is. Give only one of them."
      ])
      assert.deepStrictEqual(yield* refusal({ creds: "/a", "password-file": "/b" }), [
        2,
        "--password-file is of a user, and --creds says who one is. Give only one of them."
      ])
      assert.deepStrictEqual(yield* refusal({ user: "ann" }), [
        2,
        "--user is given without a password. Give --password-file, or set NATS_PASSWORD."
      ])
      assert.deepStrictEqual(yield* refusal({ "password-file": at("password") }), [
        2,
        "There is a password, but no user whose it is. Give --user, or set NATS_USER."
      ])
      assert.deepStrictEqual(yield* refusal({ bus: "nats://ann:pw@h" }), [
        2,
        "--bus names a user or a token, and everyone on this machine sees what stands in a command line. " +
        "Give --user with --password-file, or --token-file, or set NATS_URL."
      ])
      for (const timeout of ["5", "5d", "0s", "-1s", "5 s", "1e3s", "99999999999h"]) {
        assert.deepStrictEqual(yield* refusal({ timeout }), [
          2,
          `--timeout cannot be ${timeout}. Give it a number and its unit, as 500ms, 10s, 1m or 1h.`
        ])
      }
      for (const subject of ["_INBOX.", ".a", "a..b", "a b", "a.*", ">", ""]) {
        assert.deepStrictEqual(yield* refusal({ "inbox-prefix": subject }), [
          2,
          `--inbox-prefix cannot be ${subject}. Give it tokens joined by dots, without a dot at the end, as _INBOX.client:n1.`
        ])
      }
      assert.deepStrictEqual(yield* refusal({ "api-prefix": "$JS.API." }), [
        2,
        "--api-prefix cannot be $JS.API.. Give it tokens joined by dots, without a dot at the end, as $JS.mesh.API."
      ])
      assert.deepStrictEqual(yield* refusal({}, { MESH_PROVISIONER_TIMEOUT: "soon" }), [
        2,
        "MESH_PROVISIONER_TIMEOUT cannot be soon. Give it a number and its unit, as 500ms, 10s, 1m or 1h."
      ])
    }))

  it.effect("a file that holds no secret, or is none, is named, and never quoted", () =>
    Effect.gen(function*() {
      const at = secret()
      for (const name of ["empty", "two"]) {
        assert.deepStrictEqual(yield* refusal({ "token-file": at(name) }), [
          1,
          `${at(name)} holds no secret: that is one line, of 4096 characters at most.`
        ])
      }
      assert.deepStrictEqual(yield* refusal({ "token-file": at("none") }), [
        1,
        `There is no file ${at("none")}. Give the path of one that is there, or - to read standard input.`
      ])
      const home = withContext({})
      assert.deepStrictEqual(yield* refusal({ context: "away" }, home), [
        1,
        `Context "away" of the nats command line cannot be used (there is no file ${
          join(home["XDG_CONFIG_HOME"] ?? "", "nats", "context", "away.json")
        }). Give another, or mend it.`
      ])
    }))
})
