/**
 * Goal: nothing that a stranger sends to the verbs makes them silent, deaf, slow for others or large in memory, or has
 * them write where the stranger could not.
 *
 * Method: payloads of every kind that is no request, bytes that no client would send, reply subjects that are no inbox,
 * and floods; after each, a plain request is answered.
 */
import { assert, describe, it } from "@effect/vitest"
import { createInbox, type Msg, type NatsConnection } from "@nats-io/transport-node"
import { Clock, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { MemoryBus } from "../../../src/adapters/memory/index.ts"
import type { VerbCall, VerbReply } from "../../../src/ports/VerbServer.ts"
import { messageWithHeaders, sendRaw } from "../../nats/Raw.ts"
import { act, bytes, ground, until } from "./Ground.ts"
import { ask, echo, refusalOf, refused, serve, verbsOfMesh } from "./VerbGround.ts"

/** Listens at an inbox; gives it, and what has come. */
const listenAt = (client: NatsConnection, inbox = createInbox()) => {
  const heard: Array<Msg> = []
  client.subscribe(inbox, {
    callback: (_, message) => {
      heard.push(message)
    }
  })
  return { inbox, heard }
}

const codesOf = (heard: ReadonlyArray<Msg>): ReadonlyArray<string> =>
  heard.map(({ headers }) => headers?.get("Nats-Service-Error-Code") ?? "answer")

describe("a request that cannot be read", () => {
  const kinds: ReadonlyArray<readonly [name: string, payload: Uint8Array, says: string]> = [
    ["is not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "not UTF-8"],
    ["begins with a byte order mark", bytes("\ufeff{}"), "byte order mark"],
    ["is not JSON", bytes(`{"what":plugh}`), "not JSON"],
    ["is white space", bytes("  \n"), "not JSON"],
    ["is too deep", bytes(`{"what":${"[".repeat(64)}${"]".repeat(64)}}`), "64 containers"],
    ["is a great deal too deep", bytes("[".repeat(60_000)), "not JSON"],
    ["holds a number that no double holds", bytes(`{"limit":1e400}`), "too large to be read"],
    ["is no object", bytes(`["plugh"]`), "no JSON object"],
    ["is null", bytes("null"), "no JSON object"],
    ["has a field that no verb knows", bytes(`{"plugh":1}`), "allowed are"],
    ["speaks of a prototype", bytes(`{"__proto__":{"what":"plans"}}`), "allowed are"],
    ["is too much", bytes(`{"what":"${"x".repeat(65_536)}"}`), "65536 bytes"],
    ["is as much as the server takes", new Uint8Array(1_048_576), "65536 bytes"]
  ]

  it.live("is a clear 400, whichever verb it is of, and quotes nothing of it", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      yield* serve(nats, yield* verbsOfMesh())
      for (const [name, payload, says] of kinds) {
        for (const verb of ["provisioning", "explain", "retire"]) {
          const { code, message } = yield* refused(client, verb, payload)
          assert.strictEqual(code, 400, name)
          assert.include(message, says, name)
          assert.notInclude(message, "plugh")
        }
      }
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("what no client would send", () => {
  it.live("headers that are none leave the service and the connection hearing", () =>
    Effect.gen(function*() {
      const { admin, nats, server } = yield* ground()
      yield* serve(nats)
      const { heard, inbox } = listenAt(admin.client)
      yield* act(() => admin.client.flush())
      const broken = ["no colon", "bad name : 1", "\u0001\u0002: 3", ": empty", "Nats-Service-Error: forged"]
      for (const subject of ["mesh-provisioner.explain", "mesh-provisioner.explain.a", "$SRV.PING"]) {
        yield* act(() => sendRaw(server, messageWithHeaders(`${subject} ${inbox}`, broken, "{}")))
      }
      yield* until("all are answered", () => heard.length === 3)
      yield* ask(admin.client, "explain")
      yield* nats.bus.create("b", "a", bytes("1"))
    }))

  it.live("what nobody awaits an answer of is not looked at", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const calls: Array<VerbCall> = []
      yield* serve(nats, (call) => {
        calls.push(call)
        return echo(call)
      })
      for (let count = 0; count < 5_000; count++) {
        client.publish("mesh-provisioner.explain", "{}")
      }
      yield* ask(client, "explain")
      assert.lengthOf(calls, 1)
    }))

  it.live("a reply is never written into a bucket, though this account may and the one who asks may not", () =>
    Effect.gen(function*() {
      const { admin: { client, manager }, nats } = yield* ground()
      yield* serve(nats)
      const stored = () => manager.streams.info("KV_b").then(({ state }) => state.messages)
      // As a service does that replies wherever it is told to.
      const naive = client.subscribe("naive", {
        callback: (_, message) => {
          message.respond("planted")
        }
      })
      client.publish("naive", "", { reply: "$KV.b.planted" })
      yield* until("it is planted", () => naive.getReceived() === 1)
      assert.strictEqual(yield* act(stored), 1)
      for (const reply of ["$KV.b.registry", "$JS.API.STREAM.DELETE.KV_b", "mesh.$KV.b.a", "$SRV.PING"]) {
        for (const subject of ["mesh-provisioner.explain", "mesh-provisioner.explain.operator:ann", "$SRV.INFO"]) {
          client.publish(subject, "", { reply })
        }
      }
      yield* ask(client, "explain")
      assert.strictEqual(yield* act(stored), 1)
    }))

  it.live("reply subjects that are none are passed over: too long, or a pattern", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats, server } = yield* ground()
      yield* serve(nats)
      const { heard } = listenAt(client, "x.>")
      yield* act(() => client.flush())
      for (const reply of [`x.${"y".repeat(3_900)}`, "x.*", "x.>"]) {
        yield* act(() => sendRaw(server, `PUB mesh-provisioner.explain ${reply} 0\r\n\r\n`))
      }
      yield* act(() => sendRaw(server, `PUB mesh-provisioner.explain x.ok 0\r\n\r\n`))
      yield* until("the plain one is answered", () => heard.some(({ subject }) => subject === "x.ok"))
      assert.lengthOf(heard, 1)
      assert.strictEqual((yield* nats.connection).reconnects, 0)
    }))
})

describe("a flood", () => {
  it.live("is answered so many at once, so many wait, and the rest is refused at once; nothing is silent", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const gate = yield* Deferred.make<void>()
      const atWork = { now: 0, most: 0 }
      yield* serve(nats, (call) =>
        Effect.suspend(() => {
          atWork.most = Math.max(atWork.most, atWork.now += 1)
          return Effect.ensuring(
            Effect.andThen(Deferred.await(gate), echo(call)),
            Effect.sync(() => {
              atWork.now -= 1
            })
          )
        }))
      const { heard, inbox } = listenAt(client)
      for (let count = 0; count < 5_000; count++) {
        client.publish("mesh-provisioner.explain", "{}", { reply: inbox })
      }
      yield* until("those beyond are refused", () => heard.length >= 5_000 - 1_024 - 32)
      yield* Effect.sleep("50 millis")
      assert.isTrue(codesOf(heard).every((code) => code === "503"))
      assert.isTrue(heard.every((reply) => refusalOf(reply).message.includes("a little later")))
      const before = heard.length
      yield* Deferred.succeed(gate, undefined)
      yield* until("the others are answered", () => heard.length === 5_000)
      assert.isTrue(codesOf(heard.slice(before)).every((code) => code === "answer"))
      assert.strictEqual(atWork.most, 32)
      yield* ask(client, "explain")
    }))

  it.live("of large requests holds no more bytes than it may", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const gate = yield* Deferred.make<void>()
      yield* serve(nats, (call) => Effect.andThen(Deferred.await(gate), echo(call)))
      const { heard, inbox } = listenAt(client)
      const large = new Uint8Array(1_000_000)
      for (let count = 0; count < 120; count++) {
        client.publish("mesh-provisioner.explain", large, { reply: inbox })
        yield* act(() => client.flush())
      }
      // 32 are at work, and of eight million bytes no more than eight wait.
      yield* until("those beyond are refused", () => heard.length >= 120 - 32 - 9)
      yield* Deferred.succeed(gate, undefined)
      yield* until("all are answered", () => heard.length === 120)
      assert.isAtLeast(codesOf(heard).filter((code) => code === "503").length, 79)
    }))

  it.live("of requests that cost much holds up nothing else, and a slow one no other", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const busy = (call: VerbCall): Effect.Effect<VerbReply> =>
        call.verb === "retire" ? Effect.never : Effect.suspend(() => {
          for (const end = performance.now() + 10; performance.now() < end;) {
            // Works.
          }
          return echo(call)
        })
      yield* serve(nats, busy)
      client.publish("mesh-provisioner.retire", "", { reply: "x" })
      const answers = Array.from({ length: 100 }, () =>
        client.request("mesh-provisioner.explain", "", { timeout: 9_000 }))
      let last = performance.now()
      let longest = 0
      const beat = setInterval(() => {
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
      }, 1)
      yield* act(() =>
        Promise.all(answers)
      )
      clearInterval(beat)
      assert.isBelow(longest, 300)
    }), 20_000)
})

describe("an answer that is none", () => {
  it.live("a defect is a 503, which says nothing of what was thrown", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      yield* serve(nats, () => {
        throw new Error("plugh")
      })
      const { code, message } = yield* refused(client, "explain", {})
      assert.strictEqual(code, 503)
      assert.notInclude(message, "plugh")
    }))

  it.live("one that takes too long is a 503, and its place is another's", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      const clock = yield* TestClock.make()
      const atWork: Array<VerbCall> = []
      yield* serve(nats, (call) => {
        atWork.push(call)
        return call.payload.length > 0 ? Effect.never : echo(call)
      }).pipe(Effect.provideService(Clock.Clock, clock))
      const { heard, inbox } = listenAt(client)
      for (let count = 0; count < 32; count++) {
        client.publish("mesh-provisioner.explain", "{}", { reply: inbox })
      }
      yield* until("all places are taken", () => atWork.length === 32)
      const waiting = client.request("mesh-provisioner.explain", "", { timeout: 5_000 })
      yield* clock.adjust("19 seconds")
      yield* Effect.sleep("50 millis")
      assert.lengthOf(heard, 0)
      yield* clock.adjust("1 second")
      yield* until("they are given up", () => heard.length === 32)
      assert.isTrue(codesOf(heard).every((code) => code === "503"))
      yield* act(() => waiting)
    }))
})
