/**
 * Goal: `check` tells whoever writes a definition every fault: where in the file, by which path, what is wrong and how to mend it.
 *
 * Method: definitions with planted faults are checked; the faults are the core's, their places are this command's.
 */
import { checkDefinition } from "mesh-provisioner/core"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { folderWith, run } from "./Bin.ts"

const faulty = `{
  "directories": {
    "state": {}
  },
  "provides": {
    "database": { "credential": "consumers" }
  },
  "answers": {
    "zones": { "bucket": "dns_zones", "key": "<node>" }
  }
}
`

const root = join(import.meta.dirname, "..", "..")

describe("check", () => {
  test("the project's own definition passes", async () => {
    const { exitCode, stderr, stdout } = await run(["check", "module.json", "--module", "mesh-provisioner"], {
      cwd: root
    })
    expect({ exitCode, stderr, stdout }).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: "The definition of mesh-provisioner is right.\n"
    })
  })

  test("tells each fault by its place, its path, what is wrong and how to mend it, in the order of the file", async () => {
    const [database, zones, state] = ["provides", "answers", "directories"].map((group) =>
      checkDefinition(JSON.parse(faulty), "shop").find(({ path }) => path[0] === group)
    )
    const { exitCode, stderr, stdout } = await run(["check", "-", "--module", "shop"], { input: faulty })
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" })
    expect(stdout).toBe(`standard input:3:14  directories.state.unknown
    ${state?.what}
    to mend it: ${state?.mend}
standard input:6:33  provides.database.credential
    ${database?.what}
    to mend it: ${database?.mend}
standard input:9:26  answers.zones.bucket
    ${zones?.what}
    to mend it: ${zones?.mend}
3 faults in the definition of shop.
`)
  })

  test("--json has the same", async () => {
    const { exitCode, stdout } = await run(["check", "-", "--module", "shop", "--json"], { input: faulty })
    expect(exitCode).toBe(1)
    const { faults, module } = JSON.parse(stdout)
    expect(module).toBe("shop")
    expect(faults).toHaveLength(3)
    expect(faults[0]).toEqual({
      ...checkDefinition(JSON.parse(faulty), "shop").find(({ path }) => path[0] === "directories"),
      line: 3,
      column: 14
    })
  })

  test("the module is its folder's name, unless it is said", async () => {
    const cwd = folderWith({})
    mkdirSync(join(cwd, "dns"))
    const definition = { answers: { zones: { bucket: "dns_zones", key: "<node>" } } }
    writeFileSync(join(cwd, "dns", "module.json"), JSON.stringify(definition))
    expect(await run(["check", "dns/module.json"], { cwd })).toMatchObject({ exitCode: 0 })
    expect(await run(["check", "module.json"], { cwd: join(cwd, "dns") })).toMatchObject({ exitCode: 0 })
    expect(await run(["check", "dns/module.json", "--module", "bind"], { cwd })).toMatchObject({ exitCode: 1 })
  })

  test("a folder that is not named like a module does not name one", async () => {
    const cwd = folderWith({})
    mkdirSync(join(cwd, "a b"))
    writeFileSync(join(cwd, "a b", "module.json"), "{}")
    const { exitCode, stderr } = await run(["check", "a b/module.json"], { cwd })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        "mesh-provisioner: Nobody can tell which module this is: the folder of a b/module.json is not named like one. " +
        "Give --module NAME.\n"
    })
  })

  test("what is no JSON is told by line and column", async () => {
    const { exitCode, stderr, stdout } = await run(["check", "-", "--module", "shop"], {
      input: "{\n  \"provides\": no }"
    })
    expect({ exitCode, stderr, stdout }).toEqual({
      exitCode: 1,
      stderr: "mesh-provisioner: standard input, line 2, column 15: this is not JSON. Mend it there and try again.\n",
      stdout: ""
    })
  })

  test.each(["[]", "7", "null", "\"text\""])("%s is no definition", async (input) => {
    const { exitCode, stdout } = await run(["check", "-", "--module", "shop"], { input })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^standard input:1:1 {2}the definition\n {4}expected an object\n {4}to mend it: /)
  })
})
