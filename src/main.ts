/**
 * The bin: runs the command line in this process.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { program } from "./cli/Program.ts"

// What an error says may quote what a stranger wrote; where it was thrown does not.
const traceOf = (error: unknown): string =>
  error instanceof Error
    ? [error.name, ...(error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))].join("\n")
    : typeof error

const fiber = Effect.runFork(program(process.argv.slice(2)))

fiber.addObserver((exit) => {
  if (Exit.isSuccess(exit)) {
    process.exitCode = exit.value
  } else if (!Cause.hasInterruptsOnly(exit.cause)) {
    process.exitCode = 1
    process.stderr.write(
      `mesh-provisioner: this is a fault of the program itself. Please report it with these lines:\n`
    )
    process.stderr.write(`${traceOf(Cause.squash(exit.cause))}\n`)
  }
})

// Where nobody reads what is printed any more (`| head`), there is nothing left to do, and nothing wrong.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") {
    process.exitCode = 1
    process.stderr.write(`mesh-provisioner: the output could not be written (${error.code ?? "unknown"}).\n`)
  }
  fiber.interruptUnsafe()
})
process.stderr.on("error", () => undefined)
