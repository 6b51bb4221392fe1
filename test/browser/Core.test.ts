/**
 * Goal: the core runs in a browser as it does in Node (architecture: "runs in a browser too").
 *
 * Method: it is bundled for one, and the bundle is run where there is nothing but the language and what every browser has of
 * text encoding: no `process`, no `Buffer`, no `require`, no timers, and no code out of text, as pages forbid it. There it
 * decides a mesh, and says the same as here.
 */
import { build } from "esbuild"
import { readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { join } from "node:path"
import { createContext, runInContext } from "node:vm"
import { beforeAll, describe, expect, test } from "vitest"
import * as core from "../../src/core/index.ts"

const root = join(import.meta.dirname, "..", "..")

let bundle = ""
let inputs: ReadonlyArray<string> = []

beforeAll(async () => {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ["src/core/index.ts"],
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "core",
    metafile: true,
    write: false,
    logLevel: "silent"
  })
  bundle = result.outputFiles[0]?.text ?? ""
  inputs = Object.keys(result.metafile.inputs)
})

/** A place that has what browsers have of the language, and what they have to read and write text as bytes. */
const browser = () => {
  const context = createContext({ TextEncoder, TextDecoder }, { codeGeneration: { strings: false, wasm: false } })
  runInContext(bundle, context)
  return {
    /** Runs a script there, which gives text, and reads that as JSON. */
    ask: (script: string): unknown => JSON.parse(String(runInContext(script, context)))
  }
}

const homelab = readFileSync(join(root, "examples", "homelab.json"), "utf8")

const plain = ({ asks, plans, provisions, registry, ...rest }: core.Decisions) =>
  JSON.stringify({ registry: [...registry], provisions: [...provisions], asks: [...asks], plans: [...plans], ...rest })

describe("the core in a browser", () => {
  test("its bundle has nothing of Node's, and of other parts of the project nothing", () => {
    expect(bundle).not.toBe("")
    const modules = new Set(builtinModules)
    expect(inputs.filter((path) => path.startsWith("node:") || modules.has(path) || path.startsWith("(disabled)")))
      .toEqual([])
    expect(inputs.filter((path) => path.startsWith("src/") && !path.startsWith("src/core/"))).toEqual([])
    expect(inputs.filter((path) => path.startsWith("src/core/")).length).toBeGreaterThan(20)
  })

  test("the place it is tried in has nothing of Node's", () => {
    const found = browser().ask(
      `JSON.stringify(["process", "Buffer", "require", "module", "setTimeout", "fetch", "global"].filter((name) => name in globalThis))`
    )
    expect(found).toEqual([])
    expect(() => browser().ask(`JSON.stringify(new Function("return 1")())`)).toThrow(/Code generation from strings/)
  })

  test("it decides the example mesh as it does here", () => {
    const decisions = core.decide(JSON.parse(homelab))
    expect(decisions.provisions.size).toBeGreaterThan(100)
    const there = browser().ask(`
      const snapshot = core.parseSnapshot(${JSON.stringify(homelab)}).success
      const { asks, plans, provisions, registry, ...rest } = core.decide(snapshot)
      JSON.stringify({ registry: [...registry], provisions: [...provisions], asks: [...asks], plans: [...plans], ...rest })
    `)
    expect(there).toEqual(JSON.parse(plain(decisions)))
  })

  test("changes in bytes, diffs and verbs work there too", () => {
    const script = `
      const facts = new core.Facts()
      const bytes = (text) => Uint8Array.from(new TextEncoder().encode(text))
      facts.apply({ bucket: "mesh-controller_assignments", key: "n1.shop", value: bytes('{ "build": "é" }') })
      facts.apply({ bucket: "mesh-provisioner_needs", key: "n1.shop.bound.database", value: Uint8Array.of(0xff) })
      const decisions = core.decide(facts)
      const source = { facts, decisions }
      const writes = core.diff(new Map(), decisions)
      const page = core.query(source, { what: "plans" })
      const tree = core.explain(source, { node: "n1", module: "shop" })
      const answer = core.retire(source, { key: "n1.db.n1.shop.database", answer: "keep", by: "ann" })
      JSON.stringify({ writes: writes.length, page: page.success.entries, tree: tree.success.tree.state, answer: answer.failure.code })
    `
    expect(browser().ask(script)).toEqual({
      writes: 15,
      page: [
        expect.objectContaining({ key: "n1.shop", value: expect.objectContaining({ build: "é", state: "refused" }) })
      ],
      tree: "refused",
      answer: 404
    })
  })
})
