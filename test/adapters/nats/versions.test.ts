/**
 * Goal: nothing that this project asks of a server is passed over by an older one in silence (the seventh trap).
 *
 * Method: a key's own time to live is first seen to be passed over, or refused, by whichever server this runs on. Then every
 * message of the adapter's is heard as the server takes it, and every bucket is read back.
 */
import { assert, describe, it } from "@effect/vitest"
import { headers } from "@nats-io/transport-node"
import { Effect } from "effect"
import { bucketName } from "../../../src/core/BucketName.ts"
import { serverVersion } from "../../nats/Server.ts"
import { act, bytes, ground, until } from "./Ground.ts"

/** What every server since 2.9 acts on. Anything else is to be asked for by the server's version. */
const headersOfOld = ["KV-Operation", "Nats-Expected-Last-Sequence", "Nats-Expected-Last-Subject-Sequence"]

const isBefore = (version: string): boolean => serverVersion.localeCompare(version, "en", { numeric: true }) < 0

describe(`on nats-server ${serverVersion}`, () => {
  it.live("a key's own time to live is passed over in silence before 2.11, and refused by a bucket that has none", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      const expiring = headers()
      expiring.set("Nats-TTL", "1s")
      const outcome = yield* act(() =>
        admin.plant("b", [["a", "1", expiring]]).then(() => "taken", (error: unknown) => String(error))
      )
      if (isBefore("2.11.0")) {
        assert.strictEqual(outcome, "taken")
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* nats.bus.get("b", "a"))._tag, "Some", "it is there for ever")
      } else {
        assert.include(outcome, "per-message TTL is disabled")
      }
    }))

  it.live("no write bears what an older server would pass over", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* nats.applyPlans(yield* nats.planBuckets())
      const heard = new Map<string, ReadonlyArray<string>>()
      admin.client.subscribe("$KV.>", {
        callback: (_, { headers: found, subject }) => {
          heard.set(subject, [...heard.get(subject) ?? [], ...found?.keys() ?? []])
        }
      })
      yield* act(() => admin.client.flush())
      yield* Effect.scoped(Effect.gen(function*() {
        const seat = yield* nats.seat({ name: "ann" })
        const term = yield* seat.take
        yield* term.bus.create(bucketName.plans, "n1.shop", bytes("{}"))
        const created = yield* nats.bus.create("b", "a", bytes("1"))
        yield* nats.bus.delete("b", "a", yield* nats.bus.update("b", "a", bytes("2"), created))
      }))
      yield* until("all was heard", () => heard.has(`$KV.${bucketName.plans}.n1.shop`))
      assert.isTrue(["$KV.b.a", "$KV.mesh-provisioner_seat.holder"].every((subject) => heard.has(subject)))
      const others = [...heard].filter(([, names]) => names.some((name) => !headersOfOld.includes(name)))
      assert.deepStrictEqual(others, [])
    }))

  it.live("every setting of a bucket is one that the server keeps, and says", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      const plans = yield* nats.planBuckets()
      yield* nats.applyPlans(plans)
      for (const { bucket, config } of plans) {
        const { config: kept } = yield* act(() => admin.manager.streams.info(`KV_${bucket}`))
        // What is off is not always said.
        const asked = Object.entries(config).filter(([, value]) => value !== false && value !== 0)
        assert.deepInclude(kept, Object.fromEntries(asked), bucket)
      }
    }))
})
