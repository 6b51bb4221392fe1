/**
 * `--completions`: a script that completes commands, flags, choices and the paths of files in a shell.
 */
import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { busFlagTable } from "./command/BusFlags.ts"
import { file } from "./command/Parts.ts"
import { printText } from "./Print.ts"

const shells = ["bash", "zsh", "fish", "powershell"] as const

/** The flag that prints the script. */
export const completions = GlobalFlag.Action({
  flag: Flag.Literals("completions", shells).pipe(
    Flag.withDescription("Print a script that completes commands in this shell"),
    Flag.optional
  ),
  run: (shell, { command }) =>
    Option.match(shell, {
      onNone: () => Effect.void,
      onSome: (shell) =>
        printText(`${Completions.generate(command.name, shell, withFiles(Completions.fromCommand(command)))}\n`)
    })
})

/** Arguments and flags that are read as text, and are the paths of files. */
const paths: ReadonlySet<string> = new Set(
  ["FILE", "from", "load", "out"].concat(
    Object.entries(busFlagTable).flatMap(([name, { metavar }]) => metavar === file ? [name] : [])
  )
)

const path = { _tag: "Path", pathType: "file" } as const

const helpFlag: Completions.FlagDescriptor = {
  name: "help",
  aliases: ["h"],
  description: "Show help information",
  type: { _tag: "Boolean" },
  negation: false
}

const withFiles = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  flags: [...command.flags.map((flag) => paths.has(flag.name) ? { ...flag, type: path } : flag), helpFlag],
  arguments: command.arguments.map((argument) => paths.has(argument.name) ? { ...argument, type: path } : argument),
  subcommands: command.subcommands.map(withFiles)
})
