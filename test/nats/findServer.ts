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

/** Where it is looked for. */
export interface Search {
  readonly environment: { readonly [name: string]: string | undefined }
  /** The folder of those that were had before. */
  readonly cache: string
}

const goVersion = "2.15.2"

const here: Search = {
  environment: process.env,
  cache: join(import.meta.dirname, "..", "..", ".cache", "nats-server")
}

/** Finds a server. Fails, with what to do, where none can be had. */
export const findServer = async (search: Search = here): Promise<Found> => {
  const { from, path } = await look(search)
  return { path, version: await versionOf(path), from }
}

interface Place {
  readonly path: string
  readonly from: string
}

const look = async (search: Search): Promise<Place> => {
  const { cache, environment } = search
  const named = environment["NATS_SERVER"]
  if (named !== undefined && named !== "") {
    return { path: named, from: "by $NATS_SERVER" }
  }
  const onPath = (environment["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "nats-server")).find(isThere)
  if (onPath !== undefined) {
    return { path: onPath, from: "on the PATH" }
  }
  return had(cache) ?? await underLock(cache, async () => had(cache) ?? await get(search))
}

const builtIn = (cache: string): string => join(cache, goVersion, "nats-server")
const unpackedIn = (cache: string): string => join(cache, "debian", "usr", "sbin", "nats-server")

const had = (cache: string): Place | undefined => {
  const path = [builtIn(cache), unpackedIn(cache)].find(isThere)
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
const get = async (search: Search): Promise<Place> => {
  const ways = [["Go", build, builtIn(search.cache)], ["apt-get", unpack, unpackedIn(search.cache)]] as const
  const troubles: Array<string> = []
  for (const [way, make, path] of ways) {
    const trouble = await make(search).catch((error: unknown) => error)
    if (isThere(path)) {
      return { path, from: `had by ${way}` }
    }
    troubles.push(`${way}: ${trouble instanceof Error ? lastLine(trouble.message) : "it gave no program"}`)
  }
  throw new Error(
    "These tests need a nats-server, and there is none. Put one on the PATH, or name it by $NATS_SERVER; or install Go, " +
      `and it is built from its sources; on Debian it is taken by apt-get. Tried: ${troubles.join("; ")}.`
  )
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? ""

const run = promisify(execFile)

const build = async ({ cache, environment }: Search): Promise<void> => {
  const folder = freshFolder(cache)
  await run("go", ["install", `github.com/nats-io/nats-server/v2@v${goVersion}`], {
    env: { ...environment, GOBIN: folder, CGO_ENABLED: "0" },
    timeout: getMillisMax
  })
  keep(folder, join(cache, goVersion))
}

// The package is not installed: that would start it as a service, and asks for root.
const unpack = async ({ cache, environment }: Search): Promise<void> => {
  const folder = freshFolder(cache)
  const options = { cwd: folder, env: environment, timeout: getMillisMax }
  await run("apt-get", ["download", "nats-server"], options)
  await run("sh", ["-c", "dpkg-deb --extract nats-server_*.deb . && rm nats-server_*.deb"], options)
  keep(folder, join(cache, "debian"))
}

const freshFolder = (cache: string): string => mkdtempSync(join(cache, "making-"))

const keep = (folder: string, place: string): void => {
  rmSync(place, { recursive: true, force: true })
  renameSync(folder, place)
}

const getMillisMax = 600_000

/** Test files that are loaded at once build it once. The lock of a process that is gone counts for nothing. */
const underLock = async <A>(cache: string, act: () => Promise<A>): Promise<A> => {
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
