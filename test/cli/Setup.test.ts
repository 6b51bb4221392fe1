/**
 * Goal: whoever runs a mesh sees what of its buckets is missing or wrong, and has it made so; nothing is done unasked, and
 * what cannot be done is said.
 *
 * Method: the built command against a real server, whose streams are looked at by NATS' own client. What each bucket should
 * be is tried in `test/adapters/nats/setup.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { StorageType } from "@nats-io/jetstream"
import { Kvm } from "@nats-io/kv"
import { Effect, type Scope } from "effect"
import { join } from "node:path"
import { usersConfig } from "../nats/Accounts.ts"
import { type Bare, bare } from "../nats/Bare.ts"
import { natsServer, type ServerOptions } from "../nats/Server.ts"
import { folderWith, type Run, run } from "./Bin.ts"

/** The buckets of protocol §3 to §7, and the seat's (§9), as they are listed. */
const standing = [
  "mesh-controller_modules",
  "mesh-controller_assignments",
  "mesh-controller_machines",
  "mesh-controller_seats",
  "mesh-config_values",
  "mesh-host_haves",
  "mesh-provisioner_needs",
  "mesh-provisioner_applied",
  "mesh-provisioner_collect",
  "mesh-provisioner_answers",
  "mesh-provisioner_registry",
  "mesh-provisioner_provisions",
  "mesh-provisioner_plans",
  "mesh-provisioner_asks",
  "mesh-provisioner_seat"
]

interface Ground {
  readonly admin: Bare
  readonly streams: Effect.Effect<ReadonlyArray<string>>
  readonly setup: (...args: ReadonlyArray<string>) => Effect.Effect<Run>
}

const ground = Effect.fnUntraced(function*(
  options: ServerOptions = {}
): Effect.fn.Return<Ground, never, Scope.Scope> {
  const server = yield* natsServer(options)
  const admin = yield* bare(server)
  return {
    admin,
    streams: Effect.promise(async () => {
      const names: Array<string> = []
      for await (const name of admin.manager.streams.names()) {
        names.push(name)
      }
      return names.toSorted()
    }),
    setup: (...args) => Effect.promise(() => run(["setup", "--bus", server.url, ...args]))
  }
})

const lines = ({ stdout }: Run): ReadonlyArray<string> => stdout.trimEnd().split("\n")

describe("setup", () => {
  it.live(
    "says what is missing and makes nothing; with --apply makes it, and then all is as it should be",
    () =>
      Effect.gen(function*() {
        const { setup, streams } = yield* ground()
        const planned = yield* setup()
        assert.deepStrictEqual([planned.exitCode, planned.stderr], [1, ""])
        assert.deepStrictEqual(lines(planned), [
          ...standing.map((bucket) => `missing  ${bucket}`),
          "",
          "Of 15 buckets 15 are missing. Nothing was changed: --apply makes and changes them."
        ])
        assert.deepStrictEqual(yield* streams, [])

        const applied = yield* setup("--apply")
        assert.deepStrictEqual([applied.exitCode, applied.stderr], [0, ""])
        assert.deepStrictEqual(lines(applied), [
          ...standing.map((bucket) => `made     ${bucket}`),
          "",
          "Each of 15 buckets is as it should be."
        ])
        assert.deepStrictEqual(yield* streams, standing.map((bucket) => `KV_${bucket}`).toSorted())

        const again = yield* setup()
        assert.deepStrictEqual([again.exitCode, again.stdout], [0, "Each of 15 buckets is as it should be.\n"])
      }),
    30_000
  )

  it.live(
    "says of each setting that differs what it is, should be, and why; and what stays when all else is changed",
    () =>
      Effect.gen(function*() {
        const { admin, setup } = yield* ground()
        yield* setup("--apply")
        yield* Effect.promise(async () => {
          await admin.deleteBucket("mesh-host_haves")
          await new Kvm(admin.client).create("mesh-host_haves", {
            storage: StorageType.Memory,
            history: 3,
            ttl: 90_000
          })
        })
        const differing = [
          "    max_age is 90 s, should be 0 (never): no fact goes by itself",
          "    max_msg_size is -1, should be 1048576: no single value fills it",
          "    duplicate_window is 90 s, should be 0.1 s: no write is swallowed because another's bore its id",
          "    allow_rollup_hdrs is true, should be false: who may write one key cannot wipe all of them"
        ]
        const planned = yield* setup()
        assert.strictEqual(planned.exitCode, 1)
        assert.strictEqual(lines(planned)[0], "differs  mesh-host_haves")
        assert.includeMembers([...lines(planned)], differing)
        assert.strictEqual(
          lines(planned).at(-1),
          "Of 15 buckets 1 differs. Nothing was changed: --apply makes and changes them."
        )
        const applied = yield* setup("--apply")
        assert.strictEqual(applied.exitCode, 1)
        assert.deepStrictEqual(lines(applied), [
          "changed  mesh-host_haves",
          "",
          "differs  mesh-host_haves",
          "    storage is \"memory\", should be \"file\": it is kept where the operator wants it; no server changes this while " +
          "the bucket stays",
          "",
          "Of 15 buckets 1 differs. What could not be changed stays until the bucket is made anew, by whoever can spare what it " +
          "holds."
        ])
        assert.deepStrictEqual(JSON.parse((yield* setup("--apply", "--json")).stdout), {
          buckets: standing.map((bucket) => ({
            bucket,
            action: bucket === "mesh-host_haves" ? "change" : "none",
            differences: bucket !== "mesh-host_haves" ? [] : [{
              field: "storage",
              is: "memory",
              shouldBe: "file",
              why: "it is kept where the operator wants it",
              isChangeable: false
            }]
          })),
          made: [],
          changed: []
        })
      }),
    30_000
  )

  it.live(
    "plans a bucket for each provider that is named or defined, each that answers name, and each that is asked for",
    () =>
      Effect.gen(function*() {
        const { admin, setup } = yield* ground()
        yield* setup("--apply")
        yield* Effect.promise(() =>
          admin.plant("mesh-controller_modules", [
            [
              "dns",
              JSON.stringify({
                provides: { zone: { credential: "none" } },
                answers: { zone: { bucket: "dns_zones", key: "<node>.<name>" }, cert: { seat: "ca", verb: "sign" } }
              })
            ],
            ["broken", JSON.stringify({ provides: { thing: 1 } })],
            ["web", JSON.stringify({ provides: {} })],
            ["__proto__", "not JSON"]
          ])
        )
        const missing = (planned: Run) => lines(planned).filter((line) => line.startsWith("missing"))
        assert.deepStrictEqual(missing(yield* setup()), [
          "missing  broken_bound",
          "missing  dns_bound",
          "missing  dns_zones"
        ])
        const all = [
          "--providers",
          "postgres,dns",
          "--providers",
          "mesh-vault",
          "--bucket",
          "extra, more",
          "--bucket",
          "last"
        ]
        const applied = yield* setup("--apply", ...all)
        assert.strictEqual(applied.exitCode, 0)
        assert.deepStrictEqual(lines(applied).filter((line) => line.startsWith("made")), [
          "made     postgres_bound",
          "made     dns_bound",
          "made     mesh-vault_bound",
          "made     broken_bound",
          "made     dns_zones",
          "made     extra",
          "made     more",
          "made     last"
        ])
      }),
    30_000
  )

  it.live("makes the seat's bucket by its time, and the others as is chosen", () =>
    Effect.gen(function*() {
      const { admin, setup } = yield* ground()
      const config = (bucket: string) =>
        Effect.promise(async () => (await admin.manager.streams.info(`KV_${bucket}`)).config)
      yield* setup("--apply", "--seat-time-to-live", "3s", "--storage", "memory")
      assert.include(yield* config("mesh-provisioner_seat"), { max_age: 3_000_000_000, storage: StorageType.Memory })
      assert.include(yield* config("mesh-provisioner_plans"), {
        max_age: 0,
        storage: StorageType.Memory,
        num_replicas: 1
      })
      assert.strictEqual((yield* setup("--storage", "memory")).exitCode, 0, "the time stands")
      const { exitCode, stdout } = yield* setup("--storage", "memory", "--seat-time-to-live", "1m")
      assert.deepStrictEqual([exitCode, stdout.includes("max_age is 3 s, should be 60 s: the seat is free")], [1, true])
    }), 30_000)

  it.live(
    "what is written wrong is refused, and what the server or the account does not let be is said, by bucket",
    () =>
      Effect.gen(function*() {
        const { setup } = yield* ground({
          config: usersConfig([{ role: "reader" }]).replace("{", "{\"no_auth_user\":\"admin\",")
        })
        for (
          const [args, sentence] of [
            [["--replicas", "0"], "--replicas cannot be 0. Give a number from 1 to 5."],
            [["--replicas", "6"], "--replicas cannot be 6. Give a number from 1 to 5."],
            [["--seat-time-to-live", "500ms"], "--seat-time-to-live cannot be 500ms. Give a time from 1s to 1h."],
            [
              ["--seat-time-to-live", "10"],
              "--seat-time-to-live cannot be 10. Give it a number and its unit, as 500ms, 10s, 1m or 1h."
            ],
            [["--providers", "a.b"], "--providers cannot be a.b: no module is named so."]
          ] as const
        ) {
          const { exitCode, stderr, stdout } = yield* setup(...args)
          assert.deepStrictEqual([exitCode, stderr, stdout], [2, `mesh-provisioner: ${sentence}\n`, ""])
        }
        const named = yield* setup("--bucket", "a.b")
        assert.deepStrictEqual([named.exitCode, named.stderr], [
          1,
          "mesh-provisioner: Bucket a.b was not looked at: no bucket is named so. A name has neither spaces nor any of " +
          ". * > / \\.\n"
        ])
        const replicated = yield* setup("--apply", "--replicas", "3")
        assert.deepStrictEqual(replicated.exitCode, 1)
        assert.match(
          replicated.stderr,
          /^mesh-provisioner: Bucket mesh-controller_modules was not made: the server says ".*replicas.*"\. Mend that/
        )
        const password = join(folderWith({ password: "reader\n" }), "password")
        const refused = yield* setup("--apply", "--user", "reader", "--password-file", password)
        assert.deepStrictEqual(refused.exitCode, 1)
        assert.match(
          refused.stderr,
          /Bucket mesh-controller_modules was not made: this account may not\. Use the account/
        )
      }),
    30_000
  )
})
