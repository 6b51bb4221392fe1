/**
 * An example as a stranger has it: copied to a folder of its own, in which the package is installed as it was built.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { compilerCommand } from "../../scripts/compiler.ts"

const root = join(import.meta.dirname, "..", "..")

/** How a command ended, and all that it printed. */
export interface Ran {
  readonly status: number | null
  readonly output: string
}

/** A copy of `examples/<name>`. */
export class Example {
  readonly folder: string
  /** The versions of other packages that it takes. */
  readonly versions: ReadonlyMap<string, string>

  constructor(name: string) {
    const source = join(root, "examples", name)
    this.folder = mkdtempSync(join(tmpdir(), `mesh-provisioner-${name}-`))
    cpSync(source, this.folder, { recursive: true, filter: (path) => !path.includes("node_modules") })
    const manifest: { readonly [part: string]: Record<string, string> | undefined } = JSON.parse(
      readFileSync(join(source, "package.json"), "utf8")
    )
    const { "mesh-provisioner": own, ...others } = { ...manifest["dependencies"], ...manifest["devDependencies"] }
    this.versions = new Map(Object.entries(others))
    this.#link("mesh-provisioner", join(source, own?.replace(/^file:/, "") ?? ""))
    for (const name of this.versions.keys()) {
      this.#link(name, join(root, "node_modules", name))
    }
  }

  /** Runs a command in it. */
  run([command, ...options]: readonly [string, ...Array<string>]): Ran {
    const { status, stderr, stdout } = spawnSync(command, options, {
      cwd: this.folder,
      encoding: "utf8",
      timeout: 100_000
    })
    return { status, output: `${stdout}${stderr}` }
  }

  /** Runs tests of it, as its `npm test` does. */
  test(...paths: ReadonlyArray<string>): Ran {
    return this.run([process.execPath, "--test", "--test-reporter", "tap", ...paths])
  }

  compile(): Ran {
    return this.run([...compilerCommand(), "--project", this.folder])
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #link(name: string, target: string): void {
    const path = join(this.folder, "node_modules", name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
  }
}
