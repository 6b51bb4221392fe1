/**
 * Goal: whoever changes a sentence, or when it is said, sees it in a story before others read it in their mesh.
 *
 * Method: each file of `stories/` is played from an empty mesh, and what it says must be what comes of it, to the letter.
 * `UPDATE_GOLDEN=1` rewrites the files: read the difference aloud before you commit it. That no sentence is without a story
 * is seen to by `Reached.test.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { readStory, storyPaths, withSays } from "./Story.ts"
import { tell } from "./StoryRun.ts"

const updating = process.env["UPDATE_GOLDEN"] === "1"

// A story is played by its tests and not before: what a test runs is what mutation testing holds it against.
const stories = storyPaths().map(({ name, path }) => {
  const text = readFileSync(path, "utf8")
  let told: ReadonlyArray<string> | undefined
  const says = (): ReadonlyArray<string> => told ??= tell(readStory(text)).says
  if (updating) {
    writeFileSync(path, withSays(text, says()))
  }
  return { name, says, text: updating ? withSays(text, says()) : text }
})

describe.each(stories)("$name", ({ says, text }) => {
  const { steps, title } = readStory(text)

  it("has a title, and something to say", () => {
    expect(title).not.toBe("")
    expect(steps.length).toBeGreaterThan(0)
  })

  it.each(steps.map((step, index) => [`${index + 1}. ${step.heading}`, step.says, index] as const))(
    "%s",
    (_, written, index) => {
      expect(says()[index]).toBe(written)
    }
  )
})
