/**
 * Goal: nobody has another do what it may not do itself (nats.md, the first two traps). The server sends an answer to
 * whatever subject the asker names, so that an answer can be stored as a decision; headers wipe buckets and swallow writes.
 *
 * Method: each trick is first seen to work, where nothing keeps it from working: in one account for all, and in buckets as
 * the common clients make them. Then it is tried on what `grants` and `setup` make, by every party that has the means.
 */
import { assert, describe, it } from "@effect/vitest"
import { jetstreamManager } from "@nats-io/jetstream"
import { headers } from "@nats-io/transport-node"
import { Effect } from "effect"
import type { GrantsKind } from "../../src/adapters/nats/Grants.ts"
import { serverVersion } from "../nats/Server.ts"
import { ask, granted, type Ground, type User, withoutPermissions } from "./Ground.ts"

const decision = "mesh-provisioner_registry"
const forged = `$KV.${decision}.forged`

/** What an attacker asks, for the answer to be stored: its name, the subject, the payload. */
type Trick = readonly [name: string, subject: string, payload: string]

/** For each party that can ask anything at all: all that it can ask. */
const tricks: ReadonlyArray<readonly [user: string, tricks: ReadonlyArray<Trick>]> = [
  ["client:n1", [
    ["what it wrote itself, read", "DIRECT.GET.KV_mesh-provisioner_needs.$KV.mesh-provisioner_needs.n1.m.k.x", ""],
    ["the acknowledgement of its write", "$KV.mesh-provisioner_needs.n1.m.k.x", "{}"],
    ["how a bucket stands", "STREAM.INFO.KV_mesh-provisioner_registry", ""],
    ["a verb's answer", "mesh-provisioner.provisioning", "{}"],
    ["who it is", "$SYS.REQ.USER.INFO", ""]
  ]],
  ["host:n1", [
    ["what it wrote itself, read", "DIRECT.GET.KV_mesh-host_haves.$KV.mesh-host_haves.n1.m.k.x", ""],
    ["the acknowledgement of its write", "$KV.mesh-host_haves.n1.m.k.x", "{}"]
  ]],
  ["controller", [
    ["what it wrote itself, read", "DIRECT.GET.KV_mesh-controller_machines.$KV.mesh-controller_machines.n1.m.k.x", ""],
    ["the acknowledgement of its write", "$KV.mesh-controller_machines.n1.m.k.x", "{}"],
    ["how a bucket stands", "STREAM.INFO.KV_mesh-controller_machines", ""]
  ]],
  ["provider:postgres@n2", [
    ["what it wrote itself, read", "DIRECT.GET.KV_postgres_bound.$KV.postgres_bound.n1.m.k.x", ""],
    ["the acknowledgement of its write", "$KV.postgres_bound.n1.m.k.x", "{}"]
  ]],
  ["operator:ann", [
    ["what it wrote itself, read", "DIRECT.GET.KV_mesh-config_values.$KV.mesh-config_values.n1.m.k.x", ""],
    ["the acknowledgement of its write", "$KV.mesh-config_values.n1.m.k.x", "{}"],
    ["a verb's answer", "mesh-provisioner.retire", "{}"],
    ["the service, found", "$SRV.PING.mesh-provisioner", ""]
  ]],
  ["reader:board", [
    ["what it reads", "DIRECT.GET.KV_mesh-provisioner_plans.$KV.mesh-provisioner_plans.n1.m.k.x", ""],
    ["how a bucket stands", "STREAM.INFO.KV_mesh-provisioner_plans", ""],
    ["a verb's answer", "mesh-provisioner.explain", "{}"]
  ]]
]

/** What the tricks store, of all that they try: the tricks of each user whose answer became a decision. */
const deputed = async (ground: Ground): Promise<ReadonlyArray<string>> => {
  await plantOwn(ground)
  const worked: Array<string> = []
  for (const [name, all] of tricks) {
    const user = ground.user(name)
    for (const [trick, subject, payload] of all) {
      const before = await lastOf(ground)
      const full = /^(?:DIRECT|STREAM)/.test(subject) ? `${user.apiPrefix}.${subject}` : subject
      user.client.publish(full, payload, { reply: forged })
      await user.client.flush()
      await settled(ground)
      if (await lastOf(ground) !== before) {
        worked.push(`${name}: ${trick}`)
      }
    }
  }
  return worked
}

// A user may read what was written at its own key: the bytes are its own choice.
const plantOwn = async ({ admin }: Ground): Promise<void> => {
  for (const [, all] of tricks) {
    for (const [, subject] of all) {
      const [, key] = /DIRECT\.GET\.[^.]+\.(\$KV\..*)/.exec(subject) ?? []
      if (key !== undefined) {
        await admin.request(key, "planted")
      }
    }
  }
}

const lastOf = async ({ admin }: Ground): Promise<number> => {
  const info = await admin.request(`$JS.API.STREAM.INFO.KV_${decision}`)
  return info.json<{ state: { last_seq: number } }>().state.last_seq
}

// An answer goes its way within a millisecond; the server then stores it.
const settled = async ({ admin }: Ground): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 40))
  await admin.flush()
}

/** A provisioner that answers whoever asks, at whatever subject, as one that looks at nothing would. */
const serveVerbs = async ({ client }: User): Promise<void> => {
  for (const verb of ["provisioning", "explain", "retire", "what-if"]) {
    for (const subject of [`mesh-provisioner.${verb}`, `mesh-provisioner.${verb}.*`]) {
      client.subscribe(subject, { callback: (_, message) => void message.respond(`{"entries":[]}`) })
    }
  }
  client.subscribe("$SRV.PING.mesh-provisioner", { callback: (_, message) => void message.respond("{}") })
  await client.flush()
}

const isOld = serverVersion.startsWith("2.9.")

const names = tricks.flatMap(([user, all]) => all.map(([trick]) => `${user}: ${trick}`))

describe(`answers that are sent elsewhere, on nats-server ${serverVersion}`, () => {
  it.live("in one account, every answer is stored as a decision: the hole that is said", () =>
    Effect.gen(function*() {
      const ground = yield* granted("single-account")
      yield* Effect.promise(() => serveVerbs(ground.user("provisioner")))
      const worked = yield* Effect.promise(() => deputed(ground))
      // Old servers do not say who one is.
      assert.deepStrictEqual(worked, names.filter((name) => !isOld || !name.endsWith(": who it is")))
      assert.match(ground.grants.holes.join("\n"), /does not check to which subject an answer goes/)
    }), 60_000)

  for (const [how, edit] of [["", undefined], [", by their borders alone", withoutPermissions]] as const) {
    it.live(`with accounts${how}, none is`, () =>
      Effect.gen(function*() {
        const ground = yield* granted("accounts", edit)
        yield* Effect.promise(() => serveVerbs(ground.user("provisioner")))
        assert.deepStrictEqual(yield* Effect.promise(() => deputed(ground)), [])
      }), 60_000)
  }

  for (const [kind, isForged] of [["single-account", true], ["accounts", false]] as const) {
    it.live(
      `${kind}: an answer is ${isForged ? "" : "not "}sent to another as if it were the one that it waits for`,
      () =>
        Effect.gen(function*() {
          const ground = yield* granted(kind)
          yield* Effect.promise(() => plantOwn(ground))
          const victim = ground.user("provisioner").client
          const heard: Array<string> = []
          victim.subscribe("_INBOX.provisioner.waiting.*", {
            callback: (_, message) => void heard.push(message.string())
          })
          const attacker = ground.user("client:n1")
          yield* Effect.promise(() => victim.flush())
          attacker.client.publish(
            `${attacker.apiPrefix}.DIRECT.GET.KV_mesh-provisioner_needs.$KV.mesh-provisioner_needs.n1.m.k.x`,
            "",
            { reply: "_INBOX.provisioner.waiting.1" }
          )
          yield* Effect.promise(() => attacker.client.flush())
          yield* Effect.promise(() => settled(ground))
          assert.deepStrictEqual(heard, isForged ? ["planted"] : [])
        }),
      60_000
    )

    it.live(`${kind}: a trace of a message is not stored as a decision`, () =>
      Effect.gen(function*() {
        const ground = yield* granted(kind)
        const before = yield* Effect.promise(() => lastOf(ground))
        const traced = headers()
        traced.set("Nats-Trace-Dest", forged)
        // The admin may write there: its trace is stored, where the server traces at all.
        ground.admin.publish("$KV.mesh-provisioner_needs.n1.m.k.x", "{}", { headers: traced })
        yield* Effect.promise(() => settled(ground))
        const byTheAdmin = yield* Effect.promise(() => lastOf(ground))
        assert.strictEqual(byTheAdmin > before, !isOld)
        ground.user("client:n1").client.publish("$KV.mesh-provisioner_needs.n1.m.k.x", "{}", { headers: traced })
        yield* Effect.promise(() => ground.user("client:n1").client.flush())
        yield* Effect.promise(() => settled(ground))
        assert.strictEqual(yield* Effect.promise(() => lastOf(ground)), byTheAdmin)
      }), 60_000)
  }
})

/** Buckets as `Kvm.create` of the common clients makes them. */
const unhardened = async ({ admin }: Ground, bucket: string): Promise<void> => {
  const manager = await jetstreamManager(admin)
  await manager.streams.delete(`KV_${bucket}`)
  await manager.streams.add({
    name: `KV_${bucket}`,
    subjects: [`$KV.${bucket}.>`],
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
    deny_delete: true,
    allow_direct: true,
    duplicate_window: 120_000_000_000
  })
}

const held = async ({ admin }: Ground, subject: string): Promise<string | undefined> => {
  const got = await admin.request(`$JS.API.DIRECT.GET.KV_mesh-provisioner_needs.${subject}`)
  return got.headers?.code === 404 ? undefined : got.string()
}

const own = "$KV.mesh-provisioner_needs.n1.m.k.x"
const others = "$KV.mesh-provisioner_needs.n2.m.k.x"

/** A roll-up at one's own key: all other keys of the bucket go. */
const wipe = async (ground: Ground): Promise<string | undefined> => {
  await ask(ground.user("client:n2"), others, "another's")
  const rollUp = headers()
  rollUp.set("Nats-Rollup", "all")
  await ask(ground.user("client:n1"), own, "{}", rollUp)
  return await held(ground, others)
}

/** An id that is used before another uses it: the other's write is taken for the same one again. */
const swallow = async (ground: Ground): Promise<string | undefined> => {
  const id = headers()
  id.set("Nats-Msg-Id", "the-id-that-n2-will-use")
  await ask(ground.user("client:n1"), own, "{}", id)
  await new Promise((resolve) => setTimeout(resolve, 400))
  await ask(ground.user("client:n2"), others, "another's", id)
  return await held(ground, others)
}

const kinds: ReadonlyArray<GrantsKind> = ["accounts", "single-account"]

for (const kind of kinds) {
  describe(`headers of a write, ${kind}, on nats-server ${serverVersion}`, () => {
    for (const [name, trick] of [["wiping roll-up", wipe], ["swallowed message id", swallow]] as const) {
      it.live(
        `the ${name} works in a bucket as common clients make it, and not in the mesh's`,
        () =>
          Effect.gen(function*() {
            const ground = yield* granted(kind)
            assert.strictEqual(yield* Effect.promise(() => trick(ground)), "another's")
            yield* Effect.promise(() => unhardened(ground, "mesh-provisioner_needs"))
            assert.strictEqual(yield* Effect.promise(() => trick(ground)), undefined)
          }),
        60_000
      )
    }
  })
}
