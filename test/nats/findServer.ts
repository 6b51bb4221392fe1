/**
 * Finds a `nats-server` for the tests, and never leaves them out in silence. In this order: `$NATS_SERVER`; `nats-server`
 * on the PATH; one that was had before, in the project's ignored cache; one built by Go into that cache; Debian's package,
 * unpacked into that cache. The test files that need one ask when they are loaded, so that no other test pays for it.
 */
import { execFile } from "node:child_process"
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

/** A server's program, and where it came from. */
export interface Found {
  readonly path: string
  readonly version: string
  readonly from: string
}

const goVersion = "2.15.2"
const cache = join(import.meta.dirname, "..", "..", ".cache", "nats-server")
const built = join(cache, goVersion, "nats-server")
const unpacked = join(cache, "debian", "usr", "sbin", "nats-server")

/** Finds a server, and says which on the standard error. Fails, with what to do, where none can be had. */
export const findServer = async (): Promise<Found> => {
  const { from, path } = await look()
  const version = await versionOf(path)
  process.stderr.write(`nats-server ${version}, ${from}: ${path}\n`)
  return { path, version, from }
}

interface Place {
  readonly path: string
  readonly from: string
}

const look = async (): Promise<Place> => {
  const named = process.env["NATS_SERVER"]
  if (named !== undefined && named !== "") {
    return { path: named, from: "by $NATS_SERVER" }
  }
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "nats-server")).find(isThere)
  if (onPath !== undefined) {
    return { path: onPath, from: "on the PATH" }
  }
  return had() ?? await underLock(async () => had() ?? await get())
}

const had = (): Place | undefined => {
  const path = [built, unpacked].find(isThere)
  return path === undefined ? undefined : { path, from: "from the cache" }
}

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Builds one, or unpacks one. */
const get = async (): Promise<Place> => {
  const troubles: Array<string> = []
  for (const [way, make, path] of [["Go", build, built], ["apt-get", unpack, unpacked]] as const) {
    const trouble = await make().catch((error: unknown) => error)
    if (isThere(path)) {
      return { path, from: `had by ${way}` }
    }
    troubles.push(
      `${way}: ${trouble instanceof Error ? trouble.message.trim().split("\n").at(-1) : "it gave no program"}`
    )
  }
  throw new Error(
    "These tests need a nats-server, and there is none. Put one on the PATH, or name it by $NATS_SERVER; or install Go, " +
      `and it is built from its sources; on Debian it is taken by apt-get. Tried: ${troubles.join("; ")}.`
  )
}

const run = promisify(execFile)

const build = async (): Promise<void> => {
  const folder = freshFolder()
  await run("go", ["install", `github.com/nats-io/nats-server/v2@v${goVersion}`], {
    env: { ...process.env, GOBIN: folder, CGO_ENABLED: "0" },
    timeout: getMillisMax
  })
  keep(folder, join(cache, goVersion))
}

// The package is not installed: that would start it as a service, and asks for root.
const unpack = async (): Promise<void> => {
  const folder = freshFolder()
  await run("apt-get", ["download", "nats-server"], { cwd: folder, timeout: getMillisMax })
  await run("sh", ["-c", "dpkg-deb --extract nats-server_*.deb . && rm nats-server_*.deb"], { cwd: folder })
  keep(folder, join(cache, "debian"))
}

const freshFolder = (): string => mkdtempSync(join(cache, "making-"))

const keep = (folder: string, place: string): void => {
  rmSync(place, { recursive: true, force: true })
  renameSync(folder, place)
}

const getMillisMax = 600_000

/** Test files that are loaded at once build it once. The lock of a process that is gone counts for nothing. */
const underLock = async <A>(act: () => Promise<A>): Promise<A> => {
  mkdirSync(cache, { recursive: true })
  const lock = join(cache, "lock")
  for (const until = Date.now() + 2 * getMillisMax; !take(lock); await sleep(200)) {
    if (Date.now() > until) {
      throw new Error(`${lock} is held by another. Take it away where nobody builds a nats-server any more.`)
    }
  }
  try {
    return await act()
  } finally {
    rmSync(lock, { force: true })
  }
}

const take = (lock: string): boolean => {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: "wx" })
    return true
  } catch {
    if (isAbandoned(lock)) {
      rmSync(lock, { force: true })
    }
    return false
  }
}

const isAbandoned = (lock: string): boolean => {
  try {
    process.kill(Number(readFileSync(lock, "utf8")), 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}

const versionOf = async (path: string): Promise<string> => {
  const said = await run(path, ["--version"]).catch(() => undefined)
  const [, version] = /v(\d+\.\d+\.\d+)/.exec(said?.stdout ?? "") ?? []
  if (version === undefined) {
    throw new Error(`${path} is no nats-server: it does not say its version. Name one that does by $NATS_SERVER.`)
  }
  return version
}
