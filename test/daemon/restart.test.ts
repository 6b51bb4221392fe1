/**
 * Goal: a daemon that starts again on a mesh in which nothing changed writes nothing; a server that is killed and started again
 * while decisions are written loses none that it acknowledged, and the end is what `decide` says.
 *
 * Method: the daemon's layers in this process, a hundred times over; and a daemon in a process of its own on a server that is
 * killed. Revisions are read by the bare client.
 */
import { assert, describe, it } from "@effect/vitest"
import { Kvm } from "@nats-io/kv"
import { Effect } from "effect"
import { bucketName, isDecisionBucket } from "../../src/core/BucketName.ts"
import { act, until } from "../adapters/nats/Ground.ts"
import { type Acknowledged, homelab, inProcess } from "./InProcess.ts"
import { comesTo, followers, type Mesh, mesh, setHealth } from "./Mesh.ts"

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

/** A start, until it is live, and a clean end. */
const oneRun = ({ server }: Mesh) => Effect.scoped(Effect.flatMap(inProcess(server), ({ stands }) => stands("live")))

describe("a daemon", () => {
  it.live("that starts a hundred times with nothing changed writes nothing", () =>
    Effect.gen(function*() {
      const on = yield* mesh(homelab)
      yield* oneRun(on)
      yield* comesTo(on, homelab)
      const before = yield* revisions(on)
      assert.isAbove(before.size, 200)
      for (let start = 0; start < 100; start++) {
        yield* oneRun(on)
      }
      assert.deepStrictEqual(yield* revisions(on), before)
    }), 120_000)

  it.live(
    "loses no decision that was acknowledged where the server is killed under load, and comes to what is decided",
    () =>
      Effect.gen(function*() {
        const count = 2_000
        const on = yield* mesh(followers(count, "unhealthy"))
        const { acknowledged, stands } = yield* inProcess(on.server)
        yield* stands("live")
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
