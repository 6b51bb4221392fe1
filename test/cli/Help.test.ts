/**
 * Goal: a person learns the command line from itself: help tells every argument and flag, its examples can be run as they
 * stand, `docs/cli.md` has all of it, and a shell completes it.
 *
 * Method: what there is to be told is read off the commands themselves. The examples and the sessions of `docs/cli.md` are
 * run; the completions are asked of bash, as it would ask them.
 */
import * as Completions from "effect/cli/Completions"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { meshProvisioner } from "../../src/cli/Commands.ts"
import { withRealOutput } from "../docs/Console.ts"
import { folderWith, run, runShell } from "./Bin.ts"
import { asked, provided, unneeded } from "./Mesh.ts"

const root = join(import.meta.dirname, "..", "..")
const commands = Completions.fromCommand(meshProvisioner).subcommands
const docs = readFileSync(join(root, "docs", "cli.md"), "utf8")

test("there are the seven commands, each with its arguments and flags", () => {
  const shapes = commands.map((command) => [
    command.name,
    ...command.arguments.map(({ name }) => name),
    ...command.flags.map(({ name }) => `--${name}`)
  ])
  expect(shapes).toEqual([
    ["serve", "--bus", "--load", "--follow"],
    ["decide", "FILE", "--json", "--lines"],
    ["diff", "BEFORE", "AFTER", "--json"],
    ["show", "WHAT", "--from", "--node", "--module", "--collection", "--state", "--json"],
    ["explain", "KEY", "--from", "--json"],
    ["retire", "KEY", "--answer", "--by", "--words", "--from"],
    ["check", "FILE", "--module", "--json"]
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

const examples = commands.flatMap(({ name }) => name === "serve" ? [] : [name])

describe("the examples in the help of", () => {
  test.each(examples)("%s run as they stand", async (name) => {
    const { stdout } = await run([name, "--help"])
    const lines = [...stdout.matchAll(/^ {2}((?:sed .*\| )?mesh-provisioner .*)$/gm)].map(([, line = ""]) => line)
    const shown = lines.filter((line) => !line.includes("[flags]"))
    expect(shown.length).toBeGreaterThan(0)
    for (const line of shown) {
      const cwd = folderWith({
        "mesh.json": name === "retire" ? unneeded : asked,
        "changed.json": provided,
        "meshes.jsonl": `${JSON.stringify(asked)}\n${JSON.stringify(provided)}\n`,
        "definition.json": {}
      })
      const ran = await runShell(`mkdir shop && cp definition.json shop/module.json && ${line}`, cwd)
      expect({ line, ...ran }).toMatchObject({ line, exitCode: 0, stderr: "" })
    }
  })
})

describe("docs/cli.md", () => {
  test.each(commands)("has $name under a heading, with each of its flags", ({ flags, name }) => {
    const [, section = ""] = docs.split(`\n## ${name}\n`)
    const own = section.split("\n## ")[0] ?? ""
    expect(own).toContain(`\`mesh-provisioner ${name}`)
    expect(flags.map((flag) => flag.name).filter((flag) => !own.includes(`| \`--${flag}`))).toEqual([])
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
