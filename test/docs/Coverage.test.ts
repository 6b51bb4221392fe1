/**
 * Goal: nothing that there is goes unsaid: each bucket, verb, command, flag, setting, code and file has its place in the docs, and
 * the docs name none that there is not.
 *
 * Method: what there is is read off the one table of buckets, off `--help`, and off the sources; the documents are read as text.
 */
import { decisionBuckets, factBuckets } from "mesh-provisioner/core"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { busFlagTable } from "../../src/cli/command/BusFlags.ts"
import { commandsOfHelp, printed } from "./Console.ts"

const root = join(import.meta.dirname, "..", "..")

const read = (path: string): string => readFileSync(join(root, path), "utf8")

const architecture = read("docs/architecture.md")
const protocol = read("docs/protocol.md")
const embedding = read("docs/embedding.md")
const cli = read("docs/cli.md")

/** The cells of each row of a document's tables, without the ticks around them. */
const rowsOf = (markdown: string): ReadonlyArray<ReadonlyArray<string>> =>
  markdown.split("\n").filter((line) => line.startsWith("|")).map((line) =>
    line.slice(1, line.lastIndexOf("|")).split("|").map((cell) => cell.trim().replaceAll(/^`|`$/g, ""))
  )

describe("buckets", () => {
  const all = [...Object.values(factBuckets), ...Object.values(decisionBuckets)]
  const partNames = new Map([["providerNode", "provider node"], ["providerModule", "provider module"]])

  test("each has its row in the architecture, as the one table has it", () => {
    const rows = rowsOf(architecture).filter(([name]) => /^[\w-]+_[\w-]+$|_bound$/.test(name ?? ""))
    expect(rows).toEqual(all.map(({ local, name, parts, writer }) => [
      name,
      parts.map((part) => `<${partNames.get(part) ?? part}>`).join(".") + (local ? "[.<local>]" : ""),
      writer
    ]))
  })

  test.each(all)("$name stands in the protocol", ({ name }) => {
    expect(protocol).toContain(`\`${name}\``)
  })
})

describe("verbs", () => {
  const verbs = readdirSync(join(root, "src", "core"), { encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    .flatMap((name) =>
      [...read(`src/core/${name}`).matchAll(/^ \* The pure half of the verb `([\w.-]+)`/gm)].map(([, verb = ""]) =>
        verb
      )
    )

  test("there are three", () => {
    expect(verbs.toSorted()).toEqual([
      "mesh-provisioner.explain",
      "mesh-provisioner.provisioning",
      "mesh-provisioner.retire"
    ])
  })

  test.each(verbs)("%s stands in the protocol, and has its row in embedding", (verb) => {
    expect(protocol).toContain(`**\`${verb}\``)
    expect(rowsOf(embedding).map(([name]) => name)).toContain(verb)
  })
})

describe("commands", () => {
  const commands = [...commandsOfHelp(printed("--help")).keys()]
  const busFlags: ReadonlySet<string> = new Set(Object.keys(busFlagTable).map((name) => `--${name}`))

  test("there are some", () => {
    expect(commands).toContain("decide")
  })

  test.each(commands)("%s has its heading in the command line's page, and each flag its row there", (command) => {
    const section = new RegExp(`^## ${command}$[^]*?(?=^## |$(?![^]))`, "m").exec(cli)?.[0] ?? ""
    const [own = ""] = /^FLAGS\n[^]*?\n\n/m.exec(printed(command, "--help")) ?? []
    const flags = [...own.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag = ""]) => flag)
    const rows = rowsOf(section).map(([flag = ""]) => flag.split(" ")[0]?.replaceAll("`", ""))
    expect(section).not.toBe("")
    expect(flags).not.toEqual([])
    // Those of the way to the bus have one table for all commands (`Operating.test.ts`).
    const isLinked = section.includes("(operating.md#the-way-to-the-bus)")
    const flagsToTell = flags.filter((flag) => !isLinked || !busFlags.has(flag))
    expect(flagsToTell.filter((flag) => !rows.includes(flag))).toEqual([])
  })
})

describe("settings", () => {
  const settings = [
    { path: "src/core/Query.ts", of: "QueryOptions" },
    { path: "src/core/Explain.ts", of: "ExplainOptions" },
    { path: "src/adapters/memory/MemoryBus.ts", of: "MemoryBusOptions" },
    { path: "src/adapters/memory/followFile.ts", of: "FollowFileOptions" },
    { path: "src/adapters/nats/Settings.ts", of: "NatsSettings" },
    { path: "src/adapters/nats/Settings.ts", of: "NatsTls" },
    { path: "src/adapters/nats/BucketPlan.ts", of: "BucketOptions" },
    { path: "src/provisioner/Settings.ts", of: "ProvisionerOptions" }
  ].flatMap(({ of, path }) => {
    const [, body = ""] = new RegExp(`^export interface ${of} \\{\n([^]*?)^\\}`, "m").exec(read(path)) ?? []
    const names = [...body.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name = ""]) => ({ of, name }))
    return names.length === 0 ? [{ of, name: "none was found" }] : names
  })
  const said = rowsOf(embedding).flatMap(([name = ""]) => name.split(", ").map((one) => one.replaceAll("`", "")))

  test.each(settings)("$name of $of has its row in embedding", ({ name }) => {
    expect(said).toContain(name)
  })
})

describe("codes", () => {
  const codes = [...read("src/core/Decision.ts").matchAll(/^export type (\w*(?:State|Reason)) =([^]*?)\n\n/gm)]
    .flatMap(([, type = "", union = ""]) =>
      [...union.matchAll(/"([a-z-]+)"/g)].map(([, code = ""]) => ({ type, code }))
    )

  test("there are some of each type", () => {
    expect([...new Set(codes.map(({ type }) => type))].toSorted())
      .toEqual(["AskState", "CandidateReason", "PlanState", "ProvisionState", "Reason"])
  })

  test.each(codes)("$code, a $type, stands in the protocol", ({ code }) => {
    expect(protocol).toMatch(new RegExp(`\`${code}\`|"${code}"`))
  })
})

describe("the code map", () => {
  const named = rowsOf(architecture).map(([cell = ""]) => cell).filter((cell) => cell.startsWith("src/")).flatMap(
    (cell) => {
      const [first = "", ...others] = cell.split(", ").map((path) => path.replaceAll("`", ""))
      const folder = first.slice(0, first.lastIndexOf("/") + 1)
      return [first, ...others.map((other) => other.startsWith("src/") ? other : `${folder}${other}`)]
    }
  )
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts")).map((name) => `src/${name}`)

  test("each file that it names is there", () => {
    expect(named.filter((path) => statSync(join(root, path), { throwIfNoEntry: false }) === undefined)).toEqual([])
  })

  test("each source is in it, by its name or its folder's", () => {
    const small = ["src/core/index.ts", "src/core/Words.ts", "src/core/Group.ts"]
    expect(
      sources.filter((path) =>
        !small.includes(path) && !named.some((name) => path === name || name.endsWith("/") && path.startsWith(name))
      )
    )
      .toEqual([])
  })
})
