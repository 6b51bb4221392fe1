/**
 * What the provisioner logs: one line for each write, with key, state and reason; and of what others wrote names alone,
 * neither values nor words, whatever happens.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, SubscriptionRef } from "effect"
import { BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import { healthAtFirst, healthOf } from "../../src/provisioner/Health.ts"
import { speaker } from "../../src/provisioner/Speaker.ts"
import { shown, shownCharactersMax } from "../../src/provisioner/Words.ts"
import {
  databaseKey,
  facts,
  linesOf,
  live,
  pass,
  passLong,
  provisions,
  put,
  remove,
  type Running,
  start,
  write
} from "./Running.ts"

const bound = "n1.shop.database"

describe("the line of a write", () => {
  it.effect("says what was done, to which bucket and key, and the state and reason", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      yield* remove("mesh-provisioner_needs", databaseKey)
      yield* pass()
      const lines = running.lines.map(({ message }) => message)
      assert.includeMembers(lines, [
        "put mesh-provisioner_registry config",
        "put mesh-provisioner_provisions n1.shop.bound.database provided provided",
        "put mesh-provisioner_provisions n1.shop.bound.database asked making",
        "put mesh-provisioner_asks n2.postgres.n1.shop.database wanted",
        "put mesh-provisioner_asks n2.postgres.n1.shop.database unneeded",
        "put mesh-provisioner_plans n1.shop waiting",
        "delete mesh-provisioner_provisions n1.shop.bound.database"
      ])
      const line = running.lines.find(({ message }) => message.endsWith("asked making"))
      assert.deepStrictEqual({ ...line?.notes }, {
        op: "put",
        bucket: provisions,
        key: databaseKey,
        state: "asked",
        reason: "making"
      })
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("is there once for each write that was done, and for no other", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      yield* pass()
      yield* write(provisions, databaseKey, {})
      yield* pass()
      yield* passLong("2 hours")
      assert.deepStrictEqual(
        running.lines.flatMap(({ notes }) => notes["op"] === undefined ? [] : [`${notes["bucket"]} ${notes["key"]}`]),
        running.asked.map(({ bucket, key }) => `${bucket} ${key}`)
      )
    }).pipe(Effect.provide(MemoryBus.layer())))

  it("cuts a key to a bound, and escapes one out of shape", () => {
    const long = `n1.${"k".repeat(2_000)}`
    assert.strictEqual(shown(long).length, shownCharactersMax + 1)
    assert.strictEqual(shown("n1.shop=3A"), "n1.shop=3A")
    assert.strictEqual(shown("n1.\u001b[31m\u202e\u0085é\n"), `"n1.\\u001b[31m\\u202e\\u0085\\u00e9\\n"`)
    assert.isAtMost(shown("\u001b".repeat(5_000)).length, 6 * shownCharactersMax + 3)
    assert.match(shown("\u001b".repeat(5_000)), /^[\x20-\x7e…]*$/)
  })
})

describe("no line holds what others wrote", () => {
  const canary = "xyzzy-secret"
  const words = "plugh says"

  /** The mesh with a secret in every value, and words in every fact that can have them. */
  const loaded = {
    "mesh-controller_modules": {
      shop: { note: canary },
      postgres: {
        provides: { database: { credential: "consumer", note: canary, contract: { fields: { host: "string" } } } }
      },
      broken: { provides: canary }
    },
    "mesh-controller_assignments": {
      "n1.shop": { build: "s1", placement: { port: { http: canary }, dir: { data: { path: words } } } },
      "n2.postgres": { build: "p1", note: canary },
      "n3.broken": canary
    },
    "mesh-controller_machines": { n1: { site: "home", seal: canary }, n2: { note: words } },
    "mesh-controller_seats": { vault: { node: "n9", module: "mesh-vault", note: canary } },
    "mesh-config_values": { "n1.shop.title": { value: canary } },
    "mesh-host_haves": { "n2.postgres": { build: "p1", health: "unhealthy", words }, "n4.x": { build: canary } },
    "mesh-provisioner_needs": {
      [databaseKey]: { note: canary },
      "n1.shop.config.title": { default: canary },
      "n1.shop.config.other": { default: words },
      "n1.shop.port.http": {},
      "n1.shop.secret.key": {},
      "n1.shop.bound.bad": { contract: canary }
    },
    "mesh-provisioner_applied": { "n1.shop": { plan: canary }, "n2.postgres": { plan: "0".repeat(32), note: words } },
    "mesh-provisioner_collect": { "n1.shell=3Azsh.shop": { line: canary } },
    "mesh-provisioner_answers": {
      "n2.postgres.n8.gone.database": { answer: "keep", entry: "0".repeat(32), by: "ann", words },
      "n2.postgres.n1.shop.database": { answer: canary }
    },
    postgres_bound: { [bound]: { state: "failed", why: words, by: "n2", values: { host: canary } } },
    [provisions]: { "n7.planted.bound.x": { state: canary, reason: words } }
  }

  const assertClean = (running: Running) => {
    const all = JSON.stringify(running.lines)
    assert.isAbove(running.lines.length, 20)
    for (const planted of [canary, words, "xyzzy", "plugh"]) {
      assert.notInclude(all, planted)
    }
  }

  it.effect("from the first reading through failures, losses and refusals", () =>
    Effect.gen(function*() {
      yield* put(loaded)
      let refuse = false
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key, op }) =>
            refuse && bucket === "mesh-provisioner_plans"
              ? Effect.fail(
                new BusError({ operation: op, bucket, key, reason: { _tag: "Refused", because: "account" } })
              )
              : Effect.void
        }
      })
      yield* pass()
      const { deleteBucket, faults, makeBucket } = yield* MemoryBus
      yield* write("postgres_bound", bound, {
        state: "failed",
        why: `${words} again`,
        by: "n2",
        values: { host: canary }
      })
      yield* pass()
      refuse = true
      yield* write("postgres_bound", bound, { state: words, by: "n2", values: { host: canary } })
      yield* pass()
      yield* write("postgres_bound", bound, new TextEncoder().encode(`{"state": ${canary}`))
      yield* faults.loseNextWrite
      yield* passLong("1 second")
      yield* write(provisions, databaseKey, { state: canary, reason: words })
      yield* passLong("1 second")
      yield* deleteBucket("postgres_bound")
      yield* passLong("1 second")
      yield* makeBucket("postgres_bound")
      yield* faults.cutOff
      yield* passLong("1 second")
      yield* faults.restore
      yield* passLong("1 hour")
      assert.isAbove(linesOf(running, "Warn").length, 3)
      assertClean(running)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("and the canary would be seen: it is in what is decided", () =>
    Effect.gen(function*() {
      yield* put(loaded)
      const running = yield* start()
      yield* pass()
      assert.include(JSON.stringify([...running.turns[0]?.after.provisions ?? []]), "plugh")
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("how it stands", () => {
  const lost = (...buckets: ReadonlyArray<string>) =>
    healthOf({
      missing: [],
      lost: buckets.map((bucket) => ({ bucket, how: "unreachable" as const })),
      reading: [],
      read: 3,
      known: 3
    })

  it.effect("is told whenever it changes, and logged when a trouble begins and when all is well again", () =>
    Effect.gen(function*() {
      const told: Array<string> = []
      const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
        told.push(`${logLevel} ${String(message)}`)
      })
      const shownHealth = yield* SubscriptionRef.make(healthAtFirst)
      const say = speaker(shownHealth)
      const live = lost()
      // A bus that is gone is a trouble of its own, said once, though its buckets find that out one after the other, and
      // come back so.
      const story = [healthAtFirst, live, lost("a"), lost("a", "b"), lost("b"), { ...live, read: 2 }, live, live, {
        ...live,
        known: 4
      }]
      yield* Effect.forEach(story, say).pipe(Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
      assert.deepStrictEqual(told.map((line) => line.split(". ")[0]), [
        "Info Every bucket is read, and what is decided is written.",
        "Warn Nothing is written: bucket a does not answer",
        "Warn Nothing is written: the bus does not answer",
        "Info Every bucket is read, and what is decided is written."
      ])
      assert.deepStrictEqual(yield* SubscriptionRef.get(shownHealth), { ...live, known: 4 })
    }))

  it.effect("a bucket that comes along is nothing to be said", () =>
    Effect.gen(function*() {
      const running = yield* live
      yield* put({ dns_bound: {}, web_bound: {} })
      yield* pass()
      assert.strictEqual((yield* running.provisioner.health).known, 17)
      assert.strictEqual(linesOf(running, "Info").filter((line) => line.startsWith("Every bucket")).length, 1)
      assert.deepStrictEqual(linesOf(running, "Warn"), [])
    }).pipe(Effect.provide(MemoryBus.layer())))
})
