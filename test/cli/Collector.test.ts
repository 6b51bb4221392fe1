/**
 * Goal: of a collector that does not answer, what would be sent is dropped, but for what tries it; that it does not, and that it
 * does again, is said once each.
 *
 * Method: a client that answers as the test says, on virtual time.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { Collector } from "../../src/cli/Collector.ts"

/** What a client comes to: a code, nothing where nobody listens there, or never anything. */
type Comes = number | "nobody" | "never"

const watching = () => {
  const lines: Array<string> = []
  const comes: { now: Comes } = { now: 200 }
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  const collector = new Collector("http://c", logger)
  const client = collector.watched(HttpClient.make((request) =>
    comes.now === "never"
      ? Effect.never
      : comes.now === "nobody"
      ? Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) }))
      : Effect.succeed(HttpClientResponse.fromWeb(request, new Response(undefined, { status: comes.now })))
  ))
  const send = (next: Comes) =>
    Effect.suspend(() => {
      comes.now = next
      return Effect.exit(client.execute(HttpClientRequest.post("http://c/v1/logs")))
    })
  return { lines, collector, send }
}

describe("a collector", () => {
  it.effect("that does not answer, and then does again, is said to once each", () =>
    Effect.gen(function*() {
      const { lines, send } = watching()
      for (const next of [200, "nobody", "nobody", 503, 200, 200, 401, 401] as const) {
        yield* send(next)
      }
      assert.deepStrictEqual(lines.map((line) => /answers again|does not answer|answers \d+/.exec(line)?.[0]), [
        "does not answer",
        "answers again",
        "answers 401"
      ])
    }))

  it.effect("that never answers is given up after three seconds", () =>
    Effect.gen(function*() {
      const { lines, send } = watching()
      const sent = yield* Effect.forkChild(send("never"))
      yield* TestClock.adjust("2900 millis")
      assert.isUndefined(sent.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      assert.strictEqual((yield* Fiber.join(sent))._tag, "Failure")
      assert.strictEqual(lines.length, 1)
    }))

  it.effect("that does not answer is given one thing in ten seconds, to try it, and all again once it answers", () =>
    Effect.gen(function*() {
      const { collector, send } = watching()
      const given = (seconds: number) =>
        Array.from({ length: seconds * 10 }, (_, tenth) => collector.takes(1_000_000 + tenth * 100)).filter((taken) =>
          taken
        )
          .length
      assert.strictEqual(given(30), 300)
      yield* send("nobody")
      assert.strictEqual(given(30), 3)
      yield* send(200)
      assert.strictEqual(given(30), 300)
    }))
})
