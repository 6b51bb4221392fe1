/**
 * A mesh on a server: its facts put into buckets by NATS' own key-value client, a provisioner on them, and its decisions
 * read out by that client.
 */
import { assert } from "@effect/vitest"
import { Kvm } from "@nats-io/kv"
import { Effect, Logger, type Scope } from "effect"
import { isDeepStrictEqual } from "node:util"
import { Bus, type NatsBus } from "../../../src/adapters/nats/index.ts"
import { epochKey } from "../../../src/core/Bucket.ts"
import { bucketName, isDecisionBucket } from "../../../src/core/BucketName.ts"
import { decide } from "../../../src/core/Decide.ts"
import type { Decisions } from "../../../src/core/Decision.ts"
import { decidedBuckets } from "../../../src/core/Diff.ts"
import type { Json } from "../../../src/core/Json.ts"
import type { Snapshot } from "../../../src/core/Snapshot.ts"
import { Provisioner } from "../../../src/provisioner/Provisioner.ts"
import type { Bare } from "../../nats/Bare.ts"
import type { NatsServer } from "../../nats/Server.ts"
import { act, connected } from "./Ground.ts"

/** A server with buckets on it, and who makes them. */
export interface Standing {
  readonly server: NatsServer
  readonly admin: Bare
  readonly nats: NatsBus["Service"]
}

/** A snapshot's facts alone. */
export const factsOf = (snapshot: Snapshot): Snapshot => ({
  buckets: Object.fromEntries(Object.entries(snapshot.buckets).filter(([bucket]) => !isDecisionBucket(bucket)))
})

/** Makes the mesh's buckets, and those of a snapshot, as `setup` does, and fills them. */
export const fillAll = (on: Standing, facts: Snapshot): Effect.Effect<void> =>
  Effect.gen(function*() {
    const buckets = new Set([...Object.values(bucketName), ...Object.keys(facts.buckets)])
    yield* on.nats.applyPlans(yield* on.nats.planBuckets({ buckets }))
    yield* Effect.forEach(Object.keys(facts.buckets), (bucket) => fill(on, facts, bucket), { discard: true })
  }).pipe(Effect.orDie)

/** Fills a bucket with a snapshot's values of it. */
export const fill = ({ admin }: Pick<Standing, "admin">, facts: Snapshot, bucket: string): Effect.Effect<void> =>
  act(async () => {
    const store = await new Kvm(admin.client).open(bucket)
    for (const [key, value] of Object.entries(facts.buckets[bucket] ?? {})) {
      await store.put(key, JSON.stringify(value))
    }
  })

/** A provisioner on a server. */
export const provisionerOn = (
  server: NatsServer
): Effect.Effect<Provisioner["Service"], never, Scope.Scope> =>
  Effect.flatMap(connected(server, { auditEvery: "500 millis" }), ({ bus }) =>
    Provisioner.make().pipe(
      Effect.provideService(Bus, bus),
      Effect.provideService(Logger.CurrentLoggers, new Set())
    ))

/**
 * What the bare client reads out of buckets, by default those of decisions, but for the marks of who holds the seat: each
 * value by its bucket and key.
 */
export const storedOn = (
  { admin }: Pick<Standing, "admin">,
  buckets: ReadonlyArray<string> = Object.values(bucketName).filter(isDecisionBucket)
): Effect.Effect<ReadonlyMap<string, Json>> =>
  act(async () => {
    const values = new Map<string, Json>()
    for (const bucket of buckets) {
      const store = await new Kvm(admin.client).open(bucket)
      for await (const key of await store.keys()) {
        if (key === epochKey) {
          continue
        }
        const entry = await store.get(key)
        values.set(`${bucket} ${key}`, entry === null ? null : entry.json<Json>())
      }
    }
    return values
  })

/** What is to be stored where this is decided. */
const wantedOf = (decisions: Decisions): ReadonlyMap<string, Json> =>
  new Map(
    [...decidedBuckets(decisions)].flatMap(([bucket, values]) =>
      Array.from(values, ([key, value]) => [`${bucket} ${key}`, JSON.parse(JSON.stringify(value))] as const)
    )
  )

/** Waits until the buckets hold what is decided of a snapshot and nothing else. */
export const comesToWhatIsDecidedOf = (on: Pick<Standing, "admin">, facts: Snapshot): Effect.Effect<void> =>
  comesToDecisions(on, decide(facts))

/** Waits until the buckets hold these decisions and nothing else. */
export const comesToDecisions = (on: Pick<Standing, "admin">, decisions: Decisions): Effect.Effect<void> =>
  Effect.gen(function*() {
    const wanted = wantedOf(decisions)
    let found = yield* storedOn(on)
    for (let look = 0; look < 200 && !isDeepStrictEqual(found, wanted); look++) {
      yield* Effect.sleep("50 millis")
      found = yield* storedOn(on)
    }
    assert.deepStrictEqual(found, wanted)
  })
