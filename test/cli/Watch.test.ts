/**
 * Goal: `show --watch` shows what there is and then each change, whatever becomes of the bus meanwhile; it is never silent about
 * what it cannot see.
 *
 * Method: a real server and a provisioner on it; facts are written, the bin's lines are read as they come.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { decide } from "mesh-provisioner/core"
import { act, until } from "../adapters/nats/Ground.ts"
import { daemon, mesh, timeToLiveMillis } from "../daemon/Mesh.ts"
import { bare } from "../nats/Bare.ts"
import { folderWith, run } from "./Bin.ts"
import { following, type OnBus, onBus, provisionerOn } from "./Bus.ts"
import { asked, askKey, provided, unneeded } from "./Mesh.ts"

const bound = "postgres_bound"
const claim = "n1.shop.database"
const need = "n1.shop.bound.database"
const made = provided.buckets.postgres_bound["n1.shop.database"]

const why = (mesh: typeof asked) => decide(mesh).provisions.get(need)?.why ?? "none"

const watching = ({ server }: OnBus, ...args: ReadonlyArray<string>) =>
  following(["show", ...args, "--watch", "--bus", server.url])

/** Lines without their time, of those that have one. */
const changesIn = (said: string): ReadonlyArray<string> =>
  said.split("\n").filter((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}/.test(line)).map((line) =>
    line.replace(/^\S+ {2}/, "")
  )

describe("show --watch", () => {
  it.live("prints the table, then each change with its why as it happens, and ends with 0 at Ctrl-C", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const watch = watching(on, "provisions")
      yield* watch.seen("not-bound  n2.postgres\n")
      yield* on.put(bound, claim, { state: "failed", by: "n2", why: "the disk is full" })
      yield* watch.seen("asked -> failed  the disk is full\n")
      yield* on.put(bound, claim, made)
      yield* watch.seen("failed -> provided  ")
      yield* on.put("mesh-provisioner_needs", "n1.shop.port.http", {})
      yield* watch.seen("appears as asked  ")
      yield* on.put("mesh-provisioner_needs", need)
      yield* watch.seen("goes, was provided  ")
      const { exitCode, stderr, stdout } = yield* watch.stop()
      assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
      const port = decide({ buckets: { ...provided.buckets, "mesh-provisioner_needs": { "n1.shop.port.http": {} } } })
      assert.deepStrictEqual(changesIn(stdout), [
        `provision  ${need}  asked -> failed  the disk is full`,
        `provision  ${need}  failed -> provided  ${why(provided)}`,
        `provision  n1.shop.port.http  appears as asked  ${port.provisions.get("n1.shop.port.http")?.why}`,
        `provision  ${need}  goes, was provided  ${why(provided)}`
      ])
      assert.isTrue(stdout.startsWith("NODE  MODULE  KIND   NAME      STATE  REASON     PROVIDER\nn1 "))
    }))

  it.live("with --json, each is an object on a line, the listing first", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const watch = watching(on, "provisions", "--json")
      yield* watch.seen("\n")
      yield* on.put(bound, claim, made)
      yield* watch.seen("\"state\":\"provided\"")
      yield* on.put("mesh-provisioner_needs", "n1.shop", {})
      yield* watch.seen("\"outOfShape\":{")
      const { exitCode, stdout } = yield* watch.stop("SIGTERM")
      assert.strictEqual(exitCode, 0)
      const [first, second, third] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
      const cwd = folderWith({ "mesh.json": asked })
      const shown = yield* act(() => run(["show", "provisions", "--json", "--from", "mesh.json"], { cwd }))
      assert.deepStrictEqual(first, JSON.parse(shown.stdout))
      const [before, after] = [asked, provided].map((mesh) => decide(mesh).provisions.get(need))
      assert.match(second.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      assert.deepStrictEqual(second, {
        time: second.time,
        what: "provisions",
        key: need,
        change: "state",
        before,
        after
      })
      assert.deepStrictEqual(
        { change: third.change, bucket: third.outOfShape.bucket, key: third.outOfShape.key },
        { change: "appears", bucket: "mesh-provisioner_needs", key: "n1.shop" }
      )
    }))

  it.live("narrowed by state, what comes into it and what leaves it is shown, and nothing else", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const watch = watching(on, "asks", "--state", "unneeded")
      yield* watch.seen("There are no asks here.\n")
      yield* on.put(bound, claim, made)
      yield* on.put("mesh-provisioner_needs", need)
      yield* watch.seen("wanted -> unneeded")
      yield* act(() => run(["retire", askKey, "--answer", "keep", "--by", "ann", "--bus", on.server.url]))
      yield* watch.seen("unneeded -> kept")
      yield* on.put("mesh-provisioner_needs", need, {})
      yield* sees(on, "wanted")
      yield* on.put("mesh-provisioner_needs", need)
      yield* watch.seen("-> unneeded  ")
      const { stdout } = yield* watch.stop()
      const states = changesIn(stdout).map((line) => /\w+ -> \w+/.exec(line)?.[0])
      assert.deepStrictEqual(states.slice(0, 2), ["wanted -> unneeded", "unneeded -> kept"])
      assert.isTrue(states.slice(2).every((state) => state?.includes("unneeded") === true))
    }))

  it.live("of facts, too, which are seen before they are decided on", () =>
    Effect.gen(function*() {
      const on = yield* onBus(unneeded)
      yield* provisionerOn(on)
      const watch = watching(on, "needs")
      yield* watch.seen("There are no needs here.\n")
      yield* on.put("mesh-provisioner_needs", need, {})
      yield* watch.seen(`need  ${need}  appears\n`)
      yield* on.put("mesh-provisioner_needs", need, { contract: "^1.0.0", optional: true })
      yield* watch.seen(`need  ${need}  changes its contract, optional\n`)
      yield* watch.stop()
    }))

  it.live("a file is not watched, and it is said what does that", () =>
    Effect.gen(function*() {
      const cwd = folderWith({ "mesh.json": asked })
      const ran = yield* act(() => run(["show", "--watch", "--from", "mesh.json"], { cwd }))
      assert.deepStrictEqual(ran, {
        exitCode: 2,
        stdout: "",
        stderr:
          "mesh-provisioner: --watch follows the bus: leave out --from. mesh-provisioner serve --load FILE --follow shows " +
          "what each edit of a file changes.\n"
      })
    }))
})

/** Waits until the ask is in this state. */
const sees = ({ server }: OnBus, state: string) =>
  Effect.gen(function*() {
    for (let looks = 0; looks < 50; looks++) {
      const { stdout } = yield* act(() => run(["show", "asks", "--state", state, "--json", "--bus", server.url]))
      if (JSON.parse(stdout).entries.length > 0) {
        return
      }
    }
    assert.fail(`no ask came to be ${state}`)
  })

describe("meanwhile", () => {
  it.live("nobody holds the seat, and then another does: both are said, and what changed between is shown", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      const scope = yield* Scope.make()
      yield* Scope.provide(provisionerOn(on), scope)
      const watch = watching(on, "provisions")
      yield* watch.seen("not-bound")
      yield* Scope.close(scope, Exit.void)
      yield* act(() => on.admin.plant("mesh-provisioner_provisions", [[need, "{}"]]))
      yield* watch.told("mesh-provisioner: Nobody answers mesh-provisioner.provisioning: no provisioner holds the seat")
      yield* watch.told("It is asked again every 2 s.\n")
      yield* Effect.sleep("4500 millis")
      yield* on.put(bound, claim, made)
      yield* provisionerOn(on)
      yield* watch.told("mesh-provisioner: The bus answers again.\n")
      yield* watch.seen("asked -> provided")
      const { exitCode, stderr } = yield* watch.stop()
      assert.deepStrictEqual({ exitCode, lines: stderr.split("\n").length }, { exitCode: 0, lines: 3 })
    }))

  it.live("the connection is lost: it is said, and what was missed is shown when it is back", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const watch = watching(on, "provisions")
      yield* watch.seen("not-bound")
      yield* act(() => on.server.stop("SIGKILL"))
      yield* watch.told("is lost. It is tried again for ever.\n")
      yield* act(on.server.start)
      yield* watch.told("mesh-provisioner: The connection to the bus is back.\n")
      const admin = yield* bare(on.server)
      yield* act(() => admin.plant(bound, [[claim, JSON.stringify(made)]]))
      yield* watch.seen("asked -> provided")
      assert.strictEqual((yield* watch.stop()).exitCode, 0)
    }))

  it.live("another takes the seat: it is said by its name, made visible", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const seat = (name: string, id: string) =>
        act(() => on.admin.plant("mesh-provisioner_seat", [["holder", JSON.stringify({ name, id })]]))
      const watch = watching(on, "plans")
      yield* watch.seen("n1    shop")
      yield* seat("host1", "1")
      yield* seat("host1", "1")
      yield* seat("host2\u001b[2J", "2")
      yield* watch.told("mesh-provisioner: The provisioner's seat is held by host2\\u001b[2J now.\n")
      const { stderr } = yield* watch.stop()
      assert.strictEqual(stderr.split("\n").length, 2)
    }))

  it.live("whoever holds the seat is killed, and another daemon takes it: all of it is said, and it goes on", () =>
    Effect.gen(function*() {
      const on = yield* mesh(asked)
      const first = yield* daemon(on.server.url, "first")
      yield* until("the first holds the seat", () => first.says("live") || first.lines.some(({ op }) => op === "put"))
      yield* daemon(on.server.url, "second")
      const watch = following(["show", "provisions", "--watch", "--bus", on.server.url])
      yield* watch.seen("not-bound")
      yield* Effect.sleep(timeToLiveMillis)
      first.kill("SIGKILL")
      yield* watch.told("mesh-provisioner: The provisioner's seat is held by second now.\n")
      yield* act(() => on.admin.plant(bound, [[claim, JSON.stringify(made)]]))
      yield* watch.seen("asked -> provided")
      assert.strictEqual((yield* watch.stop()).exitCode, 0)
    }))

  const untold = "mesh-provisioner: This account is not told what is written there, so the bus is asked every 2 s.\n"

  it.live("an account that may not be told of changes asks for them, and says so once", () =>
    Effect.gen(function*() {
      const users = [
        { user: "admin", password: "admin" },
        {
          user: "reader",
          password: "reader",
          permissions: { publish: { allow: ["mesh-provisioner.>"] }, subscribe: { allow: ["_INBOX.>"] } }
        }
      ]
      const on = yield* onBus(asked, { config: JSON.stringify({ authorization: { users } }) })
      yield* provisionerOn(on)
      const password = `${folderWith({ password: "reader\n" })}/password`
      const watch = watching(on, "provisions", "--user", "reader", "--password-file", password)
      yield* watch.seen("not-bound")
      yield* on.put(bound, claim, made)
      yield* watch.seen("asked -> provided")
      yield* on.put(bound, claim, { state: "failed", by: "n2" })
      yield* watch.seen("provided -> failed")
      assert.deepStrictEqual((yield* watch.stop()).stderr, untold)
    }))

  it.live("an account that may be told of one node's keys is, where it asks for that node", () =>
    Effect.gen(function*() {
      const users = [
        { user: "admin", password: "admin" },
        {
          user: "n1",
          password: "n1",
          permissions: {
            publish: { allow: ["mesh-provisioner.>"] },
            subscribe: { allow: ["_INBOX.>", "$KV.mesh-provisioner_provisions.n1.>", "$KV.mesh-provisioner_seat.>"] }
          }
        }
      ]
      const on = yield* onBus(asked, { config: JSON.stringify({ authorization: { users } }) })
      yield* provisionerOn(on)
      const password = `${folderWith({ password: "n1" })}/password`
      const watch = watching(on, "provisions", "--node", "n1", "--user", "n1", "--password-file", password)
      yield* watch.seen("not-bound")
      yield* on.put(bound, claim, made)
      yield* watch.seen("asked -> provided")
      assert.strictEqual((yield* watch.stop()).stderr, "")
    }))

  it.live("an account that is let in and told nothing finds that out by itself", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const watch = watching(on, "provisions", "--key-prefix", "nowhere")
      yield* watch.seen("not-bound")
      yield* on.put(bound, claim, made)
      yield* watch.seen("asked -> provided")
      yield* watch.told(untold)
      yield* on.put(bound, claim, { state: "failed", by: "n2" })
      yield* until("the next change is seen soon", () => watch.said.stdout.includes("provided -> failed"), 4_000)
      yield* watch.stop()
    }))
})
