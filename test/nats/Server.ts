/**
 * A `nats-server` of a test's own: on a free port of the loopback, with a folder of its own, stopped by its process id.
 */
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { findServer } from "./findServer.ts"

const found = await findServer()
process.stderr.write(`nats-server ${found.version}, ${found.from}: ${found.path}\n`)

/** The version of the server that these tests run. */
export const serverVersion: string = found.version

/** A running server. */
export interface NatsServer {
  readonly url: string
  readonly port: number
  /** Where it keeps its files; others may lay theirs beside. */
  readonly folder: string
  /** Ends it at once, as by `kill -9`, or cleanly. What it stored stays. */
  readonly stop: (how?: "SIGKILL" | "SIGTERM") => Promise<void>
  /** Starts it again, on the same port. */
  readonly start: () => Promise<void>
  /** It does nothing any more, until it is thawed: its connections stand, and answer nothing. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Has it take up another configuration while it runs. */
  readonly reload: (config: string) => void
  /** What it logged. */
  readonly log: () => string
}

/** How a server is started: `config` is text of its configuration file, `jetstream` is on where it is left out. */
export interface ServerOptions {
  readonly config?: string
  readonly jetstream?: boolean
}

/** A server that is stopped, and its folder removed, when the scope closes. */
export const natsServer = (options: ServerOptions = {}): Effect.Effect<NatsServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startServer(options)),
    (server) =>
      Effect.promise(async () => {
        await server.stop("SIGKILL")
        rmSync(server.folder, { recursive: true, force: true })
      })
  )

const startServer = async ({ config, jetstream = true }: ServerOptions): Promise<NatsServer> => {
  const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-nats-"))
  const configFile = join(folder, "server.conf")
  writeFileSync(configFile, config ?? "")
  let child: ChildProcess | undefined
  const start = async (port: number): Promise<number> => {
    const ports = mkdtempSync(join(folder, "ports-"))
    const log = openSync(join(folder, "log"), "a")
    mkdirSync(join(folder, "store"), { recursive: true })
    const store = jetstream ? ["-js", "-sd", join(folder, "store")] : []
    child = spawn(
      found.path,
      ["-c", configFile, "-a", "127.0.0.1", "-p", `${port}`, "--ports_file_dir", ports, ...store],
      { stdio: ["ignore", log, log] }
    )
    closeSync(log)
    running.add(child)
    return await portOf(child, ports, () => logOf(folder))
  }
  const port = await start(-1)
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    folder,
    start: async () => {
      await start(port)
    },
    stop: async (how = "SIGTERM") => {
      await stop(child, how)
    },
    freeze: () => freeze(child),
    thaw: () => child?.kill("SIGCONT"),
    reload: (config) => {
      writeFileSync(configFile, config)
      child?.kill("SIGHUP")
    },
    log: () => logOf(folder)
  }
}

// A signal is taken a moment after it is sent: what is asked meanwhile would still be answered.
const freeze = (child: ChildProcess | undefined): void => {
  if (child === undefined) {
    return
  }
  child.kill("SIGSTOP")
  for (let looks = 0; looks < 10_000 && !isStopped(child); looks++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  }
}

const isStopped = ({ pid }: ChildProcess): boolean =>
  / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, ""))

const logOf = (folder: string): string => readFileSync(join(folder, "log"), "utf8")

const stop = async (child: ChildProcess | undefined, how: "SIGKILL" | "SIGTERM"): Promise<void> => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit")
    child.kill(how)
    await ended
  }
}

/** The port that it listens on: the file that says so is there when the server is ready. */
const portOf = async (child: ChildProcess, folder: string, log: () => string): Promise<number> => {
  for (const until = Date.now() + 20_000; Date.now() < until; await sleep(5)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`nats-server ended at once:\n${log()}`)
    }
    const file = readdirSync(folder).find((name) => name.endsWith(".ports"))
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(file === undefined ? "" : readFileSync(join(folder, file), "utf8")) ?? []
    if (port !== undefined) {
      return Number(port)
    }
  }
  throw new Error(`nats-server was not ready in time:\n${log()}`)
}

const running = new Set<ChildProcess>()

// A test process that ends early leaves no server behind.
process.on("exit", () => {
  for (const child of running) {
    child.kill("SIGKILL")
  }
})
