/**
 * Goal: what the daemon counts is what came to pass and what there is, as Prometheus reads it; each metric is documented, and no
 * other; labels are bounded, and hold nothing of a fact.
 *
 * Method: a provisioner on the memory bus and on virtual time is scraped by a parser that takes nothing malformed; counts are
 * compared with what was asked of the bus, and with the decisions counted one by one.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, SubscriptionRef } from "effect"
import { readFileSync } from "node:fs"
import { BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import { decide, Engine, Facts } from "../../src/core/index.ts"
import { countTurns, Metrics } from "../../src/provisioner/Metrics.ts"
import { metricTable } from "../../src/provisioner/MetricTable.ts"
import type { Provisioner } from "../../src/provisioner/Provisioner.ts"
import type { Standing } from "../../src/provisioner/Status.ts"
import { boundBucketsMax, factCounts, tallyOf } from "../../src/provisioner/Tally.ts"
import { counting } from "./Counting.ts"
import { bound, databaseKey, facts, pass, plans, provided, provisions, put, start, write } from "./Running.ts"
import { type Family, parseScrape, sampled } from "./Scrape.ts"

const idle: Standing = {
  seat: { _tag: "Looking" },
  health: undefined,
  connection: undefined,
  busyMillis: undefined,
  hasEnded: false
}

const written = (families: ReadonlyMap<string, Family>, bucket: string, outcome: string) =>
  sampled(families, "mesh_provisioner_writes_total", { bucket, outcome })

describe("a scrape", () => {
  it.effect("counts facts and decisions by bucket and state", () =>
    Effect.gen(function*() {
      yield* put(facts)
      yield* put({
        "mesh-host_haves": { "n1.shop": "no have", "n9": {} },
        "mesh-controller_modules": { other: { answers: { config: { bucket: "other_cfg", key: "<name>" } } } }
      })
      const running = yield* start()
      yield* pass()
      const families = yield* (yield* counting(running)).scrape
      const source = yield* running.provisioner.source
      assert.isDefined(source)
      for (const state of ["provided", "asked", "failed", "refused"]) {
        const count = [...source?.decisions.provisions.values() ?? []].filter((one) => one.state === state).length
        assert.strictEqual(sampled(families, "mesh_provisioner_decisions", { bucket: provisions, state }), count)
      }
      assert.strictEqual(sampled(families, "mesh_provisioner_decisions", { bucket: plans, state: "ready" }), 1)
      assert.strictEqual(
        sampled(families, "mesh_provisioner_decisions", { bucket: "mesh-provisioner_registry" }),
        source?.decisions.registry.size
      )
      const haves = (state: string) => sampled(families, "mesh_provisioner_facts", { bucket: "mesh-host_haves", state })
      assert.deepStrictEqual([haves("in-shape"), haves("out-of-shape")], [1, 2])
      assert.strictEqual(sampled(families, "mesh_provisioner_out_of_shape"), source?.decisions.outOfShape.length)
      assert.strictEqual(sampled(families, "mesh_provisioner_conflicts"), source?.decisions.conflicts.length)
      assert.isAbove(sampled(families, "mesh_provisioner_conflicts") ?? 0, 0)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("counts turns, changes and writes, and goes with them", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start()
      const { scrape } = yield* counting(running)
      yield* pass()
      yield* write("postgres_bound", bound, { state: "making", by: "n2" })
      yield* pass()
      const first = yield* scrape
      assert.strictEqual(
        written(first, provisions, "written"),
        running.asked.filter(({ bucket }) => bucket === provisions).length
      )
      assert.strictEqual(sampled(first, "mesh_provisioner_turns_total"), running.turns.length)
      assert.strictEqual(
        sampled(first, "mesh_provisioner_changes_total"),
        running.turns.reduce((sum, { changes }) => sum + changes, 0)
      )
      assert.strictEqual(
        sampled(first, "mesh_provisioner_decisions", { bucket: provisions, state: "provided" }),
        0
      )
      yield* write("postgres_bound", bound, provided)
      yield* pass()
      const second = yield* scrape
      assert.strictEqual(sampled(second, "mesh_provisioner_decisions", { bucket: provisions, state: "provided" }), 1)
      assert.strictEqual(
        sampled(second, "mesh_provisioner_turns_total"),
        (sampled(first, "mesh_provisioner_turns_total") ?? 0) + 1
      )
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("counts writes that were refused, and those that another overtook", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const running = yield* start({
        interference: {
          beforeWrite: ({ bucket, key, op }) =>
            key === databaseKey
              ? Effect.fail(
                new BusError({ operation: op, bucket, key, reason: { _tag: "Refused", because: "account" } })
              )
              : key === "n1.shop" && bucket === plans
              ? Effect.fail(new BusError({ operation: op, bucket, key, reason: { _tag: "Conflict" } }))
              : Effect.void
        }
      })
      const { scrape } = yield* counting(running)
      yield* pass()
      const families = yield* scrape
      assert.strictEqual(written(families, provisions, "refused"), 1)
      assert.isAbove(written(families, plans, "overtaken") ?? 0, 0)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("counts over terms, and shows nothing of a mesh that it does not know", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const metrics = new Metrics("1.2.3")
      const current = yield* SubscriptionRef.make<Provisioner["Service"] | undefined>(undefined)
      yield* Effect.forkScoped(countTurns(metrics, SubscriptionRef.changes(current)))
      for (const health of ["healthy", "unhealthy"]) {
        const running = yield* start()
        yield* SubscriptionRef.set(current, running.provisioner)
        yield* pass()
        yield* write("mesh-host_haves", "n2.postgres", { build: "p1", health })
        yield* pass()
        yield* SubscriptionRef.set(current, undefined)
        yield* running.stop
        yield* pass()
      }
      const families = parseScrape(metrics.text({ standing: idle, source: undefined }))
      assert.isAtLeast(sampled(families, "mesh_provisioner_turns_total") ?? 0, 3)
      assert.isFalse(families.has("mesh_provisioner_facts") || families.has("mesh_provisioner_decisions"))
      assert.strictEqual(sampled(families, "mesh_provisioner_ready"), 0)
      assert.strictEqual(sampled(families, "mesh_provisioner_seat", { state: "looking" }), 1)
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("a scrape of an engine", () => {
  it("counts what it keeps counted, and walks nothing of it", () => {
    const buckets = {
      ...facts,
      "mesh-host_haves": { "n1.shop": "no have", "n9": {} },
      "mesh-provisioner_needs": { "n1.shop.bound.other": {}, "n1.shop.x": {}, "n1.shop.config.title": { default: 1 } }
    }
    const loaded = Facts.fromSnapshot({ buckets })
    const engine = new Engine({ facts: loaded })
    engine.step([])
    const { counts, registry } = engine.decisions
    assert.isDefined(counts)
    const nothing = {
      provisions: new Map(),
      asks: new Map(),
      plans: new Map(),
      outOfShape: [],
      conflicts: [],
      answersToDelete: []
    }
    const tally = tallyOf({ ...nothing, registry, counts })
    const counted = tallyOf(decide(loaded))
    assert.deepStrictEqual(tally.decisions, counted.decisions)
    assert.deepStrictEqual([...tally.outOfShape].toSorted(), [...counted.outOfShape].toSorted())
    assert.isAbove(tally.outOfShape.get("mesh-host_haves") ?? 0, 1)
  })
})

describe("labels", () => {
  it("are bounded: of a thousand providers' buckets a hundred are counted apart, and none is lost", () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `m${index}_bound`)
    const loaded = Facts.fromSnapshot({ buckets: Object.fromEntries(names.map((name) => [name, { broken: {} }])) })
    const counts = factCounts(loaded, tallyOf(decide(loaded))).filter(({ bucket }) => bucket.endsWith("_bound"))
    assert.strictEqual(counts.length, 2 * (boundBucketsMax + 1))
    const sum = (state: string) => counts.reduce((sum, count) => sum + (count.state === state ? count.count : 0), 0)
    assert.deepStrictEqual([sum("in-shape"), sum("out-of-shape")], [0, 1_000])
  })

  it("and words hold no fact's value, whatever it is", () => {
    const canary = "xyzzy"
    const buckets = {
      ...facts,
      "mesh-controller_modules": { shop: canary, postgres: { provides: { database: { note: canary } } } },
      "mesh-provisioner_needs": { "n1.shop.config.title": { default: canary }, [`n1.shop.${canary}`]: canary },
      "mesh-host_haves": { "n2.postgres": { build: canary, health: "healthy", words: canary } }
    }
    const loaded = Facts.fromSnapshot({ buckets })
    const text = new Metrics("1.2.3").text({ standing: idle, source: { facts: loaded, decisions: decide(loaded) } })
    assert.isAbove(sampled(parseScrape(text), "mesh_provisioner_out_of_shape") ?? 0, 0)
    assert.notInclude(text, canary)
  })
})

describe("the names", () => {
  const everything = Effect.gen(function*() {
    yield* put(facts)
    const running = yield* start()
    yield* pass()
    return yield* (yield* counting(running)).scrape
  })

  it.effect("are those of docs/operating.md, each with its kind, and each is there", () =>
    Effect.gen(function*() {
      const page = readFileSync("docs/operating.md", "utf8")
      const rows = [...page.matchAll(/^\| `(mesh_provisioner_\w+)` +\| (\w+) +\|/gm)].map((
        [, name, kind]
      ) => [name, kind])
      const families = yield* everything
      const named = Object.entries(metricTable).map(([name, { kind }]) => [name, kind])
      assert.deepStrictEqual(rows.toSorted(), named.toSorted())
      assert.deepStrictEqual([...families].map(([name, { type }]) => [name, type]).toSorted(), named.toSorted())
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("follow the conventions: `_total` for what only grows, and units in full", () =>
    Effect.gen(function*() {
      for (const [name, { help, type }] of yield* everything) {
        assert.match(name, /^mesh_provisioner_[a-z_]+$/)
        assert.strictEqual(name.endsWith("_total"), type === "counter", name)
        assert.strictEqual(name.endsWith("_seconds"), type === "histogram", name)
        assert.isAbove(help.length, 10)
      }
    }).pipe(Effect.provide(MemoryBus.layer())))
})
