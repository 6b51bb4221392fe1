/**
 * Checks the package as it would be published: packs it, asks publint and arethetypeswrong about the tarball, then unpacks
 * it where nothing else is and uses it as a stranger does, the bin alone and each export beside the package's dependencies,
 * and what its testing kit is of beside those.
 */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import manifest from "../package.json" with { type: "json" }
import { buildBin, buildLibrary } from "./build.ts"

const root = join(import.meta.dirname, "..")

const pack = (folder: string): string => {
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], { cwd: root })
  const [tarball] = readdirSync(folder)
  if (tarball === undefined) throw new Error("npm pack made no tarball")
  return join(folder, tarball)
}

const askPublint = async (tarball: Uint8Array<ArrayBuffer>): Promise<ReadonlyArray<string>> => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, level: "suggestion", strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}

/** The package is ES modules alone, for resolution by `exports`: what older resolutions and CommonJS miss is meant so. */
const askAreTheTypesWrong = async (tarball: Uint8Array): Promise<ReadonlyArray<string>> => {
  const result = await checkPackage(createPackageFromTarballData(tarball), { excludeEntrypoints: ["./package.json"] })
  if (!result.types) return ["arethetypeswrong: the package has no types"]
  return result.problems
    .filter((problem) => !("resolutionKind" in problem) || !["node10", "node16-cjs"].includes(problem.resolutionKind))
    .map((problem) => `arethetypeswrong: ${JSON.stringify(problem)}`)
}

const useAsStranger = (folder: string, tarball: string): ReadonlyArray<string> => {
  const installed = join(folder, "node_modules", manifest.name)
  mkdirSync(installed, { recursive: true })
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"])
  const bin = join(installed, manifest.bin["mesh-provisioner"])
  const version = execFileSync(process.execPath, [bin, "--version"], { cwd: folder, encoding: "utf8" })
  const faults = version.includes(manifest.version) ? [] : [`the bin's --version says ${JSON.stringify(version)}`]

  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const link = join(folder, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, "node_modules", name), link)
  }
  const names = Object.keys(manifest.exports).filter((path) => path !== "./package.json")
    .map((path) => `${manifest.name}${path.slice(1)}`)
  writeFileSync(join(folder, "import.mjs"), names.map((name) => `import ${JSON.stringify(name)}\n`).join(""))
  execFileSync(process.execPath, ["import.mjs"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  return faults
}

await buildBin()
buildLibrary()
const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-package-"))
try {
  mkdirSync(join(folder, "packed"))
  const path = pack(join(folder, "packed"))
  const tarball = new Uint8Array(readFileSync(path))
  const faults = [...await askPublint(tarball), ...await askAreTheTypesWrong(tarball), ...useAsStranger(folder, path)]
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
