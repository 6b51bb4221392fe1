/**
 * Goal: whatever strangers write on the bus, it is read for what it is, and nothing else is stopped, blinded or made to act
 * by it.
 *
 * Method: bytes sent as they are by a raw socket, and messages of the bare client to where only the server should write.
 */
import { assert, describe, it } from "@effect/vitest"
import { headers } from "@nats-io/transport-node"
import { Effect, Option, Queue } from "effect"
import { messageWithHeaders, sendRaw } from "../../nats/Raw.ts"
import { act, bytes, type Ground, ground, hear, until } from "./Ground.ts"

/** Where the consumer of bucket `b` delivers to. */
const inboxOf = ({ admin }: Ground) =>
  Effect.map(
    act(() => admin.manager.consumers.list("KV_b").next()),
    ([consumer]) => consumer?.config.deliver_subject ?? ""
  )

describe("messages that no client would write", () => {
  // The client throws where it reads such headers: where nothing catches that, it reads nothing of its connection any more.
  it.live("headers that are none leave the value to be read, and the connection to hear", () =>
    Effect.gen(function*() {
      const { nats, server } = yield* ground()
      const heard = yield* hear(nats)
      yield* act(() =>
        sendRaw(
          server,
          messageWithHeaders("$KV.b.spaced", ["Bad Header: 1"], "one"),
          messageWithHeaders("$KV.b.é", ["Schlüssel: 1"], "two"),
          messageWithHeaders("$KV.b.plain", [], "three")
        )
      )
      yield* until("all are heard", () => heard.state.size === 3)
      assert.deepStrictEqual([...heard.state], [["spaced", "one"], ["é", "two"], ["plain", "three"]])
      const found = yield* nats.bus.get("b", "spaced")
      assert.deepStrictEqual(Option.map(found, ({ value }) => value), Option.some(bytes("one")))
      assert.strictEqual((yield* nats.bus.history("b", "spaced")).length, 1)
      yield* nats.bus.create("b", "after", bytes("1"))
      yield* until("what follows is heard", () => heard.state.has("after"))
    }))

  it.live("keys that are no UTF-8 read alike, and no audit takes them for a loss", () =>
    Effect.gen(function*() {
      const { nats, server } = yield* ground({ auditEvery: "100 millis" })
      const key = (byte: number) => Buffer.concat([bytes("PUB $KV.b.x"), Uint8Array.of(byte), bytes(" 1\r\n1\r\n")])
      yield* act(() => sendRaw(server, key(0xff), key(0xfe), "PUB $KV.b.a 1\r\n1\r\n"))
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      assert.deepStrictEqual([...heard.state.keys()], ["x\ufffd", "a"])
      yield* act(() => sendRaw(server, key(0xfd), key(0xfc)))
      yield* Effect.sleep("2 seconds")
      assert.strictEqual(heard.error, undefined)
      assert.deepStrictEqual(heard.revisions, [1, 2, 3, 4, 5])
    }))

  it.live("a key that reads like a pattern is heard, and nothing of another's is given for it", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      yield* act(() => admin.plant("b", [["n1.web", "1"], ["n1.*", "2"], ["n1.db", "3"], ["n1.*", "4"]]))
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      assert.strictEqual(heard.state.get("n1.*"), "4")
      for (const key of ["n1.*", "n1.>", "*.web", ">"]) {
        assert.deepStrictEqual(yield* nats.bus.get("b", key), Option.none())
        assert.deepStrictEqual(yield* nats.bus.history("b", key), [])
      }
    }))

  it.live("markers of every kind are read as absent, and an empty value is none", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground()
      const marked = (name: string, value: string) => {
        const marks = headers()
        marks.set(name, value)
        return marks
      }
      yield* act(() =>
        admin.plant("b", [
          ["deleted", "1"],
          ["purged", "1"],
          ["expired", "1"],
          ["deleted", "", marked("KV-Operation", "DEL")],
          ["purged", "", marked("KV-Operation", "PURGE")],
          ["expired", "", marked("Nats-Marker-Reason", "MaxAge")],
          ["empty", "", marked("KV-Operation", "PUT")]
        ])
      )
      const heard = yield* hear(nats)
      yield* until("the start", () => heard.ends === 1)
      assert.deepStrictEqual([...heard.state], [["empty", ""]])
      for (const key of ["deleted", "purged", "expired"]) {
        assert.deepStrictEqual(yield* nats.bus.get("b", key), Option.none())
        assert.deepStrictEqual((yield* nats.bus.history("b", key)).map(({ _tag }) => _tag), ["Put", "Delete"])
      }
    }))
})

describe("messages to where only the server should write", () => {
  // An answer to this would be a message of ours, with our permissions, to where the stranger says.
  it.live("a request for flow control is answered only where the server asks", () =>
    Effect.gen(function*() {
      const on = yield* ground()
      const heard = yield* hear(on.nats)
      yield* until("the start", () => heard.ends === 1)
      const inbox = yield* inboxOf(on)
      const stalled = headers(100, "Idle Heartbeat")
      stalled.set("Nats-Last-Consumer", "0")
      stalled.set("Nats-Last-Stream", "0")
      stalled.set("Nats-Consumer-Stalled", "$KV.b.stolen")
      on.admin.client.publish(inbox, "", { reply: "$KV.b.stolen", headers: headers(100, "FlowControl Request") })
      on.admin.client.publish(inbox, "", { headers: stalled })
      yield* act(() => on.admin.client.flush())
      yield* Effect.sleep("300 millis")
      yield* on.nats.bus.create("b", "own", bytes("1"))
      yield* until("what is written", () => heard.state.size > 0)
      assert.deepStrictEqual([...heard.state], [["own", "1"]])
    }))

  it.live("what is no delivery of this bucket's is passed over", () =>
    Effect.gen(function*() {
      const on = yield* ground({ silenceMax: "20 seconds" })
      const heard = yield* hear(on.nats)
      yield* until("the start", () => heard.ends === 1)
      const inbox = yield* inboxOf(on)
      for (
        const reply of [
          "",
          "$JS.ACK.",
          "$JS.ACK.KV_b.c.1.1.1.1700000000000000000.0",
          "$JS.ACK.a.b.c.d.e.f.g",
          "elsewhere"
        ]
      ) {
        on.admin.client.publish(inbox, "planted", reply === "" ? {} : { reply })
      }
      yield* act(() => on.admin.plant("b", [["a", "1"]]))
      yield* until("what was put", () => heard.state.size > 0, 3_000)
      assert.deepStrictEqual(heard.revisions, [1])
    }))
})

describe("a reader that does not keep up", () => {
  it.live("is sent no more than it has room for, and everything in the end", () =>
    Effect.gen(function*() {
      const { admin, nats } = yield* ground({ silenceMax: "5 seconds" })
      const value = "x".repeat(2_000)
      const count = 50_000
      yield* act(() => admin.plant("b", Array.from({ length: count }, (_, index) => [`k${index}`, value] as const)))
      const queue = yield* nats.bus.follow("b")
      let waiting = 0
      for (let look = 0; look < 30; look++) {
        yield* Effect.sleep("100 millis")
        waiting = Math.max(waiting, Queue.sizeUnsafe(queue))
      }
      assert.isBelow(waiting, count / 2)
      let taken = 0
      let end = false
      while (!end) {
        const events = yield* Effect.timeout(Queue.takeAll(queue), "10 seconds")
        end = events.some(({ _tag }) => _tag === "End")
        taken += events.length
      }
      assert.strictEqual(taken, count + 1)
    }), 60_000)
})
