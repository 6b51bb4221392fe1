/**
 * Goal: the buckets that are made, and those that are mended, bear what a common client's do not: a writer of one key who
 * would wipe all others, and one who would swallow another's write.
 *
 * Method: a bucket made by NATS' own key-value client, on which both are first seen to succeed; the same after it was
 * mended. What differs is written out here, and read off nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { DiscardPolicy, StorageType } from "@nats-io/jetstream"
import { Kvm } from "@nats-io/kv"
import { headers } from "@nats-io/transport-node"
import { Effect, Redacted } from "effect"
import { planBucket } from "../../../src/adapters/nats/index.ts"
import { bucketName } from "../../../src/core/BucketName.ts"
import { usersConfig } from "../../nats/Accounts.ts"
import { natsServer } from "../../nats/Server.ts"
import { act, bytes, connected, type Ground, ground } from "./Ground.ts"

const marked = (name: string, value: string) => {
  const marks = headers()
  marks.set(name, value)
  return marks
}

/** A writer of one key who tries to wipe all others. */
const wipe = ({ admin }: Ground) =>
  act(() => admin.plant("kv", [["mine", "1", marked("Nats-Rollup", "all")]]).catch(() => undefined))

/** A writer who uses an id that another's write will bear, and that write. */
const swallow = ({ admin }: Ground) =>
  act(async () => {
    await admin.plant("kv", [["mine", "2", marked("Nats-Msg-Id", "guessed")]])
    await new Promise((resolve) => setTimeout(resolve, 500))
    await admin.plant("kv", [["theirs", "new", marked("Nats-Msg-Id", "guessed")]])
  })

const setting = (fields: ReadonlyArray<{ readonly field: string }>) => fields.map(({ field }) => field).toSorted()

describe("a bucket that somebody made otherwise", () => {
  it.live("that tells others what it takes is said to, and is not changed, as not every server lets it be", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* act(() => admin.makeBucket("told", { republish: { src: "$KV.told.>", dest: "told.>" } }))
      const found = yield* nats.planBuckets({ buckets: ["told"] })
      const told = found[0]?.differences.find(({ field }) => field === "republish")
      assert.isFalse(told?.isChangeable)
      yield* nats.applyPlans(found)
      assert.deepStrictEqual((yield* nats.planBuckets({ buckets: ["told"] }))[0]?.differences, [told])
    }))

  const odd = [
    ["sealed", true],
    ["discard_new_per_subject", true],
    ["max_msgs", 5],
    ["max_consumers", 1],
    ["mirror", { name: "KV_other" }],
    ["sources", [{ name: "KV_other" }]],
    ["subject_transform", { src: "a.>", dest: "b.>" }],
    ["allow_msg_ttl", true],
    ["allow_msg_schedules", true],
    ["allow_msg_counter", true]
  ] as const
  it.each(odd)("%s is said to be no setting of a bucket's", (field, is) => {
    const { config } = planBucket("b")
    assert.deepStrictEqual(setting(planBucket("b", { ...config, [field]: is }).differences), [field])
    assert.strictEqual(planBucket("b", { ...config, sources: null, allow_msg_ttl: false }).action, "none")
  })
})

describe("a bucket as the common client makes it", () => {
  it.live(
    "is wiped by a writer of one key and loses another's write; mended, it is neither",
    () =>
      Effect.gen(function*() {
        const on = yield* ground()
        const { admin, nats } = on
        yield* act(async () => {
          await new Kvm(admin.client).create("kv", { history: 10 })
          await admin.plant("kv", [["theirs", "1"], ["others", "1"]])
        })
        const held = (key: string) =>
          Effect.map(
            nats.bus.get("kv", key),
            (found) => found._tag === "Some" ? new TextDecoder().decode(found.value.value) : undefined
          )
        yield* wipe(on)
        assert.strictEqual(yield* held("theirs"), undefined, "wiped")
        yield* nats.bus.create("kv", "theirs", bytes("2"))
        yield* swallow(on)
        assert.strictEqual(yield* held("theirs"), "2", "swallowed")

        const [plan] = yield* nats.planBuckets({ buckets: ["kv"] })
        assert.strictEqual(plan?.action, "change")
        assert.deepStrictEqual(setting(plan?.differences ?? []), [
          "allow_rollup_hdrs",
          "deny_delete",
          "duplicate_window",
          "max_msg_size"
        ])
        yield* nats.applyPlans(plan === undefined ? [] : [plan])
        assert.deepStrictEqual((yield* nats.planBuckets({ buckets: ["kv"] })).map(({ action }) => action), ["none"])

        yield* wipe(on)
        assert.strictEqual(yield* held("theirs"), "2")
        yield* swallow(on)
        assert.strictEqual(yield* held("theirs"), "new")
        const deleted = yield* act(() => admin.manager.streams.deleteMessage("KV_kv", 1).then(() => true, () => false))
        assert.isFalse(deleted, "a single change cannot be taken out")
      }),
    30_000
  )

  it.live("what cannot be changed is said, and what else differs is changed all the same", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* act(() => new Kvm(admin.client).create("kv", { storage: StorageType.Memory }))
      const [plan] = yield* nats.planBuckets({ buckets: ["kv"] })
      yield* nats.applyPlans(plan === undefined ? [] : [plan])
      const [again] = yield* nats.planBuckets({ buckets: ["kv"] })
      assert.deepStrictEqual(
        again?.differences.map(({ field, is, isChangeable, shouldBe }) => [field, is, shouldBe, isChangeable]),
        [["storage", "memory", "file", false]]
      )
    }))
})

describe("the buckets of the mesh", () => {
  it.live("are made as they should be, and looked at without changing anything", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      const plans = yield* nats.planBuckets()
      assert.deepStrictEqual(plans.map(({ bucket }) => bucket), [...Object.values(bucketName), "mesh-provisioner_seat"])
      assert.deepStrictEqual([...new Set(plans.map(({ action }) => action))], ["make"])
      assert.deepStrictEqual(yield* nats.planBuckets(), plans)
      yield* nats.applyPlans(plans)
      assert.deepStrictEqual([...new Set((yield* nats.planBuckets()).map(({ action }) => action))], ["none"])
      const { config } = yield* act(() => admin.manager.streams.info("KV_mesh-provisioner_needs"))
      assert.deepStrictEqual(config.subjects, ["$KV.mesh-provisioner_needs.>"])
      const values = yield* act(() => new Kvm(admin.client).open("mesh-provisioner_needs"))
      yield* act(() => values.put("n1.shop.port.http", "{}"))
      const created = yield* nats.bus.get("mesh-provisioner_needs", "n1.shop.port.http")
      assert.strictEqual(created._tag, "Some", "the common client writes it as ever")
    }))

  it.live(
    "each fault in a bucket is named by its setting, with what it is and should be",
    () =>
      Effect.gen(function*() {
        const { admin, nats } = yield* ground()
        const faults = {
          max_msgs_per_subject: 1,
          max_age: 60_000_000_000,
          max_msg_size: 100,
          discard: DiscardPolicy.Old,
          duplicate_window: 1_000_000_000,
          no_ack: true,
          allow_rollup_hdrs: true,
          deny_delete: false,
          allow_direct: false
        }
        for (const [field, is] of Object.entries(faults)) {
          const bucket = `faulty_${field}`
          yield* act(() => admin.makeBucket(bucket, { max_msg_size: 1_048_576, [field]: is }))
          const [plan] = yield* nats.planBuckets({ buckets: [bucket] })
          assert.deepStrictEqual(setting(plan?.differences ?? []), [field])
          yield* nats.applyPlans(plan === undefined ? [] : [plan])
          const [again] = yield* nats.planBuckets({ buckets: [bucket] })
          assert.deepStrictEqual(again?.differences, [], field)
        }
      }),
    30_000
  )

  it.live("where this account may not make them, it is said which, and what to do", () =>
    Effect.gen(function*() {
      const reader = { role: "reader" } as const
      const server = yield* natsServer({ config: usersConfig([reader]) })
      const nats = yield* connected(server, {
        credentials: { _tag: "Password", user: "reader", password: Redacted.make("reader") }
      })
      const error = yield* Effect.flip(nats.applyPlans(yield* nats.planBuckets()))
      assert.strictEqual(
        error.message,
        "Bucket mesh-controller_modules was not made: this account may not. Use the account that runs the mesh's buckets."
      )
    }))

  it.live("the seat's is made to forget, by the time that is given, and one that forgets after another is left alone", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      const seat = ["mesh-provisioner_seat"]
      const apply = (seatTimeToLiveMillis?: number) =>
        Effect.gen(function*() {
          const options = { buckets: seat, ...(seatTimeToLiveMillis === undefined ? {} : { seatTimeToLiveMillis }) }
          const plans = yield* nats.planBuckets(options)
          yield* nats.applyPlans(plans)
          assert.deepStrictEqual((yield* nats.planBuckets(options)).map(({ action }) => action), ["none"])
          const { config } = yield* act(() => admin.manager.streams.info("KV_mesh-provisioner_seat"))
          return [plans[0]?.action, config.max_age, config.max_msgs_per_subject, config.duplicate_window]
        })
      assert.deepStrictEqual(yield* apply(), ["make", 10_000_000_000, 1, 100_000_000])
      assert.deepStrictEqual(yield* apply(3_000), ["change", 3_000_000_000, 1, 100_000_000])
      assert.deepStrictEqual(yield* apply(), ["none", 3_000_000_000, 1, 100_000_000])
      yield* act(() => admin.manager.streams.update("KV_mesh-provisioner_seat", { max_age: 0 }))
      assert.deepStrictEqual(yield* apply(), ["change", 10_000_000_000, 1, 100_000_000])
    }))

  it("replicas that nobody asked for are left alone", () => {
    const { config } = planBucket("b", undefined, { replicas: 3 })
    assert.strictEqual(config["num_replicas"], 3)
    assert.strictEqual(planBucket("b", config).action, "none")
    assert.strictEqual(planBucket("b", config, { replicas: 1 }).action, "change")
  })

  it("more history than ten is enough, and names that no bucket has are none", () => {
    const { config } = planBucket("b")
    assert.strictEqual(planBucket("b", { ...config, max_msgs_per_subject: 64 }).action, "none")
    assert.strictEqual(planBucket("b", { ...config, max_msgs_per_subject: -1 }).action, "change")
  })
})
