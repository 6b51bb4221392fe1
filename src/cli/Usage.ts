/**
 * Help, the version, and what is said of a command that is written wrong: a sentence for each mistake, naming what is
 * allowed.
 */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hasColour, printError, printErrorText, printText } from "./Print.ts"

/** Prints help where it was asked for to standard output, else, as a mistake, to standard error. */
export const present: CliOutput.Presenter["present"] = (event) => {
  switch (event._tag) {
    case "Version":
      return printText(`${event.name} ${event.version}\n`)
    case "Help":
      return event.reason === "Requested"
        ? printText(help(event.helpDoc, process.stdout))
        : printErrorText(help(event.helpDoc, process.stderr))
    case "InvalidInvocation": {
      const command = event.commandPath.join(" ")
      const more = `Usage: ${event.helpDoc.usage}. More: ${command} --help`
      return Effect.andThen(
        Effect.forEach(event.errors, (error) => printError(sentenceOf(error, command, event.helpDoc)), {
          discard: true
        }),
        printErrorText(`${more}\n`)
      )
    }
  }
}

const help = (doc: HelpDoc.HelpDoc, stream: NodeJS.WriteStream): string => {
  const formatter = CliOutput.defaultFormatter({ colors: hasColour(stream) })
  return `${formatter.formatHelpDoc({ ...doc, description: wrap(doc.description).join("\n  ") })}\n`
}

/** Words in lines that a terminal holds. */
const wrap = (words: string): ReadonlyArray<string> =>
  words.split(" ").reduce<ReadonlyArray<string>>((lines, word) => {
    const last = lines.at(-1)
    return last === undefined || last.length + word.length >= lineCharactersMax
      ? [...lines, word]
      : [...lines.slice(0, -1), `${last} ${word}`]
  }, [])

const lineCharactersMax = 90

const sentenceOf = (error: CliError.NonShowHelpErrors, command: string, doc: HelpDoc.HelpDoc): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `${error.option} is no flag of ${command}${didYouMean(error.suggestions)}. ${flagsOf(doc)}`
    case "DuplicateOption":
      return error.message
    case "MissingOption":
      return `--${error.option} is missing. Give it: ${flagText(doc, error.option)}.`
    case "MissingArgument":
      return `${error.argument} is missing. Give it: ${argumentText(doc, error.argument)}.`
    case "UnexpectedArgument":
      return `${error.arguments.join(" ")} is more than ${command} takes. Leave it out.`
    case "InvalidValue":
      return error.value === "" && error.kind === "flag"
        ? `--${error.option} has no value. Give it: ${flagText(doc, error.option)}.`
        : `${error.kind === "flag" ? "--" : ""}${error.option} cannot be ${error.value}. Allowed: ${
          allowed(error.expected)
        }.`
    case "UnknownSubcommand":
      return `${error.subcommand} is no command${didYouMean(error.suggestions)}. The commands are ${commandsOf(doc)}.`
    default:
      return error.message
  }
}

const didYouMean = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : ` (did you mean ${suggestions.join(" or ")}?)`

const allowed = (expected: string): string =>
  expected.replace(/^Expected:? /, "").replaceAll("\"", "").replaceAll(" | ", ", ")

const flagsOf = ({ flags, globalFlags = [] }: HelpDoc.HelpDoc): string => {
  const own = flags.length === 0 ? "" : `Its flags are ${flags.map(({ name }) => `--${name}`).join(", ")}; `
  return `${own}${own === "" ? "E" : "e"}very command takes ${globalFlags.map(({ name }) => `--${name}`).join(", ")}.`
}

const flagText = ({ flags, globalFlags = [] }: HelpDoc.HelpDoc, name: string): string => {
  const flag = [...flags, ...globalFlags].find((flag) => flag.name === name)
  return `--${name}${flag === undefined ? "" : ` ${flag.type}`}${described(flag?.description)}`
}

const argumentText = ({ args = [] }: HelpDoc.HelpDoc, name: string): string =>
  `<${name}>${described(args.find((argument) => argument.name === name)?.description)}`

const described = (description: Option.Option<string> | undefined): string =>
  description !== undefined && Option.isSome(description) ? `, ${lowerFirst(description.value)}` : ""

const lowerFirst = (words: string): string => `${words.slice(0, 1).toLowerCase()}${words.slice(1)}`

const commandsOf = ({ subcommands = [] }: HelpDoc.HelpDoc): string =>
  subcommands.flatMap(({ commands }) => commands.map(({ name }) => name)).join(", ")
