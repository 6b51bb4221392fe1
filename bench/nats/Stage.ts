/**
 * What the benchmarks on the bus stand on: a server of its own, the mesh's buckets on it, and processes that act there.
 */
import { Effect, Exit, Scope } from "effect"
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { NatsBus } from "../../src/adapters/nats/index.ts"
import type { Json } from "../../src/core/index.ts"
import { type Bare, bare } from "../../test/nats/Bare.ts"
import { natsServer } from "../../test/nats/Server.ts"
import type { Said, Told } from "../natsParty.ts"

/** What a key of a bucket holds. */
export interface Value {
  readonly bucket: string
  readonly key: string
  readonly value: Json
}

/** The server, as the parent of all sees it. */
export interface Stage {
  readonly url: string
  readonly admin: Bare
  /** Takes every bucket away, and makes the mesh's and these anew, as `setup` does. */
  readonly clear: (buckets: Iterable<string>) => Promise<void>
  readonly close: () => Promise<void>
}

/** A server, until it is closed. */
export const openStage = async (): Promise<Stage> => {
  const scope = await Effect.runPromise(Scope.make())
  return await Effect.runPromise(Scope.provide(
    Effect.gen(function*() {
      const server = yield* natsServer()
      const admin = yield* bare(server)
      const nats = yield* Effect.orDie(NatsBus.make({ servers: [server.url] }))
      return {
        url: server.url,
        admin,
        clear: async (buckets) => {
          for await (const name of admin.manager.streams.names()) {
            await admin.manager.streams.delete(name)
          }
          await Effect.runPromise(Effect.flatMap(nats.planBuckets(), nats.applyPlans))
          await Effect.runPromise(Effect.flatMap(nats.planBuckets({ buckets }), nats.applyPlans))
        },
        close: async () => await Effect.runPromise(Scope.close(scope, Exit.void))
      } satisfies Stage
    }),
    scope
  ))
}

/** Plants values, each bucket's as they come. */
export const fill = async ({ admin }: Stage, values: Iterable<Value>): Promise<void> => {
  let part: Array<readonly [string, string]> = []
  let bucketOfPart = ""
  const plantPart = async () => {
    const values = part
    part = []
    await admin.plant(bucketOfPart, values)
  }
  for (const { bucket, key, value } of values) {
    if (bucket !== bucketOfPart || part.length >= plantedAtOnceMax) {
      await plantPart()
      bucketOfPart = bucket
    }
    part.push([key, JSON.stringify(value)])
  }
  await plantPart()
}

const plantedAtOnceMax = 20_000

/** How many keys buckets hold, beside the marks of the seat's holder. */
export const decisionsIn = async ({ admin }: Stage, buckets: Iterable<string>): Promise<number> => {
  let count = 0
  for (const bucket of buckets) {
    const { state: { num_subjects: subjects = 0 } } = await admin.manager.streams.info(`KV_${bucket}`)
    count += Math.max(0, subjects - 1)
  }
  return count
}

/** A process that acts on the server. */
export interface Party {
  readonly tell: (told: Told) => void
  /** What it says next. */
  readonly hear: () => Promise<Said>
  readonly stop: () => Promise<void>
}

const root = join(import.meta.dirname, "..", "..")

/** Starts a party of the bare client's, and waits until it is ready. */
export const party = async ({ url }: Stage, role: string, ...rest: ReadonlyArray<string>): Promise<Party> => {
  const child = fork(join(root, "bench", "natsParty.ts"), [role, url, ...rest])
  running.add(child)
  const said: Array<Said> = []
  const waiting: Array<(said: Said) => void> = []
  child.on("message", (message: Said) => {
    const next = waiting.shift()
    if (next === undefined) {
      said.push(message)
    } else {
      next(message)
    }
  })
  const hear = (): Promise<Said> => {
    const next = said.shift()
    return next === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(next)
  }
  await Promise.race([
    hear(),
    once(child, "exit").then(() => Promise.reject(new Error(`the party that is to ${role} ended at once`)))
  ])
  return { tell: (told) => child.send(told), hear, stop: () => stop(child) }
}

/** The provisioner in a process of its own. */
export interface Provisioner {
  /** How many milliseconds after its start all was read and nothing was left to be written, and how many writes it had said. */
  readonly live: Promise<{ readonly millis: number; readonly writes: number }>
  /** How much memory it takes, in MB. */
  readonly memory: () => number
  readonly stop: () => Promise<void>
}

/** Starts the provisioner as it is installed. Its log goes to a file: who reads each line takes from what is measured. */
export const provisioner = ({ url }: Stage): Provisioner => {
  const bin = join(root, "dist", "bin", "mesh-provisioner.js")
  const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-bench-"))
  const log = join(folder, "log")
  const from = performance.now()
  const words = [
    "--max-old-space-size=12000",
    "--max-semi-space-size=8",
    bin,
    "serve",
    "--bus",
    url,
    "--log",
    "json"
  ]
  const written = openSync(log, "w")
  const child = spawn(process.execPath, words, { stdio: ["ignore", written, "inherit"] })
  closeSync(written)
  running.add(child)
  const live = liveOf(child, log).then(({ atMillis, writes }) => ({
    millis: atMillis - performance.timeOrigin - from,
    writes
  }))
  // Who stops it before it is live waits for nothing of it.
  live.catch(() => {})
  const memory = () => {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? []
    return Number(kilobytes) / 1_024
  }
  const stopIt = async () => {
    await stop(child)
    rmSync(folder, { recursive: true })
  }
  return { live, memory, stop: stopIt }
}

/** When its log says that it is live, in milliseconds since 1970, and how many writes it said before. */
const liveOf = async (
  child: ChildProcess,
  log: string
): Promise<{ readonly atMillis: number; readonly writes: number }> => {
  let writes = 0
  let rest = ""
  const buffer = Buffer.alloc(logBytesAtOnce)
  const file = await open(log)
  try {
    while (child.exitCode === null && child.signalCode === null) {
      const { bytesRead } = await file.read({ buffer })
      const lines = rest + buffer.toString("latin1", 0, bytesRead)
      const end = lines.lastIndexOf("\n") + 1
      rest = lines.slice(end)
      const [, at] = /"time":"([^"]+)"[^\n]*"health":"live"/u.exec(lines.slice(0, end)) ?? []
      writes += lines.slice(0, end).split(`"op":"`).length - 1
      if (at !== undefined) {
        return { atMillis: Date.parse(at), writes }
      }
      await sleep(bytesRead < logBytesAtOnce ? 50 : 0)
    }
  } finally {
    await file.close()
  }
  throw new Error(`the provisioner ended with exit code ${child.exitCode}`)
}

const logBytesAtOnce = 1_048_576

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await Promise.race([ended, sleep(10_000).then(() => child.kill("SIGKILL"))])
  }
  running.delete(child)
}

const running = new Set<ChildProcess>()

process.on("exit", () => {
  for (const child of running) {
    child.kill("SIGKILL")
  }
})
