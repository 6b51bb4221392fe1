/**
 * The whole program: arguments in, an exit code out.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { meshProvisioner } from "./Commands.ts"
import type { Failure } from "./Failure.ts"
import { printError } from "./Print.ts"
import { present } from "./Usage.ts"
import { version } from "./Version.ts"

/** Runs the command that the arguments are, and gives the exit code. */
export const program = (args: ReadonlyArray<string>): Effect.Effect<number> =>
  Command.runWith(meshProvisioner, { version: version() })(args).pipe(
    Effect.as(0),
    Effect.catch((error) => exitCodeOf(error)),
    Effect.provideService(CliOutput.Presenter, { present }),
    Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
    Effect.provideService(Logger.CurrentLoggers, new Set([troubles])),
    Effect.provide(NodeServices.layer)
  )

const exitCodeOf = (error: Failure | CliError.CliError): Effect.Effect<number> =>
  CliError.isCliError(error)
    ? Effect.succeed(2)
    : Effect.as(error.sentence === undefined ? Effect.void : printError(error.sentence), error.exitCode)

// Standard output is for answers; `serve` has a logger of its own.
const troubles = Logger.make(({ logLevel, message }) => {
  if (LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn")) {
    Effect.runFork(printError(Array.isArray(message) ? message.join(" ") : String(message)))
  }
})
