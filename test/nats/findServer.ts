/**
 * Finds a `nats-server` for the tests, and never leaves them out in silence. In this order: `$NATS_SERVER`; `nats-server`
 * on the PATH; one that was had before, in the project's ignored cache; one built by Go into that cache; Debian's package,
 * unpacked into that cache. The test files that need one ask when they are loaded, so that no other test pays for it.
 */
import {
  byApt,
  byGo,
  firstHad,
  type Found,
  isThere,
  onPath,
  type Search,
  searchHere,
  underLock,
  versionOf
} from "./Tools.ts"

const program = "nats-server"

const here: Search = searchHere(program)

/** Finds a server. Fails, with what to do, where none can be had. */
export const findServer = async (search: Search = here): Promise<Found> => {
  const { from, path } = await look(search)
  const version = await versionOf(path)
  if (version === undefined) {
    throw new Error(`${path} is no nats-server: it does not say its version. Name one that does by $NATS_SERVER.`)
  }
  return { path, version, from }
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
  const path = onPath(environment, program)
  if (path !== undefined) {
    return { path, from: "on the PATH" }
  }
  return had(cache) ?? await underLock(cache, async () => had(cache) ?? await get(search))
}

const goWay = (cache: string) => byGo(cache, program, "github.com/nats-io/nats-server/v2", "2.15.2")
const aptWay = (cache: string) => byApt(cache, program)

const had = (cache: string): Place | undefined => {
  const way = [goWay(cache), aptWay(cache)].find(({ path }) => isThere(path))
  return way === undefined ? undefined : { path: way.path, from: "from the cache" }
}

const get = async (search: Search): Promise<Place> => {
  const found = await firstHad([goWay(search.cache), aptWay(search.cache)], search)
  if ("path" in found) {
    return found
  }
  throw new Error(
    "These tests need a nats-server, and there is none. Put one on the PATH, or name it by $NATS_SERVER; or install Go, " +
      `and it is built from its sources; on Debian it is taken by apt-get. Tried: ${found.troubles.join("; ")}.`
  )
}

/**
 * Finds a server of another version than the one that is found first: Debian's, or else the one that Go builds. Where none
 * can be had, it says why.
 */
export const findOtherServer = async (
  first: Found,
  search: Search = here
): Promise<Found | { readonly troubles: ReadonlyArray<string> }> => {
  const troubles: Array<string> = []
  for (const way of [aptWay(search.cache), goWay(search.cache)]) {
    const found = isThere(way.path)
      ? { path: way.path, from: "from the cache" }
      : await underLock(search.cache, () => firstHad([way], search))
    if ("troubles" in found) {
      troubles.push(...found.troubles)
      continue
    }
    const version = await versionOf(found.path)
    if (version !== undefined && version !== first.version) {
      return { ...found, version }
    }
    troubles.push(`${way.name}: it gives ${version ?? "no version"} too`)
  }
  return { troubles }
}
