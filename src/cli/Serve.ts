/**
 * `serve`: the provisioner on a bus, within this process or NATS, until it is told to stop.
 */
// A daemon reads facts without end, so the schemas are compiled to code; where that is forbidden, they are not.
import "effect/schema/SchemaJITCompiler/enable"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { hash } from "node:crypto"
import { hostname } from "node:os"
import type { ProvisionerOptions } from "../provisioner/Settings.ts"
import { type BusConfig, busFlagTable } from "./command/BusFlags.ts"
import { serveFlagTable, type ServeSettings } from "./command/Serve.ts"
import type { Environment } from "./Connect.ts"
import { readMillis } from "./Duration.ts"
import { type Failure, usage } from "./Failure.ts"
import { loggerOf } from "./Log.ts"
import { Screen } from "./Screen.ts"
import { untilStopped } from "./Stopped.ts"
import { version } from "./Version.ts"

/** What `serve` is asked, as it is written. */
export interface ServeFlags {
  readonly connection: BusConfig
  readonly load: string | undefined
  readonly follow: boolean
  readonly settings: ServeSettings
}

/** What `serve` is asked. */
export interface ServeConfig extends ServeFlags {
  readonly provisioner: ProvisionerOptions
}

/** Runs `serve`, until it is told to stop. */
export const run = Effect.fnUntraced(function*(
  flags: ServeFlags
): Effect.fn.Return<void, Failure, FileSystem.FileSystem> {
  const config = yield* configOf(flags, process.env)
  const isInMemory = yield* isOfMemory(config, process.env)
  const screen = new Screen(config.settings.log === "json")
  const logging = yield* loggingOf(config.settings, screen)
  const serve = isInMemory
    ? Effect.flatMap(Effect.promise(() => import("./ServeMemory.ts")), ({ serveMemory }) => serveMemory(screen, config))
    : Effect.flatMap(Effect.promise(() => import("./ServeNats.ts")), ({ serveNats }) => serveNats(screen, config))
  yield* stoppable(Effect.scoped(serve)).pipe(
    Effect.ensuring(screen.leave),
    Effect.provide(logging)
  )
})

/** The settings, each as its flag says, else as the environment does. */
const configOf = Effect.fnUntraced(function*(
  flags: ServeFlags,
  environment: Environment
): Effect.fn.Return<ServeConfig, Failure> {
  const given = (name: keyof ServeSettings) =>
    flags.settings[name] ?? (environment[serveFlagTable[name].variable] || undefined)
  const settings: ServeSettings = {
    name: given("name"),
    listen: given("listen"),
    log: given("log"),
    otlp: given("otlp"),
    "compare-every": given("compare-every")
  }
  const every = settings["compare-every"]
  return {
    ...flags,
    settings,
    provisioner: {
      engine: { sha256: (text) => hash("sha256", text) },
      ...(every === undefined ? {} : { compareEvery: yield* readMillis("--compare-every", every) })
    }
  }
})

/** Where log lines go, and traces where they are wanted. */
const loggingOf = Effect.fnUntraced(function*(
  { log = "pretty", name = hostname(), otlp }: ServeSettings,
  screen: Screen
): Effect.fn.Return<Layer.Layer<never>, Failure> {
  if (log !== "json" && log !== "pretty") {
    return yield* usage(`--log cannot be ${log}. Allowed: json, pretty.`)
  }
  const logger = loggerOf(log, screen)
  if (otlp === undefined) {
    return Logger.layer([logger])
  }
  const { readOtlp, telemetry } = yield* Effect.promise(() => import("./Telemetry.ts"))
  return telemetry({ otlp: yield* readOtlp(otlp), name, version: version(), logger })
})

/**
 * Whether it is to be the bus within this process: where that is said, and where no other is. A file that is loaded goes there;
 * no real bus is filled from one.
 */
const isOfMemory = (
  { connection, follow, load }: ServeFlags,
  environment: Environment
): Effect.Effect<boolean, Failure> => {
  const isOfFile = load !== undefined || follow
  const isNatsByFlag = connection.bus !== "memory" && Object.values(connection).some((flag) => flag !== undefined)
  if (isNatsByFlag && isOfFile) {
    return Effect.fail(usage(
      "--load and --follow fill the bus within this process, and never a real one. Leave them out, or give --bus memory."
    ))
  }
  const isNatsByEnvironment = [busFlagTable.bus, busFlagTable.context].some(({ variable }) => environment[variable])
  return Effect.succeed(
    connection.bus === "memory" || (!isNatsByFlag && (isOfFile || !isNatsByEnvironment))
  )
}

/** Runs it until it is told to stop. What then does not come to its end in time is left as it is. */
const stoppable = <A, R>(serve: Effect.Effect<A, Failure, R>): Effect.Effect<void, Failure, R> =>
  Effect.gen(function*() {
    const serving = yield* Effect.forkChild(serve)
    const isStopped = yield* Effect.raceFirst(Effect.as(Fiber.join(serving), false), Effect.as(untilStopped, true))
    if (!isStopped) {
      return
    }
    const ended = yield* Effect.timeoutOption(Fiber.interrupt(serving), stopMillisMax)
    if (Option.isNone(ended)) {
      yield* Effect.logWarning(
        "The bus did not answer: of writes that were on their way, nobody knows until it is read again."
      )
      process.exit(0)
    }
  })

// With a second for a collector that does not answer, it ends within five.
const stopMillisMax = 3_900
