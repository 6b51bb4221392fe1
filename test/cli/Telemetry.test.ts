/**
 * Goal: traces of turns and verb calls and the log go to the collector that is set; nothing that is sent holds a fact's value or
 * an error's words; a collector that is not there, refuses or never answers costs nothing and is said once.
 *
 * Method: a collector of the test's own on the loopback takes all that is sent by a provisioner on the memory bus, whose facts hold
 * a canary wherever a value may stand.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Logger, Redacted } from "effect"
import { Bus, MemoryBus } from "../../src/adapters/memory/index.ts"
import { messageOf } from "../../src/cli/Log.ts"
import { type Otlp, readOtlp, telemetry } from "../../src/cli/Telemetry.ts"
import type { VerbCall } from "../../src/ports/VerbServer.ts"
import { Provisioner } from "../../src/provisioner/Provisioner.ts"
import { tracedVerbs } from "../../src/provisioner/Traced.ts"
import { facts } from "../provisioner/Running.ts"
import { collecting } from "./Collecting.ts"

const canary = "xyzzy"

/** The layer, and the lines that are logged besides. */
const observed = (url: string, headers: Record<string, string> = {}) => {
  const lines: Array<string> = []
  const otlp: Otlp = { url, headers: Redacted.make(headers) }
  const logger = Logger.make<unknown, void>((logged) => void lines.push(messageOf(logged)))
  return { lines, layer: telemetry({ otlp, name: "n1", version: "1.2.3", logger }) }
}

const call = (verb: VerbCall["verb"]): VerbCall => ({
  verb,
  payload: new TextEncoder().encode(canary),
  caller: "node:n1",
  replyBytesMax: 1_000
})

/** A provisioner that decides a mesh full of canaries and what is asked of it; then something inside goes wrong. */
const work = Effect.gen(function*() {
  const memory = yield* MemoryBus
  yield* memory.load({
    buckets: {
      ...facts,
      "mesh-config_values": { "n1.shop.title": { value: canary } },
      "mesh-host_haves": { "n2.postgres": { build: "p1", health: "unhealthy", words: canary } },
      "mesh-provisioner_needs": {
        "n1.shop.bound.database": {},
        "n1.shop.config.title": { default: canary },
        "n1.x": canary
      },
      postgres_bound: { "n1.shop.database": { state: "failed", by: "n2", words: canary } }
    }
  })
  yield* Effect.provideService(Provisioner.make(), Bus, memory.as({ role: "provisioner" }))
  yield* Effect.sleep(200)
  yield* tracedVerbs(() => Effect.succeed({ _tag: "Answer", json: `"${canary}"` }))(call("explain"))
  yield* tracedVerbs(() => Effect.succeed({ _tag: "Refusal", code: 400, message: canary }))(call("retire"))
  yield* Effect.exit(tracedVerbs(() => Effect.die(new TypeError(canary)))(call("provisioning")))
  yield* Effect.logError("A fault inside.", new TypeError(canary))
}).pipe(Effect.scoped, Effect.provide(MemoryBus.layer()))

describe("a collector", () => {
  it.live(
    "gets spans of turns and calls, and the log, and no value nor an error's words in any of them",
    () =>
      Effect.gen(function*() {
        const { got, textOf, url } = yield* collecting()
        const { layer, lines } = observed(url, { authorization: "Bearer t" })
        yield* Effect.provide(work, layer)
        const [traces, logs] = [textOf("/v1/traces"), textOf("/v1/logs")]
        for (const name of ["turn", "decide", "write", "verb explain", "verb retire", "verb provisioning"]) {
          assert.include(traces, `"name":"${name}"`)
        }
        assert.match(traces, /"key":"code","value":\{"intValue":400\}/)
        assert.match(traces, /"key":"caller","value":\{"stringValue":"node:n1"\}/)
        assert.match(traces, /"key":"changes","value":\{"intValue":\d+\}/)
        assert.include(traces, "TypeError")
        assert.include(logs, "put mesh-provisioner_plans n1.shop")
        assert.include(logs, "A fault inside.")
        assert.match(traces + logs, /"service\.name".*mesh-provisioner/)
        assert.isTrue(got.every(({ headers }) => headers.authorization === "Bearer t"))
        for (const sent of [traces, logs, lines.join("\n")]) {
          assert.notInclude(sent, canary)
        }
        assert.isTrue(lines.some((line) => line.startsWith("put mesh-provisioner_plans")))
      }),
    15_000
  )

  it.live("gets log lines of a turn with the turn's trace", () =>
    Effect.gen(function*() {
      const { textOf, url } = yield* collecting()
      yield* Effect.provide(work, observed(url).layer)
      const logs = textOf("/v1/logs")
      const [, traceId = "none"] = /"traceId":"([0-9a-f]{32})"/.exec(logs) ?? []
      assert.include(textOf("/v1/traces"), traceId)
    }), 15_000)
})

describe("a collector that is no help", () => {
  const saysOnce = (lines: ReadonlyArray<string>, words: string) =>
    assert.deepStrictEqual(
      lines.filter((line) => line.startsWith("The collector at")).map((line) => line.includes(words)),
      [
        true
      ]
    )

  it.live("because nobody listens there is said once, and nothing waits for it", () =>
    Effect.gen(function*() {
      const { close, url } = yield* collecting()
      close()
      const { layer, lines } = observed(url)
      const busy = Effect.forEach(
        Array.from({ length: 30 }),
        () => Effect.andThen(Effect.withSpan(Effect.logInfo("line"), "span"), Effect.sleep(100)),
        { discard: true }
      )
      const began = performance.now()
      yield* Effect.provide(busy, layer)
      assert.isBelow(performance.now() - began, 3_000 + 3_500)
      saysOnce(lines, "does not answer")
      assert.strictEqual(lines.filter((line) => line === "line").length, 30)
    }), 15_000)

  it.live("because it never answers ends with the daemon within seconds", () =>
    Effect.gen(function*() {
      const { url } = yield* collecting("never")
      const { layer, lines } = observed(url)
      yield* Effect.provide(Effect.andThen(Effect.logInfo("line"), Effect.sleep(5_000)), layer)
      saysOnce(lines, "does not answer")
      const began = performance.now()
      yield* Effect.provide(Effect.logInfo("line"), observed(url).layer)
      assert.isBelow(performance.now() - began, 3_500)
    }), 15_000)

  it.live("because it refuses is said once, with its code", () =>
    Effect.gen(function*() {
      const { url } = yield* collecting(401)
      const { layer, lines } = observed(url)
      yield* Effect.provide(Effect.andThen(Effect.logInfo("line"), Effect.sleep(2_500)), layer)
      saysOnce(lines, "answers 401")
    }), 15_000)
})

describe("where the collector is", () => {
  const ok = (url: string, environment = {}) => Effect.map(readOtlp(url, environment), ({ url }) => url)

  it.effect("is the URL that is given, without a slash at the end", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* ok("http://127.0.0.1:4318"), "http://127.0.0.1:4318")
      assert.strictEqual(yield* ok("https://otel.home/otlp/"), "https://otel.home/otlp")
    }))

  it.effect("is refused where it cannot be used, or holds a secret, and never repeated", () =>
    Effect.gen(function*() {
      for (
        const url of [
          "",
          "127.0.0.1:4318",
          "grpc://a:1",
          `http://a:${canary}@b`,
          `http://a/?k=${canary}`,
          "http://a/#x"
        ]
      ) {
        const failure = yield* Effect.flip(readOtlp(url, {}))
        assert.strictEqual(failure.exitCode, 2, url)
        assert.notInclude(failure.sentence ?? "", canary)
      }
    }))

  it.effect("is told with the headers of the environment, which stay secret", () =>
    Effect.gen(function*() {
      const otlp = yield* readOtlp("http://a", {
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${canary}, x-a=1`
      })
      assert.deepStrictEqual(Redacted.value(otlp.headers), { authorization: `Bearer ${canary}`, "x-a": "1" })
      assert.notInclude(JSON.stringify(otlp), canary)
      for (const wrong of [canary, `a=%zz${canary}`, `a b=${canary}`, `a=%0a${canary}`]) {
        const failed = yield* Effect.exit(readOtlp("http://a", { OTEL_EXPORTER_OTLP_HEADERS: wrong }))
        assert.isTrue(Exit.isFailure(failed), wrong)
        assert.notInclude(JSON.stringify(failed), canary)
      }
    }))
})
