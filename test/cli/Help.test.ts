/**
 * Goal: a person learns the command line from itself: help tells every argument and flag, its examples can be run as they
 * stand, `docs/cli.md` has all of it, and a shell completes it.
 *
 * Method: what there is to be told is read off the commands themselves. The examples and the sessions of `docs/cli.md` are
 * run; the completions are asked of bash, as it would ask them.
 */
import { it } from "@effect/vitest"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { meshProvisioner } from "../../src/cli/Commands.ts"
import { decide } from "../../src/core/Decide.ts"
import { decidedBuckets } from "../../src/core/Diff.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import { withRealOutput } from "../docs/Console.ts"
import { bare } from "../nats/Bare.ts"
import { natsServer } from "../nats/Server.ts"
import { ended, folderWith, type Run, run, runShell, start } from "./Bin.ts"
import { asked, provided, unneeded } from "./Mesh.ts"

const root = join(import.meta.dirname, "..", "..")
const commands = Completions.fromCommand(meshProvisioner).subcommands
const docs = readFileSync(join(root, "docs", "cli.md"), "utf8")

/** The flags of every command that goes to the bus. */
const busFlags = [
  "bus",
  "context",
  "creds",
  "nkey",
  "user",
  "password-file",
  "token-file",
  "tls-ca",
  "tls-cert",
  "tls-key",
  "inbox-prefix",
  "api-prefix",
  "key-prefix",
  "timeout"
]

const goesToBus = ({ flags }: (typeof commands)[number]): boolean =>
  busFlags.every((bus) => flags.some(({ name }) => name === bus))

test("there are these commands, each with its arguments and flags, and some with all those of the bus", () => {
  const shapes = commands.map((command) => [
    command.name,
    ...command.arguments.map(({ name }) => name),
    ...command.flags.map(({ name }) => name).filter((name) => !goesToBus(command) || !busFlags.includes(name))
      .map((name) => `--${name}`),
    ...goesToBus(command) ? ["those of the bus"] : []
  ])
  expect(shapes).toEqual([
    [
      "serve",
      "--load",
      "--follow",
      "--name",
      "--listen",
      "--log",
      "--otlp",
      "--compare-every",
      "those of the bus"
    ],
    ["decide", "FILE", "--json", "--lines"],
    ["diff", "FILE", "--change", "--json", "those of the bus"],
    [
      "show",
      "WHAT",
      "--from",
      "--node",
      "--module",
      "--collection",
      "--state",
      "--history",
      "--watch",
      "--json",
      "those of the bus"
    ],
    ["explain", "KEY", "--from", "--json", "those of the bus"],
    ["retire", "KEY", "--answer", "--by", "--words", "--from", "those of the bus"],
    ["check", "FILE", "--module", "--json"],
    [
      "setup",
      "--apply",
      "--replicas",
      "--storage",
      "--seat-time-to-live",
      "--providers",
      "--bucket",
      "--json",
      "those of the bus"
    ],
    ["snapshot", "--out", "those of the bus"],
    ["verify", "--from", "--json", "those of the bus"],
    [
      "grants",
      "--nodes",
      "--providers",
      "--operators",
      "--readers",
      "--buckets",
      "--single-account",
      "--seeds",
      "--out",
      "--json"
    ],
    ["doctor", "--as", "--providers", "--buckets", "--json", "those of the bus"],
    [
      "simulate",
      "--seed",
      "--seeds",
      "--nodes",
      "--modules",
      "--steps",
      "--faults",
      "--until",
      "--fibers",
      "--watch",
      "--json"
    ]
  ])
})

describe("help", () => {
  test("of the whole lists every command with its words", async () => {
    const { exitCode, stderr, stdout } = await run(["--help"])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    for (const { description = "none", name } of commands) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +${description}$`, "m"))
    }
  })

  test.each(commands)("of $name tells each argument and flag, and shows an example", async (command) => {
    const { exitCode, stderr, stdout } = await run([command.name, "--help"])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    for (const { description = "none", name } of command.flags) {
      expect(stdout).toMatch(new RegExp(`^  --${name}\\b`, "m"))
      expect(stdout).toContain(description)
    }
    for (const { description = "none", name } of command.arguments) {
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"))
      expect(stdout).toContain(description)
    }
    expect(stdout).toContain(`EXAMPLES\n  # `)
    expect(stdout.split("\n").filter((line) => line.length > 130)).toEqual([])
  })

  test("-h and -v are short for --help and --version", async () => {
    expect((await run(["-h"])).stdout).toBe((await run(["--help"])).stdout)
    expect(await run(["-v"])).toEqual(await run(["--version"]))
  })
})

test("--version says the package's version", async () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  expect(await run(["--version"])).toEqual({ exitCode: 0, stderr: "", stdout: `mesh-provisioner ${version}\n` })
})

// Those of doctor are of a mesh that was started from grants: test/grants/mesh.test.ts runs the like.
const examples = commands.filter(({ name }) => name !== "serve" && name !== "doctor")

/** A mesh at the bus that a command finds, by the environment and as the context `home`, with a provisioner on it. */
const meshOnBus = Effect.fnUntraced(function*(facts: Snapshot) {
  const server = yield* natsServer()
  const env = { NATS_URL: server.url, XDG_CONFIG_HOME: folderWith({}) }
  mkdirSync(join(env.XDG_CONFIG_HOME, "nats", "context"), { recursive: true })
  writeFileSync(join(env.XDG_CONFIG_HOME, "nats", "context", "home.json"), JSON.stringify({ url: server.url }))
  const inMesh = (line: string) => Effect.promise(() => runShell(line, folderWith({}), env))
  yield* inMesh("mesh-provisioner setup --apply --providers postgres")
  const admin = yield* bare(server)
  for (const [bucket, values] of Object.entries(facts.buckets)) {
    const written = Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const)
    yield* Effect.promise(() => admin.plant(bucket, written))
  }
  start(["serve", "--bus", server.url], folderWith({}))
  for (let looks = 0; looks < 20 && (yield* inMesh("mesh-provisioner verify")).exitCode !== 0; looks++) {
    yield* Effect.sleep("100 millis")
  }
  return env
})

/** An example that goes on until it is ended: it is, once it has said something. */
const runOn = (line: string, cwd: string, env: { readonly [name: string]: string }): Promise<Run> => {
  const child = start(line.split(" ").slice(1), cwd, env)
  child.stdout.once("data", () => child.kill("SIGINT"))
  return ended(child)
}

describe("the examples in the help of", () => {
  it.live.each(examples)("$name run as they stand", (command) =>
    Effect.gen(function*() {
      const { name } = command
      const facts = name === "retire" ? unneeded : asked
      const env = goesToBus(command) ? yield* meshOnBus(facts) : {}
      const { stdout } = yield* Effect.promise(() => run([name, "--help"]))
      const lines = [...stdout.matchAll(/^ {2}((?:sed .*\| )?mesh-provisioner .*)$/gm)].map(([, line = ""]) => line)
      const shown = lines.filter((line) => !line.includes("[flags]"))
      expect(shown.length).toBeGreaterThan(0)
      for (const line of shown) {
        const decided = Object.fromEntries(
          Array.from(decidedBuckets(decide(facts)), ([bucket, values]) => [bucket, Object.fromEntries(values)])
        )
        const cwd = folderWith({
          "mesh.json": name === "verify" ? { buckets: { ...facts.buckets, ...decided } } : facts,
          "changed.json": provided,
          "change.json": { bucket: "mesh-controller_machines", key: "n2", value: { lost: true } },
          "meshes.jsonl": `${JSON.stringify(asked)}\n${JSON.stringify(provided)}\n`,
          "definition.json": {}
        })
        const ran = yield* Effect.promise(() =>
          line.includes("--watch")
            ? runOn(line, cwd, env)
            : runShell(`mkdir shop && cp definition.json shop/module.json && ${line}`, cwd, env)
        )
        // What one account for all leaves open is said whenever it is printed.
        const said = line.includes("--single-account") ? expect.stringContaining("this is not closed") : ""
        expect({ line, ...ran }).toMatchObject({ line, exitCode: 0, stderr: said })
      }
    }), 60_000)
})

describe("docs/cli.md", () => {
  test.each(commands)("has $name under a heading, with each of its flags", ({ flags, name }) => {
    const [, section = ""] = docs.split(`\n## ${name}\n`)
    const own = section.split("\n## ")[0] ?? ""
    expect(own).toContain(`\`mesh-provisioner ${name}`)
    const isLinked = own.includes("(operating.md#the-way-to-the-bus)")
    const flagsToTell = flags.map((flag) => flag.name).filter((flag) => !isLinked || !busFlags.includes(flag))
    expect(flagsToTell.filter((flag) => !own.includes(`| \`--${flag}`))).toEqual([])
  })

  test("shows what the commands print", async () => {
    await expect(withRealOutput(docs, "examples/shop")).toMatchFileSnapshot(join(root, "docs", "cli.md"))
  })
})

describe("completions", () => {
  /** What bash offers for the last of some words. */
  const offered = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const line = `mesh-provisioner ${words.join(" ")}`
    const script = `
      eval "$(mesh-provisioner --completions bash)"
      unset -f mesh-provisioner
      COMP_WORDS=(mesh-provisioner ${words.map((word) => `'${word}'`).join(" ")}) COMP_CWORD=${words.length}
      COMP_LINE='${line}' COMP_POINT=${line.length}
      _mesh_provisioner mesh-provisioner '${words.at(-1) ?? ""}' '${words.at(-2) ?? "mesh-provisioner"}'
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const { exitCode, stderr, stdout } = await runShell(script, folderWith({ "mesh.json": asked, "mess.json": asked }))
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    return stdout.split("\n").filter((word) => word !== "")
  }

  test("commands", async () => {
    expect(await offered("de")).toEqual(["decide"])
    expect(await offered("")).toEqual(commands.map(({ name }) => name))
  })

  test("flags, but those that stand there already", async () => {
    expect(await offered("decide", "--")).toEqual(["--json", "--lines", "--help"])
    expect(await offered("decide", "--json", "--")).toEqual(["--lines", "--help"])
  })

  test("choices of arguments and flags", async () => {
    expect(await offered("show", "p")).toEqual(["provisions", "plans"])
    expect(await offered("retire", "--answer", "k")).toEqual(["keep"])
  })

  test("files", async () => {
    expect(await offered("decide", "me")).toEqual(["mesh.json", "mess.json"])
    expect(await offered("diff", "mesh.json", "mess")).toEqual(["mess.json"])
    expect(await offered("show", "--from", "mes")).toEqual(["mesh.json", "mess.json"])
    expect(await offered("serve", "--load", "mes")).toEqual(["mesh.json", "mess.json"])
    expect(await offered("snapshot", "--out", "mes")).toEqual(["mesh.json", "mess.json"])
    expect(await offered("verify", "--password-file", "mesh")).toEqual(["mesh.json"])
  })

  test.each(["zsh", "fish", "powershell"])("there is a script for %s, with every command and flag", async (shell) => {
    const { exitCode, stderr, stdout } = await run(["--completions", shell])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    for (const { flags, name } of commands) {
      expect(stdout).toContain(name)
      flags.forEach((flag) => expect(stdout).toContain(flag.name))
    }
  })
})
