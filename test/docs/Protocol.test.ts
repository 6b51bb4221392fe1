/**
 * Goal: the protocol's page shows what its rules come to, and its rules are the normative ones.
 *
 * Method: the facts of each worked example are decided, and what the page shows of the decisions is compared; `vitest -u` writes down
 * what comes of them now, for a person to read and judge. Where `../shared` lies beside the clone, the rules are compared with it.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { withRealResults } from "./Example.ts"

const root = join(import.meta.dirname, "..", "..")
const page = join(root, "docs", "protocol.md")
const original = join(root, "..", "shared", "design", "protocol.md")

const text = readFileSync(page, "utf8")

/** The sections of a page, by their number. */
const sections = new Map(
  text.split(/^(?=## \d)/m).slice(1).map((section) => [/^## (\d+)/.exec(section)?.[1] ?? "", section])
)

/** The page's rules alone, as words: without its examples, and the note that says so. */
const rulesOf = (markdown: string): ReadonlyArray<string> =>
  markdown.replace(/^<!--.*-->$/m, "").replaceAll(/^> .*$/gm, "")
    .replaceAll(/^#### Example[^]*?(?=^#{2,3} |$(?![^]))/gm, "")
    .split(/\s+/).filter((word) => word !== "")

describe("the worked examples", () => {
  test("each section from §1 to §9 has one, of facts and what comes of them", () => {
    expect([...sections.keys()]).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"])
    for (const [number, section] of sections) {
      expect(section, `§${number}`).toMatch(
        /^#### Example: .*$[^]*^```json facts$[^]*^```json (?:decisions|writes|reply)$/m
      )
    }
  })

  test("each shows what comes of its facts", async () => {
    await expect(withRealResults(text)).toMatchFileSnapshot(page)
  })
})

if (existsSync(original)) {
  test("the rules are those of ../shared/design/protocol.md, word for word", () => {
    const words = readFileSync(original, "utf8")
      .replace("It grew from the two documents in `../seeds/`", "It grew from two documents of a mesh that ran before")
    expect(rulesOf(text)).toEqual(rulesOf(words))
  })
} else {
  test("there is no ../shared beside this clone, so its rules are compared with nothing", () => {
    expect(existsSync(original)).toBe(false)
  })
}
