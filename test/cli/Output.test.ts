/**
 * Goal: what others wrote never steers a terminal, colour is for terminals alone, and a reader that leaves is no fault.
 *
 * Method: a mesh whose names, keys and words are full of controls goes through every command, and every byte that is
 * printed is looked at; terminals are real ones (`Terminal.ts`), pipes real pipes.
 */
import { writeToken } from "mesh-provisioner/core"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { jsonPieces } from "../../src/cli/Print.ts"
import { visible } from "../../src/cli/Visible.ts"
import { folderWith, homelab, run, runShell } from "./Bin.ts"
import { asked, provided } from "./Mesh.ts"
import { atTerminal } from "./Terminal.ts"

/** Clears the screen, three ways; turns the reading order around; hides; breaks the line; rings. */
const evil = "e\u001b[2J\u009b2J\u0090\u202E\u2066\u200B\u{E0041}\u2028\r\n\u0007\u007f"

const evilNode = writeToken(evil)

const evilMesh = {
  buckets: {
    "mesh-controller_modules": provided.buckets["mesh-controller_modules"],
    "mesh-controller_assignments": { [`${evilNode}.shop`]: { build: evil }, [`${evilNode}.postgres`]: { build: "p7" } },
    "mesh-provisioner_needs": {
      [`${evilNode}.shop.bound.database`]: {},
      [`${evilNode}.shop.${evilNode}.${evilNode}`]: {}
    },
    "mesh-provisioner_collect": { [`n1.${evilNode}.shop`]: evil, [evil]: {} },
    "mesh-provisioner_applied": { [`${evilNode}.shop`]: { plan: "0".repeat(32), build: evil } },
    [evil]: {},
    postgres_bound: {
      [`${evilNode}.shop.database`]: { state: "failed", why: evil, by: evil },
      [`${evilNode}.shop.${evilNode}`]: { state: "provided", by: evil }
    }
  }
}

/** What must not be printed as it is: all that is not seen as itself, but the line feed. */
const raw = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u

describe("strangers' words", () => {
  const files = {
    "evil.json": evilMesh,
    "plain.json": asked,
    "evil.jsonl": JSON.stringify(evilMesh),
    "module.json": { provides: { [evil]: {} }, directories: { [evil]: {} } },
    "bad.json": JSON.stringify({ buckets: { [evil]: 7 } })
  }

  test.each([
    ["decide", "evil.json"],
    ["decide", "evil.json", "--json"],
    ["decide", "--lines", "evil.jsonl"],
    ["diff", "plain.json", "evil.json"],
    ["diff", "plain.json", "evil.json", "--json"],
    ["show", "registry", "--from", "evil.json"],
    ["show", "needs", "--from", "evil.json"],
    ["show", "collect", "--from", "evil.json"],
    ["show", "collect", "--from", "evil.json", "--json"],
    ["show", "applied", "--from", "evil.json"],
    ["show", "provisions", "--from", "evil.json"],
    ["show", "plans", "--from", "evil.json"],
    ["show", "asks", "--from", "evil.json"],
    ["explain", `${evilNode}.shop`, "--from", "evil.json"],
    ["explain", `${evilNode}.shop`, "--from", "evil.json", "--json"],
    ["check", "module.json", "--module", "shop"],
    ["check", "module.json", "--module", "shop", "--json"],
    ["decide", "bad.json"],
    ["decide", `${evil.replaceAll("\n", "")}.json`],
    ["explain", `${evil}.x`, "--from", "evil.json"],
    ["decide", `--${evil}`],
    ["show", evil, "--from", "evil.json"],
    [evil]
  ])("%j prints none of them as they are", async (...args) => {
    const { stderr, stdout } = await run(args, { cwd: folderWith(files) })
    expect(stdout + stderr).not.toMatch(raw)
    expect(stdout + stderr).toContain("\\u001b[2J")
  })

  test("a name is shown with its controls written out", async () => {
    const { stdout } = await run(["show", "plans", "--from", "evil.json"], { cwd: folderWith(files) })
    expect(stdout).toContain(
      "e\\u001b[2J\\u009b2J\\u0090\\u202e\\u2066\\u200b\\udb40\\udc41\\u2028\\r\\n\\u0007\\u007f  shop "
    )
  })

  test("in JSON they are the same value still", async () => {
    const { stdout } = await run(["show", "collect", "--from", "evil.json", "--json"], { cwd: folderWith(files) })
    expect(JSON.parse(stdout).entries).toEqual([{
      key: `n1.${evilNode}.shop`,
      node: "n1",
      collection: evil,
      contributor: "shop",
      value: evil
    }])
  })

  test("every character that is not seen as itself is written out, and no other", () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code)
      const isSeen = !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(character)
      if ((visible(character) === character) !== isSeen) {
        expect(code.toString(16)).toBe("treated as it should be")
      }
    }
    expect(visible("\ud800a\udc00")).toBe("\\ud800a\\udc00")
  })
})

describe("JSON in pieces", () => {
  test.each<readonly [indent: "" | "  ", value: Parameters<typeof jsonPieces>[0]]>([
    ["  ", { a: { b: { c: { d: [1, { e: [] }], f: {} } } }, g: [], h: [[], [1, [2, [3]]]], "i\n": "j\n" }],
    ["", { a: { b: { c: { d: [1, { e: [] }], f: {} } } }, g: [], h: [[], [1, [2, [3]]]], "i\n": "j\n" }],
    ["  ", []],
    ["", null],
    ["  ", "text"]
  ])("indented by %j it is what JSON.stringify writes", (indent, value) => {
    expect([...jsonPieces(value, indent)].join("")).toBe(JSON.stringify(value, undefined, indent))
  })
})

describe("colour", () => {
  const red = "\u001b[31m"
  const cwd = () => folderWith({ "mesh.json": asked })

  test("a pipe has none, whatever is printed", async () => {
    for (
      const args of [["--help"], ["decide", homelab], ["explain", "cloud1.shop", "--from", homelab], ["dcide"], []]
    ) {
      const { stderr, stdout } = await run(args)
      expect(stdout + stderr).not.toContain("\u001b")
    }
  })

  test.each([[["decide", homelab], red], [["--help"], "\u001b[1m"], [["decide", "none.json"], red]])(
    "a terminal has it: %j",
    async (args, colour) => {
      expect((await atTerminal(args, cwd()).ended).stdout).toContain(colour)
    }
  )

  test.each([[{ NO_COLOR: "1" }], [{ TERM: "dumb" }]])("a terminal has none with %j", async (env) => {
    for (const args of [["decide", homelab], ["--help"], ["decide", "none.json"]]) {
      expect((await atTerminal(args, cwd(), env).ended).stdout).not.toContain("\u001b")
    }
  })
})

describe("long work", () => {
  const needs = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n1.shop.port.p${index}`, {}]))
  const large = { note: "x".repeat(4_000_000), buckets: { "mesh-provisioner_needs": needs } }

  test("says so at a terminal, on standard error, and wipes it away", async () => {
    const { stdout } = await atTerminal(["show", "plans", "--from", "large.json"], folderWith({ "large.json": large }))
      .ended
    const said = "\r\u001b[Kreading large.json…\r\u001b[K\r\u001b[Kdeciding…\r\u001b[K"
    expect(stdout.slice(0, said.length)).toBe(said)
  })

  test("says nothing in a pipe", async () => {
    const { stderr } = await run(["show", "plans", "--from", "-"], { input: JSON.stringify(large) })
    expect(stderr).toBe("")
  })
})

describe("a reader that leaves", () => {
  test.each(["decide", "show provisions --from", "decide --json"])("ends %s quietly", async (command) => {
    const { stderr, stdout } = await runShell(
      `mesh-provisioner ${command} ${homelab} | head -c 10 > /dev/null; echo "\${PIPESTATUS[0]}"`,
      folderWith({})
    )
    expect({ stderr, stdout }).toEqual({ stderr: "", stdout: "0\n" })
  })

  test("ends a stream of answers quietly", async () => {
    const cwd = folderWith({ "meshes.jsonl": `${JSON.stringify(asked)}\n`.repeat(500) })
    const { stderr, stdout } = await runShell(
      `mesh-provisioner decide --lines meshes.jsonl | head -n 1 > /dev/null; echo "\${PIPESTATUS[0]}"`,
      cwd
    )
    expect({ stderr, stdout }).toEqual({ stderr: "", stdout: "0\n" })
  })

  test("check's faults are faults all the same", async () => {
    const directories = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`d${index}`, {}]))
    const { stdout } = await runShell(
      `mesh-provisioner check module.json --module shop | head -n 1 > /dev/null; echo "\${PIPESTATUS[0]}"`,
      folderWith({ "module.json": { directories } })
    )
    expect(stdout).toBe("1\n")
  })

  test("but where there is no room, it says so", async () => {
    const { exitCode, stderr } = await runShell(`mesh-provisioner decide ${homelab} > /dev/full`, folderWith({}))
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: "mesh-provisioner: the output could not be written (ENOSPC).\n"
    })
  })
})

describe("where the compile cache cannot be kept", () => {
  test("it runs all the same", async () => {
    const cwd = folderWith({ cache: "no folder" })
    const ran = await runShell("mesh-provisioner --version", cwd, { XDG_CACHE_HOME: join(cwd, "cache") })
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" })
    rmSync(join(cwd, "cache"))
    writeFileSync(join(cwd, "cache"), "")
    expect(await runShell("mesh-provisioner --version", cwd, { XDG_CACHE_HOME: join(cwd, "cache") })).toEqual(ran)
  })
})
