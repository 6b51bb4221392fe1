/**
 * Goal: how far a bucket is read is judged rightly from what arrives, in orders that no server can be made to show at will.
 *
 * Method: the pure half of the reading, told what a consumer and the stream would say.
 */
import { describe, expect, test } from "vitest"
import type { Delivered, Heartbeat } from "../../../src/adapters/nats/Frame.ts"
import type { StreamInfo } from "../../../src/adapters/nats/JetStream.ts"
import { Reading } from "../../../src/adapters/nats/Reading.ts"
import type { BucketEvent } from "../../../src/ports/Bus.ts"

const stream = (last_seq: number, num_subjects: number, more: Partial<StreamInfo> & { messages?: number } = {}) => ({
  created: "then",
  config: {},
  ...more,
  state: { last_seq, num_subjects, messages: more.messages ?? num_subjects }
})

const put = (consumerSequence: number, key: string, revision: number): Delivered => ({
  _tag: "Delivered",
  consumerSequence,
  change: { _tag: "Put", key, value: new Uint8Array(), revision, timeMillis: 0 }
})

const gone = (consumerSequence: number, key: string, revision: number): Delivered => ({
  _tag: "Delivered",
  consumerSequence,
  change: { _tag: "Delete", key, revision, timeMillis: 0 }
})

const beat = (consumerSequence: number, streamSequence: number, stalled?: string): Heartbeat => ({
  _tag: "Heartbeat",
  consumerSequence,
  streamSequence,
  stalled
})

const said = (events: ReadonlyArray<BucketEvent> | undefined): ReadonlyArray<string> | undefined =>
  events?.map((event) => event._tag === "End" ? "End" : `${event._tag} ${event.key}@${event.revision}`)

/** A reading of a stream of three keys, the last of them at 9. */
const begun = (): Reading => {
  const reading = new Reading()
  expect(reading.begin(stream(9, 3))).toBeUndefined()
  expect(reading.made(3)).toEqual([])
  return reading
}

describe("the end of the start", () => {
  test("comes with the last of what was there", () => {
    const reading = begun()
    expect(said(reading.take(put(1, "a", 2)))).toEqual(["Put a@2"])
    expect(said(reading.take(put(2, "b", 5)))).toEqual(["Put b@5"])
    expect(said(reading.take(put(3, "c", 9)))).toEqual(["Put c@9", "End"])
    expect(said(reading.take(put(4, "a", 10)))).toEqual(["Put a@10"])
  })

  test("comes at once where there is nothing to deliver, whatever the stream held once", () => {
    const reading = new Reading()
    reading.begin(stream(500, 0))
    expect(said(reading.made(0))).toEqual(["End"])
    expect(reading.last).toBe(500)
  })

  test("comes before a change that was made after the start", () => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    reading.take(put(2, "b", 5))
    reading.take(put(3, "c", 7))
    expect(said(reading.take(gone(4, "a", 10)))).toEqual(["End", "Delete a@10"])
  })

  test("waits for a key that was written again before it was delivered", () => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    expect(said(reading.take(put(2, "c", 9)))).toEqual(["Put c@9"])
    expect(reading.isShortOfKeys).toBe(true)
    expect(said(reading.aim(stream(12, 3)))).toEqual([])
    expect(reading.isShortOfKeys).toBe(false)
    expect(said(reading.take(put(3, "a", 10)))).toEqual(["Put a@10"])
    expect(said(reading.take(put(4, "b", 12)))).toEqual(["Put b@12", "End"])
  })

  test("is not mistaken where a key is delivered twice and another is still missing", () => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    reading.take(put(2, "a", 6))
    expect(said(reading.take(put(3, "c", 9)))).toEqual(["Put c@9"])
  })

  test("comes by a heartbeat where what was there last was taken away meanwhile", () => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    reading.take(put(2, "b", 5))
    expect(said(reading.beat(beat(2, 9)))).toEqual(["End"])
  })

  test("does not come by the heartbeat of a consumer that is held up", () => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    expect(said(reading.beat(beat(1, 9, "$JS.FC.x")))).toEqual([])
    expect(reading.isStartOver).toBe(false)
  })
})

describe("deletes", () => {
  test("of keys that were gone already are not told, and are known all the same", () => {
    const reading = begun()
    expect(said(reading.take(gone(1, "a", 2)))).toEqual([])
    expect(reading.mark.keyCount).toBe(1)
  })

  test("of keys that were told of in the start are told, before its end too", () => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    expect(said(reading.take(gone(2, "a", 6)))).toEqual(["Delete a@6"])
  })
})

describe("resuming", () => {
  test("what was delivered is to be contiguous, and a heartbeat is to agree", () => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    expect(reading.take(put(3, "c", 9))).toBeUndefined()
    expect(reading.beat(beat(2, 5))).toBeUndefined()
    expect(said(reading.beat(beat(1, 2)))).toEqual([])
  })

  test("begins behind what was taken, and tells nothing twice", () => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    reading.take(put(2, "b", 5))
    expect(reading.begin(stream(9, 3))).toBe(6)
    reading.made(1)
    expect(said(reading.take(put(1, "b", 5)))).toEqual([])
    expect(said(reading.take(put(2, "c", 9)))).toEqual(["Put c@9", "End"])
  })

  test("begins with the first message there is where the bucket was empty", () => {
    const reading = new Reading()
    reading.begin(stream(0, 0))
    reading.made(0)
    expect(reading.begin(stream(3, 2))).toBe(1)
  })

  test("another stream, and one that went back, are not the same", () => {
    const reading = begun()
    reading.take(put(1, "a", 8))
    expect(reading.isSame(stream(9, 3), reading.mark)).toBe(true)
    expect(reading.isSame(stream(7, 3), reading.mark)).toBe(false)
    expect(reading.isSame(stream(9, 3, { created: "now" }), reading.mark)).toBe(false)
  })
})

describe("audits", () => {
  const whole = (): Reading => {
    const reading = begun()
    reading.take(put(1, "a", 2))
    reading.take(put(2, "b", 5))
    reading.take(put(3, "c", 9))
    return reading
  }

  // The stream's answer can be older than what was delivered before it arrived.
  test("an answer that was overtaken by what was delivered is no sign of another stream", () => {
    const reading = whole()
    const before = reading.mark
    reading.take(put(4, "d", 10))
    expect(reading.audit(stream(9, 3), before)).toBe("whole")
    expect(reading.audit(stream(9, 3), reading.mark)).toBe("replaced")
  })

  test("fewer keys than were heard of: something was taken out", () => {
    const reading = whole()
    expect(reading.audit(stream(9, 3), reading.mark)).toBe("whole")
    expect(reading.audit(stream(9, 2), reading.mark)).toBe("removed")
  })

  test("fewer messages though nothing was written: something was taken out", () => {
    const reading = whole()
    expect(reading.audit(stream(9, 3, { messages: 5 }), reading.mark)).toBe("whole")
    expect(reading.audit(stream(9, 3, { messages: 4 }), reading.mark)).toBe("removed")
  })

  test("subjects that read alike are no sign of anything, and do not hide what is taken out", () => {
    const reading = whole()
    expect(reading.audit(stream(9, 5), reading.mark)).toBe("whole")
    expect(reading.audit(stream(9, 5), reading.mark)).toBe("whole")
    expect(reading.audit(stream(9, 4), reading.mark)).toBe("removed")
  })
})
