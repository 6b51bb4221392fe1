/**
 * Goal: whoever asks a verb is answered as the protocol says, of what is theirs to see, and in messages that the server
 * takes.
 *
 * Method: a real server, the service on it, and requests of the bare client; the verbs behind it are a provisioner's, on a
 * mesh in memory. What an account may see is asked by accounts of NATS' own.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { Effect, Redacted } from "effect"
import { MemoryBus } from "../../../src/adapters/memory/index.ts"
import type { QueryReply, RetireReply, Snapshot, Step } from "../../../src/core/index.ts"
import { bare } from "../../nats/Bare.ts"
import { natsServer } from "../../nats/Server.ts"
import { act, connected, ground } from "./Ground.ts"
import { accountsConfig, ask, refusalOf, refused, send, serve, unneeded, verbsOfMesh } from "./VerbGround.ts"

const keysOf = ({ entries }: QueryReply): ReadonlyArray<string> => entries.map(({ key }) => key)

describe("the verbs, by the bare client", () => {
  it.live("provisioning answers what is asked, an empty request as the registry (§8)", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      yield* serve(nats, yield* verbsOfMesh())
      const registry = (yield* send(client, "mesh-provisioner.provisioning")).json<QueryReply>()
      assert.strictEqual(registry.what, "registry")
      assert.include(keysOf(registry), "secret")
      assert.deepStrictEqual(yield* ask(client, "provisioning"), registry)
      const provisions = yield* ask<QueryReply>(client, "provisioning", { what: "provisions", history: true })
      assert.deepStrictEqual(keysOf(provisions), ["n1.shop.bound.database", "n2.wiki.bound.database"])
      assert.deepStrictEqual(provisions.entries[0]?.["history"], [])
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.live("explain answers the tree of causes (§8)", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      yield* serve(nats, yield* verbsOfMesh())
      const { tree } = yield* ask<{ readonly tree: Step }>(client, "explain", { node: "n2", module: "wiki" })
      assert.strictEqual(tree.key, "n2.wiki")
      assert.strictEqual((yield* refused(client, "explain", { node: "n9", module: "wiki" })).code, 404)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.live("retire writes the answer, and is refused where there is none to give (§8)", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground()
      yield* serve(nats, yield* verbsOfMesh())
      const request = { key: unneeded, answer: "keep", by: "ann", words: "not yet" }
      const { value } = yield* ask<RetireReply["write"]>(client, "retire", request)
      const { buckets } = yield* (yield* MemoryBus).snapshot
      assert.deepStrictEqual(buckets["mesh-provisioner_answers"], { [unneeded]: value })
      assert.strictEqual(Object(value).by, "ann")
      const wanted = yield* refused(client, "retire", { ...request, key: "n2.postgres.n1.shop.database" })
      assert.strictEqual(wanted.code, 409)
      assert.strictEqual((yield* refused(client, "retire", { ...request, key: "n9" })).code, 404)
      assert.strictEqual((yield* refused(client, "retire", { ...request, by: undefined })).code, 400)
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("who asks", () => {
  const names = ["node:n1", "provider:postgres@n2", "operator:ann=2Eb", "reader:board", "guest"]

  const accounts = Effect.gen(function*() {
    const server = yield* natsServer({ config: accountsConfig(names) })
    const nats = yield* connected(server, {
      credentials: { _tag: "Password", user: "mesh", password: Redacted.make("mesh") }
    })
    const as = (name: string) => Effect.map(bare(server, { user: name, pass: name }), ({ client }) => client)
    return { as, nats }
  })

  it.live("is the account's name, whatever the request says", () =>
    Effect.gen(function*() {
      const { as, nats } = yield* accounts
      yield* serve(nats)
      for (const name of names) {
        const { caller } = yield* ask<{ readonly caller: string }>(yield* as(name), "explain", { caller: "node:n9" })
        assert.strictEqual(caller, name)
      }
      assert.isUndefined((yield* ask<{ readonly caller?: string }>(yield* as("mesh"), "explain")).caller)
      const forged = send(yield* as("node:n1"), "mesh-provisioner.explain.operator:ann=2Eb")
      assert.strictEqual((yield* Effect.exit(forged))._tag, "Failure")
    }))

  it.live(
    "cannot be another: no server starts on which an account imports the verbs as another",
    () =>
      Effect.gen(function*() {
        const config = accountsConfig(["node:n1"], () => "operator:ann")
        assert.strictEqual((yield* Effect.exit(natsServer({ config })))._tag, "Failure")
      }),
    30_000
  )

  it.live("sees what is its own: a node its entries, a provider its module's, operator and reader all", () =>
    Effect.gen(function*() {
      const { as, nats } = yield* accounts
      yield* serve(nats, yield* verbsOfMesh())
      const node = yield* as("node:n1")
      const provider = yield* as("provider:postgres@n2")
      const operator = yield* as("operator:ann=2Eb")
      const keys = (client: NatsConnection, what: string) =>
        Effect.map(ask<QueryReply>(client, "provisioning", { what }), (reply) => [
          ...keysOf(reply),
          ...reply.outOfShape.map(({ key }) => `! ${key}`)
        ])
      const whole = ["n1.shop.bound.database", "n2.wiki.bound.database", "! n1.shop.bound", "! n2.wiki.bound"]
      assert.deepStrictEqual(yield* keys(operator, "provisions"), whole)
      assert.deepStrictEqual(yield* keys(yield* as("reader:board"), "provisions"), whole)
      assert.deepStrictEqual(yield* keys(node, "provisions"), ["n1.shop.bound.database", "! n1.shop.bound"])
      assert.deepStrictEqual(yield* keys(provider, "provisions"), [])
      assert.deepStrictEqual(yield* keys(node, "asks"), [])
      assert.lengthOf(yield* keys(provider, "asks"), 3)
      assert.include(yield* keys(node, "registry"), "! broken")
      assert.include(yield* keys(node, "registry"), "secret")
      yield* ask(node, "explain", { node: "n1", module: "shop" })
      const [hidden, missing] = yield* Effect.forEach(
        [{ node: "n2", module: "wiki" }, { node: "n1", module: "none" }],
        (request) => refused(node, "explain", request)
      )
      assert.deepStrictEqual(hidden, missing)
      assert.strictEqual(hidden?.code, 404)
      assert.strictEqual((yield* refused(yield* as("guest"), "provisioning", {})).code, 400)
    }).pipe(Effect.provide(MemoryBus.layer())))

  it.live("retires as an operator alone, by the operator's name", () =>
    Effect.gen(function*() {
      const { as, nats } = yield* accounts
      yield* serve(nats, yield* verbsOfMesh())
      const request = { key: unneeded, answer: "keep", by: "somebody" }
      for (const name of names.filter((name) => !name.startsWith("operator"))) {
        assert.strictEqual((yield* refused(yield* as(name), "retire", request)).code, 400)
      }
      const { value } = yield* ask<RetireReply["write"]>(yield* as("operator:ann=2Eb"), "retire", request)
      assert.strictEqual(Object(value).by, "ann.b")
    }).pipe(Effect.provide(MemoryBus.layer())))
})

describe("the size of a reply", () => {
  /** A mesh with much to say, and some of it too large for any message. */
  const large: Snapshot = {
    buckets: {
      "mesh-provisioner_needs": {
        ...Object.fromEntries(Array.from({ length: 300 }, (_, index) => [
          `n1.shop.bound.${"x".repeat(index)}${index}`,
          { default: "é".repeat(index * 10) }
        ])),
        "n1.shop.bound.huge": { default: "\u0001".repeat(12_000) }
      },
      "mesh-controller_assignments": { "n1.shop": { build: "s1" } },
      "mesh-host_haves": Object.fromEntries(
        Array.from({ length: 90 }, (_, index) => [`${"\u0001".repeat(index * 9)}`, 7])
      )
    }
  }
  const bytesOf = (reply: Msg): number => reply.data.length + (reply.headers?.toString().length ?? 0)

  for (const maxPayload of [1_048_576, 65_536, 8_192]) {
    it.live(
      `is at most what a server takes that takes ${maxPayload} bytes, page by page, and nothing is lost`,
      () =>
        Effect.gen(function*() {
          const { admin: { client }, nats } = yield* ground({}, { config: `max_payload: ${maxPayload}` })
          yield* serve(nats, yield* verbsOfMesh(large))
          for (const what of ["registry", "needs", "provisions", "plans", "asks"]) {
            const found: Array<string> = []
            let next: string | undefined
            let pages = 0
            do {
              const request = { what, ...(next === undefined ? {} : { after: next }) }
              const reply = yield* send(client, "mesh-provisioner.provisioning", request)
              assert.isAtMost(bytesOf(reply), maxPayload)
              assert.isUndefined(reply.headers?.get("Nats-Service-Error"), reply.string())
              const page = reply.json<QueryReply>()
              found.push(...keysOf(page), ...page.outOfShape.map(({ key }) => key))
              next = page.next
              pages += 1
            } while (next !== undefined && pages < 1_000)
            assert.isTrue(what !== "needs" || maxPayload > 1_000_000 || pages > 3)
            const count = { registry: 13 + 90, needs: 301, provisions: 301, plans: 1, asks: 0 }[what]
            assert.strictEqual(found.length, count, what)
          }
          const explained = yield* send(client, "mesh-provisioner.explain", { node: "n1", module: "shop" })
          assert.isAtMost(bytesOf(explained), maxPayload)
        }).pipe(Effect.provide(MemoryBus.layer())),
      60_000
    )
  }

  it.live("is kept by refusals, and by an answer that nobody could send", () =>
    Effect.gen(function*() {
      const { admin: { client }, nats } = yield* ground({}, { config: "max_payload: 1024" })
      yield* serve(nats, ({ verb, replyBytesMax }) =>
        verb === "explain"
          ? Effect.succeed({ _tag: "Refusal", code: 503, message: "\u0001".repeat(100_000) })
          : Effect.succeed({ _tag: "Answer", json: JSON.stringify("x".repeat(replyBytesMax)) }))
      const reply = yield* send(client, "mesh-provisioner.explain")
      assert.isAtMost(bytesOf(reply), 1_024)
      assert.isAbove(bytesOf(reply), 256)
      assert.strictEqual(reply.headers?.get("Nats-Service-Error-Code"), "503")
      const answer = yield* act(() => client.request("mesh-provisioner.retire", "", { timeout: 2_000 }))
      assert.strictEqual(refusalOf(answer).code, 503)
    }))
})
