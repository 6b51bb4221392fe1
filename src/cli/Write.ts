/**
 * A file's text put in its place: all of it or nothing, and never over what somebody else wrote meanwhile.
 */
import * as Effect from "effect/Effect"
import type { Stats } from "node:fs"
import { chmod, chown, type FileHandle, open, readFile, realpath, rename, rm, stat } from "node:fs/promises"
import { type Failure, failure } from "./Failure.ts"
import { codeOf } from "./Read.ts"

/** Puts a file's new text in place of the one that was read. A link stays a link, and its file keeps its owner and mode. */
export const replaceText = (path: string, before: string, after: string): Effect.Effect<void, Failure> =>
  Effect.uninterruptible(Effect.tryPromise({
    try: () => replace(path, before, after),
    catch: (error) => failure(`The answer was not written: ${why(path, error)}`)
  }))

/** Puts a text, in pieces, into a file, whether it is there or not. A link stays a link, and a file keeps its owner and mode. */
export const writeText = (path: string, pieces: Iterable<string>): Effect.Effect<void, Failure> =>
  Effect.uninterruptible(Effect.tryPromise({
    try: () => put(path, pieces),
    catch: (error) => failure(`Nothing was written: ${why(path, error)}`)
  }))

class Meanwhile extends Error {}

class NoFile extends Error {}

const replace = async (path: string, before: string, after: string): Promise<void> => {
  const place = await realpath(path)
  await putInPlace(place, await stat(place), [after], async () => {
    if (await readFile(place, "utf8") !== before) {
      throw new Meanwhile()
    }
  })
}

const put = async (path: string, pieces: Iterable<string>): Promise<void> => {
  const place = await realpath(path).catch(() => path)
  const info = await stat(place).catch(() => undefined)
  if (info !== undefined && !info.isFile()) {
    throw new NoFile()
  }
  await putInPlace(place, info, pieces)
}

/** Writes a text beside a file, and then puts it in its place, unless it is found that it may not be. */
const putInPlace = async (
  place: string,
  info: Stats | undefined,
  pieces: Iterable<string>,
  mayBe: () => Promise<void> = async () => undefined
): Promise<void> => {
  // The file beside it is both what is put in place and the lock that only one can hold.
  const beside = besideOf(place)
  const file = await open(beside, "wx", info?.mode)
  try {
    await writePieces(file, pieces)
    if (info !== undefined) {
      await chmod(beside, info.mode)
      await chown(beside, info.uid, info.gid).catch(() => undefined)
    }
    await file.sync()
    await file.close()
    await mayBe()
    await rename(beside, place)
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(beside, { force: true })
    throw error
  }
}

/** Writes many pieces at once, so that the system is called few times. */
const writePieces = async (file: FileHandle, pieces: Iterable<string>): Promise<void> => {
  let held = ""
  for (const piece of pieces) {
    held += piece
    if (held.length >= writtenCharactersMin) {
      await file.writeFile(held)
      held = ""
    }
  }
  await file.writeFile(held)
}

const writtenCharactersMin = 65_536

const besideOf = (place: string): string => `${place}.writing`

const why = (path: string, error: unknown): string => {
  if (error instanceof Meanwhile) {
    return `${path} was changed meanwhile. Run the command again.`
  }
  if (error instanceof NoFile) {
    return `${path} is there and is no file. Give another path.`
  }
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return `there is no folder for ${path}. Make it, or give another path.`
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
      return `${path} cannot be put in its place (${codeOf(error)}). What was there stands as it was.`
  }
}
