/**
 * A memory bus that follows a file: each edit of it becomes the changes that it makes, and no others.
 *
 * It looks at the file's time and size a few times a second rather than asking the system to be told: that misses
 * nothing whether an editor writes the file or puts another in its place, and works where the system tells nothing.
 */
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Snapshot } from "../../core/Snapshot.ts"
import type { BusError } from "../../ports/BusError.ts"
import { MemoryBus } from "./MemoryBus.ts"
import { readText, sayUnreadable, SnapshotFileError, snapshotOf } from "./SnapshotFile.ts"

/** How a file is followed. */
export interface FollowFileOptions {
  /** How often it is looked at. Default: five times a second. */
  readonly every?: Duration.Input
  /** What to do with an edit that cannot be taken. It is told once, when it has lasted for two looks. Default: a warning. */
  readonly onTrouble?: (trouble: SnapshotFileError | BusError) => Effect.Effect<void>
}

/**
 * Loads a snapshot file into the memory bus, and then follows the file until the scope closes: of each edit, the keys
 * that differ are put and deleted, and buckets appear and vanish with it.
 *
 * An edit that cannot be taken (half-written JSON, a value too large, no file at all) is told once, by line and column
 * where it has them; the last good one stands until the file can be taken again.
 *
 * Fails, with nothing followed, where the file cannot be loaded at first.
 *
 * @example
 * ```ts
 * import { NodeServices } from "@effect/platform-node"
 * import { Effect, Layer } from "effect"
 * import { followFile, MemoryBus } from "mesh-provisioner/adapters/memory"
 *
 * const layer = Layer.effectDiscard(followFile("mesh.json")).pipe(
 *   Layer.provideMerge(MemoryBus.layer()),
 *   Layer.provide(NodeServices.layer)
 * )
 * ```
 */
export const followFile = Effect.fnUntraced(function*(
  path: string,
  { every = "200 millis", onTrouble = (trouble) => Effect.logWarning(trouble.message) }: FollowFileOptions = {}
): Effect.fn.Return<void, SnapshotFileError | BusError, MemoryBus | FileSystem.FileSystem | Scope.Scope> {
  const memory = yield* MemoryBus
  const files = yield* FileSystem.FileSystem
  const followed: Followed = {
    path,
    stamp: undefined,
    text: undefined,
    taken: Result.void,
    snapshot: { buckets: {} },
    trouble: undefined,
    looks: 0
  }
  const look = lookAt(memory, followed).pipe(Effect.provideService(FileSystem.FileSystem, files))
  yield* look
  yield* look.pipe(
    Effect.matchEffect({
      onSuccess: () => Effect.sync(() => followed.trouble = undefined),
      onFailure: (trouble) => isToBeTold(followed, trouble) ? onTrouble(trouble) : Effect.void
    }),
    Effect.repeat(Schedule.spaced(every)),
    Effect.forkScoped
  )
})

type Trouble = SnapshotFileError | BusError

interface Followed {
  readonly path: string
  /** The file as it was last read, by its time, size and place; none while it may be written within the same moment. */
  stamp: string | undefined
  text: string | undefined
  /** Whether the text could be taken. */
  taken: Result.Result<void, Trouble>
  /** The last good one. */
  snapshot: Snapshot
  /** What is wrong with the file, and at how many looks in a row it was. */
  trouble: string | undefined
  looks: number
}

// At the first look the file may only be half-way through being written.
const isToBeTold = (followed: Followed, trouble: Trouble): boolean => {
  followed.looks = trouble.message === followed.trouble ? followed.looks + 1 : 1
  followed.trouble = trouble.message
  return followed.looks === 2
}

/** Takes what is new in the file, if anything is; fails while the file cannot be taken. */
const lookAt = Effect.fnUntraced(function*(memory: MemoryBus["Service"], followed: Followed) {
  const stamp = yield* stampOf(followed.path)
  if (stamp === undefined || stamp !== followed.stamp) {
    const text = yield* readText(followed.path)
    followed.stamp = stamp
    if (text !== followed.text) {
      followed.text = text
      followed.taken = yield* Effect.result(take(memory, followed, text))
    }
  }
  yield* Effect.fromResult(followed.taken)
})

const take = Effect.fnUntraced(function*(memory: MemoryBus["Service"], followed: Followed, text: string) {
  const snapshot = yield* Effect.fromResult(snapshotOf(followed.path, text))
  yield* memory.edit(followed.snapshot, snapshot)
  followed.snapshot = snapshot
})

// A file's time is no finer than the system's clock: two edits within a moment can bear the same, so one that is young
// is read again.
const stampOf = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  const now = yield* Clock.currentTimeMillis
  const info = yield* files.stat(path).pipe(
    Effect.mapError((error) => new SnapshotFileError({ path, why: sayUnreadable(error) }))
  )
  const changedMillis = Option.match(info.mtime, { onNone: () => now, onSome: (time) => time.getTime() })
  return changedMillis > now - youngMillis
    ? undefined
    : `${changedMillis} ${ByteSize.toBigInt(info.size)} ${Option.getOrElse(info.ino, () => 0n)}`
})

const youngMillis = 2_000
