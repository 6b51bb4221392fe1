/**
 * Builds the package into `dist/`.
 *
 * - `node scripts/build.ts` builds all of it.
 * - `node scripts/build.ts bin` builds the command line alone, which is what `npm start` waits for.
 *
 * A file that would not change is not written, and one that does is put in place whole: tests and people run from `dist/`
 * while others build.
 */
import { build } from "esbuild"
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { compile } from "./compiler.ts"

const root = join(import.meta.dirname, "..")
const binFolder = join(root, "dist", "bin")

/**
 * The command line: a launcher of a few lines, which turns the compile cache on, and the one file it then loads. The cache
 * must be on before the bulk of the code is read, and static imports are read first: hence two files.
 */
export const buildBin = async (): Promise<void> => {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { "mesh-provisioner": "scripts/launcher.ts", main: "src/main.ts" },
    outdir: binFolder,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    legalComments: "none",
    // Packages that are no ES modules ask for Node's own by `require`.
    banner: {
      js: `import { createRequire as createRequireOfBundle } from "node:module"
const require = createRequireOfBundle(import.meta.url)`
    },
    logLevel: "warning",
    write: false
  })
  for (const file of result.outputFiles) {
    writeWhole(file.path, file.contents)
  }
  chmodSync(join(binFolder, "mesh-provisioner.js"), 0o755)
}

/** Takes the command line away. */
export const removeBin = (): void => rmSync(binFolder, { recursive: true, force: true })

/** The library: JavaScript, types and maps of every file of `src/`. Gives whether its types are right. */
export const buildLibrary = (): boolean => compile(["--build", "src"])

const writeWhole = (path: string, contents: Uint8Array): void => {
  if (existsSync(path) && readFileSync(path).equals(contents)) return
  mkdirSync(dirname(path), { recursive: true })
  const beside = `${path}.${process.pid}`
  writeFileSync(beside, contents)
  renameSync(beside, path)
}

const buildAsked = async (): Promise<boolean> => {
  try {
    await buildBin()
  } catch {
    return false // esbuild has said why
  }
  return process.argv[2] === "bin" || buildLibrary()
}

if (import.meta.main && !await buildAsked()) process.exitCode = 1
