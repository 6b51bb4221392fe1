/**
 * Goal: `retire` writes an operator's answer into the file, and nothing else of the file changes: all at once or not at all, and
 * never over what somebody else wrote.
 *
 * Method: files in several styles are answered; the text is compared byte for byte, what it means with the core.
 */
import fc from "fast-check"
import { decide } from "mesh-provisioner/core"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { withMember, withoutMember } from "../../src/cli/JsonEdit.ts"
import { folderWith, run } from "./Bin.ts"
import { asked, askKey, unneeded } from "./Mesh.ts"

const retire = (cwd: string, ...more: ReadonlyArray<string>) =>
  run(["retire", askKey, "--answer", "retire", "--by", "ann", ...more, "--from", "mesh.json"], { cwd })

const read = (cwd: string) => readFileSync(join(cwd, "mesh.json"), "utf8")

describe("retire", () => {
  test("puts the answer into the file, says so, and the ask is as it was answered", async () => {
    const cwd = folderWith({ "mesh.json": unneeded })
    const { exitCode, stderr, stdout } = await retire(cwd, "--words", "it was moved")
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(stdout).toBe(`retire  ${askKey}  by ann, written to mesh.json\n`)
    const mesh = JSON.parse(read(cwd))
    expect(mesh.buckets["mesh-provisioner_answers"]).toEqual({
      [askKey]: { answer: "retire", entry: expect.stringMatching(/^[0-9a-f]{32}$/), by: "ann", words: "it was moved" }
    })
    expect(decide(mesh).asks.get(askKey)?.state).toBe("retire")
    expect(readdirSync(cwd)).toEqual(["mesh.json"])
  })

  test("a mind may change", async () => {
    const cwd = folderWith({ "mesh.json": unneeded })
    await retire(cwd)
    const changed = await run(["retire", askKey, "--answer", "keep", "--by", "bob", "--from", "mesh.json"], { cwd })
    expect(changed.stdout).toBe(`kept  ${askKey}  by bob, written to mesh.json\n`)
    expect(decide(JSON.parse(read(cwd))).asks.get(askKey)?.state).toBe("kept")
  })

  test.each([
    ["wanted", asked, askKey],
    ["not there", unneeded, "n2.postgres.n1.shop.queue"]
  ])("an ask that is %s cannot be answered, and the file stays as it is", async (_, mesh, key) => {
    const cwd = folderWith({ "mesh.json": mesh })
    const before = read(cwd)
    const { exitCode, stderr, stdout } = await run(
      ["retire", key, "--answer", "retire", "--by", "ann", "--from", "mesh.json"],
      { cwd }
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" })
    expect(stderr).toMatch(/ mesh-provisioner show asks --from mesh\.json lists what is asked, and why\.\n$/)
    expect(read(cwd)).toBe(before)
  })

  test("bytes at the answer's key give way to it", async () => {
    const raw = { "mesh-provisioner_answers": { [askKey]: "/w==" }, postgres_bound: { "n9.x.y": "/w==" } }
    const cwd = folderWith({ "mesh.json": { ...unneeded, raw } })
    expect((await retire(cwd)).exitCode).toBe(0)
    expect(JSON.parse(read(cwd)).raw).toEqual({ "mesh-provisioner_answers": {}, postgres_bound: { "n9.x.y": "/w==" } })
    expect(decide(JSON.parse(read(cwd))).asks.get(askKey)?.state).toBe("retire")
  })

  test("a link stays a link, and the file keeps its mode", async () => {
    const cwd = folderWith({ "real.json": unneeded })
    chmodSync(join(cwd, "real.json"), 0o640)
    symlinkSync("real.json", join(cwd, "mesh.json"))
    expect((await retire(cwd)).exitCode).toBe(0)
    expect(lstatSync(join(cwd, "mesh.json")).isSymbolicLink()).toBe(true)
    expect(statSync(join(cwd, "real.json")).mode & 0o777).toBe(0o640)
    expect(read(cwd)).toContain("\"by\": \"ann\"")
  })

  test("a file that somebody else is writing is left alone, and it is said how to go on", async () => {
    const cwd = folderWith({ "mesh.json": unneeded, "mesh.json.writing": "" })
    const before = read(cwd)
    const { exitCode, stderr } = await retire(cwd)
    expect(exitCode).toBe(1)
    expect(stderr).toBe(
      "mesh-provisioner: The answer was not written: mesh.json is being written by somebody else. Run the command again; " +
        "where nobody is, remove mesh.json.writing.\n"
    )
    expect(read(cwd)).toBe(before)
    expect(existsSync(join(cwd, "mesh.json.writing"))).toBe(true)
  })

  test("of many who answer at once, none undoes what another wrote", async () => {
    const many = structuredClone(unneeded)
    const entry = many.buckets.postgres_bound["n1.shop.database"]
    const nodes = ["n3", "n4", "n5", "n6", "n7", "n8"]
    Object.assign(
      many.buckets.postgres_bound,
      Object.fromEntries(nodes.map((node) => [`${node}.shop.database`, entry]))
    )
    const cwd = folderWith({ "mesh.json": many })
    const ran = await Promise.all(
      nodes.map((node) =>
        run(["retire", `n2.postgres.${node}.shop.database`, "--answer", "keep", "--by", "ann", "--from", "mesh.json"], {
          cwd
        })
      )
    )
    const written = nodes.filter((_, index) => ran[index]?.exitCode === 0)
    expect(written.length).toBeGreaterThan(0)
    expect(Object.keys(JSON.parse(read(cwd)).buckets["mesh-provisioner_answers"]).sort()).toEqual(
      written.map((node) => `n2.postgres.${node}.shop.database`)
    )
    for (const { exitCode, stderr } of ran) {
      expect(exitCode === 0 ? "" : stderr).toMatch(
        /^$|changed meanwhile\. Run the command again|being written by somebody else/
      )
    }
  })

  test("what is no file cannot be replaced, and says so", async () => {
    const cwd = folderWith({})
    mkdirSync(join(cwd, "mesh.json"))
    expect((await retire(cwd)).stderr).toBe("mesh-provisioner: mesh.json is a folder. Give the path of a file in it.\n")
  })
})

describe("the text of the file", () => {
  const answer = { answer: "keep", by: "ann" }
  const put = (text: string) => withMember(text, ["buckets", "answers", "a.b"], answer)

  test.each<readonly [style: string, before: string, after: string]>([
    [
      "on one line",
      "{\"buckets\":{\"x\":{}}}",
      "{\"buckets\":{\"x\":{},\"answers\":{\"a.b\":{\"answer\":\"keep\",\"by\":\"ann\"}}}}"
    ],
    [
      "on one line, with spaces",
      "{\"buckets\": {\"x\": {}}}\n",
      "{\"buckets\": {\"x\": {}, \"answers\": {\"a.b\": {\"answer\": \"keep\", \"by\": \"ann\"}}}}\n"
    ],
    [
      "by two spaces",
      "{\n  \"buckets\": {\n    \"answers\": {\n      \"c\": 1\n    }\n  },\n  \"note\": 1e3\n}\n",
      "{\n  \"buckets\": {\n    \"answers\": {\n      \"c\": 1,\n      \"a.b\": {\n        \"answer\": \"keep\",\n        \"by\": \"ann\"\n" +
      "      }\n    }\n  },\n  \"note\": 1e3\n}\n"
    ],
    [
      "by tabs, an empty bucket",
      "{\n\t\"buckets\": {\n\t\t\"answers\": {}\n\t}\n}",
      "{\n\t\"buckets\": {\n\t\t\"answers\": {\n\t\t\t\"a.b\": {\n\t\t\t\t\"answer\": \"keep\",\n\t\t\t\t\"by\": \"ann\"\n\t\t\t}\n\t\t}\n\t}\n}"
    ],
    [
      "with line ends of two characters",
      "{\r\n \"buckets\": {\r\n  \"x\": []\r\n }\r\n}",
      "{\r\n \"buckets\": {\r\n  \"x\": [],\r\n  \"answers\": {\r\n   \"a.b\": {\r\n    \"answer\": \"keep\",\r\n    \"by\": \"ann\"\r\n   }\r\n" +
      "  }\r\n }\r\n}"
    ],
    [
      "an answer that is there",
      "{ \"buckets\": { \"answers\": { \"a.b\": \"} \\\" {\", \"c\": 2 } } }",
      "{ \"buckets\": { \"answers\": { \"a.b\": {\"answer\": \"keep\", \"by\": \"ann\"}, \"c\": 2 } } }"
    ],
    [
      "of two members of one name, the one that counts",
      "{\"buckets\":{\"answers\":{\"a.b\":1,\"a.b\":2}}}",
      "{\"buckets\":{\"answers\":{\"a.b\":1,\"a.b\":{\"answer\":\"keep\",\"by\":\"ann\"}}}}"
    ]
  ])("%s", (_, before, after) => {
    expect(put(before)).toBe(after)
  })

  const json = fc.jsonValue({ noUnicodeString: false })
  const object = fc.dictionary(
    fc.oneof(fc.constantFrom("buckets", "answers", "a.b", "__proto__", "}"), fc.string()),
    json
  )
  const style = fc.constantFrom(undefined, 1, 2, "\t", "      ")

  test("whatever the file holds, it means the same but for the answer", () => {
    fc.assert(fc.property(object, object, object, style, (answers, buckets, rest, indent) => {
      const withObjects = { ...rest, buckets: { ...buckets, answers } }
      const edited = JSON.parse(put(JSON.stringify(withObjects, undefined, indent)))
      expect(edited).toEqual(JSON.parse(JSON.stringify({
        ...withObjects,
        buckets: { ...withObjects.buckets, answers: { ...answers, "a.b": answer } }
      })))
    }))
  })

  test("what is put can be taken out again, and leaves the file as it was", () => {
    fc.assert(fc.property(object, style, (other, indent) => {
      const { "a.b": _, ...answers } = other
      const text = JSON.stringify({ buckets: { answers } }, undefined, indent)
      const path = ["buckets", "answers", "a.b"]
      const restored = withoutMember(withMember(text, path, answer), path)
      expect(Object.keys(answers).length === 0 ? JSON.stringify(JSON.parse(restored)) : restored).toBe(
        Object.keys(answers).length === 0 ? JSON.stringify(JSON.parse(text)) : text
      )
    }))
  })

  test("a member that is there twice is taken out twice, and one that is not, not at all", () => {
    expect(withoutMember("{\"raw\":{\"a\":{\"k\":1, \"x\":2, \"k\":3}}}", ["raw", "a", "k"])).toBe(
      "{\"raw\":{\"a\":{\"x\":2}}}"
    )
    expect(withoutMember("{\"raw\":{\"a\":{}}}", ["raw", "a", "k"])).toBe("{\"raw\":{\"a\":{}}}")
    expect(withoutMember("{\"raw\":7}", ["raw", "a", "k"])).toBe("{\"raw\":7}")
    expect(withoutMember("{}", ["raw", "a", "k"])).toBe("{}")
  })

  test("the rest of a large file is not touched", async () => {
    const cwd = folderWith({ "mesh.json": "" })
    const text = JSON.stringify({ note: "é\u2028", ...unneeded, more: [1.50, { deep: [[]] }] }, undefined, 4)
    writeFileSync(join(cwd, "mesh.json"), `\n${text}\n\n`)
    expect((await retire(cwd)).exitCode).toBe(0)
    const [start = "", end = ""] = read(cwd).split(/,\n {8}"mesh-provisioner_answers": \{[^]*?\n {8}\}/)
    expect(start + end).toBe(`\n${text}\n\n`)
  })
})
