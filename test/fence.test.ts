/**
 * Goal: the core cannot reach I/O, a clock, randomness or what is built on it, and imports between the other parts point
 * one way.
 *
 * Method: plants. A copy of the real configurations stands in a folder of its own, each plant a file that does one
 * forbidden thing, beside clean files that do none. The compiler and the linter run once over all; a plant is caught when
 * one of them names what is forbidden in the plant's file. What is of Node or of a browser, and no part of the language,
 * the compiler must catch by itself: it is not there at all.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { compilerCommand } from "../scripts/compiler.ts"

const root = join(import.meta.dirname, "..")

interface Plant {
  readonly name: string
  readonly folder: string
  readonly text: string
  /** What a report must name to have caught the plant, and not something else in its file. */
  readonly named: string | RegExp
  readonly compilerAlone?: true
}

const inCore = (name: string, text: string, named: string | RegExp): Plant => ({ name, folder: "core", text, named })

const notTheLanguages = (name: string, text: string, named: string): Plant => ({
  ...inCore(name, text, named),
  compilerAlone: true
})

const value = (expression: string): string => `export const planted = ${expression}\n`
const importing = (path: string): string => `export * as planted from ${JSON.stringify(path)}\n`

const plants: ReadonlyArray<Plant> = [
  inCore("Date.now()", value("Date.now()"), "Date"),
  inCore("new Date()", value("new Date()"), "Date"),
  notTheLanguages("performance.now()", value("performance.now()"), "performance"),
  inCore("Math.random()", value("Math.random()"), "random"),
  inCore("Math.random, taken apart", "const { random } = Math\nexport const planted = random()\n", "random"),
  notTheLanguages("crypto.randomUUID()", value("crypto.randomUUID()"), "crypto"),
  notTheLanguages("console.log()", "export const planted = () => console.log(1)\n", "console"),
  notTheLanguages("process.env", value("process.env"), "process"),
  notTheLanguages("Buffer", value(`Buffer.from("a")`), "Buffer"),
  notTheLanguages("setTimeout", value("setTimeout(() => 1, 1)"), "setTimeout"),
  notTheLanguages("queueMicrotask", value("queueMicrotask(() => {})"), "queueMicrotask"),
  notTheLanguages("fetch", value(`fetch("https://example.org")`), "fetch"),
  inCore("globalThis", value(`Object.keys(globalThis)`), "globalThis"),
  inCore("eval", value(`eval("1")`), "eval"),
  inCore("new Function", value(`new Function("return 1")`), "Function"),
  inCore("Intl", value("new Intl.DateTimeFormat().format()"), "Intl"),
  inCore("localeCompare", value(`"a".localeCompare("b")`), "localeCompare"),
  inCore(
    "Schema.decodeUnknownSync",
    [
      `import * as Schema from "effect/Schema"`,
      value("Schema.decodeUnknownSync(Schema.String)")
    ].join("\n"),
    "decodeUnknownSync"
  ),
  inCore("any", "export const planted = (given: any): number => given\n", /`any`/),
  inCore("@ts-ignore", `// @ts-ignore\nexport const planted: number = "a"\n`, "@ts-ignore"),
  notTheLanguages("node:fs", importing("node:fs"), "node:fs"),
  inCore("fs", importing("fs"), /'fs'/),
  notTheLanguages("node:fs/promises", importing("node:fs/promises"), "node:fs/promises"),
  notTheLanguages("node:fs, later", value(`() => import("node:fs")`), "node:fs"),
  inCore("the effect barrel", importing("effect"), /'effect'/),
  inCore("effect/Effect", importing("effect/Effect"), "effect/Effect"),
  inCore("effect/Clock", importing("effect/Clock"), "effect/Clock"),
  inCore("effect/Random", importing("effect/Random"), "effect/Random"),
  inCore("@effect/platform-node", importing("@effect/platform-node/NodeRuntime"), "@effect/platform-node"),
  inCore("@nats-io/kv", importing("@nats-io/kv"), "@nats-io/kv"),
  notTheLanguages("an adapter", importing("../adapters/Target.ts"), "adapters/Target.ts"),
  notTheLanguages("a port", importing("../ports/Target.ts"), "ports/Target.ts"),
  notTheLanguages("the provisioner", importing("../provisioner/Target.ts"), "provisioner/Target.ts"),
  notTheLanguages("the command line", importing("../cli/Target.ts"), "cli/Target.ts"),
  { name: "an adapter", folder: "ports", text: importing("../adapters/Target.ts"), named: "adapters/Target.ts" },
  {
    name: "the provisioner",
    folder: "ports",
    text: importing("../provisioner/Target.ts"),
    named: "provisioner/Target.ts"
  },
  { name: "the command line", folder: "ports", text: importing("../cli/Target.ts"), named: "cli/Target.ts" },
  { name: "node:fs", folder: "ports", text: importing("node:fs"), named: "node:fs" },
  {
    name: "the provisioner",
    folder: "adapters",
    text: importing("../provisioner/Target.ts"),
    named: "provisioner/Target.ts"
  },
  { name: "the command line", folder: "adapters", text: importing("../cli/Target.ts"), named: "cli/Target.ts" },
  { name: "an adapter", folder: "provisioner", text: importing("../adapters/Target.ts"), named: "adapters/Target.ts" },
  { name: "the command line", folder: "provisioner", text: importing("../cli/Target.ts"), named: "cli/Target.ts" },
  { name: "node:fs", folder: "provisioner", text: importing("node:fs"), named: "node:fs" },
  { name: "an adapter", folder: "testing", text: importing("../adapters/Target.ts"), named: "adapters/Target.ts" },
  {
    name: "the provisioner",
    folder: "testing",
    text: importing("../provisioner/Target.ts"),
    named: "provisioner/Target.ts"
  },
  { name: "a test runner", folder: "testing", text: importing("vitest"), named: "vitest" }
]

/** What each part may do: nothing of it may be reported. */
const clean = new Map<string, string>([
  ["core/fact/Other.ts", `export const other = (text: string): boolean => text === "other"\n`],
  [
    "core/Clean.ts",
    `import { sha256 } from "@noble/hashes/sha2.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import SemVer from "semver/classes/semver.js"
import { other } from "./fact/Other.ts"

const Version = Schema.Struct({ version: Schema.String })

export const clean = (given: unknown): string | undefined => {
  const decoded = Schema.decodeUnknownResult(Version)(given)
  if (Result.isFailure(decoded) || other(decoded.success.version)) return undefined
  return \`\${new SemVer(decoded.success.version).major}.\${sha256(new Uint8Array()).length}\`
}
`
  ],
  ["ports/Clean.ts", `export { clean } from "../core/Clean.ts"\n`],
  ["adapters/Clean.ts", `export { clean } from "../ports/Clean.ts"\n`],
  [
    "provisioner/Clean.ts",
    `import { clean as core } from "../core/Clean.ts"
import { clean as port } from "../ports/Clean.ts"

export const clean = core === port
`
  ],
  [
    "cli/Clean.ts",
    `export { clean } from "../adapters/Clean.ts"\nexport { clean as loop } from "../provisioner/Clean.ts"\n`
  ]
])

/** What plants import: files by themselves, for the compiler complains of whatever a plant draws into its project. */
const targets = ["adapters", "ports", "provisioner", "cli"].map((part) => `${part}/Target.ts`)

const fileOf = (plant: Plant): string => `${plant.folder}/Plant${plants.indexOf(plant)}.ts`

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** What a tool reports, a line each. */
const reports = (folder: string, [command = "", ...options]: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  new Promise((resolve) => {
    execFile(
      command,
      options,
      { cwd: folder, maxBuffer: 2 ** 24 },
      (_error, stdout, stderr) => resolve(`${stdout}\n${stderr}`.split("\n"))
    )
  })

describe("the fence (architecture: imports point one way, the core is pure)", () => {
  let folder = ""
  let compiled: ReadonlyArray<string> = []
  let linted: ReadonlyArray<string> = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-fence-"))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    for (const path of [".oxlintrc.json", "tsconfig.base.json", "src/tsconfig.json", "src/core/tsconfig.json"]) {
      cpSync(join(root, path), join(folder, path))
    }
    write(join(folder, "package.json"), `{ "name": "fence", "type": "module" }\n`)
    for (const path of targets) write(join(folder, "src", path), "export const target = 1\n")
    for (const [path, text] of clean) write(join(folder, "src", path), text)
    for (const plant of plants) write(join(folder, "src", fileOf(plant)), plant.text)
    ;[compiled, linted] = await Promise.all([
      reports(folder, [...compilerCommand(), "--build", "src", "--pretty", "false"]),
      reports(folder, [join(root, "node_modules", ".bin", "oxlint"), "--format", "unix", "src"])
    ])
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const reportsOf = (path: string, lines = [...compiled, ...linted]): ReadonlyArray<string> =>
    lines.filter((line) => line.startsWith(`src/${path}(`) || line.startsWith(`src/${path}:`))
      .map((line) => line.slice(`src/${path}`.length))

  for (const plant of plants) {
    test(`${plant.folder}: ${plant.name} is caught`, () => {
      const reported = plant.compilerAlone ? reportsOf(fileOf(plant), [...compiled]) : reportsOf(fileOf(plant))
      expect(reported).toContainEqual(expect.stringMatching(plant.named))
    })
  }

  for (const path of clean.keys()) {
    test(`${path}, which keeps to the rules, passes`, () => {
      expect(reportsOf(path)).toEqual([])
    })
  }
})
