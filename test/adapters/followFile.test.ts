/**
 * A memory bus that follows a file, on real files: what an edit changes and nothing else, and what is said of an edit
 * that cannot be taken.
 */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Queue, type Scope } from "effect"
import { type BusError, followFile, MemoryBus, type SnapshotFileError } from "../../src/adapters/memory/index.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { bytes, holds, takeCount, takeStart, takeToError, told } from "../../src/testing/conformance/BusDoor.ts"

const haves = "mesh-host_haves"

/** A file that is followed, what is told of it, and the ways to change it. */
const followed = Effect.fnUntraced(function*(first: Snapshot | string) {
  const files = yield* FileSystem.FileSystem
  const memory = yield* MemoryBus
  const path = `${yield* files.makeTempDirectoryScoped()}/mesh.json`
  // In one step, so that no look sees half of it.
  const write = Effect.fnUntraced(function*(snapshot: Snapshot | string) {
    yield* files.writeFileString(`${path}.new`, typeof snapshot === "string" ? snapshot : JSON.stringify(snapshot))
    yield* files.rename(`${path}.new`, path)
  })
  yield* write(first)
  const troubles = yield* Queue.unbounded<SnapshotFileError | BusError>()
  yield* followFile(path, { every: "5 millis", onTrouble: (trouble) => Effect.asVoid(Queue.offer(troubles, trouble)) })
  const bus = memory.as({ role: "admin" })
  return { bus, files, path, troubles, write }
})

const trouble = (troubles: Queue.Dequeue<SnapshotFileError | BusError>) =>
  Effect.map(takeCount(troubles, 1), ([found]) => found?.message)

/** Waits until a key holds a text. */
const until = Effect.fnUntraced(function*(key: string, text: string | undefined) {
  const bus = (yield* MemoryBus).as({ role: "reader" })
  for (let round = 0; round < 1_000; round++) {
    if ((yield* holds(bus, haves, key)) === text) {
      return
    }
    yield* Effect.sleep("5 millis")
  }
  assert.fail(`${key} never came to hold ${text}`)
})

/** Long enough that the file was looked at many times. */
const aWhile = Effect.sleep("60 millis")

const test = (name: string, effect: Effect.Effect<void, unknown, MemoryBus | FileSystem.FileSystem | Scope.Scope>) =>
  it.live(name, () => effect.pipe(Effect.provide([MemoryBus.layer(), NodeServices.layer])), 20_000)

describe("following a file", () => {
  test(
    "an edit becomes the puts and deletes of what differs, and nothing else",
    Effect.gen(function*() {
      const { bus, write } = yield* followed({ buckets: { [haves]: { a: 1, b: { x: 1, y: 2 }, c: 3 } } })
      const events = yield* bus.follow(haves)
      assert.deepStrictEqual((yield* takeStart(events)).map((event) => told(event)[1]), ["a", "b", "c", undefined])
      yield* write({ buckets: { [haves]: { d: 4, b: { y: 2, x: 1 }, a: 2 } } })
      assert.deepStrictEqual((yield* takeCount(events, 3)).map((event) => told(event).slice(0, 3)), [
        ["put", "d", "4"],
        ["put", "a", "2"],
        ["delete", "c", 6]
      ])
      yield* write({ buckets: { [haves]: { d: 5 } } })
      assert.strictEqual((yield* takeCount(events, 3)).length, 3)
    })
  )

  test(
    "a file that is written over is followed like one that is put in its place",
    Effect.gen(function*() {
      const { files, path, write } = yield* followed({ buckets: { [haves]: { a: 1 } } })
      for (const value of [2, 3]) {
        yield* files.writeFileString(path, JSON.stringify({ buckets: { [haves]: { a: value } } }))
        yield* until("a", `${value}`)
        yield* write({ buckets: { [haves]: { a: -value } } })
        yield* until("a", `${-value}`)
      }
    })
  )

  test(
    "an edit within the same moment and of the same size is not missed",
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/mesh.json`
      yield* files.writeFileString(path, `{"buckets":{"${haves}":{"a":1}}}`)
      // The file's time stands still, as it does on a system whose clock is coarse.
      const info = yield* files.stat(path)
      const coarse = FileSystem.FileSystem.of({ ...files, stat: () => Effect.succeed(info) })
      yield* Effect.provideService(followFile(path, { every: "5 millis" }), FileSystem.FileSystem, coarse)
      yield* aWhile
      yield* files.writeFileString(path, `{"buckets":{"${haves}":{"a":2}}}`)
      yield* until("a", "2")
    })
  )

  test(
    "a file that is seen half-way through being written is no trouble",
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      let cut = false
      const cutting = FileSystem.FileSystem.of({
        ...files,
        readFile: (path) =>
          Effect.map(files.readFile(path), (content) => {
            const seen = cut ? content.subarray(0, 20) : content
            cut = false
            return seen
          })
      })
      const { troubles, write } = yield* followed({ buckets: { [haves]: { a: 1 } } }).pipe(
        Effect.provideService(FileSystem.FileSystem, cutting)
      )
      cut = true
      yield* until("a", "1")
      yield* write({ buckets: { [haves]: { a: 2 } } })
      yield* until("a", "2")
      yield* aWhile
      assert.isFalse(cut)
      assert.strictEqual(Queue.sizeUnsafe(troubles), 0)
    })
  )

  test(
    "an old file is read again when its time changes, and not before",
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      let reads = 0
      const counting = FileSystem.FileSystem.of({
        ...files,
        readFile: (path) => Effect.suspend(() => (reads += 1, files.readFile(path)))
      })
      const { path, write } = yield* followed({ buckets: { [haves]: { a: 1 } } }).pipe(
        Effect.provideService(FileSystem.FileSystem, counting)
      )
      yield* files.utimes(path, 1_000, 1_000)
      yield* aWhile
      const before = reads
      yield* aWhile
      assert.strictEqual(reads, before)
      yield* write({ buckets: { [haves]: { a: 2 } } })
      yield* until("a", "2")
    })
  )

  test(
    "half-written JSON is said once, by line and column, and the last good one stands until it is whole",
    Effect.gen(function*() {
      const { bus, path, troubles, write } = yield* followed({ buckets: { [haves]: { a: 1 } } })
      yield* write(`{ "buckets": {\n  "${haves}": { "a": "secret`)
      const said = yield* trouble(troubles)
      assert.match(said ?? "", new RegExp(`^${path}:2:\\d+: \\S`))
      assert.notInclude(said, "secret")
      yield* aWhile
      assert.strictEqual(yield* holds(bus, haves, "a"), "1")
      assert.strictEqual(Queue.sizeUnsafe(troubles), 0)
      yield* write({ buckets: { [haves]: { a: 2 } } })
      yield* until("a", "2")
      yield* write(`{ "buckets": {\n  "${haves}": { "a": "secret`)
      assert.strictEqual(yield* trouble(troubles), said)
    })
  )

  test(
    "a file that is gone is said once each time, and what it held stands",
    Effect.gen(function*() {
      const { bus, files, path, troubles, write } = yield* followed({ buckets: { [haves]: { a: 1 } } })
      for (const value of [1, 2]) {
        yield* files.remove(path)
        assert.strictEqual(yield* trouble(troubles), `${path}: there is no such file.`)
        yield* aWhile
        assert.strictEqual(Queue.sizeUnsafe(troubles), 0)
        assert.strictEqual(yield* holds(bus, haves, "a"), "1")
        yield* write({ buckets: { [haves]: { a: 1, back: value } } })
        yield* until("back", `${value}`)
      }
    })
  )

  test(
    "a file that comes back as it was can go again",
    Effect.gen(function*() {
      const { files, path, troubles, write } = yield* followed({ buckets: { [haves]: { a: 1 } } })
      for (let round = 0; round < 2; round++) {
        yield* files.remove(path)
        assert.strictEqual(yield* trouble(troubles), `${path}: there is no such file.`)
        yield* write({ buckets: { [haves]: { a: 1 } } })
        yield* Effect.sleep("300 millis")
      }
    })
  )

  test(
    "buckets appear and vanish with the file; one that was there from the start is emptied",
    Effect.gen(function*() {
      const { bus, write } = yield* followed({ buckets: { [haves]: { a: 1 } } })
      const names = yield* bus.followBuckets
      yield* takeStart(names)
      yield* write({ buckets: { [haves]: { a: 1 }, postgres_bound: { "n1.shop.database": {} } } })
      assert.deepStrictEqual(yield* takeCount(names, 1), [{ _tag: "Appeared", bucket: "postgres_bound" }])
      yield* until("a", "1")
      const bound = yield* bus.follow("postgres_bound")
      assert.strictEqual((yield* takeStart(bound)).length, 2)
      yield* write({ buckets: {} })
      assert.deepStrictEqual(yield* takeCount(names, 1), [{ _tag: "Vanished", bucket: "postgres_bound" }])
      assert.strictEqual((yield* takeToError(bound)).reason._tag, "Lost")
      yield* until("a", undefined)
      assert.deepStrictEqual((yield* takeStart(yield* bus.follow(haves))).length, 1)
    })
  )

  test(
    "what others wrote on the bus is left alone",
    Effect.gen(function*() {
      const { bus, write } = yield* followed({ buckets: { [haves]: { a: 1, b: 1 } } })
      yield* bus.create(haves, "others", bytes("mine"))
      yield* bus.update(haves, "b", bytes("mine"), 2)
      yield* write({ buckets: { [haves]: { a: 2, b: 1 } } })
      yield* until("a", "2")
      assert.strictEqual(yield* holds(bus, haves, "others"), "mine")
      assert.strictEqual(yield* holds(bus, haves, "b"), "mine")
    })
  )

  test(
    "an edit of which a value is too large is said, and taken when it is smaller",
    Effect.gen(function*() {
      const { bus, troubles, write } = yield* followed({ buckets: { [haves]: { a: 1 } } })
      yield* write({ buckets: { [haves]: { a: 2, large: "x".repeat(1_100_000) } } })
      assert.strictEqual(
        yield* trouble(troubles),
        `Key "large" of bucket ${haves} was not loaded: its value has 1100002 bytes, and the bus holds 1048576 at most. ` +
          "Make it smaller."
      )
      assert.strictEqual(yield* holds(bus, haves, "a"), "1")
      yield* write({ buckets: { [haves]: { a: 2, large: "x" } } })
      yield* until("a", "2")
      yield* until("large", `"x"`)
    })
  )

  test(
    "names that JavaScript's objects have are followed like any other",
    Effect.gen(function*() {
      const { write } = yield* followed(`{"buckets":{"${haves}":{"__proto__":1,"constructor":1}}}`)
      yield* until("__proto__", "1")
      yield* write(`{"buckets":{"${haves}":{"__proto__":{"a":2},"toString":1}}}`)
      yield* until("toString", "1")
      yield* until("__proto__", `{"a":2}`)
      yield* until("constructor", undefined)
    })
  )

  test(
    "no file is followed when the scope has closed",
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      const files = yield* FileSystem.FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/mesh.json`
      yield* files.writeFileString(path, `{"buckets":{"${haves}":{"a":1}}}`)
      yield* Effect.scoped(followFile(path, { every: "5 millis" }))
      yield* files.writeFileString(path, `{"buckets":{"${haves}":{"a":2}}}`)
      yield* aWhile
      assert.strictEqual(yield* holds(memory.as({ role: "reader" }), haves, "a"), "1")
    })
  )
})
