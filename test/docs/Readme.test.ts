/**
 * Goal: what the README shows is what a stranger gets: each command prints what stands there, each snippet runs and gives
 * what it says, and every command is in its table.
 *
 * Method: the sessions are run with the bin as it was built, in a copy of their folder; `vitest -u` writes down what they print now,
 * for a person to read and judge. The snippets of the README and of `docs/` are run by the convention of `Checked.ts`.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { commandsIn, commandsOfHelp, printed, withRealOutput } from "./Console.ts"
import { fencesIn } from "./Snippet.ts"
import { type Outcome, runSnippets } from "./SnippetRun.ts"

const root = join(import.meta.dirname, "..", "..")

const read = (path: string): string => readFileSync(join(root, path), "utf8")

const readme = read("README.md")

/** The rows of the README's table of commands: how each is called, and its words. */
const rows = [...readme.matchAll(/^\| `([a-z]+)( [^`]*)` +\| (.*?) +\|$/gm)].map((
  [, name = "", usage = "", words = ""]
) => ({
  name,
  usage,
  words
}))

describe("the story", () => {
  test("is told by commands", () => {
    const verbs = commandsIn(readme).map((command) => /^mesh-provisioner (\w+)/.exec(command)?.[1])
    expect(verbs).toEqual(expect.arrayContaining(["decide", "diff", "explain", "retire", "show"]))
  })

  test("the alias that it begins with runs the command line", () => {
    const [alias = ""] = /^alias .*$/m.exec(readme) ?? []
    const version = execFileSync("sh", ["-c", `${alias}\nmesh-provisioner --version`], { cwd: root, encoding: "utf8" })
    expect(version).toBe(`mesh-provisioner ${manifest.version}\n`)
  })

  test("each command prints what the README says", async () => {
    await expect(withRealOutput(readme, "examples/shop")).toMatchFileSnapshot(join(root, "README.md"))
  })

  test.each([
    "1 asked",
    "asked -> provided",
    "provided -> failed",
    "failed -> provided",
    "wanted -> unneeded",
    "goes, was retire"
  ])(
    "comes to %s",
    (step) => expect(readme).toContain(step)
  )
})

test("what the README quotes of a file stands in one", () => {
  const files = readdirSync(join(root, "examples", "shop")).filter((name) => name.endsWith(".json"))
    .map((name) => withoutSpace(read(`examples/shop/${name}`)))
  const quoted = fencesIn("README.md", readme).filter(({ language }) => language === "json")
  expect(quoted).not.toEqual([])
  expect(quoted.filter(({ code }) => !files.some((file) => file.includes(withoutSpace(code))))).toEqual([])
})

const withoutSpace = (text: string): string => text.replaceAll(/\s/g, "")

describe("the table of commands", () => {
  test("is the list of --help, in its words", () => {
    expect(new Map(rows.map(({ name, words }) => [name, words]))).toEqual(commandsOfHelp(printed("--help")))
  })

  test.each(rows)("$name takes what its row shows", ({ name, usage }) => {
    const help = printed(name, "--help")
    const shown = usage.match(/--[a-z]+/g) ?? []
    expect(shown.filter((flag) => !help.includes(`${flag} `))).toEqual([])
  })
})

describe("the snippets of the README and docs", () => {
  const documents = [
    "README.md",
    ...(existsSync(join(root, "docs"))
      ? readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`)
      : [])
  ].filter((path) => path.endsWith(".md"))
  const snippets = documents.flatMap((path) => fencesIn(path, read(path))).filter(({ language }) => language === "ts")

  let outcomes: ReadonlyMap<string, Outcome> = new Map()
  beforeAll(() => {
    outcomes = runSnippets(snippets, { "mesh.json": "examples/shop/1-asked.json" })
  })

  test.each(snippets)("$where compiles, runs, and gives what it says", ({ where }) => {
    expect(outcomes.get(where)?.faults).toEqual([])
  })

  test("there are some, and the README's state values", () => {
    expect([...outcomes].filter(([where, { checks }]) => where.startsWith("README.md:") && checks > 0)).not.toEqual([])
  })
})
