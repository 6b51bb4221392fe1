/**
 * `serve`: the provisioner on a bus within this process, loaded from a file, which it may follow.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { followFile } from "../adapters/memory/followFile.ts"
import { MemoryBus } from "../adapters/memory/MemoryBus.ts"
import type { Decisions } from "../core/Decision.ts"
import { Bus } from "../ports/Bus.ts"
import type { Health } from "../provisioner/Health.ts"
import { Provisioner } from "../provisioner/Provisioner.ts"
import { changeLines, changesOf, factLines } from "./Changes.ts"
import { examplePath } from "./Example.ts"
import { type Failure, failure, usage } from "./Failure.ts"
import { type Line, styled } from "./Print.ts"
import { readSnapshot } from "./Read.ts"
import { paragraphs, stateCounts } from "./Say.ts"
import { Screen } from "./Screen.ts"

/** What `serve` is asked. */
export interface ServeConfig {
  readonly bus: "memory"
  readonly load: string | undefined
  readonly follow: boolean
}

/** Runs `serve`, until it is told to stop. */
export const run = ({ follow, load }: ServeConfig): Effect.Effect<void, Failure, FileSystem.FileSystem> => {
  const screen = new Screen()
  return serve(screen, load ?? examplePath, follow).pipe(
    Effect.raceFirst(untilStopped),
    Effect.ensuring(screen.leave),
    Effect.scoped,
    Effect.provide(Logger.layer([loggerOn(screen)]))
  )
}

const serve = Effect.fnUntraced(function*(
  screen: Screen,
  path: string,
  follow: boolean
): Effect.fn.Return<void, Failure, FileSystem.FileSystem | Scope.Scope> {
  if (follow && path === "-") {
    return yield* usage(
      "--follow takes the edits of a file, and standard input (-) is none. Give --load the path of a file."
    )
  }
  const memory = yield* MemoryBus.make()
  yield* load(memory, path, follow)
  const provisioner = yield* Effect.provideService(Provisioner.make(), Bus, memory.as({ role: "provisioner" }))
  const turns = yield* provisioner.turns
  const showing: Showing = { path, follow, decisions: undefined, health: undefined }
  yield* provisioner.healthChanges.pipe(
    Stream.runForEach((health) => Effect.sync(() => showHealth(screen, showing, health))),
    Effect.forkScoped
  )
  const showTurns = Effect.forever(
    Effect.map(PubSub.take(turns), ({ after }) => showDecisions(screen, showing, after))
  )
  yield* Effect.raceFirst(showTurns, provisioner.ended)
})

/** Puts what the file holds on the bus, and from then on its edits where they are followed. */
const load = Effect.fnUntraced(function*(
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

const untilStopped: Effect.Effect<void> = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  signals.forEach((signal) => process.once(signal, stop))
  return Effect.sync(() => signals.forEach((signal) => process.off(signal, stop)))
})

// --- what is shown -----------------------------------------------------------------------------------------------

interface Showing {
  readonly path: string
  readonly follow: boolean
  decisions: Decisions | undefined
  health: Health | undefined
}

const showHealth = (screen: Screen, showing: Showing, health: Health): void => {
  showing.health = health
  screen.show(presentLines(showing))
}

const showDecisions = (screen: Screen, showing: Showing, decisions: Decisions): void => {
  const before = showing.decisions
  showing.decisions = decisions
  if (showing.follow && before !== undefined && before !== decisions) {
    const changes = changesOf(before, decisions)
    screen.say(paragraphs(changes.decisions.flatMap((change) => [...changeLines(change)]), factLines(changes)))
  }
  screen.show(presentLines(showing))
}

/** The present: how much there is in each state, how the provisioner stands, and what a person can do. */
const presentLines = ({ decisions, follow, health, path }: Showing): ReadonlyArray<Line> => [
  [],
  ...(decisions === undefined ? [] : stateCounts(decisions)),
  ...(health === undefined ? [] : [[styled(health.state === "live" ? "green" : "yellow", health.sentence)]]),
  [
    styled(
      "dim",
      follow
        ? `Ctrl-C ends this. Edit ${path}: each decision that changes is shown here.`
        : `Ctrl-C ends this. What is not well, and why: mesh-provisioner decide ${path}`
    )
  ]
]

/** A line for each thing that happens; a person who sees the present live is told of troubles alone. */
const loggerOn = (screen: Screen): Logger.Logger<unknown, void> =>
  Logger.make(({ date, logLevel, message }) => {
    const trouble = LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn")
    if (trouble || (!screen.live && LogLevel.isGreaterThanOrEqualTo(logLevel, "Info"))) {
      const level = logLevel.toUpperCase().padEnd(5)
      screen.say([[
        `${date.toISOString()} `,
        trouble ? styled("yellow", level) : level,
        ` ${Array.isArray(message) ? message.join(" ") : String(message)}`
      ]])
    }
  })
