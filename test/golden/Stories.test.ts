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

const stories = storyPaths().map(({ name, path }) => {
  const text = readFileSync(path, "utf8")
  if (!updating) {
    return { name, text }
  }
  const updated = withSays(text, tell(readStory(text)).says)
  writeFileSync(path, updated)
  return { name, text: updated }
})

describe.each(stories)("$name", ({ text }) => {
  const story = readStory(text)

  it("has a title, and something to say", () => {
    expect(story.title).not.toBe("")
    expect(story.steps.length).toBeGreaterThan(0)
  })

  // It is played by the test that compares it: so it is known of mutants which of them that test reaches.
  it("says what stands in it", () => {
    const { says } = tell(story)
    for (const [index, { heading, says: written }] of story.steps.entries()) {
      expect.soft(says[index], `${index + 1}. ${heading}`).toBe(written)
    }
  })
})
