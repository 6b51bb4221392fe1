/**
 * Goal: `doctor` says of each user whether it may do what it should, and nothing else; and looking changes nothing.
 *
 * Method: every user is looked at on a server as `grants` makes it, where nothing is wrong, and then on ones in which
 * something is: too much or too little is allowed, a bucket is missing or not hardened, nobody serves the verbs, the user is
 * another. After each look every stream holds what it held, and no consumer is there.
 */
import { assert, describe, it } from "@effect/vitest"
import { jetstreamManager } from "@nats-io/jetstream"
import { Effect, Logger, Redacted, type Scope } from "effect"
import { examine } from "../../src/adapters/nats/Examination.ts"
import type { GrantsKind } from "../../src/adapters/nats/Grants.ts"
import type { NatsSettings } from "../../src/adapters/nats/index.ts"
import { faultsOf } from "../../src/cli/DoctorFaults.ts"
import { readParty } from "../../src/ports/Grants.ts"
import { serverVersion } from "../nats/Server.ts"
import { granted, type Ground, mesh } from "./Ground.ts"

const users = [
  "provisioner",
  "setup",
  "controller",
  "client:n1",
  "host:n1",
  "provider:postgres@n2",
  "provider:dns@n1",
  "operator:ann",
  "reader:board"
]

/** Those that say who they are: servers before 2.10 do not tell. */
const isOld = serverVersion.startsWith("2.9.")

/** How all streams stand, and which there are. */
const standing = async ({ admin }: Ground): Promise<unknown> => {
  const manager = await jetstreamManager(admin)
  const streams = await manager.streams.list().next()
  return streams.map(({ config, created, state }) => ({ config, created, state }))
    .toSorted((one, other) => one.config.name.localeCompare(other.config.name))
}

/** Looks as a user. Fails where anything that is stored is another than before. */
const look = Effect.fnUntraced(function*(
  ground: Ground,
  user: string,
  settings: NatsSettings = ground.settings(user)
) {
  const before = yield* Effect.promise(() => standing(ground))
  const found = yield* examine({ answerWaitMax: "1 second", ...settings }, mesh, readParty(user)).pipe(
    Effect.scoped,
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
  assert.deepStrictEqual(yield* Effect.promise(() => standing(ground)), before)
  return found
})

const faults = (ground: Ground, user: string, settings?: NatsSettings) =>
  Effect.map(Effect.orDie(look(ground, user, settings)), (found) => faultsOf(found).map(({ what }) => what))

const serveVerbs = Effect.fnUntraced(function*(ground: Ground) {
  const { client } = ground.user("provisioner")
  for (const verb of ["provisioning", "explain", "retire", "what-if"]) {
    for (const subject of [`mesh-provisioner.${verb}`, `mesh-provisioner.${verb}.*`]) {
      client.subscribe(subject, { callback: (_, message) => void message.respond("{}") })
    }
  }
  yield* Effect.promise(() => client.flush())
})

const served = (
  kind: GrantsKind,
  edit?: (config: string) => string
): Effect.Effect<Ground, never, Scope.Scope> => Effect.tap(granted(kind, edit), serveVerbs)

/** The configuration with subjects beside those that a user may publish to. */
const widened = (user: string, ...subjects: ReadonlyArray<string>) => (config: string): string => {
  const at = config.indexOf("publish: { allow: [", config.indexOf(`# ${user},`)) + "publish: { allow: [".length
  return `${config.slice(0, at)}\n${subjects.map((subject) => `"${subject}"`).join("\n")}${config.slice(at)}`
}

for (const kind of ["accounts", "single-account"] as const) {
  describe(`${kind}, on nats-server ${serverVersion}`, () => {
    it.live("nothing is wrong of anyone, and looking changes nothing", () =>
      Effect.gen(function*() {
        const ground = yield* served(kind)
        for (const user of users) {
          const found = yield* Effect.orDie(look(ground, user))
          assert.deepStrictEqual(faultsOf(found), [], user)
          assert.isTrue(found.results.some(({ probe }) => probe.should), user)
          assert.isTrue(found.results.some(({ probe }) => !probe.should), user)
        }
      }), 60_000)

    it.live(
      "a user that may write, make or remove more than it should is said, and nothing is stored",
      () =>
        Effect.gen(function*() {
          const more = ["$KV.mesh-provisioner_plans.>", "$JS.API.STREAM.DELETE.*", "$JS.API.CONSUMER.CREATE.>"]
          const user = kind === "accounts" ? "setup" : "reader:board"
          const ground = yield* served(kind, widened(user, ...more))
          const wrong = yield* faults(ground, user)
          assert.include(
            wrong,
            `${user} can write key mesh-provisioner-doctor.none.none.none of mesh-provisioner_plans, and should not.`
          )
          assert.include(wrong, `${user} can remove or empty buckets, and should not.`)
          assert.include(wrong, `${user} can follow mesh-provisioner_seat by a consumer, and should not.`)
        }),
      60_000
    )

    it.live("a user that may do less is said", () =>
      Effect.gen(function*() {
        const ground = yield* served(kind, (config) => config.replaceAll("$KV.mesh-host_haves.n1.>", "unused.>"))
        assert.deepStrictEqual(yield* faults(ground, "host:n1"), [
          "host:n1 cannot write key n1.mesh-provisioner-doctor.none.none of mesh-host_haves: the server does not let it.",
          "host:n1 cannot read key n1.mesh-provisioner-doctor.none.none of mesh-host_haves: the server does not let it.",
          "host:n1 cannot hear changes of key n1.mesh-provisioner-doctor.none.none of mesh-host_haves: the server does not let it."
        ])
      }), 60_000)

    it.live("a bucket that is missing, or is not hardened, is said", () =>
      Effect.gen(function*() {
        const ground = yield* served(kind)
        const manager = yield* Effect.promise(() => jetstreamManager(ground.admin))
        yield* Effect.promise(() => manager.streams.delete("KV_mesh-provisioner_plans"))
        yield* Effect.promise(() => manager.streams.update("KV_mesh-provisioner_asks", { allow_rollup_hdrs: true }))
        const wrong = (yield* faults(ground, "setup")).join("\n")
        assert.match(wrong, /There is no bucket mesh-provisioner_plans\./)
        assert.match(wrong, /Bucket mesh-provisioner_asks is not as it should be: its allow_rollup_hdrs is not false/)
        assert.match(
          (yield* faults(ground, "reader:board")).join("\n"),
          /key \S+ of mesh-provisioner_plans: (?:nobody|no answer)/
        )
      }), 60_000)

    it.live("that nobody serves the verbs is said", () =>
      Effect.gen(function*() {
        const ground = yield* granted(kind)
        const wrong = faultsOf(yield* Effect.orDie(look(ground, "client:n1")))
        assert.deepStrictEqual(wrong.map(({ what }) => what.replace(/:[^:]*$/, "")), [
          "client:n1 cannot ask the verb provisioning",
          "client:n1 cannot ask the verb explain"
        ])
        assert.match(wrong[0]?.todo ?? "", /^Start a provisioner, mesh-provisioner serve\./)
      }), 60_000)

    it.live(
      "inboxes that are not the user's are said, and those that are its own are taken",
      () =>
        Effect.gen(function*() {
          const ground = yield* served(kind)
          const { inboxPrefix: _, ...settings } = ground.settings("client:n1")
          const found = yield* Effect.orDie(look(ground, "client:n1", settings))
          assert.deepStrictEqual(faultsOf(found), [{
            what: "This user may not hear the inboxes that were set: no answer would reach it.",
            todo: "Give --inbox-prefix _INBOX.client:n1, as the rest was tried with."
          }])
        }),
      60_000
    )

    it.live("a user that is another is said", () =>
      Effect.gen(function*() {
        const ground = yield* served(kind)
        const { inboxPrefix: _, ...settings } = ground.settings("client:n1")
        const byInbox = yield* Effect.flip(look(ground, "client:n2", settings))
        assert.deepInclude(byInbox, { _tag: "WhoIsIt", said: "client:n2" })
        if (!isOld) {
          const bySaying = yield* Effect.flip(look(ground, "client:n2", ground.settings("client:n1")))
          assert.deepInclude(bySaying, { _tag: "WhoIsIt", said: "client:n2", is: "client:n1" })
        }
      }), 60_000)

    it.live("the server says who one is, where it can", () =>
      Effect.gen(function*() {
        const ground = yield* served(kind)
        for (const user of users) {
          const found = yield* Effect.exit(look(ground, "nobody", ground.settings(user)))
          if (isOld) {
            assert.strictEqual(found._tag, "Failure")
          } else {
            assert.isTrue(found._tag === "Success" && faultsOf(found.value).length === 0, user)
          }
        }
      }), 60_000)
  })
}

describe(`whoever may do everything, on nats-server ${serverVersion}`, () => {
  it.live("is said to be kept from nothing", () =>
    Effect.gen(function*() {
      const ground = yield* served("single-account")
      const found = yield* Effect.orDie(look(ground, "reader:board", {
        servers: [ground.url],
        credentials: { _tag: "Password", user: "admin", password: Redacted.make("admin") }
      }))
      const [first] = faultsOf(found)
      assert.strictEqual(
        first?.todo,
        "Nothing keeps this user from anything: run the servers with what mesh-provisioner grants prints."
      )
    }), 60_000)
})
