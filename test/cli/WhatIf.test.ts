/**
 * Goal: `diff --change` says what a change of a few facts would do to the mesh now, by the bus as by a file, and leaves the bus as it
 * was.
 *
 * Method: a real server with a provisioner on it, and the bin as it was built; what it prints is held against `diff` of two files.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bucketName } from "../../src/core/BucketName.ts"
import { act } from "../adapters/nats/Ground.ts"
import { folderWith, run } from "./Bin.ts"
import { onBus, printed, provisionerOn, sentence } from "./Bus.ts"
import { asked, provided } from "./Mesh.ts"

const bind = {
  bucket: "postgres_bound",
  key: "n1.shop.database",
  value: provided.buckets.postgres_bound["n1.shop.database"]
}

/** A folder with the meshes and the changes, and how a file of it is named. */
const files = () => {
  const folder = folderWith({
    "asked.json": asked,
    "provided.json": provided,
    "one.json": bind,
    "list.json": [bind],
    "decision.json": { bucket: bucketName.plans, key: "n1.shop", value: {} }
  })
  return (file: string) => `${folder}/${file}`
}

const differences = (at: (file: string) => string, flags: ReadonlyArray<string>) =>
  Effect.map(act(() => run(["diff", at("asked.json"), at("provided.json"), ...flags])), ({ stdout }) => stdout)

describe("diff --change", () => {
  it.live("of the bus says what diff of two files does, and writes nothing", () =>
    Effect.gen(function*() {
      const at = files()
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const states = () =>
        act(() =>
          Promise.all(
            [...Object.values(bucketName), "postgres_bound"].map(async (bucket) =>
              (await on.admin.manager.streams.info(`KV_${bucket}`)).state.last_seq
            )
          )
        )
      const before = yield* states()
      for (const flags of [[], ["--json"]]) {
        const expected = yield* differences(at, flags)
        assert.strictEqual(yield* printed(on.server.url, ["diff", "--change", at("one.json"), ...flags]), expected)
        assert.strictEqual(yield* printed(on.server.url, ["diff", "--change", at("list.json"), ...flags]), expected)
      }
      assert.deepStrictEqual(yield* states(), before)
      assert.include(yield* printed(on.server.url, ["show", "provisions"]), "asked")
    }))

  it.live("of a file says the same", () =>
    Effect.gen(function*() {
      const at = files()
      for (const flags of [[], ["--json"]]) {
        const { exitCode, stderr, stdout } = yield* act(() =>
          run(["diff", at("asked.json"), "--change", at("one.json"), ...flags])
        )
        assert.deepStrictEqual({ exitCode, stderr, stdout }, {
          exitCode: 0,
          stderr: "",
          stdout: yield* differences(at, flags)
        })
      }
      const lines = `${JSON.stringify(bind)}\n\n{"bucket":"${bucketName.needs}","key":"n1.shop.bound.database"}\n`
      const { stdout } = yield* act(() => run(["diff", at("asked.json"), "--change", "-"], { input: lines }))
      assert.include(stdout, "provision  n1.shop.bound.database  goes, was asked")
    }))

  it.live("of more than a reply holds says how much it leaves out", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on, { replyBytesMax: 1_024 })
      const many = Array.from({ length: 40 }, (_, index) => ({
        bucket: bucketName.needs,
        key: `n1.shop.port.p${index}`,
        value: {}
      }))
      const cwd = folderWith({ "many.json": many })
      const text = yield* printed(on.server.url, ["diff", "--change", `${cwd}/many.json`])
      assert.match(text, /\n\d+ more than the bus had room to tell: mesh-provisioner snapshot --out mesh\.json/)
      const { decisions, more } = JSON.parse(
        yield* printed(on.server.url, ["diff", "--change", `${cwd}/many.json`, "--json"])
      )
      // The plan is another one, too.
      assert.strictEqual(decisions.length + more, many.length + 1)
    }))

  it.live("says what is wrong with a change, where it stands", () =>
    Effect.gen(function*() {
      const at = files()
      const wrong = (file: string, exitCode = 1) => sentence(["diff", at("asked.json"), "--change", file], exitCode)
      assert.include(yield* wrong(at("decision.json")), "is a bucket of decisions")
      const cwd = folderWith({ "none.json": [], "text.json": "x\n" })
      assert.include(yield* wrong(`${cwd}/none.json`), "holds no changes")
      assert.include(yield* wrong(`${cwd}/text.json`), "line 1")
      assert.include(yield* sentence(["diff"], 2), "AFTER is missing")
      assert.include(
        yield* sentence(["diff", at("asked.json"), at("provided.json"), "--change", at("one.json")], 2),
        "--change stands for AFTER"
      )
      assert.include(yield* sentence(["diff", "-", "--change", "-"], 2), "Only one of BEFORE and --change")
    }))
})
