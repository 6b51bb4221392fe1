/**
 * How rows are printed: a line for the figure, one for its limit, and one for each note.
 */
import type { Figure, Row, Target } from "./Row.ts"

const nameWidth = 26
const whatWidth = 60

/** A number for a person: three digits that count, and thousands set apart. */
export const numberText = (value: number): string => {
  if (!Number.isFinite(value)) {
    return "none"
  }
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 0.01))))
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

const withUnit = (value: number, unit: string): string => `${numberText(value)}${unit === "" ? "" : ` ${unit}`}`

const figureText = ({ largest, least, median, runs, unit }: Figure): string =>
  withUnit(median, unit) + (runs === 1 ? " (once)" : ` (${numberText(least)} to ${numberText(largest)}, ${runs} runs)`)

const targetText = (target: Target, { unit }: Figure): string => {
  const [sign, value] = "atMost" in target ? ["≤", target.atMost] : ["≥", target.atLeast]
  return `${sign} ${target.of === "excess" ? "limit + " : ""}${
    withTargetUnit(value, target.of === "ratio" ? "×" : unit)
  }`
}

const withTargetUnit = (value: number, unit: string): string =>
  `${value.toLocaleString("en")}${unit === "" ? "" : ` ${unit}`}`

/** Colours for a terminal, or none. */
export interface Colours {
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly faint: (text: string) => string
}

const same = (text: string): string => text
const ansi = (code: number) => (text: string): string => `\u001B[${code}m${text}\u001B[0m`

/** The colours of a terminal. */
export const coloured: Colours = { good: ansi(32), bad: ansi(31), faint: ansi(2) }
/** What is written to a file has none. */
export const plain: Colours = { good: same, bad: same, faint: same }

/** A row's lines. */
export const linesOf = (row: Row, { bad, faint, good }: Colours): ReadonlyArray<string> => {
  const { excess, figure, holds, limit, name, needs, notes, ratio, targets, what } = row
  const size = needs === undefined ? "" : `, ${needs.toLocaleString("en")} needs`
  const reached = holds === undefined
    ? ""
    : `  ${targets.map((target) => targetText(target, figure)).join(", ")}: ${holds ? good("holds") : bad("missed")}`
  const beside = (text: string): string => `${" ".repeat(nameWidth)} ${faint(text)}`
  return [
    `${name.padEnd(nameWidth)} ${`${what}${size}`.padEnd(whatWidth)} ${figureText(figure)}${reached}`,
    ...(limit === undefined ? [] : [
      beside(
        `${`limit: ${limit.what}`.padEnd(whatWidth)} ${figureText(limit.figure)}` +
          (ratio === undefined ? "" : `  ratio ${figureText(ratio)}`) +
          (excess === undefined ? "" : `  over it by ${figureText(excess)}`)
      )
    ]),
    ...notes.map(beside)
  ]
}
