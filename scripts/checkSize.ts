/**
 * Checks what a program that embeds the core has to carry: the core as it is published, bundled for a browser with all it
 * needs and minified, is to stay under the limit in `.size-limit.json`.
 */
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { buildLibrary } from "./build.ts"

const root = join(import.meta.dirname, "..")

buildLibrary()
await build({
  absWorkingDir: root,
  entryPoints: ["dist/core/index.js"],
  outfile: "node_modules/.cache/size/core.js",
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2024",
  logLevel: "warning"
})
const sizeLimit = spawnSync(process.execPath, ["node_modules/size-limit/bin.js"], { cwd: root, stdio: "inherit" })
process.exitCode = sizeLimit.status ?? 1
