/**
 * Goal: a daemon that starts again on a mesh in which nothing changed writes nothing; a server that is killed and started again
 * while decisions are written loses none that it acknowledged, and the end is what `decide` says.
 *
 * Method: the daemon's layers in this process, a hundred times over; and a daemon in a process of its own on a server that is
 * killed. Revisions are read by the bare client.
 */
import { assert, describe, it } from "@effect/vitest"
import { Kvm } from "@nats-io/kv"
import { Effect, Logger } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { NatsBus } from "../../src/adapters/nats/index.ts"
import { bucketName, isDecisionBucket } from "../../src/core/BucketName.ts"
import { parseSnapshot, type Snapshot } from "../../src/core/Snapshot.ts"
import { Bus } from "../../src/ports/Bus.ts"
import { Seat } from "../../src/ports/Seat.ts"
import { VerbServer } from "../../src/ports/VerbServer.ts"
import { Daemon } from "../../src/provisioner/Daemon.ts"
import { act, until } from "../adapters/nats/Ground.ts"
import { comesTo, followers, type Mesh, mesh, setHealth } from "./Mesh.ts"

const homelab = Effect.runSync(Effect.fromResult(
  parseSnapshot(readFileSync(join(import.meta.dirname, "..", "..", "examples", "homelab.json"), "utf8"))
))

const facts: Snapshot = {
  buckets: Object.fromEntries(Object.entries(homelab.buckets).filter(([bucket]) => !isDecisionBucket(bucket)))
}

/** What the bus acknowledged: by bucket, key and revision, the text that was written. */
type Acknowledged = Map<string, string>

/** A daemon within this process, that is live. */
const oneDaemon = Effect.fnUntraced(function*({ server }: Mesh, acknowledged: Acknowledged = new Map()) {
  const nats = yield* Effect.orDie(NatsBus.make({ servers: [server.url] }))
  const seat = yield* nats.seat({ name: "one" })
  const running = yield* Daemon.make().pipe(
    Effect.provideService(Seat, {
      ...seat,
      take: Effect.map(seat.take, (term) => ({ ...term, bus: recorded(term.bus, acknowledged) }))
    }),
    Effect.provideService(VerbServer, nats.verbServer)
  )
  for (let looks = 0; looks < 2_000; looks++) {
    const provisioner = yield* running.provisioner
    if (provisioner !== undefined && (yield* provisioner.health).state === "live") {
      return
    }
    yield* Effect.sleep("5 millis")
  }
  assert.fail("it did not come to be live")
}, Effect.provideService(Logger.CurrentLoggers, new Set()))

const recorded = (bus: Bus["Service"], acknowledged: Acknowledged): Bus["Service"] => {
  const keep = (bucket: string, key: string, text: string) => (revision: number) =>
    Effect.sync(() => acknowledged.set(`${bucket} ${key} ${revision}`, text))
  const textOf = (value: Uint8Array) => new TextDecoder().decode(value)
  return Bus.of({
    ...bus,
    create: (bucket, key, value) => Effect.tap(bus.create(bucket, key, value), keep(bucket, key, textOf(value))),
    update: (bucket, key, value, revision) =>
      Effect.tap(bus.update(bucket, key, value, revision), keep(bucket, key, textOf(value))),
    delete: (bucket, key, revision) => Effect.tap(bus.delete(bucket, key, revision), keep(bucket, key, ""))
  })
}

/** Every message of the buckets of decisions that is still there, as what was acknowledged. */
const messages = ({ admin }: Mesh) =>
  act(async () => {
    const found: Acknowledged = new Map()
    for (const bucket of Object.values(bucketName).filter(isDecisionBucket)) {
      const store = await new Kvm(admin.client).open(bucket)
      for await (const entry of await store.history({ key: ">" })) {
        found.set(`${bucket} ${entry.key} ${entry.revision}`, entry.string())
      }
    }
    return found
  })

/** The revision of every decision, and of every fact that the provisioner may write. */
const revisions = ({ admin }: Mesh) =>
  act(async () => {
    const found = new Map<string, number>()
    for (
      const bucket of Object.values(bucketName).filter((name) => isDecisionBucket(name) || name === bucketName.answers)
    ) {
      const store = await new Kvm(admin.client).open(bucket)
      for await (const { key, revision } of await store.history({ key: ">" })) {
        found.set(`${bucket} ${key}`, revision)
      }
    }
    return new Map([...found].filter(([id]) => !id.endsWith(" _epoch")))
  })

describe("a daemon", () => {
  it.live("that starts a hundred times with nothing changed writes nothing", () =>
    Effect.gen(function*() {
      const on = yield* mesh(facts)
      yield* Effect.scoped(oneDaemon(on))
      yield* comesTo(on, facts)
      const before = yield* revisions(on)
      assert.isAbove(before.size, 200)
      for (let start = 0; start < 100; start++) {
        yield* Effect.scoped(oneDaemon(on))
      }
      assert.deepStrictEqual(yield* revisions(on), before)
    }), 120_000)

  it.live(
    "loses no decision that was acknowledged where the server is killed under load, and comes to what is decided",
    () =>
      Effect.gen(function*() {
        const count = 2_000
        const on = yield* mesh(followers(count, "unhealthy"))
        const acknowledged: Acknowledged = new Map()
        yield* oneDaemon(on, acknowledged)
        const atFirst = acknowledged.size
        yield* setHealth(on, "healthy")
        yield* until("it writes", () => acknowledged.size > atFirst + 100)
        yield* act(() => on.server.stop("SIGKILL"))
        const beforeKill = new Map(acknowledged)
        assert.isBelow(beforeKill.size, 4 * count, "it was under way")
        yield* act(() => on.server.start())
        yield* comesTo(on, followers(count, "healthy"))
        const found = yield* messages(on)
        const lost = [...beforeKill].filter(([id, text]) => found.get(id) !== text)
        assert.deepStrictEqual(lost, [])
      }),
    60_000
  )
})
