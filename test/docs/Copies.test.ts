/**
 * Goal: the project's copies say what the material that they were copied from says, as long as that is at hand.
 *
 * Method: where `../shared` lies beside the clone, each copy is compared with it; where it does not, there is nothing to
 * compare with, and the test says so by its name. That the comparison finds a difference is tried on folders of its own.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { copies, differencesOf } from "./Copies.ts"

const root = join(import.meta.dirname, "..", "..")
const shared = join(root, "..", "shared")

if (existsSync(shared)) {
  describe("compared with ../shared", () => {
    it.each(copies)("$own", (copy) => {
      expect(differencesOf(shared, root, copy)).toEqual([])
    })
  })
} else {
  describe("there is no ../shared beside this clone, so its copies are compared with nothing", () => {
    it.each(copies)("$own is there", ({ own }) => {
      expect(existsSync(join(root, own))).toBe(true)
    })
  })
}

describe("the comparison", () => {
  const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-copies-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const write = (path: string, value: unknown): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(value))
  }
  write("shared/cases/same.json", { a: 1, b: [2] })
  write("own/cases/same.json", { b: [2], a: 1 })
  write("shared/cases/other.json", { a: { b: [1, 2] } })
  write("own/cases/other.json", { a: { b: [1, 3] } })
  write("shared/cases/new.json", {})
  write("own/cases/old.json", {})
  write("shared/mesh.json", { a: 1 })

  it("names each file that differs, is missing or is not of there, and where it differs", () => {
    expect(differencesOf(join(folder, "shared"), join(folder, "own"), { shared: "cases", own: "cases" })).toEqual([
      "cases/new.json is missing: copy it from ../shared/cases/new.json",
      "cases/old.json is not in ../shared/cases",
      "cases/other.json differs from ../shared/cases/other.json at a / b / 1"
    ])
  })

  it("of one file, says that it is missing", () => {
    expect(
      differencesOf(join(folder, "shared"), join(folder, "own"), { shared: "mesh.json", own: "examples/mesh.json" })
    )
      .toEqual(["examples/mesh.json is missing: copy it from ../shared/mesh.json"])
  })
})
