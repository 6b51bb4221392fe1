/**
 * Goal: of two daemons on one mesh, an operator sees which holds the seat, that both are ready, how long changes take to be
 * written, that the server is gone and back, and each call of a verb as a span (docs/operating.md).
 *
 * Method: the bin twice, probed and scraped by HTTP, on a server that is stopped and started; a collector on the loopback.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { act, until } from "../adapters/nats/Ground.ts"
import { run } from "../cli/Bin.ts"
import { collecting } from "../cli/Collecting.ts"
import { type Family, parseScrape, sampled } from "../provisioner/Scrape.ts"
import { comesTo, daemon, followers, live, mesh, type Running, setHealth } from "./Mesh.ts"

const followerCount = 10

/** What a daemon answers at the address that it says. */
const ask = (running: Running, path: string) =>
  act(async () => {
    const address = running.lines.map(({ message }) => /http:\/\/\S+:\d+/.exec(message)?.[0]).find(Boolean)
    const answer = await fetch(`${address}/${path}`)
    return { code: answer.status, text: await answer.text() }
  })

const scrape = (running: Running) => Effect.map(ask(running, "metrics"), ({ text }) => parseScrape(text))

/** Waits until a probe is answered by this code, and gives what it says. */
const answers = (running: Running, path: string, code: number) =>
  Effect.gen(function*() {
    let answer = yield* ask(running, path)
    for (let tries = 0; tries < 300 && answer.code !== code; tries++) {
      yield* Effect.sleep("50 millis")
      answer = yield* ask(running, path)
    }
    assert.strictEqual(answer.code, code, answer.text)
    return JSON.parse(answer.text)
  })

const held = (families: ReadonlyMap<string, Family>) => sampled(families, "mesh_provisioner_seat", { state: "held" })

describe("an operator of two daemons", () => {
  it.live(
    "sees who holds the seat, what was written and how fast, and the server go and come back",
    () =>
      Effect.gen(function*() {
        const on = yield* mesh(followers(followerCount, "healthy"))
        const one = yield* daemon(on.server.url, "one", ["--listen", "127.0.0.1:0"])
        yield* live(one)
        const two = yield* daemon(on.server.url, "two", ["--listen", "127.0.0.1:0"])
        yield* until("the second stands by", () => two.says("Stands by"))

        assert.include(yield* answers(one, "readyz", 200), { seat: "held", state: "live" })
        assert.include(yield* answers(two, "readyz", 200), { seat: "standing-by", holder: "one" })

        yield* setHealth(on, "unhealthy")
        yield* comesTo(on, followers(followerCount, "unhealthy"))
        const [first, second] = yield* Effect.all([scrape(one), scrape(two)])
        assert.deepStrictEqual([held(first), held(second)], [1, 0])
        assert.isFalse(second.has("mesh_provisioner_decisions"))
        assert.strictEqual(
          sampled(first, "mesh_provisioner_writes_total", { bucket: "mesh-provisioner_registry", outcome: "written" }),
          sampled(first, "mesh_provisioner_decisions", { bucket: "mesh-provisioner_registry" })
        )
        assert.isAtLeast(sampled(first, "mesh_provisioner_change_to_write_seconds_count") ?? 0, 1)
        assert.isAbove(sampled(first, "mesh_provisioner_change_to_write_seconds_sum") ?? 0, 0)

        yield* act(() => on.server.stop())
        for (const running of [one, two]) {
          assert.include(yield* answers(running, "readyz", 503), { connected: false })
          assert.include(yield* answers(running, "healthz", 200), { alive: true })
          assert.strictEqual(sampled(yield* scrape(running), "mesh_provisioner_bus_connected"), 0)
        }
        yield* act(() => on.server.start())
        for (const running of [one, two]) {
          yield* answers(running, "readyz", 200)
          assert.strictEqual(sampled(yield* scrape(running), "mesh_provisioner_bus_reconnects_total"), 1)
        }
        const both = yield* Effect.all([scrape(one), scrape(two)])
        assert.strictEqual((held(both[0]) ?? 0) + (held(both[1]) ?? 0), 1)
      }),
    60_000
  )

  it.live("sees each call of a verb as a span", () =>
    Effect.gen(function*() {
      const { textOf, url } = yield* collecting()
      const on = yield* mesh(followers(1, "healthy"))
      const one = yield* daemon(on.server.url, "one", ["--otlp", url])
      yield* live(one)
      const shown = yield* act(() => run(["show", "plans", "--bus", on.server.url]))
      assert.deepStrictEqual([shown.exitCode, shown.stderr], [0, ""])
      one.kill("SIGTERM")
      assert.strictEqual(yield* one.ended, 0)
      const traces = textOf("/v1/traces")
      assert.include(traces, `"name":"verb provisioning"`)
      assert.match(traces, /"key":"code","value":\{"intValue":200\}/)
    }), 60_000)
})
