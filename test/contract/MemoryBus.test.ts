import { Effect, Layer } from "effect"
import { Base64 } from "effect/encoding"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import { suite } from "./Bus.ts"
import { BusDoor } from "./BusDoor.ts"

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

suite("in memory", Layer.effect(BusDoor, door).pipe(Layer.provide(MemoryBus.layer())))
