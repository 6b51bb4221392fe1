/**
 * `serve` on a bus within this process, loaded from a file, which it may follow.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { followFile } from "../adapters/memory/followFile.ts"
import { MemoryBus } from "../adapters/memory/MemoryBus.ts"
import { decide } from "../core/Decide.ts"
import { Bus } from "../ports/Bus.ts"
import { countTurns } from "../provisioner/Metrics.ts"
import { Provisioner } from "../provisioner/Provisioner.ts"
import { examplePath } from "./Example.ts"
import { type Failure, failure, usage } from "./Failure.ts"
import { Operation } from "./Operation.ts"
import { styled } from "./Print.ts"
import { readSnapshot } from "./Read.ts"
import type { Screen } from "./Screen.ts"
import type { ServeConfig } from "./Serve.ts"
import { Showing } from "./Showing.ts"

/** Runs it, until it is interrupted. */
export const serveMemory = Effect.fnUntraced(function*(
  screen: Screen,
  { follow, load = examplePath, provisioner: options, settings: { listen } }: ServeConfig
): Effect.fn.Return<never, Failure, FileSystem.FileSystem | Scope.Scope> {
  if (follow && load === "-") {
    return yield* usage(
      "--follow takes the edits of a file, and standard input (-) is none. Give --load the path of a file."
    )
  }
  const operation = new Operation()
  operation.seat = Effect.succeed({ _tag: "Held" })
  yield* operation.listen(listen)
  const memory = yield* MemoryBus.make()
  yield* loadFile(memory, load, follow)
  const provisioner = yield* Effect.provideService(
    // What changes is shown by what it was before: that is kept by a plain function, and by the engine changed.
    Provisioner.make(follow ? { ...options, decide } : options),
    Bus,
    memory.as({ role: "provisioner" })
  )
  operation.provisioner = Effect.succeed(provisioner)
  yield* Effect.forkScoped(countTurns(operation.metrics, Stream.make(provisioner)))
  return yield* operation.watched(show(new Showing(screen, footerOf(load, follow), follow), provisioner))
})

/** Shows how a provisioner stands and what it decides, for as long as it runs. */
const show = Effect.fnUntraced(function*(
  showing: Showing,
  provisioner: Provisioner["Service"]
): Effect.fn.Return<never, never, Scope.Scope> {
  const turns = yield* provisioner.turns
  yield* Effect.forkScoped(
    Stream.runForEach(
      provisioner.healthChanges,
      (health) => Effect.sync(() => showing.stands(health.sentence, health.state === "live"))
    )
  )
  const showTurns = Effect.forever(Effect.map(PubSub.take(turns), ({ after }) => showing.decided(after)))
  return yield* Effect.raceFirst(showTurns, provisioner.ended)
})

const footerOf = (path: string, follow: boolean) => [
  styled(
    "dim",
    follow
      ? `Ctrl-C ends this. Edit ${path}: each decision that changes is shown here.`
      : `Ctrl-C ends this. What is not well, and why: mesh-provisioner decide ${path}`
  )
]

/** Puts what the file holds on the bus, and from then on its edits where they are followed. */
const loadFile = Effect.fnUntraced(function*(
  memory: MemoryBus["Service"],
  path: string,
  follow: boolean
): Effect.fn.Return<void, Failure, FileSystem.FileSystem | Scope.Scope> {
  const snapshot = yield* readSnapshot(path)
  const onTrouble = (trouble: { readonly message: string }) =>
    Effect.logWarning(`${trouble.message.replace(/\.?$/, ".")} What the file held before stands until it is mended.`)
  const loaded = follow
    ? Effect.provideService(followFile(path, { onTrouble }), MemoryBus, memory)
    : memory.load(snapshot)
  yield* Effect.mapError(loaded, ({ message }) => failure(message))
})
