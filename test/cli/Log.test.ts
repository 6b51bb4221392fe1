/**
 * Goal: a log line is one object a line for programs, and one line for people; nothing in it is the words of an error inside.
 *
 * Method: the line of what an Effect logs is read back; errors hold a canary in their words.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import { faultsOf, jsonLine, loggerOf } from "../../src/cli/Log.ts"
import { type Line, render } from "../../src/cli/Print.ts"
import { Screen } from "../../src/cli/Screen.ts"

const canary = "xyzzy"

/** The JSON lines of what is logged. */
const jsonLines = (logs: Effect.Effect<void>) => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>((logged) => void lines.push(jsonLine(logged)))
  return Effect.as(Effect.provide(logs, Logger.layer([logger])), lines)
}

/** A screen that keeps what it is to say. */
class Kept extends Screen {
  readonly lines: Array<string> = []
  override say(lines: Iterable<Line>): void {
    this.lines.push(...[...lines].map((line) => render(line, false)))
  }
}

const on = (format: "json" | "pretty", logs: Effect.Effect<void>) => {
  const screen = new Kept()
  return Effect.as(Effect.provide(logs, Logger.layer([loggerOf(format, screen)])), screen.lines)
}

describe("a line for programs", () => {
  it.effect("is one object with time, level and message, and the notes after them", () =>
    Effect.gen(function*() {
      const [line = ""] = yield* jsonLines(
        Effect.annotateLogs(Effect.logInfo("put a"), { op: "put", bucket: "b", count: 3, odd: { a: 1 } })
      )
      assert.deepStrictEqual(Object.entries(JSON.parse(line)), [
        ["time", "1970-01-01T00:00:00.000Z"],
        ["level", "info"],
        ["message", "put a"],
        ["op", "put"],
        ["bucket", "b"],
        ["count", 3],
        ["odd", "object"]
      ])
    }))

  it.effect("stays one line, and steers no terminal, whatever is in it", () =>
    Effect.gen(function*() {
      const [line = ""] = yield* jsonLines(
        Effect.annotateLogs(Effect.logWarning("a\nb\u001b[2J\u202e"), { key: "\u0085", __proto__: "x" })
      )
      assert.match(line, /^[\x20-\x7e]+$/)
      assert.include(JSON.parse(line), { message: "a\nb\u001b[2J\u202e", key: "\u0085" })
    }))

  it.effect("keeps its own members, whatever the notes are called", () =>
    Effect.gen(function*() {
      const [line = ""] = yield* jsonLines(
        Effect.annotateLogs(Effect.logInfo("real"), { message: canary, level: canary, time: canary, faults: canary })
      )
      assert.strictEqual(JSON.parse(line).message, "real")
      assert.notInclude(line, canary)
    }))

  it.effect("tells of an error inside its kind and place, and none of its words", () =>
    Effect.gen(function*() {
      const error = new TypeError(`${canary}\n    at ${canary} (x:1:1)`)
      const [line = ""] = yield* jsonLines(Effect.logError("failed", Cause.die(error)))
      const { faults } = JSON.parse(line)
      assert.strictEqual(faults[0].name, "TypeError")
      assert.match(faults[0].at[0], /^at .*Log\.test\.ts/)
      assert.notInclude(line, canary)
    }))
})

describe("the words of an error", () => {
  it.effect("are left out where it is logged as if it were words, or as a note", () =>
    Effect.gen(function*() {
      const lines = yield* jsonLines(
        Effect.annotateLogs(Effect.logWarning("odd:", new TypeError(canary), { of: canary }), {
          error: new Error(canary),
          list: [canary]
        })
      )
      assert.match(JSON.parse(lines[0] ?? "").message, /^odd: TypeError \w+$/)
      assert.notInclude(lines.join(), canary)
    }))
})

describe("the faults of a cause", () => {
  it("hold no words, in whatever form the error is", () => {
    const named = new Error("x")
    named.name = `${canary} says`
    const errors: ReadonlyArray<unknown> = [
      named,
      canary,
      { message: canary, toString: () => canary },
      new Error("outer", { cause: new Error(canary) }),
      new AggregateError([new Error(canary)], canary)
    ]
    for (const error of errors) {
      assert.notInclude(JSON.stringify([...faultsOf(Cause.die(error)), ...faultsOf(Cause.fail(error))]), canary)
    }
  })
})

describe("a line for people", () => {
  it.effect("is time, level and words", () =>
    Effect.gen(function*() {
      const lines = yield* on("pretty", Effect.andThen(Effect.logInfo("one"), Effect.logWarning("two")))
      assert.deepStrictEqual(lines, ["1970-01-01T00:00:00.000Z INFO  one", "1970-01-01T00:00:00.000Z WARN  two"])
    }))

  it.effect("adds the kind and place of an error inside", () =>
    Effect.gen(function*() {
      const [line = ""] = yield* on("pretty", Effect.logError("failed", Cause.die(new RangeError(canary))))
      assert.match(line, / ERROR failed \(RangeError at .*Log\.test\.ts/)
      assert.notInclude(line, canary)
    }))

  it.effect("is not written of what is below info, in either form", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* on("pretty", Effect.logDebug("x")), [])
      assert.deepStrictEqual(yield* on("json", Effect.logDebug("x")), [])
    }))
})
