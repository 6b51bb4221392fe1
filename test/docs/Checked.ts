/**
 * The convention of every code snippet in the docs, and how it is checked.
 *
 * What an expression gives stands in a comment behind it, or on the line below:
 *
 *     readToken("a=2Eb") // "a.b"
 *
 * Where the comment reads as a value (JSON, whose names may be bare, or `undefined`; an arrow before it is passed over), it
 * must be what the expression gives, written as JSON. Of `const name = …` it is the value of `name`, of `console.log(…)`
 * what is printed. Any other comment is prose, and not checked.
 */

/** A snippet's code in which each value that a comment states is checked by a call of `check`. */
export const withChecks = (code: string, where: string): string => {
  const checked = statementsOf(code.split("\n")).map((statement) => checkedStatement(statement, where))
  return [`import { check } from "./check.ts"`, ...checked].join("\n")
}

interface Statement {
  readonly lines: ReadonlyArray<string>
  /** The line of its first line, from 0. */
  readonly line: number
}

/** Statements begin at the margin; so do comments between them, and what closes one. */
const statementsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Statement> => {
  const statements: Array<{ lines: Array<string>; line: number }> = []
  for (const [line, text] of lines.entries()) {
    const last = statements.at(-1)
    if (last !== undefined && (/^(?:[\s)\]}.]|$)/.test(text) || isStated(text) && isOpen(last.lines))) {
      last.lines.push(text)
    } else {
      statements.push({ lines: [text], line })
    }
  }
  return statements.map(({ line, lines }) => ({ line, lines: withoutBlankEnd(lines) }))
}

const isStated = (line: string): boolean => line.startsWith("// ") && stated(line) !== undefined

/** Whether a value may be stated below: of a statement that is not only a comment, and states none yet. */
const isOpen = (lines: ReadonlyArray<string>): boolean =>
  lines[0]?.startsWith("//") === false && stated(lines.at(-1) ?? "") === undefined && lines.at(-1) !== ""

const withoutBlankEnd = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1)

const checkedStatement = ({ line, lines }: Statement, where: string): string => {
  const text = lines.join("\n")
  const value = stated(lines.at(-1) ?? "")
  if (value === undefined || text.startsWith("//")) {
    return text
  }
  const bare = text.replace(/\s*\/\/ [^\n]*$/, "")
  const at = JSON.stringify(`${where}, line ${line + lines.length} of it`)
  const [, name] = /^const (\w+)\b/.exec(bare) ?? []
  if (name !== undefined) {
    return `${bare}\ncheck(${at}, ${name}, ${value})`
  }
  if (/^(?:import|export|function|class|interface|type|let|const|if|for|while|return|try|switch)\b/.test(bare)) {
    return `${bare}\nthrow new Error(${JSON.stringify(`a value is stated of what is no expression: ${value}`)})`
  }
  const [, printed] = /^console\.log\(([^]*)\)$/.exec(bare) ?? []
  return `check(${at}, ${printed ?? bare}, ${value})`
}

/** The value that a line's comment states, as JavaScript, if it states one. */
const stated = (line: string): string | undefined => {
  const [, comment] = /(?:^|\s)\/\/ (?:(?:->|→) )?(\S(?:.*\S)?)\s*$/.exec(line) ?? []
  return comment === undefined ? undefined : valueOf(comment)
}

const valueOf = (text: string): string | undefined => {
  if (text === "undefined") {
    return text
  }
  for (const json of [text, text.replaceAll(/([{,]\s*)([A-Za-z_$][\w$]*)\s*:/g, "$1\"$2\":")]) {
    try {
      return `JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(json)))})`
    } catch {
      // Then it is prose, unless its names are bare.
    }
  }
  return undefined
}
