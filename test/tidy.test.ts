/**
 * Goal: the project's own rules that neither compiler nor linter knows.
 *
 * Method: the files are read as text.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

const sources = ["src", "test", "scripts", "bench", "examples"]
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
  )
  .filter((path) => path.endsWith(".ts") && !path.includes("node_modules"))

const linesWith = (pattern: RegExp): ReadonlyArray<string> =>
  sources.flatMap((path) =>
    readFileSync(join(root, path), "utf8").split("\n")
      .flatMap((line, index) => pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])
  )

describe("sources", () => {
  test("there are some", () => {
    expect(sources).toContain("src/core/index.ts")
  })

  test("no type is forced by way of unknown or never", () => {
    expect(linesWith(/\bas (?:unknown|never)\s+as\b|\bas never\b/)).toEqual([])
  })
})

describe("dependencies", () => {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8")

  test("each is pinned to one version", () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })

  test("the lock names no address that they were downloaded from", () => {
    expect(lock).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/)
  })

  // npm leaves out what its registry did not have for other platforms than this one, and `npm ci` then refuses the lock.
  test("the lock has every package that another needs on some platform", () => {
    const { packages }: { packages: Record<string, { optionalDependencies?: Record<string, string> }> } = JSON.parse(
      lock
    )
    const locked = Object.keys(packages).map((path) =>
      path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    )
    const needed = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    expect(needed.filter((name) => !locked.includes(name))).toEqual([])
  })
})
