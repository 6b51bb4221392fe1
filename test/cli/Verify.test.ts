/**
 * Goal: whoever doubts a mesh is told of each stored decision that does not follow from its facts, and of none that does,
 * though the mesh be in motion; and nothing is changed or quoted by being looked at.
 *
 * Method: decisions are written to a real server as they are decided, and each kind of fault is planted among them. A mesh in
 * motion is one on the bus in memory, whose decision is written between the two looks, by a clock of the test's own.
 */
import { assert, describe, it } from "@effect/vitest"
import { headers } from "@nats-io/transport-node"
import { Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { MemoryBus } from "../../src/adapters/memory/MemoryBus.ts"
import { NatsBus } from "../../src/adapters/nats/index.ts"
import { lookAt } from "../../src/cli/Verify.ts"
import { bucketName } from "../../src/core/BucketName.ts"
import { decide } from "../../src/core/Decide.ts"
import { decidedBuckets } from "../../src/core/Diff.ts"
import type { Json } from "../../src/core/Json.ts"
import { type Bare, bare } from "../nats/Bare.ts"
import { natsServer } from "../nats/Server.ts"
import { folderWith, type Run, run } from "./Bin.ts"
import { provided } from "./Mesh.ts"

interface Ground {
  readonly admin: Bare
  readonly verify: (...args: ReadonlyArray<string>) => Effect.Effect<Run>
}

const decisions = decidedBuckets(decide(provided))

/** Every fact and decision of a mesh, as a snapshot. */
const stored = (): { readonly [bucket: string]: { readonly [key: string]: Json } } => ({
  ...provided.buckets,
  ...Object.fromEntries(Array.from(decisions, ([bucket, values]) => [bucket, Object.fromEntries(values)]))
})

const count = [...decisions.values()].reduce((sum, { size }) => sum + size, 0)

/** A server that holds all of it. */
const ground = Effect.gen(function*(): Effect.fn.Return<Ground, never, Scope.Scope> {
  const server = yield* natsServer()
  const admin = yield* bare(server)
  const nats = yield* Effect.orDie(NatsBus.make({ servers: [server.url] }))
  const buckets = new Set([...Object.values(bucketName), ...Object.keys(stored())])
  yield* Effect.orDie(Effect.flatMap(nats.planBuckets({ buckets }), nats.applyPlans))
  for (const [bucket, values] of Object.entries(stored())) {
    const written = Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const)
    yield* Effect.promise(() => admin.plant(bucket, written))
  }
  return {
    admin,
    verify: (...args) => Effect.promise(() => run(["verify", "--bus", server.url, ...args]))
  }
})

const deleted = () => {
  const marker = headers()
  marker.set("KV-Operation", "DEL")
  return marker
}

/** One fault of each kind, and what is to be found of them. */
const plantFaults = async ({ plant }: Bare): Promise<void> => {
  await plant("mesh-provisioner_provisions", [
    ["n1.shop.bound.database", "{\"state\":\"failed\",\"reason\":\"top secret\",\"extra\":1}"],
    ["n7.gone.bound.database", "{\"state\":\"provided\",\"why\":\"top secret\"}"]
  ])
  await plant("mesh-provisioner_plans", [["n1.shop", "", deleted()], ["_epoch", "{\"term\":\"top secret\"}"]])
  await plant("mesh-provisioner_registry", [["bound", "top secret, and no JSON"]])
  await plant("mesh-provisioner_answers", [[
    "n2.postgres.n1.shop.database",
    JSON.stringify({ answer: "retire", entry: "0".repeat(32), by: "ann" })
  ]])
}

describe("verify", () => {
  it.live("has nothing to say where each decision is what it should be", () =>
    Effect.gen(function*() {
      const { verify } = yield* ground
      assert.deepStrictEqual(yield* verify(), {
        exitCode: 0,
        stderr: "",
        stdout: `Each of ${count} decisions is what it should be.\n`
      })
      assert.deepStrictEqual(JSON.parse((yield* verify("--json")).stdout), { decisions: count, wrong: [] })
    }), 30_000)

  it.live(
    "names each decision that is wrong and how, never what it holds, and changes nothing",
    () =>
      Effect.gen(function*() {
        const { admin, verify } = yield* ground
        yield* Effect.promise(() => plantFaults(admin))
        const sequences = Effect.promise(() =>
          Promise.all(
            Object.values(bucketName).map(async (bucket) =>
              (await admin.manager.streams.info(`KV_${bucket}`)).state.last_seq
            )
          )
        )
        const before = yield* sequences
        const found = yield* verify("--json")
        assert.deepStrictEqual([found.exitCode, found.stderr], [1, ""])
        const { wrong } = JSON.parse(found.stdout)
        assert.deepStrictEqual(
          wrong.map(({ bucket, fault, key }: { readonly [name: string]: string }) => [bucket, key, fault]),
          [
            ["mesh-provisioner_registry", "bound", "differs"],
            ["mesh-provisioner_provisions", "n1.shop.bound.database", "differs"],
            ["mesh-provisioner_provisions", "n7.gone.bound.database", "extra"],
            ["mesh-provisioner_plans", "n1.shop", "missing"],
            ["mesh-provisioner_answers", "n2.postgres.n1.shop.database", "extra"]
          ]
        )
        assert.includeMembers(wrong[1].fields, ["state", "reason", "extra", "why"])
        assert.notInclude(wrong[1].fields, "_epoch")
        const shown = yield* verify()
        assert.deepStrictEqual([shown.exitCode, shown.stderr], [1, ""])
        assert.match(
          shown.stdout,
          /^differs {3}mesh-provisioner_provisions {2}n1\.shop\.bound\.database {2}in state, reason, /m
        )
        assert.match(shown.stdout, /^missing {3}mesh-provisioner_plans {2}n1\.shop$/m)
        assert.include(
          shown.stdout,
          `\n\n5 stored decisions are not what the facts come to; there should be ${count}. Whoever holds the provisioner's ` +
            "seat mends them: look whether anyone does.\n"
        )
        assert.notInclude(found.stdout + shown.stdout, "secret")
        assert.deepStrictEqual(yield* sequences, before)
      }),
    30_000
  )

  it.effect("says nothing of a decision that is on its way, and what is wrong before and after all the same", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus.make()
      const plans = stored()["mesh-provisioner_plans"] ?? {}
      const withPlans = (now: { readonly [key: string]: Json }) =>
        memory.load({ buckets: { ...stored(), "mesh-provisioner_plans": now } })
      const { "n1.shop": _, ...late } = plans
      yield* withPlans({ ...late, "n7.wrong": {} })
      const found = yield* Effect.forkChild(lookAt(memory.as({ role: "reader" })))
      yield* TestClock.adjust("500 millis")
      yield* withPlans({ ...plans, "n7.wrong": {}, "n8.early": {} })
      yield* TestClock.adjust("600 millis")
      assert.deepStrictEqual(yield* Fiber.join(found), {
        decisions: count,
        wrong: [{ bucket: "mesh-provisioner_plans", key: "n7.wrong", fault: "extra" }]
      })
    }))

  it.live("of a file is the same, and looks once; a file and a bus at once are refused", () =>
    Effect.gen(function*() {
      const plans = { ...stored()["mesh-provisioner_plans"], "n7.new": {} }
      const folder = folderWith({
        "right.json": { buckets: stored() },
        "wrong.json": { buckets: { ...stored(), "mesh-provisioner_plans": plans } }
      })
      const verify = (...args: ReadonlyArray<string>) => Effect.promise(() => run(["verify", ...args], { cwd: folder }))
      assert.deepStrictEqual((yield* verify("--from", "right.json")).exitCode, 0)
      assert.deepStrictEqual(yield* verify("--from", "wrong.json"), {
        exitCode: 1,
        stderr: "",
        stdout:
          `extra     mesh-provisioner_plans  n7.new\n\n1 stored decision is not what the facts come to; there should be ` +
          `${count}.\n`
      })
      const both = yield* verify("--from", join(folder, "right.json"), "--bus", "127.0.0.1:1")
      assert.deepStrictEqual([both.exitCode, both.stderr], [
        2,
        "mesh-provisioner: Either a file is read or the bus is asked, and --bus is of the bus. Give only one of them.\n"
      ])
    }), 30_000)
})
