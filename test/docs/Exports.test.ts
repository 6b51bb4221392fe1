/**
 * Goal: whoever embeds the core or the memory bus finds each export explained by a sentence, and each value by an example
 * that runs and gives what it says.
 *
 * Method: the sources are read as text, from the package's doors to where each name is declared; the examples are
 * type-checked and run where the package is installed as it was built (`SnippetRun.ts`), by the convention of `Checked.ts`.
 */
import * as all from "mesh-provisioner"
import * as memory from "mesh-provisioner/adapters/memory"
import * as nats from "mesh-provisioner/adapters/nats"
import * as core from "mesh-provisioner/core"
import * as simulator from "mesh-provisioner/simulator"
import * as testing from "mesh-provisioner/testing"
import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { type Declaration, declarationsIn, examplesOf, fencesIn, sentenceOf } from "./Snippet.ts"
import { type Outcome, runSnippets } from "./SnippetRun.ts"

const root = join(import.meta.dirname, "..", "..")

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Every name that a door of the package exports, with its declaration. */
const exportsOf = (path: string): ReadonlyArray<Declaration> => {
  const source = read(path)
  const own = declarationsIn(path, source)
  const others = [...source.matchAll(/^export (type )?(\*|\{[^}]*\}) from "([^"]+)"$/gm)].flatMap(
    ([, types, names, from]) => {
      const target = relative(root, join(root, dirname(path), from ?? ""))
      const declared = exportsOf(target)
      return names === "*" ?
        declared :
        namesIn(names ?? "").map(({ name, value }) =>
          declared.find((one) => one.name === name && (one.value || types !== undefined || !value)) ??
            { name, value, where: `${path}: ${name}`, doc: "", docLine: 0 }
        )
    }
  )
  return [...own, ...others]
}

const namesIn = (braces: string): ReadonlyArray<{ readonly name: string; readonly value: boolean }> =>
  braces.slice(1, -1).split(",").map((text) => text.trim()).filter((text) => text !== "").map((text) => {
    const [, type, name = ""] = /^(type )?(\w+)/.exec(text) ?? []
    return { name, value: type === undefined }
  })

const doors = [
  { door: "mesh-provisioner/core", path: "src/core/index.ts", values: Object.keys(core) },
  { door: "mesh-provisioner/adapters/memory", path: "src/adapters/memory/index.ts", values: Object.keys(memory) },
  { door: "mesh-provisioner/adapters/nats", path: "src/adapters/nats/index.ts", values: Object.keys(nats) },
  { door: "mesh-provisioner/simulator", path: "src/simulator/index.ts", values: Object.keys(simulator) },
  { door: "mesh-provisioner/testing", path: "src/testing/index.ts", values: Object.keys(testing) },
  { door: "mesh-provisioner", path: "src/index.ts", values: [] },
  {
    door: "mesh-provisioner: Provisioner",
    path: "src/provisioner/Provisioner.ts",
    values: Object.keys(all.Provisioner)
  }
].map(({ door, path, values }) => ({
  door,
  path,
  values,
  declarations: exportsOf(path),
  opening: fencesIn(path, read(path).split("*/")[0]?.replaceAll(/^ \* ?/gm, "") ?? "")
}))

const snippets = [
  ...new Map(
    doors.flatMap(({ declarations, opening }) => [...opening, ...declarations.flatMap(examplesOf)])
      .map((snippet) => [snippet.where, snippet])
  ).values()
]

let outcomes: ReadonlyMap<string, Outcome> = new Map()

beforeAll(() => {
  outcomes = runSnippets(snippets, { "mesh.json": "examples/shop/1-asked.json" })
})

describe.each(doors)("$door", ({ declarations, values }) => {
  test("every value that it exports at run time is found in the sources", () => {
    expect(declarations.filter(({ value }) => value).map(({ name }) => name).sort()).toEqual([...values].sort())
  })

  test.each(declarations)("$name is documented by a sentence", (declaration) => {
    expect(sentenceOf(declaration), declaration.where).toMatch(/^[A-Z`].*[.:)]$/)
  })

  test.each(declarations.filter(({ value }) => value))("$name has an example", (declaration) => {
    expect(examplesOf(declaration), declaration.where).not.toEqual([])
  })
})

test.each(doors.filter(({ path }) => path.endsWith("/index.ts")))("$door opens with an example", ({ opening }) => {
  expect(opening).not.toEqual([])
})

describe("examples", () => {
  test.each(snippets)("$where compiles, runs, and gives what it says", ({ where }) => {
    expect(outcomes.get(where)?.faults).toEqual([])
  })

  test("values are stated and looked at", () => {
    expect([...outcomes.values()].filter(({ checks }) => checks > 0).length).toBeGreaterThan(10)
  })
})
