/**
 * A snapshot in a file: read it, load it, and follow it while a person edits it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseSnapshot, type Snapshot } from "../../core/Snapshot.ts"
import { readUtf8 } from "../../core/Utf8.ts"

/**
 * A file that gives no snapshot: which, why, and where in it (`line` and `column`, from 1) where it could be read.
 * Nothing of what it holds is said.
 *
 * @example
 * ```ts
 * import { SnapshotFileError } from "mesh-provisioner/adapters/memory"
 *
 * new SnapshotFileError({ path: "mesh.json", why: "This is no JSON.", line: 3, column: 7 }).message
 * // "mesh.json:3:7: This is no JSON."
 * ```
 */
export class SnapshotFileError extends Schema.TaggedError<SnapshotFileError>(
  "mesh-provisioner/adapters/memory/SnapshotFileError"
)("SnapshotFileError", {
  path: Schema.String,
  why: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return this.line === undefined
      ? `${this.path}: ${this.why}`
      : `${this.path}:${this.line}:${this.column}: ${this.why}`
  }
}

/**
 * Reads a file's text.
 *
 * Fails with `SnapshotFileError` where it cannot be read, or is not UTF-8.
 */
export const readText = (path: string): Effect.Effect<string, SnapshotFileError, FileSystem.FileSystem> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.readFile(path)),
    Effect.mapError((error) => new SnapshotFileError({ path, why: sayUnreadable(error) })),
    Effect.map(readUtf8),
    Effect.filterOrFail(
      (text) => text !== undefined,
      () => new SnapshotFileError({ path, why: "it is not UTF-8. Save it as UTF-8 text." })
    )
  )

/** A file's text as a snapshot, or where in it is what is wrong. */
export const snapshotOf = (path: string, text: string): Result.Result<Snapshot, SnapshotFileError> =>
  Result.mapError(
    parseSnapshot(text),
    ({ column, line, message }) => new SnapshotFileError({ path, why: message, line, column })
  )

/**
 * Reads a snapshot from a file.
 *
 * Fails with `SnapshotFileError` where the file cannot be read, or is no snapshot.
 *
 * @example
 * ```ts
 * import { NodeServices } from "@effect/platform-node"
 * import { Effect } from "effect"
 * import { MemoryBus, readSnapshotFile } from "mesh-provisioner/adapters/memory"
 *
 * const loaded = Effect.gen(function*() {
 *   const memory = yield* MemoryBus
 *   yield* memory.load(yield* readSnapshotFile("mesh.json"))
 *   return yield* memory.snapshot
 * }).pipe(Effect.provide([MemoryBus.layer(), NodeServices.layer]))
 *
 * const { buckets } = await Effect.runPromise(loaded)
 * buckets["mesh-provisioner_needs"] // { "n1.shop.bound.database": { contract: "^16.0.0" } }
 * ```
 */
export const readSnapshotFile = (path: string): Effect.Effect<Snapshot, SnapshotFileError, FileSystem.FileSystem> =>
  Effect.flatMap(readText(path), (text) => Effect.fromResult(snapshotOf(path, text)))

/** What is said of a file that could not be read. */
export const sayUnreadable = ({ reason }: PlatformError.PlatformError): string => {
  switch (reason._tag) {
    case "NotFound":
      return "there is no such file."
    case "PermissionDenied":
      return "it may not be read. Let it be read by whoever runs this."
    case "BadArgument":
      return "no file is named so."
    default:
      return `it cannot be read (${reason._tag}).`
  }
}
