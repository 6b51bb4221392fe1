/**
 * Golden stories: Markdown files in which each block of commands (```story) is followed by the block of what they change or
 * answer (```says), in words. Whatever stands around them is for the reader.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "stories")

/** The files of all stories, in order of their names. */
export const storyPaths = (): ReadonlyArray<{ readonly name: string; readonly path: string }> =>
  readdirSync(folder).filter((name) => name !== "README.md").sort().map((name) => ({ name, path: join(folder, name) }))

/** A story: its title, and its steps in order. */
export interface Story {
  readonly title: string
  readonly steps: ReadonlyArray<StoryStep>
}

/** One step: the heading it stands under, its commands, and what the file says that they come to. */
export interface StoryStep {
  readonly heading: string
  readonly commands: ReadonlyArray<string>
  readonly says: string
}

/** A block of commands, and the block of what they come to behind it, if it is there yet. */
const step = /^```story\n([^]*?)^```\n(?:\n```says\n([^]*?)^```\n)?/gm

/** Reads the text of a story. */
export const readStory = (text: string): Story => {
  const [, title = ""] = /^# (.*)$/m.exec(text) ?? []
  return {
    title,
    steps: [...text.matchAll(step)].map((found) => ({
      heading: [...text.slice(0, found.index).matchAll(/^##? (.*)$/gm)].at(-1)?.[1] ?? "",
      commands: (found[1] ?? "").split("\n").filter((line) => line !== ""),
      says: found[2] ?? ""
    }))
  }
}

/** The text of a story in which its steps say what is given, in order. */
export const withSays = (text: string, says: ReadonlyArray<string>): string => {
  let index = 0
  return text.replaceAll(
    step,
    (_, commands: string) => `\`\`\`story\n${commands}\`\`\`\n\n\`\`\`says\n${says[index++] ?? ""}\`\`\`\n`
  )
}

/**
 * A command with what it abbreviates written out: `«a*300»` is `a` three hundred times.
 *
 * `3 times: put … n«n»` is three commands, in which `«n»` is 1, 2 and 3.
 */
export const writtenOut = (command: string): ReadonlyArray<string> => {
  const [, times, repeated] = /^(\d+) times: (.*)$/.exec(command) ?? []
  const commands = repeated === undefined
    ? [command]
    : Array.from({ length: Number(times) }, (_, index) => repeated.replaceAll("«n»", String(index + 1)))
  return commands.map((one) =>
    one.replaceAll(/«(.)\*(\d+)»/gu, (_, character: string, count) => character.repeat(count))
  )
}

/** A text in which one character many times over is abbreviated as a command abbreviates it. */
export const abbreviated = (text: string): string =>
  text.replaceAll(/(\S)\1{39,}/gu, (run, character: string) => `«${character}*${[...run].length}»`)
