/**
 * Goal: what the documents point at is there: files, headings and npm's scripts.
 *
 * Method: every Markdown file at the top, in `docs/` and in `deploy/`, read as text. What stands in a block of code is no link.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, test } from "vitest"
import manifest from "../../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..", "..")

const markdownIn = (folder: string, recursive: boolean): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))

const documents = [
  ...markdownIn(".", false),
  ...["docs", "deploy"].filter((folder) => existsSync(join(root, folder))).flatMap((folder) => markdownIn(folder, true))
]

const read = (path: string): string => readFileSync(join(root, path), "utf8")

const withoutCode = (text: string): string => text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "code")

const linksOf = (text: string): ReadonlyArray<string> =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]:\s*(\S+)/gm)].map(([, inline, below]) =>
    inline ?? below ?? ""
  )

/** A heading's anchor, as the usual forges make it. */
const anchorOf = (heading: string): string =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-")

const anchorsOf = (text: string): ReadonlyArray<string> =>
  [...text.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading))

/** What is wrong with a link in a document, if anything is. */
const faultOf = (document: string, link: string): string | undefined => {
  if (/^[a-z]+:/.test(link)) return undefined
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? document : join(dirname(document), path)
  if (relative(root, join(root, target)).startsWith("..")) return `${link} leads out of the project`
  if (!existsSync(join(root, target))) return `${link}: there is no ${target}`
  if (anchor === undefined || statSync(join(root, target)).isDirectory()) return undefined
  return anchorsOf(read(target)).includes(anchor) ? undefined : `${link}: ${target} has no such heading`
}

describe.each(documents)("%s", (document) => {
  test("every link leads to a file and a heading that are there", () => {
    expect(linksOf(read(document)).map((link) => faultOf(document, link)).filter((fault) => fault !== undefined))
      .toEqual([])
  })

  test("every npm script that it names is there", () => {
    const named = [...read(document).matchAll(/npm run ([a-z][a-z0-9:_-]*)/g)].map(([, name = ""]) => name)
    expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([])
  })
})

test("there is a README and a page each on architecture, protocol and testing", () => {
  expect(documents).toEqual(
    expect.arrayContaining(["README.md", "docs/architecture.md", "docs/protocol.md", "docs/testing.md"])
  )
})
