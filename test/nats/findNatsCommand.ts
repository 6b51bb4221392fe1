/**
 * Finds the `nats` command line, NATS' own, for the tests in which a person's tools read what this project writes. In this
 * order: `nats` on the PATH; one that Go built before, in the project's ignored cache; one that it builds now.
 */
import { byGo, firstHad, isThere, onPath, type Search, searchHere, underLock } from "./Tools.ts"

/** Finds it; or says why it cannot be had. */
export const findNatsCommand = async (
  search: Search = searchHere("nats-command")
): Promise<{ readonly path: string } | { readonly troubles: ReadonlyArray<string> }> => {
  const path = onPath(search.environment, "nats")
  if (path !== undefined) {
    return { path }
  }
  const way = byGo(search.cache, "nats", "github.com/nats-io/natscli/nats", "0.5.0")
  const had = () => isThere(way.path) ? { path: way.path } : undefined
  return had() ?? await underLock(search.cache, async () => had() ?? await firstHad([way], search))
}
