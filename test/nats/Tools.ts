/**
 * Programs that tests need and this project does not bring: found where they are, or had once, in the project's ignored
 * cache, by Go or by apt-get. Test files that are loaded at once have one once.
 */
import { execFile } from "node:child_process"
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

/** A program, and where it came from. */
export interface Found {
  readonly path: string
  readonly version: string
  readonly from: string
}

/** Where a program is looked for. */
export interface Search {
  readonly environment: { readonly [name: string]: string | undefined }
  /** The folder of those that were had before. */
  readonly cache: string
}

/** This process's environment, and a folder of the project's cache. */
export const searchHere = (folder: string): Search => ({
  environment: process.env,
  cache: join(import.meta.dirname, "..", "..", ".cache", folder)
})

/** Whether there is a program at a path. */
export const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A program on the PATH, if it is there. */
export const onPath = ({ PATH = "" }: Search["environment"], name: string): string | undefined =>
  PATH.split(delimiter).map((folder) => join(folder, name)).find(isThere)

/** A way to have a program: what the way is called, where it lays the program down, and how. */
export interface Way {
  readonly name: string
  readonly path: string
  readonly make: (search: Search) => Promise<void>
}

/** A program that was had by the first way that gives one; or, where none does, why not. */
export const firstHad = async (
  ways: ReadonlyArray<Way>,
  search: Search
): Promise<{ readonly path: string; readonly from: string } | { readonly troubles: ReadonlyArray<string> }> => {
  const troubles: Array<string> = []
  for (const { make, name, path } of ways) {
    const trouble = await make(search).catch((error: unknown) => error)
    if (isThere(path)) {
      return { path, from: `had by ${name}` }
    }
    troubles.push(`${name}: ${trouble instanceof Error ? lastLine(trouble.message) : "it gave no program"}`)
  }
  return { troubles }
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? ""

/** Builds a module's program by Go, and lays it down in the cache's folder of that version. */
export const byGo = (cache: string, program: string, module: string, version: string): Way => ({
  name: "Go",
  path: join(cache, version, program),
  make: async ({ environment }) => {
    const folder = freshFolder(cache)
    await run("go", ["install", `${module}@v${version}`], {
      env: { ...environment, GOBIN: folder, GOFLAGS: "-mod=mod", CGO_ENABLED: "0" },
      timeout: getMillisMax
    })
    keep(folder, join(cache, version))
  }
})

/** Unpacks Debian's package of a server. It is not installed: that would start it as a service, and asks for root. */
export const byApt = (cache: string, program: string): Way => ({
  name: "apt-get",
  path: join(cache, "debian", "usr", "sbin", program),
  make: async ({ environment }) => {
    const folder = freshFolder(cache)
    const options = { cwd: folder, env: environment, timeout: getMillisMax }
    await run("apt-get", ["download", program], options)
    await run("sh", ["-c", `dpkg-deb --extract ${program}_*.deb . && rm ${program}_*.deb`], options)
    keep(folder, join(cache, "debian"))
  }
})

const run = promisify(execFile)

const freshFolder = (cache: string): string => mkdtempSync(join(cache, "making-"))

const keep = (folder: string, place: string): void => {
  rmSync(place, { recursive: true, force: true })
  renameSync(folder, place)
}

const getMillisMax = 600_000

/** Acts while no other does that uses this cache. The lock of a process that is gone counts for nothing. */
export const underLock = async <A>(cache: string, act: () => Promise<A>): Promise<A> => {
  mkdirSync(cache, { recursive: true })
  const lock = join(cache, "lock")
  for (const until = Date.now() + 2 * getMillisMax; !take(lock); await sleep(200)) {
    if (Date.now() > until) {
      throw new Error(`${lock} is held by another. Take it away where nobody has a program made any more.`)
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

/** The version that a program says that it is of, if it says one. */
export const versionOf = async (path: string): Promise<string | undefined> => {
  const said = await run(path, ["--version"]).catch(() => undefined)
  const [, version] = /v(\d+\.\d+\.\d+)/.exec(said?.stdout ?? "") ?? []
  return version
}
