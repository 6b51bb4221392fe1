/**
 * A file's text put in place of another: all of it or nothing, and never over what somebody else wrote meanwhile.
 */
import * as Effect from "effect/Effect"
import { chmod, chown, open, readFile, realpath, rename, rm, stat } from "node:fs/promises"
import { type Failure, failure } from "./Failure.ts"
import { codeOf } from "./Read.ts"

/** Puts a file's new text in place of the one that was read. A link stays a link, and its file keeps its owner and mode. */
export const replaceText = (path: string, before: string, after: string): Effect.Effect<void, Failure> =>
  Effect.uninterruptible(Effect.tryPromise({
    try: () => replace(path, before, after),
    catch: (error) => failure(`The answer was not written: ${why(path, error)}`)
  }))

class Meanwhile extends Error {}

const replace = async (path: string, before: string, after: string): Promise<void> => {
  const place = await realpath(path)
  const info = await stat(place)
  // The file beside it is both what is put in place and the lock that only one can hold.
  const beside = besideOf(place)
  const file = await open(beside, "wx", info.mode)
  try {
    await file.writeFile(after)
    await chmod(beside, info.mode)
    await chown(beside, info.uid, info.gid).catch(() => undefined)
    await file.sync()
    await file.close()
    if (await readFile(place, "utf8") !== before) {
      throw new Meanwhile()
    }
    await rename(beside, place)
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(beside, { force: true })
    throw error
  }
}

const besideOf = (place: string): string => `${place}.writing`

const why = (path: string, error: unknown): string => {
  if (error instanceof Meanwhile) {
    return `${path} was changed meanwhile. Run the command again.`
  }
  switch (codeOf(error)) {
    case "EEXIST":
      return `${path} is being written by somebody else. Run the command again; where nobody is, remove ${
        besideOf(path)
      }.`
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `the folder of ${path} may not be written. Let it be written by whoever runs this, and try again.`
    case "ENOSPC":
    case "EDQUOT":
      return `there is no room beside ${path}. Make some, and try again.`
    default:
      return `${path} cannot be replaced (${codeOf(error)}). It stands as it was.`
  }
}
