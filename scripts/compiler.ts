/**
 * The TypeScript compiler that builds and checks the project: the one of `@effect/tsgo`, which is TypeScript's own and
 * reports mistakes in the use of Effect too; where it is not made for this platform, TypeScript's own.
 */
import getEffectCompiler from "@effect/tsgo/lib/getExePath"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

/** Runs the compiler in the project's folder, and gives whether it was content. What it reports is shown as it is. */
export const compile = (options: ReadonlyArray<string>): boolean => {
  const [command, ...before] = compilerCommand()
  return spawnSync(command, [...before, ...options], { cwd: root, stdio: "inherit" }).status === 0
}

/** The compiler's command, in words. */
export const compilerCommand = (): [string, ...Array<string>] => {
  try {
    return [getEffectCompiler()]
  } catch {
    return [process.execPath, join(root, "node_modules", "typescript", "bin", "tsc")]
  }
}
