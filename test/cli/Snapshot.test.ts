/**
 * Goal: a live bus is a file with one command: everything that is decided from, and what is decided, and nothing else; whole
 * or not at all.
 *
 * Method: a mesh is put on a real server by NATS' own client, with strangers' values and keys among it; what the built command
 * writes is compared with what was put there, and is read again by the other commands.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { execFileSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NatsBus } from "../../src/adapters/nats/index.ts"
import { bucketName } from "../../src/core/BucketName.ts"
import { type Bare, bare } from "../nats/Bare.ts"
import { natsServer, type ServerOptions } from "../nats/Server.ts"
import { folderWith, type Run, run } from "./Bin.ts"
import { provided } from "./Mesh.ts"
import { atTerminal } from "./Terminal.ts"

type Buckets = { readonly [bucket: string]: { readonly [key: string]: unknown } }

interface Ground {
  readonly url: string
  readonly admin: Bare
  readonly snapshot: (...args: ReadonlyArray<string>) => Effect.Effect<Run>
}

/** A server with the mesh's buckets and others, filled. */
const ground = Effect.fnUntraced(function*(
  mesh: Buckets,
  options: ServerOptions = {}
): Effect.fn.Return<Ground, never, Scope.Scope> {
  const server = yield* natsServer(options)
  const admin = yield* bare(server)
  const nats = yield* Effect.orDie(NatsBus.make({ servers: [server.url] }))
  const buckets = new Set([...Object.values(bucketName), "mesh-provisioner_seat", ...Object.keys(mesh)])
  yield* Effect.orDie(Effect.flatMap(nats.planBuckets({ buckets }), nats.applyPlans))
  for (const [bucket, values] of Object.entries(mesh)) {
    const written = Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const)
    yield* Effect.promise(() => admin.plant(bucket, written))
  }
  return {
    url: server.url,
    admin,
    snapshot: (...args) => Effect.promise(() => run(["snapshot", "--bus", server.url, ...args]))
  }
})

const mesh: Buckets = {
  ...provided.buckets,
  dns_zones: { "n1.zone": { ttl: 5 }, ["__proto__"]: 1 },
  "mesh-controller_modules": {
    ...provided.buckets["mesh-controller_modules"],
    dns: { provides: {}, answers: { zone: { bucket: "dns_zones", key: "<node>.<name>" } } }
  },
  empty_bound: {},
  unrelated: { "a.b": "not of the mesh" }
}

/** What is to be read of the mesh: every bucket of the protocol, and no other. */
const expected = (): Buckets => {
  const { unrelated: _, ...rest } = mesh
  return { ...Object.fromEntries(Object.values(bucketName).map((bucket) => [bucket, {}])), ...rest }
}

describe("snapshot", () => {
  it.live(
    "is what the bus holds, and the other commands read it; the seat and its marks are left out",
    () =>
      Effect.gen(function*() {
        const { admin, snapshot } = yield* ground(mesh)
        const bytes = Uint8Array.of(0xff, 0x00, 0x7b)
        yield* Effect.promise(async () => {
          for (const bucket of ["registry", "provisions", "plans", "asks"]) {
            await admin.plant(`mesh-provisioner_${bucket}`, [["_epoch", "{\"term\":1}"]])
          }
          await admin.plant("mesh-provisioner_seat", [["holder", "{\"name\":\"here\"}"]])
          await admin.plant("mesh-host_haves", [["n9.x", bytes], ["n9.y", ""], ["_epoch", "{}"], ["é.*", "1"]])
        })
        const { exitCode, stderr, stdout } = yield* snapshot()
        assert.deepStrictEqual([exitCode, stderr], [0, ""])
        const all = expected()
        assert.deepStrictEqual(JSON.parse(stdout), {
          buckets: { ...all, "mesh-host_haves": { ...all["mesh-host_haves"], _epoch: {}, "é.*": 1 } },
          raw: { "mesh-host_haves": { "n9.x": Buffer.from(bytes).toString("base64"), "n9.y": "" } }
        })
        assert.deepStrictEqual(Object.keys(JSON.parse(stdout).buckets), Object.keys(all).toSorted(), "in order")
        const decided = yield* Effect.promise(() => run(["decide", "-", "--json"], { input: stdout }))
        assert.deepStrictEqual([decided.exitCode, decided.stderr], [0, ""])
        assert.deepStrictEqual(
          JSON.parse(decided.stdout).outOfShape.map(({ key }: { readonly key: string }) => key).toSorted(),
          ["_epoch", "n9.x", "n9.y", "é.*"]
        )
      }),
    30_000
  )

  it.live(
    "goes to a file as a whole: a new one, over one that is there, or through a link",
    () =>
      Effect.gen(function*() {
        const { snapshot } = yield* ground(mesh)
        const folder = folderWith({ "old.json": "old", "linked.json": "old" })
        symlinkSync("linked.json", join(folder, "link.json"))
        const printed = (yield* snapshot()).stdout
        for (const name of ["new.json", "old.json", "link.json"]) {
          const { exitCode, stderr, stdout } = yield* snapshot("--out", join(folder, name))
          assert.deepStrictEqual([exitCode, stderr], [0, ""])
          assert.match(stdout, /^\d+ keys of 17 buckets, written to .*\.json\n$/)
          assert.strictEqual(readFileSync(join(folder, name), "utf8"), printed)
        }
        assert.isTrue(lstatSync(join(folder, "link.json")).isSymbolicLink())
        assert.strictEqual(statSync(join(folder, "linked.json")).size, Buffer.byteLength(printed))
        assert.deepStrictEqual(readdirSync(folder).toSorted(), ["link.json", "linked.json", "new.json", "old.json"])
      }),
    30_000
  )

  it.live("what cannot be written is said, and what was there stands", () =>
    Effect.gen(function*() {
      const { snapshot } = yield* ground({})
      const folder = folderWith({ "busy.json": "old" })
      writeFileSync(join(folder, "busy.json.writing"), "")
      mkdirSync(join(folder, "folder.json"))
      execFileSync("mkfifo", [join(folder, "pipe")])
      for (
        const [path, why] of [
          [join(folder, "none", "a.json"), "there is no folder for .*a\\.json\\. Make it"],
          [join(folder, "busy.json", "a.json"), "there is no folder for .*a\\.json\\. Make it"],
          [join(folder, "folder.json"), "folder\\.json is there and is no file\\. Give another path"],
          [join(folder, "pipe"), "pipe is there and is no file\\. Give another path"],
          [join(folder, "busy.json"), "busy\\.json is being written by somebody else"]
        ] as const
      ) {
        const { exitCode, stderr, stdout } = yield* snapshot("--out", path)
        assert.deepStrictEqual([exitCode, stdout], [1, ""])
        assert.match(stderr, new RegExp(`^mesh-provisioner: Nothing was written: .*${why}`))
      }
      assert.strictEqual(readFileSync(join(folder, "busy.json"), "utf8"), "old")
    }), 30_000)

  it.live(
    "a bucket that is missing, and one that may not be read, are named, and nothing is written",
    () =>
      Effect.gen(function*() {
        const config = JSON.stringify({
          no_auth_user: "admin",
          authorization: {
            users: [{ user: "admin", password: "admin" }, {
              user: "blind",
              password: "blind",
              permissions: { publish: { deny: ["$JS.API.CONSUMER.CREATE.KV_mesh-host_haves.>"] } }
            }]
          }
        })
        const { admin, snapshot } = yield* ground(mesh, { config })
        const folder = folderWith({ blind: "blind" })
        const out = ["--out", join(folder, "mesh.json")]
        const refused = yield* snapshot("--user", "blind", "--password-file", join(folder, "blind"), ...out)
        assert.strictEqual(refused.exitCode, 1)
        assert.match(
          refused.stderr,
          /Bucket mesh-host_haves was not read: this account may not\. Use the account that may/
        )
        yield* Effect.promise(() => admin.deleteBucket("mesh-host_haves"))
        yield* Effect.promise(() => admin.deleteBucket("mesh-config_values"))
        const missing = yield* snapshot(...out)
        assert.deepStrictEqual([missing.exitCode, missing.stdout, missing.stderr], [
          1,
          "",
          "mesh-provisioner: There is no bucket mesh-config_values, mesh-host_haves on this bus. Make them, by " +
          "mesh-provisioner setup.\n"
        ])
        assert.deepStrictEqual(readdirSync(folder), ["blind"])
      }),
    30_000
  )

  it.live(
    "a person at a terminal sees how far it is, and nothing of that is left or written to a pipe",
    () =>
      Effect.gen(function*() {
        const { admin, snapshot, url } = yield* ground({})
        const many = Array.from({ length: 20_000 }, (_, index) => [`n1.m${index}`, `{"health":"healthy"}`] as const)
        yield* Effect.promise(() => admin.plant("mesh-host_haves", many))
        const folder = folderWith({})
        const terminal = atTerminal(["snapshot", "--bus", url, "--out", "mesh.json"], folder)
        const { exitCode, stdout } = yield* Effect.promise(() => terminal.ended)
        assert.strictEqual(exitCode, 0)
        assert.match(stdout, /reading the bus: \d+ of 14 buckets, [\d,]+ keys?…/)
        assert.include(stdout, "\r\u001b[K20,000 keys of 14 buckets, written to \u001b[1mmesh.json\u001b[22m")
        assert.strictEqual((yield* snapshot("--out", join(folder, "mesh.json"))).stderr, "")
      }),
    60_000
  )

  it.live("where no bus is, it is said", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* Effect.promise(() => run(["snapshot", "--bus", "127.0.0.1:1"]))
      assert.deepStrictEqual([exitCode, stdout, stderr], [
        1,
        "",
        "mesh-provisioner: No NATS server answers at 127.0.0.1:1 (ECONNREFUSED). Start it there, or name where it is.\n"
      ])
    }))
})
