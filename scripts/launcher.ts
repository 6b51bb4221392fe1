#!/usr/bin/env node
/**
 * The first file of the bin: turns Node's compile cache on, then loads all the rest, `main.js`.
 *
 * The cache is kept in the user's own cache folder, for nobody else is to put code there. Where that cannot be written, the
 * command line starts without it, only slower.
 */
import { existsSync, mkdirSync } from "node:fs"
import * as module from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

const enableCompileCache = (): void => {
  try {
    const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache")
    const folder = join(cache, "mesh-provisioner")
    makeFolder(cache)
    makeFolder(folder)
    module.enableCompileCache(folder)
  } catch {
    // Without the cache, then.
  }
}

// One folder, and not its parents: where a home is of a kind that no folder can be made in (/proc is), Node tries for ever.
const makeFolder = (path: string): void => {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `mesh-provisioner needs Node 22.19 or newer, and this is ${process.version}: install a newer Node.\n`
  )
  process.exitCode = 1
} else {
  enableCompileCache()
  await import(new URL("./main.js", import.meta.url).href)
}
