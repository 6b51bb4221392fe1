/**
 * What the benchmark on NATS stands on: a server of its own, the mesh's buckets on it, and processes that act there.
 */
import { Effect, type Scope } from "effect"
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { NatsBus } from "../../src/adapters/nats/index.ts"
import type { Snapshot } from "../../src/core/index.ts"
import { type Bare, bare } from "../../test/nats/Bare.ts"
import { natsServer } from "../../test/nats/Server.ts"
import type { Said, Told } from "../natsParty.ts"

/** The server, as the parent of all sees it. */
export interface Stage {
  readonly url: string
  readonly admin: Bare
  /** Takes every bucket away, and makes the mesh's and these anew, as `setup` does. */
  readonly clear: (buckets: Iterable<string>) => Promise<void>
}

/** A server, until the scope closes. */
export const stage: Effect.Effect<Stage, never, Scope.Scope> = Effect.gen(function*() {
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
    }
  }
})

/** Puts a snapshot's values. */
export const fill = async ({ admin }: Stage, { buckets }: Snapshot): Promise<void> => {
  for (const [bucket, values] of Object.entries(buckets)) {
    await admin.plant(bucket, Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]))
  }
}

/** Waits until buckets hold so many keys each, beside the marks of the seat's holder; gives when, by this process's clock. */
export const filled = async (
  { admin }: Stage,
  counts: ReadonlyMap<string, number>,
  millisMax: number
): Promise<number> => {
  const waiting = new Map(counts)
  for (const until = performance.now() + millisMax; performance.now() < until; await sleep(10)) {
    for (const [bucket, count] of waiting) {
      const { state: { num_subjects: subjects = 0 } } = await admin.manager.streams.info(`KV_${bucket}`)
      const marks = subjects > count ? 1 : 0
      if (subjects - marks < count) {
        break
      }
      waiting.delete(bucket)
    }
    if (waiting.size === 0) {
      return performance.now()
    }
  }
  throw new Error(`${[...waiting.keys()].join(", ")}: not written in ${millisMax} ms`)
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

/** Starts the provisioner as it is installed, in a process of its own. */
export const provisioner = ({ url }: Stage): Pick<Party, "stop"> => {
  const bin = join(root, "dist", "bin", "mesh-provisioner.js")
  const child = spawn(process.execPath, [bin, "serve", "--bus", url], { stdio: ["ignore", "ignore", "inherit"] })
  running.add(child)
  child.on("exit", (code) => {
    if (code !== 0) {
      throw new Error(`the provisioner ended with exit code ${code}`)
    }
  })
  return { stop: () => stop(child) }
}

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await Promise.race([ended, sleep(10_000).then(() => child.kill("SIGKILL"))])
  }
}

const running = new Set<ChildProcess>()

process.on("exit", () => {
  for (const child of running) {
    child.kill("SIGKILL")
  }
})
