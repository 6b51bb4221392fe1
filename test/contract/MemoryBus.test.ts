import { Effect, Layer } from "effect"
import { Base64 } from "effect/encoding"
import { afterAll, describe, test } from "vitest"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import { BusDoor, conformance } from "../../src/testing/index.ts"

const door = Effect.gen(function*() {
  const { as, deleteBucket, load, makeBucket } = yield* MemoryBus
  return BusDoor.of({
    connect: (account) => Effect.succeed(as(account)),
    makeBucket,
    deleteBucket,
    plant: (bucket, values) => {
      const raw = Object.fromEntries(Array.from(values, ([key, value]) => [key, Base64.encode(value)]))
      return Effect.orDie(load({ buckets: {}, raw: { [bucket]: raw } }))
    }
  })
})

describe("the contract of the bus, in memory", () => {
  conformance(Layer.effect(BusDoor, door).pipe(Layer.provide(MemoryBus.layer())), { afterAll, describe, test })
})
