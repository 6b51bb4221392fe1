/**
 * Goal: whoever writes a command wrong, or names a file that is none, is told what is wrong and what to do, on standard error
 * alone; and a program can tell the two apart by the exit code: 2 and 1.
 *
 * Method: the bin is run, and each sentence is pinned as a person reads it.
 */
import { chmodSync, mkdirSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { folderWith, run } from "./Bin.ts"
import { asked } from "./Mesh.ts"

/** The sentence of a command that fails, without the name of the program. */
const sentenceOf = async (args: ReadonlyArray<string>, exitCode: 1 | 2, options: Parameters<typeof run>[1] = {}) => {
  const ran = await run(args, options)
  expect(ran.stdout).toBe("")
  expect(ran.exitCode).toBe(exitCode)
  expect(ran.stderr).toMatch(/^mesh-provisioner: .*\n/)
  return ran.stderr.replace("mesh-provisioner: ", "").trimEnd()
}

const usage = (command: string, parts: string) =>
  `Usage: mesh-provisioner ${command} [flags]${parts}. More: mesh-provisioner ${command} --help`

describe("a command that is written wrong (exit code 2)", () => {
  test.each<readonly [args: ReadonlyArray<string>, sentence: string]>([
    [
      ["dcide"],
      "dcide is no command (did you mean decide?). The commands are serve, decide, diff, show, explain, retire, check, " +
      "setup, snapshot, verify, grants, doctor, simulate.\n" +
      "Usage: mesh-provisioner <subcommand> [flags]. More: mesh-provisioner --help"
    ],
    [
      ["decide", "--jsn", "mesh.json"],
      "--jsn is no flag of mesh-provisioner decide (did you mean --json?). Its flags are --json, --lines; every command " +
      `takes --help, --version, --completions.\n${usage("decide", " <FILE>")}`
    ],
    [
      ["decide"],
      `FILE is missing. Give it: <FILE>, the snapshot, or - for standard input.\n${usage("decide", " <FILE>")}`
    ],
    [
      ["decide", "one.json", "two.json"],
      `two.json is more than mesh-provisioner decide takes. Leave it out.\n${usage("decide", " <FILE>")}`
    ],
    [
      ["diff", "one.json", "two.json", "three.json"],
      `three.json is more than mesh-provisioner diff takes. Leave it out.\n${usage("diff", " [<FILE...>]")}`
    ],
    [
      ["show", "shops", "--from", "mesh.json"],
      `WHAT cannot be shops. Allowed: registry, needs, applied, collect, provisions, plans, asks.\n${
        usage("show", " [<WHAT>]")
      }`
    ],
    [
      ["show", "--from"],
      "--from has no value. Give it: --from FILE, the snapshot that is read, or - for standard input; where left out, the bus " +
      `is asked.\n${usage("show", " [<WHAT>]")}`
    ],
    [
      ["retire", "a.b.c.d.e", "--answer", "burn", "--by", "ann", "--from", "mesh.json"],
      `--answer cannot be burn. Allowed: retire, keep.\n${usage("retire", " <KEY>")}`
    ],
    [
      ["--completions", "tcsh"],
      "--completions cannot be tcsh. Allowed: bash, zsh, fish, powershell.\n" +
      "Usage: mesh-provisioner <subcommand> [flags]. More: mesh-provisioner --help"
    ]
  ])("%j", async (args, sentence) => {
    expect(await sentenceOf(args, 2)).toBe(sentence)
  })

  test("without any command, help goes to standard error", async () => {
    const ran = await run([])
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" })
    expect(ran.stderr).toContain("COMMANDS:\n  serve ")
  })

  test.each<readonly [args: ReadonlyArray<string>, sentence: string]>([
    [["diff"], "AFTER is missing. Give a snapshot as it would be, or the changes alone: --change FILE."],
    [
      ["diff", "-", "-"],
      "Only one of BEFORE and AFTER can be standard input (-). Give the path of a file for the other."
    ],
    [
      ["serve", "--load", "-", "--follow"],
      "--follow takes the edits of a file, and standard input (-) is none. Give --load the path of a file."
    ],
    [
      ["retire", "a.b.c.d.e", "--answer", "keep", "--by", "ann", "--from", "-"],
      "The answer is written into the file that --from names, so that cannot be standard input (-)."
    ],
    [
      ["retire", "a.b.c.d.e", "--answer", "keep", "--from", "mesh.json"],
      "--by is missing. Say who answers: --by NAME."
    ],
    [
      ["explain", "n1", "--from", "none.json"],
      "n1 has 1 part. Write <node>.<module> for a plan, or <node>.<module>.<kind>.<name> for one need; a . within a name " +
      "is written =2E."
    ],
    [
      ["explain", "n1.shop.bound", "--from", "none.json"],
      "n1.shop.bound has 3 parts. Write <node>.<module> for a plan, or <node>.<module>.<kind>.<name> for one need; a . " +
      "within a name is written =2E."
    ],
    [
      ["explain", "n1.shop.shell.zsh:normal", "--from", "none.json"],
      "zsh:normal is not how a name is written in a key. As a name it is written zsh=3Anormal."
    ],
    [
      ["explain", "n1..shell.zsh", "--from", "none.json"],
      "An empty part is not how a name is written in a key. Give each part a name."
    ],
    [
      ["show", "provisions", "--state", "wanted", "--from", "none.json"],
      "No state of provisions is called so; allowed are provided, asked, failed and refused."
    ],
    [
      ["show", "--state", "asked", "--from", "none.json"],
      "Registry cannot be narrowed by state, only provisions, plans and asks can."
    ],
    [
      ["show", "plans", "--collection", "path", "--from", "none.json"],
      "Plans cannot be narrowed by collection, only by node and module."
    ],
    [
      ["check", "-"],
      "Nobody can tell which module this is: the folder of standard input is not named like one. Give --module NAME."
    ],
    [
      ["check", "-", "--module", "a/b"],
      "--module: a/b is no module's name. One is 1 to 200 of A-Z a-z 0-9 _ -."
    ]
  ])("%j", async (args, sentence) => {
    expect(await sentenceOf(args, 2)).toBe(sentence)
  })
})

describe("a file that cannot be read (exit code 1)", () => {
  test.each([
    ["decide", "none.json"],
    ["decide", "--lines", "none.json"],
    ["diff", "mesh.json", "none.json"],
    ["show", "--from", "none.json"],
    ["explain", "n1.shop", "--from", "none.json"],
    ["retire", "a.b.c.d.e", "--answer", "keep", "--by", "ann", "--from", "none.json"],
    ["check", "none.json", "--module", "shop"],
    ["serve", "--load", "none.json"],
    ["serve", "--load", "none.json", "--follow"]
  ])("%s %s %s: it is not there", async (...args) => {
    expect(await sentenceOf(args, 1, { cwd: folderWith({ "mesh.json": asked }) })).toBe(
      "There is no file none.json. Give the path of one that is there, or - to read standard input."
    )
  })

  test("it is a folder", async () => {
    const cwd = folderWith({})
    mkdirSync(join(cwd, "meshes"))
    expect(await sentenceOf(["decide", "meshes"], 1, { cwd })).toBe(
      "meshes is a folder. Give the path of a file in it."
    )
  })

  test("a part of its path is a file", async () => {
    expect(await sentenceOf(["decide", "mesh.json/x"], 1, { cwd: folderWith({ "mesh.json": asked }) })).toBe(
      "There is no file mesh.json/x, as a part of its path is a file and no folder. Give the path of one that is there."
    )
  })

  test("its name is too long to be one", async () => {
    expect(await sentenceOf(["decide", "m".repeat(300)], 1)).toBe(
      `${"m".repeat(300)} is no path of a file. Give the path of one that is there.`
    )
  })

  test("it is larger than can be read as one text", async () => {
    const cwd = folderWith({ "mesh.json": "" })
    truncateSync(join(cwd, "mesh.json"), 600 * 1_048_576)
    expect(await sentenceOf(["decide", "mesh.json"], 1, { cwd })).toBe(
      "mesh.json is larger than 511 MiB, the most that is read as one text. Split it, or give a snapshot a line to decide " +
        "--lines."
    )
  })

  // Whoever may read everything is told by the name of the test that this was not tried.
  const mayReadAll = process.getuid?.() === 0
  test(mayReadAll ? "it may not be read (root may read all, so it is read)" : "it may not be read", async () => {
    const cwd = folderWith({ "mesh.json": "{ nothing }" })
    chmodSync(join(cwd, "mesh.json"), 0)
    expect(await sentenceOf(["decide", "mesh.json"], 1, { cwd })).toBe(
      mayReadAll
        ? "mesh.json, line 1, column 3: this is not JSON. Mend it there and try again."
        : "mesh.json may not be read. Let it be read by whoever runs this, and try again."
    )
  })
})

describe("a file that is no snapshot (exit code 1)", () => {
  test.each<readonly [why: string, text: string | Uint8Array, sentence: string]>([
    [
      "no JSON",
      "{\n  \"buckets\": {\n    nothing\n",
      "line 3, column 5: this is not JSON. Mend it there and try again."
    ],
    [
      "no buckets",
      "{ \"bucket\": {} }",
      "line 1, column 1: expected an object with \"buckets\", an object of buckets. Mend it there and try again."
    ],
    [
      "a bucket that is no object",
      "{ \"buckets\": {\n  \"mesh-host_haves\": 7 } }",
      "line 2, column 22: expected bucket mesh-host_haves to be an object of keys. Mend it there and try again."
    ],
    [
      "raw that is no base64",
      "{ \"buckets\": {},\n  \"raw\": { \"a_bound\": { \"n1.a.b\": \"%%\" } } }",
      "line 2, column 35: expected base64 text at key n1.a.b of raw bucket a_bound. Mend it there and try again."
    ],
    [
      "no UTF-8",
      new Uint8Array([0x7b, 0x0a, 0xc3, 0xa9, 0x20, 0xff, 0x7d]),
      "line 2, column 3: this is not UTF-8. Save it as UTF-8 text and try again."
    ],
    [
      "a byte order mark",
      "\uFEFF{ \"buckets\": {} }",
      "line 1, column 1: it begins with a byte order mark. Save it without one and try again."
    ]
  ])("%s", async (_, input, sentence) => {
    expect(await sentenceOf(["decide", "-"], 1, { input })).toBe(`standard input, ${sentence}`)
  })

  test("every command that reads one says so alike, and nothing of what it holds", async () => {
    const cwd = folderWith({ "mesh.json": "{ \"buckets\": { \"postgres_bound\": \"hunter2\" } }" })
    const sentence = "mesh.json, line 1, column 34: expected bucket postgres_bound to be an object of keys. " +
      "Mend it there and try again."
    for (
      const args of [
        ["decide", "mesh.json", "--json"],
        ["decide", "mesh.json", "--lines"],
        ["diff", "mesh.json", "mesh.json"],
        ["show", "--from", "mesh.json"],
        ["explain", "n1.shop", "--from", "mesh.json"],
        ["retire", "a.b.c.d.e", "--answer", "keep", "--by", "ann", "--from", "mesh.json"],
        ["serve", "--load", "mesh.json"]
      ]
    ) {
      expect(await sentenceOf(args, 1, { cwd })).toBe(sentence)
    }
  })
})
