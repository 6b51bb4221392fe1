/**
 * Goal: whatever the bus is like that a daemon comes to, it says what is wrong by its name, loses nothing, and does all that
 * can still be done.
 *
 * Method: credentials that have run out, a bucket that may not be read, one that takes less than a decision has, and
 * keys that no client of NATS could write; each is mended where it can be, and then all is as decided.
 */
import { assert, describe, it } from "@effect/vitest"
import { RetentionPolicy, type StreamConfig } from "@nats-io/jetstream"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bucketName } from "../../src/core/BucketName.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { act, bytes, until } from "../adapters/nats/Ground.ts"
import { bare } from "../nats/Bare.ts"
import { operatorConfig } from "../nats/Jwt.ts"
import { natsServer } from "../nats/Server.ts"
import { comesTo, daemon, followers, live, mesh, type Running, setHealth } from "./Mesh.ts"

const facts = followers(5, "healthy")

const noBuckets: ReadonlyArray<readonly [what: string, stream: Partial<StreamConfig>]> = [
  ["a queue of work", { subjects: ["$KV.junk_bound.>"], retention: RetentionPolicy.Workqueue }],
  ["a mirror", { mirror: { name: `KV_${bucketName.needs}` } }],
  ["a stream of other subjects", { subjects: ["junk.>"] }]
]

const says = (running: Running, words: string) => until(`it says "${words}"`, () => running.says(words), 30_000)

describe("a daemon", () => {
  it.live("whose credentials have run out ends with 1, and says so", () =>
    Effect.gen(function*() {
      const { config, credentials } = operatorConfig()
      const server = yield* natsServer({ config })
      const file = join(server.folder, "old.creds")
      writeFileSync(file, credentials(-10).file)
      const one = yield* daemon(server.url, "one", ["--creds", file])
      assert.strictEqual(yield* one.ended, 1)
      assert.match(one.errors(), /did not let this user in|have expired/)
      assert.notMatch(one.errors(), /eyJ|SU[A-Z2-7]{50}/)
    }), 60_000)

  it.live("that may not read a bucket of facts names it, and writes nothing", () =>
    Effect.gen(function*() {
      const server = yield* natsServer({
        config: JSON.stringify({
          authorization: {
            users: [
              { user: "admin", password: "admin" },
              {
                user: "half",
                password: "half",
                permissions: {
                  publish: {
                    allow: [">"],
                    deny: [
                      `$JS.API.CONSUMER.CREATE.KV_${bucketName.haves}.>`,
                      `$JS.API.STREAM.INFO.KV_${bucketName.haves}`
                    ]
                  }
                }
              }
            ]
          }
        })
      })
      const as = (user: string) => {
        const file = join(server.folder, user)
        writeFileSync(file, user)
        return ["--user", user, "--password-file", file]
      }
      const url = `nats://admin:admin@127.0.0.1:${server.port}`
      const on = yield* mesh(facts, {}, { ...server, url })
      const one = yield* daemon(server.url, "one", as("half"))
      yield* says(one, bucketName.haves)
      yield* Effect.sleep("1 second")
      assert.deepStrictEqual(one.writesSince(0), [])
      one.kill("SIGTERM")
      assert.strictEqual(yield* one.ended, 0)
      yield* live(yield* daemon(server.url, "two", as("admin")))
      yield* comesTo(on, facts)
    }), 60_000)

  it.live(
    "with a decision larger than its bucket takes names bucket and key, writes all others, and that one when it fits",
    () =>
      Effect.gen(function*() {
        const large = largeNeed()
        const on = yield* mesh(large)
        const stream = `KV_${bucketName.plans}`
        yield* act(() => on.admin.manager.streams.update(stream, { max_msg_size: 4_000 }))
        const one = yield* daemon(on.server.url, "one")
        yield* until(
          "it names bucket and key",
          () => one.lines.some(({ message }) => message.includes(bucketName.plans) && message.includes("n1.large")),
          30_000
        )
        const provisions = () => on.admin.manager.streams.info(`KV_${bucketName.provisions}`)
        const last = (yield* act(provisions)).state.last_seq
        yield* setHealth(on, "unhealthy")
        yield* until("the others go on", () => one.writesSince(0).length > 0)
        yield* Effect.sleep("500 millis")
        assert.isAbove((yield* act(provisions)).state.last_seq, last)
        yield* setHealth(on, "healthy")
        yield* act(() => on.admin.manager.streams.update(stream, { max_msg_size: 1_048_576 }))
        // What was refused is tried again when its decision changes, or everything is read anew.
        one.kill("SIGTERM")
        assert.strictEqual(yield* one.ended, 0)
        yield* live(yield* daemon(on.server.url, "two"))
        yield* comesTo(on, large)
      }),
    60_000
  )

  for (const [what, stream] of noBuckets) {
    it.live(
      `with ${what} that is called like a provider's bucket passes it over, says so, and does all the rest`,
      () =>
        Effect.gen(function*() {
          const on = yield* mesh(facts)
          yield* act(() => on.admin.manager.streams.add({ name: "KV_junk_bound", ...stream }))
          const one = yield* daemon(on.server.url, "one")
          yield* live(one)
          yield* comesTo(on, facts)
          const line = one.lines.length
          yield* setHealth(on, "unhealthy")
          yield* until("the others go on", () => one.writesSince(line).length > 0)
          assert.strictEqual(
            one.lines.filter(({ message }) => message.startsWith("junk_bound is called like")).length,
            1
          )
        }),
      60_000
    )
  }

  it.live(
    "reads keys that no client could write, and decides the others as if they were not there",
    () =>
      Effect.gen(function*() {
        const on = yield* mesh(facts)
        const strange = ["n2.*", "n2.é.bound.word", "n2", `n2.follower0.bound.${"w".repeat(3_000)}`]
        yield* act(() => on.admin.plant(bucketName.needs, strange.map((key) => [key, bytes("{}")] as const)))
        yield* live(yield* daemon(on.server.url, "one"))
        yield* comesTo(on, facts)
        const asker = yield* bare(on.server)
        const reply = yield* act(() => asker.client.request("mesh-provisioner.provisioning", `{"what":"needs"}`))
        const listed = reply.json<{ readonly outOfShape: ReadonlyArray<{ readonly key: string }> }>().outOfShape
        assert.includeMembers(listed.map(({ key }) => key), ["n2.*", "n2.é.bound.word", "n2"])
      }),
    60_000
  )
})

/** The same mesh, and a module with so many needs that its plan is large. */
function largeNeed(): Snapshot {
  const { buckets } = facts
  return {
    buckets: {
      ...buckets,
      [bucketName.assignments]: { ...buckets[bucketName.assignments], "n1.large": { build: "x1" } },
      [bucketName.needs]: {
        ...buckets[bucketName.needs],
        ...Object.fromEntries(
          Array.from({ length: 50 }, (_, index) => [`n1.large.config.name${index}`, { default: index }])
        )
      }
    }
  }
}
