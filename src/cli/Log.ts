/**
 * The log, as people read it or as programs do: a line for each thing that happens.
 *
 * What goes wrong inside is told by the kind of each error and where in the code it was, never by its words: those may hold
 * what somebody wrote.
 */
import * as Cause from "effect/Cause"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { type Piece, styled } from "./Print.ts"
import type { Screen } from "./Screen.ts"
import { visibleJson } from "./Visible.ts"

/** How the log is written. */
export const logFormats = ["pretty", "json"] as const

/** One of {@link logFormats}. */
export type LogFormat = (typeof logFormats)[number]

/** What is logged, as every logger is told it. */
export type Logged = Logger.Options<unknown>

/** The log on a screen: everything, or, to a person who sees the present live, troubles alone. */
export const loggerOf = (format: LogFormat, screen: Screen): Logger.Logger<unknown, void> =>
  Logger.make((logged) => {
    const { logLevel } = logged
    const least = format === "pretty" && screen.live ? "Warn" : "Info"
    if (LogLevel.isGreaterThanOrEqualTo(logLevel, least)) {
      screen.say([format === "json" ? [jsonLine(logged)] : prettyLine(logged)])
    }
  })

/** The words of what is logged: those of an error that is among them are left out. */
export const messageOf = ({ message }: Logged): string => {
  const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  const [first] = parts
  return parts.length === 1 && typeof first === "string" ?
    first :
    parts.map((part) => isPlain(part) ? String(part) : faultsOf(Cause.die(part)).map(({ name }) => name).join(" "))
      .join(" ")
}

const prettyLine = (logged: Logged): ReadonlyArray<Piece> => {
  const { cause, date, logLevel } = logged
  const level = logLevel.toUpperCase().padEnd(5)
  const [fault] = faultsOf(cause)
  return [
    `${date.toISOString()} `,
    LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn") ? styled("yellow", level) : level,
    ` ${messageOf(logged)}`,
    ...(fault === undefined ? [] : [` (${[fault.name, ...fault.at.slice(0, 1)].join(" ")})`])
  ]
}

/** A line of JSON: `time`, `level` and `message`, then the notes, and of an error inside its `faults`. */
export const jsonLine = (logged: Logged): string => {
  const { cause, date, fiber, logLevel } = logged
  const line: { [name: string]: unknown } = {
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    message: messageOf(logged)
  }
  for (const [name, note] of Object.entries(fiber.getRef(References.CurrentLogAnnotations))) {
    if (!ownNames.has(name)) {
      line[name] = isPlain(note) ? note : typeof note
    }
  }
  const faults = faultsOf(cause)
  return visibleJson(JSON.stringify(faults.length === 0 ? line : { ...line, faults }))
}

const ownNames: ReadonlySet<string> = new Set(["time", "level", "message", "faults"])

const isPlain = (note: unknown): boolean =>
  typeof note === "string" || typeof note === "number" || typeof note === "boolean"

/** What went wrong inside: the kind of the error, and where in the code, the innermost first. */
export interface Fault {
  readonly name: string
  readonly at: ReadonlyArray<string>
}

/** The faults of a cause, without their words. */
export const faultsOf = (cause: Cause.Cause<unknown>): ReadonlyArray<Fault> =>
  cause.reasons.length === 0 ?
    [] :
    Cause.prettyErrors(cause).slice(0, faultsMax).map(({ message, name, stack = "" }) => ({
      name: /^[\w/.-]{1,100}$/.test(name) ? name : "Error",
      at: stack.replace(message, () => "").split("\n").flatMap((line) => /^ {4}(at .{1,300})$/.exec(line)?.[1] ?? [])
        .slice(0, framesMax)
    }))

const faultsMax = 5
const framesMax = 20
