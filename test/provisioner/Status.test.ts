/**
 * Goal: a probe is told whether the daemon is alive and ready, and what it lacks where it is not (protocol §9).
 *
 * Method: how it stands is a pure function of what is known; each thing that can be missing is taken away in turn from a daemon
 * that is ready.
 */
import { describe, expect, it } from "vitest"
import { type Health, healthOf } from "../../src/provisioner/Health.ts"
import { listedMax, type Standing, statusJson, statusOf } from "../../src/provisioner/Status.ts"

const health = (parts: Partial<Parameters<typeof healthOf>[0]> = {}): Health =>
  healthOf({ missing: [], lost: [], reading: [], read: 15, known: 15, ...parts })

const ready: Standing = {
  seat: { _tag: "Held" },
  health: health(),
  connection: { isUp: true, reconnects: 3 },
  busyMillis: 4,
  hasEnded: false
}

const standingBy: Standing = { ...ready, seat: { _tag: "StandingBy", holder: "n2" }, health: undefined }

describe("a daemon is ready", () => {
  it("where it holds the seat and has loaded", () => {
    expect(statusJson(statusOf(ready))).toEqual({
      ready: true,
      alive: true,
      seat: "held",
      connected: true,
      state: "live",
      missing: [],
      lost: [],
      reading: [],
      unwritten: [],
      read: 15,
      known: 15,
      sentence: "Every bucket is read, and what is decided is written."
    })
  })

  it("where it stands by, and says for whom", () => {
    expect(statusJson(statusOf(standingBy))).toEqual({
      ready: true,
      alive: true,
      seat: "standing-by",
      holder: "n2",
      connected: true,
      missing: [],
      lost: [],
      reading: [],
      unwritten: [],
      sentence: "Stands by: n2 holds the seat."
    })
  })

  it("on a bus that needs no connection", () => {
    expect(statusOf({ ...ready, connection: undefined }).isReady).toBe(true)
  })
})

describe("a daemon is not ready, and says what is missing,", () => {
  const cases: ReadonlyArray<readonly [string, Partial<Standing>, RegExp]> = [
    ["before it knows who holds the seat", { seat: { _tag: "Looking" } }, /looked who holds the seat/],
    ["without a bucket for the seat", {
      seat: { _tag: "Missing", missing: [], sentence: "There is no seat. Make it." }
    }, /Make it/],
    ["while the bus does not answer", { seat: { _tag: "Unreachable" } }, /does not answer/],
    ["before it reads", { health: undefined }, /begins to read/],
    ["while it reads", { health: health({ read: 3, reading: [{ bucket: "mesh-host_haves", keys: 7 }] }) }, /3 of 15/],
    ["without a bucket", { health: health({ missing: ["mesh-host_haves"] }) }, /mesh-host_haves/],
    ["with a bucket lost", { health: health({ lost: [{ bucket: "pg_bound", how: "deleted" }] }) }, /pg_bound/],
    ["without a connection", { connection: { isUp: false, reconnects: 0 } }, /no connection to the bus/]
  ]

  it.each(cases)("%s", (_, change, sentence) => {
    const status = statusOf({ ...ready, ...change })
    expect(status).toMatchObject({ isReady: false, isAlive: true })
    expect(status.sentence).toMatch(sentence)
  })

  it("though it stands by, where the connection is gone", () => {
    expect(statusOf({ ...standingBy, connection: { isUp: false, reconnects: 0 } }).isReady).toBe(false)
  })
})

describe("a daemon is not alive", () => {
  it("once it has ended by a fault of its own", () => {
    expect(statusOf({ ...ready, hasEnded: true })).toMatchObject({ isAlive: false, isReady: false })
    expect(statusOf({ ...standingBy, hasEnded: true })).toMatchObject({ isAlive: false, isReady: false })
  })

  it("once it has been at one turn for five minutes, and not before", () => {
    expect(statusOf({ ...ready, busyMillis: 299_999 }).isAlive).toBe(true)
    expect(statusOf({ ...ready, busyMillis: 300_000 })).toMatchObject({ isAlive: false, isReady: false })
  })
})

describe("the answer to a probe", () => {
  it("is bounded, whatever is wrong", () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `m${index}_bound`)
    const json = statusJson(statusOf({
      ...ready,
      health: health({
        lost: many.map((bucket) => ({ bucket, how: "deleted" })),
        reading: many.map((bucket) => ({ bucket, keys: 1 }))
      })
    }))
    expect([json.lost.length, json.reading.length]).toEqual([listedMax, listedMax])
    expect(JSON.stringify(json).length).toBeLessThan(16_384)
  })

  it("escapes and cuts the name of another's holder", () => {
    const { holder } = statusJson(
      statusOf({ ...ready, seat: { _tag: "StandingBy", holder: `\u001b[2J${"x".repeat(999)}` } })
    )
    expect(holder).toMatch(/^"\\u001b\[2Jx+…"$/)
    expect(holder?.length).toBeLessThan(280)
  })
})
