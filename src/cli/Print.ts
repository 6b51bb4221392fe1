/**
 * What is printed: lines for people, with colour on a terminal alone, and JSON for programs, in pieces, so that an answer
 * may be larger than a string can be.
 */
import { displayWidth } from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import { isJsonObject, type Json } from "../core/Json.ts"
import { visible, visibleJson } from "./Visible.ts"

/** How a part of a line looks on a terminal. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan"

/** A part of a line: its text is made visible when it is printed, whoever wrote it. */
export type Piece = string | { readonly text: string; readonly style: Style }

/** A line for a person. */
export type Line = ReadonlyArray<Piece>

/** A part of a line in a style. */
export const styled = (style: Style, text: string): Piece => ({ style, text })

const codes: { readonly [S in Style]: readonly [start: number, end: number] } = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39]
}

/** Whether a stream takes colour: a terminal, where nobody asked for none (`NO_COLOR`, `TERM=dumb`). */
export const hasColour = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb"

/** A line as text. */
export const render = (line: Line, colour: boolean): string =>
  line.map((piece) => {
    const text = visible(textOf(piece))
    if (typeof piece === "string" || !colour) {
      return text
    }
    const [start, end] = codes[piece.style]
    return `\u001b[${start}m${text}\u001b[${end}m`
  }).join("")

const textOf = (piece: Piece): string => typeof piece === "string" ? piece : piece.text

/** How many columns of a terminal a line takes. */
export const widthOf = (line: Line): number => displayWidth(visible(line.map(textOf).join("")))

/** As much of a line as fits into so many columns, that its terminal need not break it. */
export const fitted = (line: Line, columns = Number.POSITIVE_INFINITY): Line => {
  let left = columns
  return line.flatMap((piece) => {
    const text = visible(textOf(piece))
    const whole = displayWidth(text)
    const shown = whole <= left ? text : cutTo(text, left)
    left -= whole
    return shown === "" ? [] : [typeof piece === "string" ? shown : { ...piece, text: shown }]
  })
}

const cutTo = (text: string, columns: number): string => {
  let shown = ""
  for (const character of text) {
    if (displayWidth(shown + character) > columns) {
      break
    }
    shown += character
  }
  return shown
}

/** Prints lines to standard output. */
export const printLines = (lines: Iterable<Line>): Effect.Effect<void> => {
  const colour = hasColour(process.stdout)
  return printPieces(mapped(lines, (line) => `${render(line, colour)}\n`))
}

/** Prints a JSON value to standard output, a member a line. */
export const printJson = (value: Json): Effect.Effect<void> => printPieces(jsonPieces(value, "  "), "\n")

/** Prints a JSON value to standard output, all on one line. */
export const printJsonLine = (value: Json): Effect.Effect<void> => printPieces(jsonPieces(value, ""), "\n")

/** Prints text as it is to standard output. */
export const printText = (text: string): Effect.Effect<void> => write(process.stdout, text)

/** Prints text as it is to standard error. */
export const printErrorText = (text: string): Effect.Effect<void> => write(process.stderr, text)

/** Prints a sentence to standard error. */
export const printError = (sentence: string): Effect.Effect<void> => {
  const line: Line = [styled("red", "mesh-provisioner:"), " ", sentence]
  return write(process.stderr, `${render(line, hasColour(process.stderr))}\n`)
}

const mapped = function*<A, B>(all: Iterable<A>, map: (one: A) => B): Iterable<B> {
  for (const one of all) {
    yield map(one)
  }
}

/** The characters that are written at once: few calls to the system, and little to hold. */
const writtenCharactersMin = 65_536

/** Writes pieces of text to standard output, many at once. */
const printPieces = Effect.fnUntraced(function*(pieces: Iterable<string>, end = "") {
  let held = ""
  for (const piece of pieces) {
    held += piece
    if (held.length >= writtenCharactersMin) {
      yield* write(process.stdout, held)
      held = ""
    }
  }
  yield* write(process.stdout, held + end)
})

// Where nobody reads any more, the stream's `error` ends the program (main.ts), and this with it.
const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    stream.write(text, (error) => {
      if (error === undefined || error === null) {
        resume(Effect.void)
      }
    })
  })

/** Containers this deep are taken apart; what lies in them is text at once. */
const containersApartMax = 3

/** The text of a JSON value, in pieces. */
export const jsonPieces = function*(value: Json, indent: "" | "  ", outer = "", depth = 0): Iterable<string> {
  const members = typeof value !== "object" || value === null ? 0 : Object.keys(value).length
  if (members === 0 || depth === containersApartMax) {
    yield visibleJson(JSON.stringify(value, undefined, indent)).replaceAll("\n", `\n${outer}`)
    return
  }
  const inner = outer + indent
  const [open, close] = isJsonObject(value) ? "{}" : "[]"
  let before = indent === "" ? "" : `\n${inner}`
  yield `${open}`
  for (const [name, member] of membersOf(value)) {
    yield before + (name === undefined ? "" : visibleJson(JSON.stringify(name)) + (indent === "" ? ":" : ": "))
    yield* jsonPieces(member, indent, inner, depth + 1)
    before = indent === "" ? "," : `,\n${inner}`
  }
  yield indent === "" ? `${close}` : `\n${outer}${close}`
}

const membersOf = function*(value: Json): Iterable<readonly [name: string | undefined, member: Json]> {
  if (isJsonObject(value)) {
    yield* Object.entries(value)
  } else if (typeof value === "object" && value !== null) {
    yield* value.map((member) => [undefined, member] as const)
  }
}
