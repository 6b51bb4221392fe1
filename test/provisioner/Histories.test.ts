/**
 * What keys were before (protocol §8, `history`), as the bus is asked for it: of few keys at once, whoever asks, and of no more
 * than fill a reply; and the pages of the verb give all of it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Bus, MemoryBus } from "../../src/adapters/memory/index.ts"
import type { QueryEntry, QueryReply } from "../../src/core/index.ts"
import { historiesOf } from "../../src/provisioner/Histories.ts"
import { pass, put, start } from "./Running.ts"

const atOnceMax = 16
const needs = "mesh-provisioner_needs"

/** A bus whose every key was changed by values of so many bytes; it answers after a while, and is counted at. */
const counted = (valueBytes: number) =>
  Effect.map(MemoryBus, (memory) => {
    const count = { asked: 0, now: 0, most: 0 }
    const value = new TextEncoder().encode(JSON.stringify("v".repeat(valueBytes - 2)))
    const bus = Bus.of({
      ...memory.as({ role: "provisioner" }),
      history: (_bucket, key) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            count.asked += 1
            count.now += 1
            count.most = Math.max(count.most, count.now)
          }),
          () => Effect.as(Effect.sleep("1 millis"), [{ _tag: "Put" as const, key, value, revision: 1, timeMillis: 0 }]),
          () =>
            Effect.sync(() => {
              count.now -= 1
            })
        )
    })
    return { bus, count }
  })

const entries = (size: number): ReadonlyArray<QueryEntry> =>
  Array.from({ length: size }, (_, index) => ({ key: `k${index}`, value: {} }))

describe("the histories of a page", () => {
  it.live("are asked for sixteen at once, of all pages together", () =>
    Effect.gen(function*() {
      const { bus, count } = yield* counted(10)
      const histories = historiesOf(bus)
      const read = yield* Effect.forEach(Array.from({ length: 8 }), () => histories(needs, entries(100), 1_000_000), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(read.map(({ size }) => size), Array.from({ length: 8 }, () => 100))
      assert.strictEqual(count.asked, 800)
      assert.strictEqual(count.most, atOnceMax)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.live("are asked for no further than a reply is full", () =>
    Effect.gen(function*() {
      const { bus, count } = yield* counted(1_000)
      const read = yield* historiesOf(bus)(needs, entries(100), 20_000)
      assert.deepStrictEqual([...read.keys()], entries(2 * atOnceMax).map(({ key }) => key))
      assert.strictEqual(count.asked, 2 * atOnceMax)
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("the pages of the verb with history", () => {
  const all = Array.from({ length: 250 }, (_, index) => `n1.shop.config.c${1_000 + index}`)

  it.effect("have a hundred entries each, and lose none", () =>
    Effect.gen(function*() {
      const { sizes, told } = yield* pagesOf("v", 1_048_576)
      assert.deepStrictEqual(told, all)
      assert.deepStrictEqual(sizes, [100, 100, 50])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("that fill a reply, and lose none", () =>
    Effect.gen(function*() {
      const { sizes, told } = yield* pagesOf("v".repeat(400), 6_000)
      assert.deepStrictEqual(told, all)
      assert.isAbove(sizes.length, 20)
    }).pipe(Effect.provide(MemoryBus.layer())))

  /** All pages of the needs, each of which was changed once. */
  const pagesOf = (text: string, replyBytesMax: number) =>
    Effect.gen(function*() {
      yield* put({ [needs]: Object.fromEntries(all.map((key) => [key, { default: `${text}0` }])) })
      yield* put({ [needs]: Object.fromEntries(all.map((key) => [key, { default: `${text}1` }])) })
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      const told: Array<string> = []
      const sizes: Array<number> = []
      for (let after: string | undefined = "", pages = 0; after !== undefined && pages < 300; pages++) {
        const request = { what: "needs", history: true, limit: 1_000, ...(after === "" ? {} : { after }) }
        const page: QueryReply = yield* verbs.provisioning(request, { replyBytesMax })
        assert.isAtMost(JSON.stringify(page).length, replyBytesMax)
        for (const { history, key } of page.entries) {
          assert.strictEqual(Array.isArray(history) ? history.length : 0, 1)
          told.push(key)
        }
        sizes.push(page.entries.length)
        after = page.next
      }
      return { sizes, told }
    })
})
