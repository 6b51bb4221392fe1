/**
 * Goal: a person's own tool finds its way about the mesh: the `nats` command line reads every bucket and calls every verb,
 * and shows the service.
 *
 * Method: the example mesh on a server, the daemon as it is installed, and that command line, by Go. Where it cannot be had,
 * the tests are left out, and say why.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { epochKey } from "../../../src/core/Bucket.ts"
import { bucketName } from "../../../src/core/BucketName.ts"
import { decide } from "../../../src/core/Decide.ts"
import { parseSnapshot } from "../../../src/core/Snapshot.ts"
import { bin, homelab, surroundings } from "../../cli/Bin.ts"
import { findNatsCommand } from "../../nats/findNatsCommand.ts"
import { act, ground, until } from "./Ground.ts"
import { comesToWhatIsDecidedOf, factsOf, fillAll, type Standing } from "./Mesh.ts"

const command = await findNatsCommand()
const reason = "troubles" in command
  ? `the nats command line cannot be had here (${command.troubles.join("; ")}): put it on the PATH, or install Go`
  : undefined
if (reason !== undefined) {
  process.stderr.write(`NOT TRIED: ${reason}\n`)
}

const facts = factsOf(Effect.runSync(Effect.fromResult(parseSnapshot(readFileSync(homelab, "utf8")))))

/** Runs that command line on a server; gives what it printed. */
type Nats = (...options: ReadonlyArray<string>) => Promise<string>

/** The example mesh on a server, with the daemon on it, whose decisions are written. */
const daemon = Effect.gen(function*() {
  const on: Standing = yield* ground()
  yield* act(() => on.admin.deleteBucket("b"))
  yield* on.nats.applyPlans(yield* on.nats.planBuckets())
  yield* fillAll(on, facts)
  let said = ""
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [bin, "serve", "--bus", on.server.url], { env: surroundings })
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          said += text
        })
      }
      return child
    }),
    (child) =>
      act(async () => {
        if (child.exitCode === null) {
          child.kill("SIGKILL")
          await once(child, "exit")
        }
      })
  )
  yield* until("it holds the seat", () => said.includes("Holds the seat"), 60_000)
  return { ...on, nats: yield* natsOn(on) }
})

const natsOn = ({ server }: Standing): Effect.Effect<Nats, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "mesh-provisioner-nats-home-"))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true }))
    ),
    (home) => async (...options) => {
      const path = "path" in command ? command.path : ""
      const env = { HOME: home, NATS_URL: server.url, NATS_TIMEOUT: "30s" }
      const { stdout } = await promisify(execFile)(path, options, { env, timeout: 60_000 })
      return stdout
    }
  )

const linesOf = (text: string): Array<string> => text.split("\n").filter((line) => line !== "")

describe("the nats command line", () => {
  it.live("reads every bucket", (context) =>
    Effect.gen(function*() {
      context.skip(reason !== undefined, reason)
      const { admin, nats } = yield* daemon
      yield* comesToWhatIsDecidedOf({ admin }, facts)
      const buckets = linesOf(yield* act(() => nats("kv", "ls", "--names")))
      assert.deepStrictEqual(
        buckets,
        [...new Set([...Object.values(bucketName), ...Object.keys(facts.buckets), "mesh-provisioner_seat"])].sort()
      )
      const decisions = decide(facts)
      const wanted: { readonly [bucket: string]: { readonly [key: string]: unknown } } = {
        ...facts.buckets,
        [bucketName.registry]: Object.fromEntries(decisions.registry),
        [bucketName.provisions]: Object.fromEntries(decisions.provisions),
        [bucketName.plans]: Object.fromEntries(decisions.plans),
        [bucketName.asks]: Object.fromEntries(decisions.asks)
      }
      for (const bucket of buckets.filter((name) => name !== "mesh-provisioner_seat")) {
        const values = wanted[bucket] ?? {}
        const keys = linesOf(yield* act(() => nats("kv", "ls", bucket))).filter((key) => key !== epochKey).sort()
        assert.deepStrictEqual(keys, Object.keys(values).sort(), bucket)
        for (const key of keys.slice(0, 2)) {
          const value = yield* act(() => nats("kv", "get", bucket, key, "--raw"))
          assert.deepStrictEqual(JSON.parse(value), JSON.parse(JSON.stringify(values[key])), `${bucket} ${key}`)
          assert.match(yield* act(() => nats("kv", "history", bucket, key)), /PUT/, `${bucket} ${key}`)
        }
      }
      assert.include(yield* act(() => nats("kv", "get", "mesh-provisioner_seat", "holder", "--raw")), `"name"`)
    }), 180_000)

  it.live("finds the service, and calls every verb", (context) =>
    Effect.gen(function*() {
      context.skip(reason !== undefined, reason)
      const { admin, nats } = yield* daemon
      yield* comesToWhatIsDecidedOf({ admin }, facts)
      const ask = (verb: string, request: object) =>
        Effect.map(
          act(() => nats("req", `mesh-provisioner.${verb}`, JSON.stringify(request), "--raw")),
          (text): { readonly [name: string]: unknown } => JSON.parse(text)
        )
      const decisions = decide(facts)
      const registry = yield* ask("provisioning", {})
      assert.deepStrictEqual(
        registry["entries"],
        [...decisions.registry].sort(([one], [other]) => one < other ? -1 : 1)
          .map(([key, value]) => ({ key, kind: key, value: JSON.parse(JSON.stringify(value)) }))
      )
      const [[first = ""] = []] = decisions.plans
      const [node, module] = first.split(".")
      assert.include(JSON.stringify(yield* ask("explain", { node, module })), first)
      const refused = yield* ask("explain", {})
      assert.deepStrictEqual(refused, { error: { code: 400, message: "node is missing; module is missing" } })
      const open = [...decisions.asks].find(([, { state }]) => state === "unneeded")
      assert.isDefined(open, "the example mesh has an open question")
      const [key] = open ?? [""]
      yield* ask("retire", { key, answer: "keep", by: "ann" })
      const answered = yield* act(() => nats("kv", "get", bucketName.answers, key, "--raw"))
      assert.deepInclude(JSON.parse(answered), { answer: "keep", by: "ann" })
      const listed = yield* act(() => nats("micro", "list"))
      assert.match(listed, /mesh-provisioner/)
      const info = yield* act(() => nats("micro", "info", "mesh-provisioner"))
      const stats = yield* act(() => nats("micro", "stats", "mesh-provisioner"))
      for (const verb of ["provisioning", "explain", "retire"]) {
        assert.include(info, `mesh-provisioner.${verb}`)
        assert.match(stats, new RegExp(`${verb} +│ +[12] `), "with how often it was called")
      }
    }), 180_000)
})
