/**
 * Code that stands in documents and doc comments, found in their text.
 */

/** A piece of code in a document: where it stands, in what language it says it is, and its text. */
export interface Snippet {
  /** `path:line`, the line of its first line of code. */
  readonly where: string
  readonly language: string
  readonly code: string
}

/** The fenced blocks of a Markdown text, in order. */
export const fencesIn = (path: string, text: string, firstLine = 1): ReadonlyArray<Snippet> => {
  const found: Array<Snippet> = []
  const lines = text.split("\n")
  for (let index = 0; index < lines.length; index++) {
    const [, indent, fence, language] = /^( *)(`{3,})([\w-]*).*$/.exec(lines[index] ?? "") ?? []
    if (indent === undefined || fence === undefined || language === undefined) {
      continue
    }
    const start = index + 1
    for (index = start; index < lines.length && lines[index]?.trim() !== fence; index++);
    const code = lines.slice(start, index).map((line) => line.startsWith(indent) ? line.slice(indent.length) : line)
    found.push({ where: `${path}:${firstLine + start}`, language, code: code.join("\n") })
  }
  return found
}

/** A public declaration: its name, whether it is a value, or only a type or a namespace, and what its doc comment says. */
export interface Declaration {
  readonly name: string
  readonly value: boolean
  /** `path:line` of the declaration. */
  readonly where: string
  /** The doc comment without its frame; empty where there is none. */
  readonly doc: string
  /** The line that `doc` begins at. */
  readonly docLine: number
}

/** Every declaration that a source exports, with its doc comment. */
export const declarationsIn = (path: string, source: string): ReadonlyArray<Declaration> => {
  const lines = source.split("\n")
  return lines.flatMap((line, index): ReadonlyArray<Declaration> => {
    const [, kind, name] = /^export (?:abstract )?(const|function\*?|class|interface|type|\* as) ([\w$]+)/.exec(line) ??
      []
    if (kind === undefined || name === undefined) {
      return []
    }
    const start = docStart(lines, index)
    const doc = lines.slice(start, index).map((text) =>
      text.replace(/^\/\*\* ?/, "").replace(/^ ?\*\/$| ?\*\/$/, "").replace(/^ \* ?/, "")
    )
    return [{
      name,
      value: !["interface", "type", "* as"].includes(kind),
      where: `${path}:${index + 1}`,
      doc: doc.join("\n"),
      docLine: start + 1
    }]
  })
}

/** The line at which the doc comment right above a line begins; the line itself where there is none. */
const docStart = (lines: ReadonlyArray<string>, index: number): number => {
  if (lines[index - 1]?.endsWith("*/") !== true) {
    return index
  }
  for (let start = index - 1; start >= 0; start--) {
    if (lines[start]?.startsWith("/**") === true) {
      return start
    }
    if (lines[start]?.startsWith(" *") !== true) {
      break
    }
  }
  return index
}

/** The sentence that a doc comment opens with: what stands before its first tag, as one line. */
export const sentenceOf = ({ doc }: Declaration): string => doc.split(/^@/m)[0]?.replaceAll(/\s+/g, " ").trim() ?? ""

/** The code of a doc comment's `@example`s. */
export const examplesOf = ({ doc, docLine, where }: Declaration): ReadonlyArray<Snippet> =>
  [...doc.matchAll(/^@example\b[^]*?(?=^@|$(?![^]))/gm)].flatMap((match) =>
    fencesIn(where.replace(/:\d+$/, ""), match[0], docLine + doc.slice(0, match.index).split("\n").length - 1)
  )
