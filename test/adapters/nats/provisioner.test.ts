/**
 * Goal: the provisioner on NATS decides and writes what it does elsewhere, with nothing of it changed.
 *
 * Method: the example mesh, put into buckets by NATS' own key-value client, and the decisions read out by it; compared with
 * `decide` of the same facts. Then what befalls a bus: a bucket is deleted under the loop, and the server is killed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Kvm } from "@nats-io/kv"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { bucketName } from "../../../src/core/BucketName.ts"
import { parseSnapshot } from "../../../src/core/Snapshot.ts"
import type { Health } from "../../../src/provisioner/Health.ts"
import type { Provisioner } from "../../../src/provisioner/Provisioner.ts"
import { act, ground } from "./Ground.ts"
import { comesToWhatIsDecidedOf, factsOf, fill, fillAll, provisionerOn, type Standing, storedOn } from "./Mesh.ts"

const homelab = Effect.runSync(Effect.fromResult(
  parseSnapshot(readFileSync(join(import.meta.dirname, "..", "..", "..", "examples", "homelab.json"), "utf8"))
))

const facts = factsOf(homelab)

interface Running extends Standing {
  readonly provisioner: Provisioner["Service"]
}

/** Buckets as `setup` makes them, filled by the bare client; and a provisioner on them. */
const running = Effect.gen(function*() {
  return yield* runningOn(yield* filled)
})

const filled = Effect.gen(function*() {
  const on = yield* ground()
  yield* fillAll(on, facts)
  return on
})

const runningOn = (on: Standing) =>
  Effect.map(provisionerOn(on.server), (provisioner): Running => ({ ...on, provisioner }))

const comesTo = ({ provisioner }: Running, state: Health["state"]) =>
  Effect.gen(function*() {
    for (let look = 0; look < 300 && (yield* provisioner.health).state !== state; look++) {
      yield* Effect.sleep("50 millis")
    }
    const health = yield* provisioner.health
    assert.strictEqual(health.state, state, health.sentence)
  })

describe("the provisioner on NATS", () => {
  it.live("writes what is decided of the facts, and follows each change of them", () =>
    Effect.gen(function*() {
      const on = yield* running
      yield* comesToWhatIsDecidedOf(on, facts)
      const haves = bucketName.haves
      const [[key] = [""]] = Object.entries(facts.buckets[haves] ?? {})
      const store = yield* act(() => new Kvm(on.admin.client).open(haves))
      yield* act(() => store.delete(key))
      const { [key]: _, ...others } = facts.buckets[haves] ?? {}
      yield* comesToWhatIsDecidedOf(on, { buckets: { ...facts.buckets, [haves]: others } })
      yield* act(() => store.put(key, JSON.stringify(facts.buckets[haves]?.[key])))
      yield* comesToWhatIsDecidedOf(on, facts)
    }), 60_000)

  it.live(
    "stops writing where a bucket of facts is deleted, and takes it up again when it is back",
    () =>
      Effect.gen(function*() {
        const on = yield* running
        yield* comesToWhatIsDecidedOf(on, facts)
        const before = yield* storedOn(on)
        yield* act(() => on.admin.deleteBucket(bucketName.needs))
        yield* comesTo(on, "lost")
        assert.deepStrictEqual(yield* storedOn(on), before, "nothing is retired because nothing is known")
        yield* on.nats.applyPlans(yield* on.nats.planBuckets({ buckets: [bucketName.needs] }))
        yield* fill(on, facts, bucketName.needs)
        yield* comesTo(on, "live")
        yield* comesToWhatIsDecidedOf(on, facts)
      }),
    60_000
  )

  it.live("purged under it, a bucket is read anew, and what stood on it goes", () =>
    Effect.gen(function*() {
      const on = yield* running
      yield* comesToWhatIsDecidedOf(on, facts)
      yield* act(() => on.admin.manager.streams.purge(`KV_${bucketName.collect}`))
      yield* act(() => on.admin.manager.streams.purge(`KV_${bucketName.applied}`))
      const { [bucketName.collect]: _, [bucketName.applied]: __, ...others } = facts.buckets
      yield* comesToWhatIsDecidedOf(on, { buckets: { ...others, [bucketName.collect]: {}, [bucketName.applied]: {} } })
    }), 60_000)

  it.live(
    "a server that is killed and started again: it is live again, and has nothing to write",
    () =>
      Effect.gen(function*() {
        const on = yield* running
        yield* comesToWhatIsDecidedOf(on, facts)
        const lastOf = (bucket: string) =>
          act(() => on.admin.manager.streams.info(`KV_${bucket}`)).pipe(
            Effect.map(({ state }) => state.last_seq)
          )
        const written = yield* lastOf(bucketName.provisions)
        yield* act(() => on.server.stop("SIGKILL"))
        yield* comesTo(on, "lost")
        yield* act(on.server.start)
        yield* comesTo(on, "live")
        yield* comesToWhatIsDecidedOf(on, facts)
        assert.strictEqual(yield* lastOf(bucketName.provisions), written)
      }),
    60_000
  )

  it.live(
    "a bucket of decisions that is full is said, and written to when there is room",
    () =>
      Effect.gen(function*() {
        const on = yield* filled
        const plans = `KV_${bucketName.plans}`
        yield* act(() => on.admin.manager.streams.update(plans, { max_bytes: 4_000 }))
        const here = yield* runningOn(on)
        yield* comesTo(here, "live")
        assert.include((yield* here.provisioner.health).sentence, "keys of bucket mesh-provisioner_plans that are more")
        yield* act(() => on.admin.manager.streams.update(plans, { max_bytes: -1 }))
        yield* comesToWhatIsDecidedOf(on, facts)
        yield* comesTo(here, "live")
      }),
    60_000
  )
})
