/**
 * A snapshot read from a file, or what is wrong with the file and where.
 */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, type Scope } from "effect"
import { followFile, MemoryBus, readSnapshotFile } from "../../src/adapters/memory/index.ts"
import { bytes } from "../../src/testing/conformance/BusDoor.ts"

const test = (name: string, effect: Effect.Effect<void, unknown, MemoryBus | FileSystem.FileSystem | Scope.Scope>) =>
  it.live(name, () => effect.pipe(Effect.provide([MemoryBus.layer(), NodeServices.layer])))

describe("reading a snapshot file", () => {
  const failure = Effect.fnUntraced(function*(content: Uint8Array) {
    const files = yield* FileSystem.FileSystem
    const path = `${yield* files.makeTempDirectoryScoped()}/mesh.json`
    yield* files.writeFile(path, content)
    const error = yield* Effect.flip(readSnapshotFile(path))
    assert.deepStrictEqual((yield* Effect.flip(followFile(path))).message, error.message)
    return error.message.replace(path, "mesh.json")
  })

  test(
    "a file that cannot be loaded is not followed: what is wrong, and where",
    Effect.gen(function*() {
      assert.match(yield* failure(bytes(`{\n "buckets": {\n  "a": 1,\n}`)), /^mesh\.json:4:1: \S/)
      assert.match(yield* failure(bytes(`{\n "buckets": []\n}`)), /^mesh\.json:2:13: \S/)
      assert.match(yield* failure(bytes(`{ "buckets": {}, "raw": { "b": { "k": "%" } } }`)), /^mesh\.json:1:39: \S/)
      assert.strictEqual(
        yield* failure(Uint8Array.of(0x7b, 0xff, 0x7d)),
        "mesh.json: it is not UTF-8. Save it as UTF-8 text."
      )
      const missing = yield* Effect.flip(readSnapshotFile("/nowhere/mesh.json"))
      assert.strictEqual(missing.message, "/nowhere/mesh.json: there is no such file.")
      const directory = yield* Effect.flip(readSnapshotFile("/"))
      assert.match(directory.message, /^\/: it cannot be read \(\w+\)\.$/)
    })
  )

  test(
    "a file that is a snapshot is one",
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/mesh.json`
      yield* files.writeFileString(path, `{ "what": "a mesh", "buckets": { "b": { "k": [1] } } }`)
      assert.deepStrictEqual(yield* readSnapshotFile(path), { buckets: { b: { k: [1] } } })
    })
  )
})
