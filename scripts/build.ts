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
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { compile } from "./compiler.ts"

const root = join(import.meta.dirname, "..")
const binFolder = join(root, "dist", "bin")

/**
 * The command line: a launcher of a few lines, which turns the compile cache on, and the file it then loads. The cache
 * must be on before the bulk of the code is read, and static imports are read first: hence two files. What only some
 * commands need is in files of its own, so that no command waits for what another one needs.
 *
 * Files of an earlier build stay for a while, as whoever runs it may yet load them; `isAlone` takes them away.
 */
export const buildBin = async ({ isAlone = false } = {}): Promise<void> => {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { "mesh-provisioner": "scripts/launcher.ts", main: "src/main.ts" },
    outdir: binFolder,
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
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
  // Whatever is there refers only to what is there before it.
  const [parts, entries] = [false, true].map((isEntry) =>
    result.outputFiles.filter(({ path }) => entryFiles.includes(basename(path)) === isEntry)
  )
  for (const file of [...parts ?? [], ...entries ?? []]) {
    writeWhole(file.path, file.contents)
  }
  removeLeft(new Set(result.outputFiles.map(({ path }) => path)), isAlone ? 0 : leftMillisMax)
  chmodSync(join(binFolder, "mesh-provisioner.js"), 0o755)
}

const entryFiles: ReadonlyArray<string> = ["main.js", "mesh-provisioner.js"]

/** How long files of an earlier build stay. */
const leftMillisMax = 3_600_000

const removeLeft = (built: ReadonlySet<string>, millisMax: number): void => {
  for (const path of readdirSync(binFolder).map((name) => join(binFolder, name))) {
    const info = statSync(path, { throwIfNoEntry: false })
    if (!built.has(path) && info !== undefined && Date.now() - info.mtimeMs >= millisMax) {
      rmSync(path, { force: true })
    }
  }
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
    await buildBin({ isAlone: process.argv[2] !== "bin" })
  } catch {
    return false // esbuild has said why
  }
  return process.argv[2] === "bin" || buildLibrary()
}

if (import.meta.main && !await buildAsked()) process.exitCode = 1
