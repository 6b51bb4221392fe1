/**
 * Type-checks and runs code snippets as a stranger would: in a folder of its own, in which the package is installed as it
 * was built. One compiler and one process for all of them.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { compilerCommand } from "../../scripts/compiler.ts"
import { withChecks } from "./Checked.ts"
import type { Snippet } from "./Snippet.ts"

/** How a snippet fared: what the compiler and the run said of it, and how many stated values were looked at. */
export interface Outcome {
  readonly faults: ReadonlyArray<string>
  readonly checks: number
}

const root = join(import.meta.dirname, "..", "..")

const installed = ["effect", "@effect/platform-node", "fast-check", "vitest", "@types/node", "undici-types"]

const compilerOptions = {
  target: "ES2024",
  lib: ["ES2024", "DOM"],
  types: ["node"],
  module: "nodenext",
  moduleDetection: "force",
  strict: true,
  exactOptionalPropertyTypes: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true
}

/** The outcome of each snippet, by where it stands. `files` are laid beside the snippets, for those that read one. */
export const runSnippets = (
  snippets: ReadonlyArray<Snippet>,
  files: { readonly [name: string]: string } = {}
): ReadonlyMap<string, Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-snippets-"))
  try {
    layOut(folder, files)
    const names = snippets.map((_, index) => `snippet${index}.ts`)
    const types = checkTypes(folder, names.map((name, index) => [name, snippets[index]?.code ?? ""] as const))
    const runs = run(
      folder,
      names.map((name, index) => {
        const { code = "", where = "" } = snippets[index] ?? {}
        return [name, withChecks(code, where)] as const
      })
    )
    return new Map(snippets.map(({ where }, index) => {
      const name = names[index] ?? ""
      const ran = runs.get(name) ?? { checks: 0, faults: ["it was not run to its end"] }
      return [where, {
        checks: ran.checks,
        faults: [...types.filter((line) => line.startsWith(`${name}(`)), ...ran.faults]
      }]
    }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const layOut = (folder: string, files: { readonly [name: string]: string }): void => {
  link(folder, "mesh-provisioner", root)
  for (const name of installed) {
    link(folder, name, join(root, "node_modules", name))
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["snippet*.ts"] }))
  for (const name of ["run.ts", "check.ts"]) {
    copyFileSync(join(import.meta.dirname, name), join(folder, name))
  }
  for (const [name, path] of Object.entries(files)) {
    writeFileSync(join(folder, name), readFileSync(join(root, path)))
  }
}

const link = (folder: string, name: string, target: string): void => {
  const path = join(folder, "node_modules", name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

type Module = readonly [name: string, code: string]

const write = (folder: string, modules: ReadonlyArray<Module>): void => {
  for (const [name, code] of modules) {
    writeFileSync(join(folder, name), code)
  }
}

/** What the compiler says, a line each. */
const checkTypes = (folder: string, modules: ReadonlyArray<Module>): ReadonlyArray<string> => {
  write(folder, modules)
  const [command, ...before] = compilerCommand()
  const { error, status, stderr, stdout } = spawnSync(command, [...before, "--project", folder, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8"
  })
  const lines = stdout.split("\n").filter((line) => line !== "")
  if (error !== undefined || (status !== 0 && !lines.some((line) => line.startsWith("snippet")))) {
    throw new Error(`The compiler did not judge the snippets: ${error?.message ?? `${stdout}${stderr}`}`)
  }
  return lines
}

const run = (folder: string, modules: ReadonlyArray<Module>): ReadonlyMap<string, Outcome> => {
  write(folder, modules)
  const { stdout } = spawnSync(process.execPath, ["--no-warnings", "run.ts", ...modules.map(([name]) => `./${name}`)], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 60_000
  })
  return new Map(
    stdout.split("\n").filter((line) => line !== "").map((line) => {
      const { checks, faults, file }: { checks: number; faults: ReadonlyArray<string>; file: string } = JSON.parse(line)
      return [file.slice(2), { checks, faults }]
    })
  )
}
