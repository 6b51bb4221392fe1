/**
 * Goal: `show`, `explain`, `retire` and `diff` without a file ask whoever holds the seat, and say the same as of a file that holds
 * what the bus does; and where nobody answers, or a stranger does, they say so.
 *
 * Method: a real server, a provisioner on it, and the bin as it was built beside; what it prints is held against what it prints of a
 * file with the same facts.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "mesh-provisioner/core"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { act } from "../adapters/nats/Ground.ts"
import { folderWith, homelab, run } from "./Bin.ts"
import { answering, onBus, printed, provisionerOn, sentence } from "./Bus.ts"
import { asked, askKey, provided, unneeded } from "./Mesh.ts"

const home: { readonly buckets: { readonly [bucket: string]: { readonly [key: string]: Json } } } = JSON.parse(
  readFileSync(homelab, "utf8")
)

/** A mesh whose entries are many for one answer. */
const many = (count: number) => ({
  buckets: {
    "mesh-provisioner_needs": Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`n1.shop.port.p${index}`, {}])
    )
  }
})

describe("what a file gives, the bus gives", () => {
  const commands: ReadonlyArray<ReadonlyArray<string>> = [
    ["show"],
    ["show", "--json"],
    ["show", "registry", "--module", "cad"],
    ["show", "needs", "--node", "attic"],
    ["show", "collect", "--collection", "shell:zsh:normal", "--json"],
    ["show", "applied"],
    ["show", "provisions", "--state", "asked"],
    ["show", "plans", "--json"],
    ["show", "asks", "--state", "unneeded"],
    ["explain", "cloud1.shop"],
    ["explain", "cloud1.shop", "--json"]
  ]

  it.live("of every listing and explanation of the example mesh", () =>
    Effect.gen(function*() {
      const on = yield* onBus(home)
      yield* provisionerOn(on)
      for (const command of commands) {
        const file = yield* act(() => run([...command, "--from", homelab]))
        assert.strictEqual(yield* printed(on.server.url, command), file.stdout, command.join(" "))
        assert.isAbove(file.stdout.length, 40)
      }
    }))

  it.live("of more than fits in one answer, page by page, each entry once", () =>
    Effect.gen(function*() {
      const on = yield* onBus(many(2_345))
      yield* provisionerOn(on, { replyBytesMax: 20_000 })
      for (const what of ["needs", "provisions"]) {
        const { entries, next } = JSON.parse(yield* printed(on.server.url, ["show", what, "--json"]))
        const keys = entries.map(({ key }: { readonly key: string }) => key)
        assert.deepStrictEqual(keys, Object.keys(many(2_345).buckets["mesh-provisioner_needs"]).sort())
        assert.isUndefined(next)
      }
    }))
})

describe("show --history", () => {
  it.live("shows what each was before, with its time, and never a value that is not shown of now", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const { url } = on.server
      yield* on.put("postgres_bound", "n1.shop.database", { state: "failed", by: "n2", why: "the disk is full" })
      yield* sees(on.server.url, "failed")
      yield* on.put("postgres_bound", "n1.shop.database", provided.buckets.postgres_bound["n1.shop.database"])
      yield* sees(on.server.url, "provided")
      const lines = (yield* printed(url, ["show", "provisions", "--history"])).split("\n")
      assert.deepStrictEqual(lines.map((line) => line.replace(/^\d{4}-\S+Z/, "TIME").replace(/ +/g, " ")), [
        "TIME NODE MODULE KIND NAME STATE REASON PROVIDER",
        "TIME n1 shop bound database asked not-bound n2.postgres",
        "TIME n1 shop bound database failed provider-failed n2.postgres",
        "now n1 shop bound database provided provided n2.postgres",
        ""
      ])
      const { entries: [entry] } = JSON.parse(yield* printed(url, ["show", "provisions", "--history", "--json"]))
      assert.deepStrictEqual(
        entry.history.map(({ value }: { readonly value: { readonly state: string } }) => value.state),
        ["asked", "failed"]
      )
    }))

  it.live("of a file there is none", () =>
    Effect.gen(function*() {
      const cwd = folderWith({ "mesh.json": asked })
      const ran = yield* act(() => run(["show", "plans", "--history", "--from", "mesh.json"], { cwd }))
      assert.deepStrictEqual(ran, {
        exitCode: 2,
        stdout: "",
        stderr:
          "mesh-provisioner: A file holds no earlier values: leave out --history, or leave out --from to ask the bus.\n"
      })
    }))
})

/** Waits until the one provision is in this state. */
const sees = (url: string, state: string) =>
  Effect.gen(function*() {
    for (let looks = 0; looks < 50; looks++) {
      const { entries } = JSON.parse(yield* printed(url, ["show", "provisions", "--state", state, "--json"]))
      if (entries.length > 0) {
        return
      }
    }
    assert.fail(`no provision came to be ${state}`)
  })

describe("retire", () => {
  it.live("gives the answer to whoever holds the seat, and says what comes of it", () =>
    Effect.gen(function*() {
      const on = yield* onBus(unneeded)
      yield* provisionerOn(on)
      const { url } = on.server
      const retire = (...more: ReadonlyArray<string>) => printed(url, ["retire", askKey, ...more])
      assert.strictEqual(
        yield* retire("--answer", "keep", "--by", "ann", "--words", "not yet"),
        `kept  ${askKey}  by ann, written to the bus\n`
      )
      assert.strictEqual(
        yield* retire("--answer", "retire", "--by", "ann"),
        `retire  ${askKey}  by ann, written to the bus\n`
      )
      assert.match(yield* printed(url, ["show", "asks"]), /n2\.postgres\.n1\.shop\.database {2}retire /)
    }))

  it.live("whoever the bus names is who answers, and needs not say so", () =>
    Effect.gen(function*() {
      const on = yield* onBus(unneeded)
      yield* provisionerOn(on, { caller: "operator:ann" })
      assert.strictEqual(
        yield* printed(on.server.url, ["retire", askKey, "--answer", "keep", "--by", "somebody else"]),
        `kept  ${askKey}  by ann, written to the bus\n`
      )
      assert.strictEqual(
        yield* printed(on.server.url, ["retire", askKey, "--answer", "retire"]),
        `retire  ${askKey}  by ann, written to the bus\n`
      )
    }))

  it.live("what cannot be answered is said, with what to do, by the exit code of who is at fault", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const bus = ["--answer", "keep", "--bus", on.server.url]
      const lists = "mesh-provisioner show asks lists what is asked, and why.\n"
      assert.isTrue((yield* sentence(["retire", askKey, ...bus, "--by", "ann"], 1)).endsWith(` ${lists}`))
      assert.isTrue((yield* sentence(["retire", "a.b.c.d.e", ...bus, "--by", "ann"], 1)).endsWith(` ${lists}`))
      assert.strictEqual(
        yield* sentence(["retire", askKey, ...bus], 2),
        "mesh-provisioner: By is missing: say who answers.\n"
      )
    }))
})

describe("diff", () => {
  it.live("of one file is against what the bus has decided", () =>
    Effect.gen(function*() {
      const before = { buckets: { ...asked.buckets, "mesh-host_haves": { "n2.shop": {} } } }
      const after = { buckets: { ...provided.buckets, "mesh-host_haves": { "n1.shop": {} } } }
      const on = yield* onBus(before)
      yield* provisionerOn(on)
      const cwd = folderWith({ "asked.json": before, "provided.json": after })
      for (const more of [[], ["--json"]]) {
        const file = yield* act(() => run(["diff", "asked.json", "provided.json", ...more], { cwd }))
        const bus = yield* act(() => run(["diff", "provided.json", "--bus", on.server.url, ...more], { cwd }))
        assert.deepStrictEqual(bus, file)
        assert.include(bus.stdout, "n1.shop.bound.database")
      }
      assert.strictEqual(
        (yield* act(() => run(["diff", "asked.json", "--bus", on.server.url], { cwd }))).stdout,
        "No decision changes.\n"
      )
    }))
})

describe("where it goes wrong", () => {
  it.live("nobody holds the seat: that is said, and by no answer of a verb's", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      const said =
        "mesh-provisioner: Nobody answers mesh-provisioner.provisioning: no provisioner holds the seat, or this " +
        "account may not ask it. Start one (mesh-provisioner serve), or have the account granted the verbs.\n"
      const bus = ["--bus", on.server.url]
      assert.strictEqual(yield* sentence(["show", ...bus], 1), said)
      assert.strictEqual(yield* sentence(["show", "--watch", ...bus], 1), said)
      assert.strictEqual(
        yield* sentence(["explain", "n1.shop", ...bus], 1),
        said.replace("mesh-provisioner.provisioning", "mesh-provisioner.explain")
      )
    }))

  it.live("an account that may not ask, or not hear the answer, is told which", () =>
    Effect.gen(function*() {
      const user = (name: string, publish: string, subscribe: string) => ({
        user: name,
        password: name,
        permissions: { publish: { allow: [publish] }, subscribe: { allow: [subscribe] } }
      })
      const users = [
        { user: "admin", password: "admin" },
        user("mute", "nothing", "_INBOX.>"),
        user("deaf", "mesh-provisioner.>", "_INBOX.deaf.>")
      ]
      const on = yield* onBus(asked, { config: JSON.stringify({ authorization: { users } }) })
      yield* provisionerOn(on)
      const as = (name: string) => {
        const password = join(folderWith({ password: name }), "password")
        return ["show", "--bus", on.server.url, "--user", name, "--password-file", password]
      }
      assert.strictEqual(
        yield* sentence(as("mute"), 1),
        "mesh-provisioner: This account may not ask mesh-provisioner.provisioning. Have it granted the verbs.\n"
      )
      assert.match(
        yield* sentence(as("deaf"), 1),
        /^mesh-provisioner: mesh-provisioner\.provisioning was not asked: this account may not subscribe to .*--inbox-prefix\.\n$/
      )
      const shown = yield* act(() => run([...as("deaf"), "--inbox-prefix", "_INBOX.deaf"]))
      assert.deepStrictEqual({ exitCode: shown.exitCode, stderr: shown.stderr }, { exitCode: 0, stderr: "" })
    }))

  it.live("no server: that is said", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* sentence(["show", "--bus", "nats://127.0.0.1:1"], 1),
        "mesh-provisioner: No NATS server answers at 127.0.0.1:1 (ECONNREFUSED). Start it there, or name where it is.\n"
      )
    }))

  it.live("what is not there has a hint that is right for the bus, and what is written wrong is exit code 2", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* provisionerOn(on)
      const bus = ["--bus", on.server.url]
      assert.match(
        yield* sentence(["explain", "n9.shop", ...bus], 1),
        /\. mesh-provisioner show plans lists what is there\.\n$/
      )
      assert.match(
        yield* sentence(["explain", "n1.shop.port.http", ...bus], 1),
        /\. mesh-provisioner show provisions lists what is there\.\n$/
      )
      assert.match(
        yield* sentence(["show", "--state", "asked", ...bus], 2),
        /Registry cannot be narrowed by state, only provisions, plans and asks can\.\n$/
      )
      assert.match(
        yield* sentence(["show", "--from", "-", ...bus], 2),
        /Either a file is read or the bus is asked, and --bus is of the bus\. Give only one of them\.\n$/
      )
    }))

  it.live("no answer in time: that is said, and of a given answer that it may have been taken", () =>
    Effect.gen(function*() {
      const on = yield* onBus(asked)
      yield* answering(on.admin, () => new Promise(() => undefined))
      const bus = ["--bus", on.server.url, "--timeout", "300ms"]
      assert.match(yield* sentence(["show", ...bus], 1), /No answer to mesh-provisioner\.provisioning came in time\./)
      assert.match(
        yield* sentence(["retire", askKey, "--answer", "keep", "--by", "ann", ...bus], 1),
        /It is not known whether the answer was taken: look at the ask, and answer again where it was not\.\n$/
      )
    }))
})
