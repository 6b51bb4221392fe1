/**
 * What a command reads: a file, or standard input as `-`. What is wrong is said by path, line and column, never by what
 * stands there.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { constants } from "node:buffer"
import { createReadStream } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import type { TextPlace } from "../core/JsonText.ts"
import { parseSnapshot, type Snapshot } from "../core/Snapshot.ts"
import { readUtf8 } from "../core/Utf8.ts"
import { announced, isLongText } from "./Announce.ts"
import { type Failure, failure } from "./Failure.ts"

/** A file's path as sentences say it. */
export const nameOf = (path: string): string => path === "-" ? "standard input" : path

/** Where in a file something is wrong, as sentences say it. */
export const placeIn = (path: string, line: number, column: number): string =>
  `${nameOf(path)}, line ${line}, column ${column}`

/** Reads a file's text, or standard input's. */
export const readText = Effect.fnUntraced(function*(path: string): Effect.fn.Return<string, Failure> {
  const bytes = yield* Effect.tryPromise({
    try: () => path === "-" ? readStandardInput() : readWhole(path),
    catch: (error) => unreadable(path, error)
  })
  return yield* textOf(path, bytes)
})

/** Reads a snapshot from a file, or from standard input. */
export const readSnapshot = (path: string): Effect.Effect<Snapshot, Failure> =>
  Effect.flatMap(
    readText(path),
    (text) => announced(`reading ${nameOf(path)}`, isLongText(text), Effect.suspend(() => snapshotOf(path, text)))
  )

/** A text as a snapshot. `line` is where it begins in the file. */
export const snapshotOf = (path: string, text: string, line = 1): Effect.Effect<Snapshot, Failure> =>
  Effect.fromResult(
    Result.mapError(parseSnapshot(text), (fault) =>
      failure(`${placeIn(path, fault.line + line - 1, fault.column)}: ${fault.message}. Mend it there and try again.`))
  )

/** The text of bytes. `line` is where they begin in the file. */
const textOf = (path: string, bytes: Uint8Array, line = 1): Effect.Effect<string, Failure> => {
  if (bytes.length > textBytesMax) {
    return Effect.fail(tooLarge(path))
  }
  const text = readUtf8(bytes)
  if (text === undefined) {
    const place = placeOfBadByte(bytes)
    return Effect.fail(failure(
      `${placeIn(path, place.line + line - 1, place.column)}: this is not UTF-8. Save it as UTF-8 text and try again.`
    ))
  }
  return text.startsWith("\uFEFF")
    ? Effect.fail(
      failure(`${placeIn(path, line, 1)}: it begins with a byte order mark. Save it without one and try again.`)
    )
    : Effect.succeed(text)
}

/** Where bytes stop being UTF-8: where they are not what is written again of what can be read of them. */
const placeOfBadByte = (bytes: Uint8Array): TextPlace => {
  const again = Buffer.from(Buffer.from(bytes).toString("utf8"))
  const end = again.findIndex((byte, index) => byte !== bytes[index])
  const lines = again.subarray(0, end).toString("utf8").split("\n")
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** One line of a file, counted from 1. */
export interface TextLine {
  readonly text: string
  readonly line: number
}

/** Goes through a file's lines, or standard input's, one at a time; lines of nothing but space are passed over. */
export const forEachLine = Effect.fnUntraced(function*<E>(
  path: string,
  use: (line: TextLine) => Effect.Effect<void, E>
): Effect.fn.Return<void, E | Failure> {
  const lines = linesOf(path === "-" ? process.stdin : createReadStream(path))
  const next = Effect.tryPromise({ try: () => lines.next(), catch: (error) => unreadable(path, error) })
  for (let line = 1, read = yield* next; read.done !== true; line++, read = yield* next) {
    const text = yield* textOf(path, read.value, line)
    if (text.trim() !== "") {
      yield* use({ text, line })
    }
  }
}, (effect) => Effect.ensuring(effect, Effect.sync(() => process.stdin.destroy())))

/** The most bytes of a text: what JavaScript holds in one. */
const textBytesMax = constants.MAX_STRING_LENGTH

class TooLarge extends Error {}

const tooLarge = (path: string): Failure =>
  failure(
    `${nameOf(path)} is larger than ${Math.floor(textBytesMax / 1_048_576)} MiB, the most that is read as one text. ` +
      "Split it, or give a snapshot a line to decide --lines."
  )

// What is too large is known before any of it is read.
const readWhole = async (path: string): Promise<Uint8Array> => {
  if ((await stat(path)).size > textBytesMax) {
    throw new TooLarge()
  }
  return readFile(path)
}

const readStandardInput = async (): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > textBytesMax) {
      throw new TooLarge()
    }
  }
  return Buffer.concat(chunks)
}

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array, undefined> {
  let held: Array<Buffer> = []
  let heldBytes = 0
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; start = end + 1, end = chunk.indexOf(lineFeed, start)) {
      yield Buffer.concat([...held, chunk.subarray(start, end)])
      held = []
      heldBytes = 0
    }
    held.push(chunk.subarray(start))
    heldBytes += chunk.length - start
    if (heldBytes > textBytesMax) {
      throw new TooLarge()
    }
  }
  if (heldBytes > 0) {
    yield Buffer.concat(held)
  }
  return undefined
}

const lineFeed = 0x0a

const unreadable = (path: string, error: unknown): Failure => {
  const name = nameOf(path)
  switch (error instanceof TooLarge ? "TooLarge" : codeOf(error)) {
    case "ENOENT":
      return failure(`There is no file ${name}. Give the path of one that is there, or - to read standard input.`)
    case "ENOTDIR":
      return failure(
        `There is no file ${name}, as a part of its path is a file and no folder. Give the path of one that is there.`
      )
    case "EISDIR":
      return failure(`${name} is a folder. Give the path of a file in it.`)
    case "EACCES":
    case "EPERM":
      return failure(`${name} may not be read. Let it be read by whoever runs this, and try again.`)
    case "ENAMETOOLONG":
    case "ELOOP":
    case "ERR_INVALID_ARG_VALUE":
      return failure(`${name} is no path of a file. Give the path of one that is there.`)
    case "TooLarge":
    case "ERR_FS_FILE_TOO_LARGE":
      return tooLarge(path)
    default:
      return failure(`${name} cannot be read (${codeOf(error)}). See that it is there and whole, and try again.`)
  }
}

/** The code of a system's error. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown"
