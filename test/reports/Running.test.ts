/**
 * Reports 010, 026 and 084 on a provisioner that runs: what its verb still shows of a failure, what a provider that is slow
 * to answer sees, and one that was frozen while another went on.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { type Bus, MemoryBus } from "../../src/adapters/memory/index.ts"
import {
  assertSettled,
  bound,
  databaseKey,
  facts,
  pass,
  passLong,
  provisions,
  put,
  start,
  stored,
  write
} from "../provisioner/Running.ts"

const asks = "mesh-provisioner_asks"
const ask = "n2.postgres.n1.shop.database"

describe("a provisioner that runs", () => {
  it.effect("report 010: shows the last failure and when it was, while its provider tries again", () =>
    Effect.gen(function*() {
      yield* put(facts)
      const { provisioner: { verbs } } = yield* start()
      yield* pass()
      yield* write("postgres_bound", bound, { state: "failed", by: "n2", why: "x509: unknown authority" })
      yield* passLong("1 minute")
      yield* write("postgres_bound", bound, { state: "retrying", by: "n2" })
      yield* pass()
      const { entries } = yield* verbs.provisioning({ what: "provisions", history: true })
      const entry = entries.find(({ key }) => key === databaseKey)
      assert.deepInclude(entry?.["value"], { state: "asked", reason: "making" })
      const history = entry?.["history"]
      const last = Array.isArray(history) ? history.at(-1) : undefined
      assert.deepInclude(last?.value, { state: "failed", why: "x509: unknown authority" })
      assert.match(last?.time, /^1970-01-01T00:00:0\d\.\d{3}Z$/)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("report 026: writes one ask, and no other, however often its provider begins again", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, postgres_bound: {} })
      const running = yield* start()
      yield* pass()
      const first = yield* stored(asks, ask)
      assert.deepInclude(first, { state: "wanted" })
      for (const state of ["making", "failed", "making", "failed"]) {
        yield* write("postgres_bound", bound, { state, by: "n2", why: "conflict" })
        yield* pass()
      }
      yield* passLong("3 hours")
      assert.deepStrictEqual(yield* stored(asks, ask), first)
      assert.strictEqual(running.asked.filter(({ bucket }) => bucket === asks).length, 1)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.effect("report 084: frozen with writes in flight, writes nothing over what another wrote meanwhile", () =>
    Effect.gen(function*() {
      yield* put({ ...facts, postgres_bound: {} })
      const thaw = yield* Deferred.make<void>()
      const frozen = yield* start({ interference: { beforeWrite: () => Deferred.await(thaw) } })
      yield* pass()
      const other = yield* start()
      yield* pass()
      yield* write("postgres_bound", bound, { state: "provided", by: "n2", values: { host: "db" } })
      yield* pass()
      yield* assertSettled
      other.asked.length = 0

      yield* Deferred.succeed(thaw, undefined)
      yield* passLong("2 hours")
      yield* assertSettled
      assert.isAbove(frozen.asked.length, 0)
      assert.deepStrictEqual(frozen.asked.filter(({ ok }) => ok), [])
      assert.deepStrictEqual(other.asked, [])
      const bus = (yield* MemoryBus).as({ role: "admin" })
      const history = yield* bus.history(provisions, databaseKey)
      assert.deepStrictEqual(history.map(stateOf), ["asked", "provided"])
      assert.strictEqual((yield* bus.history(asks, ask)).length, 1)
    }).pipe(Effect.provide(MemoryBus.layer())))
})

type Revision = Effect.Success<ReturnType<Bus["Service"]["history"]>>[number]

const stateOf = (revision: Revision): unknown =>
  revision._tag === "Put" ? JSON.parse(new TextDecoder().decode(revision.value)).state : revision._tag
