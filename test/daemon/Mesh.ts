/**
 * A mesh on a real server, and daemons on it: processes of their own, as they are run on a mesh.
 */
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { isDeepStrictEqual } from "node:util"
import { NatsBus } from "../../src/adapters/nats/index.ts"
import { seatBucket } from "../../src/adapters/nats/SeatBucket.ts"
import { bucketName, isDecisionBucket } from "../../src/core/BucketName.ts"
import { decide } from "../../src/core/Decide.ts"
import { decidedBuckets } from "../../src/core/Diff.ts"
import type { Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { act, until } from "../adapters/nats/Ground.ts"
import { bin, surroundings } from "../cli/Bin.ts"
import { type Bare, bare } from "../nats/Bare.ts"
import { type NatsServer, natsServer, type ServerOptions } from "../nats/Server.ts"

/** How long the seat of these meshes lives, and how often whoever stands by looks. */
export const timeToLiveMillis = 2_000
export const beatMillis = timeToLiveMillis / 10

export interface Mesh {
  readonly server: NatsServer
  readonly admin: Bare
  readonly nats: NatsBus["Service"]
}

/** A server with all buckets made as `setup` makes them, filled with facts by the bare client. */
export const mesh = Effect.fnUntraced(function*(
  facts: Snapshot,
  options: ServerOptions = {},
  onServer?: NatsServer
): Effect.fn.Return<Mesh, never, Scope.Scope> {
  const server = onServer ?? (yield* natsServer(options))
  const admin = yield* bare(server)
  const nats = yield* Effect.orDie(NatsBus.make({ servers: [server.url] }))
  const buckets = new Set([...Object.values(bucketName), seatBucket, ...Object.keys(facts.buckets)])
  const plans = yield* Effect.orDie(nats.planBuckets({ buckets, seatTimeToLiveMillis: timeToLiveMillis }))
  yield* Effect.orDie(nats.applyPlans(plans))
  yield* Effect.forEach(
    Object.entries(facts.buckets),
    ([bucket, values]) =>
      act(() =>
        admin.plant(bucket, Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const))
      )
  )
  return { server, admin, nats }
})

/** A module on n1 whose health `n` others on n2 follow: each change of it changes their provisions and plans. */
export const followers = (count: number, health: string): Snapshot => {
  const names = Array.from({ length: count }, (_, index) => `follower${index}`)
  return {
    buckets: {
      "mesh-controller_modules": { leader: { provides: { word: { credential: "none" } } } },
      "mesh-controller_assignments": {
        "n1.leader": { build: "l1" },
        ...Object.fromEntries(names.map((name) => [`n2.${name}`, { build: "f1" }]))
      },
      "mesh-host_haves": { "n1.leader": { build: "l1", health } },
      "mesh-provisioner_needs": Object.fromEntries(names.map((name) => [`n2.${name}.bound.word`, {}]))
    }
  }
}

/** Sets the health that they follow. */
export const setHealth = ({ admin }: Mesh, health: string): Effect.Effect<void> =>
  act(() => admin.plant("mesh-host_haves", [["n1.leader", JSON.stringify({ build: "l1", health })]]))

// --- daemons -----------------------------------------------------------------------------------------------------

/** A line of a daemon's log. */
export interface LogLine {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly bucket?: string
  readonly op?: string
}

/** A running daemon. */
export interface Running {
  readonly pid: number
  readonly lines: ReadonlyArray<LogLine>
  readonly says: (words: string) => boolean
  /** The writes that it says it did, since a line of its log. */
  readonly writesSince: (line: number) => ReadonlyArray<LogLine>
  readonly kill: (signal: NodeJS.Signals) => void
  /** What it said on standard error. */
  readonly errors: () => string
  /** Waits until it has ended; gives its exit code, or the signal that ended it. */
  readonly ended: Effect.Effect<number | NodeJS.Signals>
}

/** Starts a daemon of this name; it is killed when the scope closes. */
export const daemon = (
  url: string,
  name: string,
  args: ReadonlyArray<string> = []
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => start(["serve", "--bus", url, "--name", name, "--log", "json", ...args])),
      ({ child }) => Effect.promise(() => stop(child))
    ),
    ({ running }) => running
  )

const start = (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [bin, ...args], { env: surroundings, stdio: ["ignore", "pipe", "pipe"] })
  const lines: Array<LogLine> = []
  let rest = ""
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const [last = "", ...whole] = `${rest}${text}`.split("\n").toReversed()
    rest = last
    lines.push(...whole.toReversed().map((line): LogLine => JSON.parse(line)))
  })
  const running: Running = {
    pid: child.pid ?? 0,
    lines,
    says: (words) => lines.some(({ message }) => message.includes(words)),
    writesSince: (line) => lines.slice(line).filter(({ op }) => op !== undefined),
    kill: (signal) => {
      child.kill(signal)
    },
    errors: () => errors,
    ended: Effect.promise(async () => {
      if (child.exitCode === null && child.signalCode === null) {
        await once(child, "close")
      }
      return child.exitCode ?? child.signalCode ?? 0
    })
  }
  return { child, running }
}

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  }
}

/** Waits until a daemon has written all that follows from what it read. */
export const live = (running: Running): Effect.Effect<void> =>
  until("it is live", () => running.says("Every bucket is read, and what is decided is written."), 30_000)

// --- what is on the bus ------------------------------------------------------------------------------------------

/** What is decided of facts, by bucket and key. */
const decided = (facts: Snapshot): ReadonlyMap<string, Json> =>
  new Map(
    [...decidedBuckets(decide(facts))].filter(([bucket]) => isDecisionBucket(bucket)).flatMap(([bucket, values]) =>
      Array.from(values, ([key, value]) => [`${bucket} ${key}`, JSON.parse(JSON.stringify(value))] as const)
    )
  )

/** What the bare client reads out of the buckets of decisions. */
const stored = async (admin: Bare): Promise<ReadonlyMap<string, Json>> => {
  const values = new Map<string, Json>()
  for (const bucket of Object.values(bucketName).filter(isDecisionBucket)) {
    for (const { key, text } of await admin.messages(bucket)) {
      if (text === undefined) {
        values.delete(`${bucket} ${key}`)
      } else {
        values.set(`${bucket} ${key}`, JSON.parse(text))
      }
    }
  }
  return new Map([...values].filter(([id]) => !id.endsWith(" _epoch")))
}

/** Waits until the buckets hold what is decided of these facts, and nothing else. */
export const comesTo = ({ admin }: Mesh, facts: Snapshot, millisMax = 20_000): Effect.Effect<void> =>
  act(async () => {
    const wanted = decided(facts)
    // Just after a server's start the bare client may have no answer yet.
    const look = () => stored(admin).then((found) => isDeepStrictEqual(found, wanted), () => false)
    for (const end = performance.now() + millisMax; performance.now() < end && !(await look());) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const found = await stored(admin)
    if (!isDeepStrictEqual(found, wanted)) {
      const differing = [...new Set([...wanted.keys(), ...found.keys()])]
        .filter((id) => !isDeepStrictEqual(found.get(id), wanted.get(id)))
      throw new Error(
        `the buckets do not hold what is decided: ${differing.length} keys, as ${differing.slice(0, 3).join(", ")}`
      )
    }
  })

/** The last sequences of the buckets of decisions. */
export const sequences = ({ admin }: Mesh): Effect.Effect<ReadonlyMap<string, number>> =>
  act(async () => {
    const buckets = Object.values(bucketName).filter(isDecisionBucket)
    const infos = await Promise.all(buckets.map((bucket) => admin.manager.streams.info(`KV_${bucket}`)))
    return new Map(buckets.map((bucket, index) => [bucket, infos[index]?.state.last_seq ?? 0]))
  })
