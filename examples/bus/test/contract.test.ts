/**
 * The bus over a Map, held to the contract of every bus.
 */
import { Effect, Layer } from "effect"
import { bucketName } from "mesh-provisioner/core"
import { BusDoor, conformance } from "mesh-provisioner/testing"
import { after, describe, test } from "node:test"
import { as, deleteBucket, makeBucket, open, put } from "../src/MapBus.ts"

const door = Effect.sync(() => {
  for (const name of Object.values(bucketName)) makeBucket(name)
  return BusDoor.of({
    connect: (account) => Effect.succeed(as(account)),
    makeBucket: (name) => Effect.sync(() => makeBucket(name)),
    deleteBucket: (name) => Effect.sync(() => deleteBucket(name)),
    plant: (name, values) =>
      Effect.map(Effect.orDie(open("load", name)), (bucket) => {
        for (const [key, value] of values) put(bucket, key, value)
      })
  })
})

describe("a bus over a Map", () => {
  conformance(Layer.effect(BusDoor, door), { afterAll: after, describe, test })
})
