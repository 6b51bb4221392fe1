/**
 * The sessions of documents: `console` blocks of commands, `$ command`, each with what it prints. They are run as they
 * stand, in a folder of their own.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"

const root = join(import.meta.dirname, "..", "..")

const bin = join(root, "dist", "bin", "mesh-provisioner.js")

/** A document with what its commands print in place of what it says they print. Commands of all blocks share one folder. */
export const withRealOutput = (markdown: string, folder: string): string =>
  inCopyOf(folder, {}, (run) =>
    markdown.replaceAll(
      /^```console\n([^]*?)^```$/gm,
      (_, session: string) => `\`\`\`console\n${realSession(session, run)}\`\`\``
    ))

/** The same of the sessions on a bus, `console bus FILE`: each is run where the environment of a bus with that file's facts is. */
export const withRealOutputOnBus = async (
  markdown: string,
  folder: string,
  onBus: (file: string, use: (env: Env) => void) => Promise<void>
): Promise<string> => {
  let real = markdown
  for (const [block, file = "", session = ""] of markdown.matchAll(/^```console bus (\S+)\n([^]*?)^```$/gm)) {
    await onBus(join(root, folder, file), (env) => {
      const output = inCopyOf(folder, env, (run) => realSession(session, run))
      real = real.replace(block, () => `\`\`\`console bus ${file}\n${output}\`\`\``)
    })
  }
  return real
}

type Env = { readonly [name: string]: string }

const realSession = (session: string, run: (command: string) => string): string => {
  const commands = session.split("\n").filter((line) => line.startsWith("$ ")).map((line) => line.slice(2))
  return commands.map((command) => `$ ${command}\n${run(command)}`).join("\n").replaceAll(/^(\$ .*\n)\n(?=\$ )/gm, "$1")
}

/** The commands of a document's sessions. */
export const commandsIn = (markdown: string): ReadonlyArray<string> =>
  [...markdown.matchAll(/^```console\n([^]*?)^```$/gm)].flatMap(([, session = ""]) =>
    session.split("\n").filter((line) => line.startsWith("$ ")).map((line) => line.slice(2))
  )

const inCopyOf = <A>(folder: string, env: Env, use: (run: (command: string) => string) => A): A => {
  const copy = mkdtempSync(join(tmpdir(), "mesh-provisioner-console-"))
  try {
    cpSync(join(root, folder), join(copy, "work"), { recursive: true })
    const path = join(copy, "bin")
    mkdirSync(path)
    command(join(path, "mesh-provisioner"), `exec "${process.execPath}" "${bin}" "$@"`)
    // What npx does in the project's folder is npm's; here it is the bin as it was built.
    command(join(path, "npx"), `exec "$@"`)
    return use((command) => runIn(join(copy, "work"), path, env, command))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

const command = (path: string, line: string): void => {
  writeFileSync(path, `#!/bin/sh\n${line}\n`)
  chmodSync(path, 0o755)
}

const runIn = (cwd: string, path: string, env: Env, command: string): string => {
  const { status, stderr, stdout } = spawnSync("sh", ["-c", command], {
    cwd,
    encoding: "utf8",
    timeout: 20_000,
    env: {
      PATH: `${path}${delimiter}${process.env["PATH"] ?? ""}`,
      XDG_CACHE_HOME: join(root, "node_modules", ".cache"),
      ...env
    }
  })
  return `${stdout}${stderr}${status === 0 ? "" : `(exit code ${status})\n`}`
}

/** What a command of the bin prints. */
export const printed = (...options: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [bin, ...options], { cwd: dirname(bin), encoding: "utf8", timeout: 20_000 })

/** The commands that a help text lists, with their descriptions. */
export const commandsOfHelp = (help: string): ReadonlyMap<string, string> => {
  const [, list = ""] = /^COMMANDS:?\n((?: +\S.*\n)+)/m.exec(help) ?? []
  return new Map([...list.matchAll(/^ +(\S+) +(.*)$/gm)].map(([, name = "", words = ""]) => [name, words]))
}
