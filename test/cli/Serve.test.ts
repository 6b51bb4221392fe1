/**
 * Goal: `serve` runs the provisioner from anywhere, shows what it does in a pipe and at a terminal, lets a person edit the facts
 * and see what changes and why, and ends when it is told to.
 *
 * Method: the bin runs until a signal; its lines are read as they come. Files are edited as editors do it.
 */
import { decide, diff, storedIn } from "mesh-provisioner/core"
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { bin, ended, folderWith, homelab, run, start, surroundings } from "./Bin.ts"
import { asked, askKey, provided, unneeded } from "./Mesh.ts"
import { atTerminal } from "./Terminal.ts"

/** A running `serve`, and what it has said so far. */
const serving = (args: ReadonlyArray<string>, cwd: string) => {
  const child = start(["serve", ...args], cwd)
  const run = ended(child)
  let said = ""
  child.stdout.on("data", (text: string) => {
    said += text
  })
  const seen = async (text: string): Promise<void> => {
    for (let tries = 0; tries < 400 && !said.includes(text); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(said).toContain(text)
  }
  const stop = (signal: NodeJS.Signals = "SIGINT") => {
    child.kill(signal)
    return run
  }
  return { seen, stop, said: () => said }
}

const written = (folder: string, mesh: unknown) =>
  writeFileSync(join(folder, "mesh.json"), JSON.stringify(mesh, undefined, 2))

const why = (mesh: typeof asked) => decide(mesh).provisions.get("n1.shop.bound.database")?.why ?? "none"

/** Log lines without their time. */
const linesOf = (said: string): ReadonlyArray<string> =>
  said.split("\n").filter((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z /.test(line)).map((line) => line.replace(/^\S+ /, ""))

describe("serve in a pipe", () => {
  test("writes what is decided, a line for each write, and ends with 0 at Ctrl-C", async () => {
    const serve = serving(["--load", "mesh.json"], folderWith({ "mesh.json": asked }))
    await serve.seen("put mesh-provisioner_plans n2.postgres ready\n")
    const { exitCode, stderr, stdout } = await serve.stop()
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    const lines = linesOf(stdout)
    expect(stdout.trimEnd().split("\n")).toHaveLength(lines.length)
    expect(lines.filter((line) => line.startsWith("INFO  put "))).toHaveLength(
      diff(storedIn(asked), decide(asked)).length
    )
    expect(lines).toContain("INFO  put mesh-provisioner_provisions n1.shop.bound.database asked not-bound")
  })

  test.each(["SIGTERM", "SIGHUP"] as const)("ends with 0 at %s", async (signal) => {
    const serve = serving(["--load", "mesh.json"], folderWith({ "mesh.json": asked }))
    await serve.seen("put mesh-provisioner_plans n2.postgres ready\n")
    expect(await serve.stop(signal)).toMatchObject({ exitCode: 0, stderr: "" })
  })

  test("takes two signals at once for one, as npm makes two of a Ctrl-C", async () => {
    const serve = serving(["--load", "mesh.json"], folderWith({ "mesh.json": asked }))
    await serve.seen("put mesh-provisioner_plans n2.postgres ready\n")
    void serve.stop()
    expect((await serve.stop()).exitCode).toBe(0)
  })

  test("ends quietly when nobody reads it any more", async () => {
    const cwd = folderWith({ "mesh.json": asked })
    const child = start(["serve", "--load", "mesh.json", "--follow"], cwd)
    const run = ended(child)
    await new Promise((resolve) => child.stdout.once("data", resolve))
    child.stdout.destroy()
    for (let tries = 0; tries < 40 && child.exitCode === null; tries++) {
      written(cwd, tries % 2 === 0 ? provided : asked)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    expect(child.exitCode).toBe(0)
    expect(await run).toMatchObject({ exitCode: 0, stderr: "" })
  })

  test("nothing of what others wrote is in its lines but names", async () => {
    const mesh = structuredClone(provided)
    mesh.buckets.postgres_bound["n1.shop.database"].values.host = "hunter2"
    Object.assign(mesh.buckets.postgres_bound["n1.shop.database"], { state: "failed", why: "hunter3" })
    const serve = serving(["--load", "mesh.json"], folderWith({ "mesh.json": mesh }))
    await serve.seen("put mesh-provisioner_plans n2.postgres ready\n")
    expect((await serve.stop()).stdout).not.toMatch(/hunter/)
  })

  test("loads standard input", async () => {
    const child = start(["serve", "--load", "-"])
    const run = ended(child)
    child.stdin.end(JSON.stringify(asked))
    await new Promise((resolve) => child.stdout.once("data", resolve))
    child.kill("SIGINT")
    expect(await run).toMatchObject({ exitCode: 0, stderr: "" })
  })

  test("what is larger than the bus holds is said, and nothing is served", async () => {
    const mesh = structuredClone(provided)
    mesh.buckets.postgres_bound["n1.shop.database"].values.host = "x".repeat(1_100_000)
    const { exitCode, stderr, stdout } = await run(["serve", "--load", "mesh.json"], {
      cwd: folderWith({ "mesh.json": mesh })
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" })
    expect(stderr).toMatch(
      /^mesh-provisioner: Key "n1\.shop\.database" of bucket postgres_bound was not loaded: its value has /
    )
  })
})

describe("serve without --load", () => {
  const puts = diff(new Map(), decide(JSON.parse(readFileSync(homelab, "utf8")))).length

  test("runs the example mesh, from wherever it is called", async () => {
    const serve = serving([], tmpdir())
    await serve.seen("put mesh-provisioner_plans shed.zsh ")
    const { stdout } = await serve.stop()
    expect(linesOf(stdout).filter((line) => line.startsWith("INFO  put "))).toHaveLength(puts)
  })

  test("runs it from an installed package, by the link that npm makes", async () => {
    const folder = folderWith({})
    const installed = join(folder, "node_modules", "mesh-provisioner")
    mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true })
    cpSync(join(bin, ".."), join(installed, "dist", "bin"), { recursive: true })
    cpSync(homelab, join(installed, "examples", "homelab.json"))
    cpSync(join(homelab, "..", "..", "package.json"), join(installed, "package.json"))
    const link = join(folder, "node_modules", ".bin", "mesh-provisioner")
    symlinkSync("../mesh-provisioner/dist/bin/mesh-provisioner.js", link)
    const child = spawn(link, ["serve"], {
      cwd: tmpdir(),
      env: { ...surroundings, PATH: `${join(process.execPath, "..")}:${process.env["PATH"]}` },
      timeout: 25_000,
      killSignal: "SIGKILL"
    })
    const run = ended(child)
    await new Promise((resolve) => child.stdout.once("data", resolve))
    child.kill("SIGINT")
    expect(await run).toMatchObject({ exitCode: 0, stderr: "" })
  })
})

describe("serve under npm", () => {
  test("is there for the second signal that npm makes of one Ctrl-C, however late it comes", async () => {
    const child = start(["serve", "--load", "mesh.json"], folderWith({ "mesh.json": asked }), {
      npm_lifecycle_event: "start"
    })
    const run = ended(child)
    await new Promise((resolve) => child.stdout.once("data", resolve))
    child.kill("SIGINT")
    const stopping = performance.now()
    expect(await run).toMatchObject({ exitCode: 0, stderr: "" })
    expect(performance.now() - stopping).toBeGreaterThan(400)
  })
})

describe("serve --follow", () => {
  test("takes an edit, and says of each decision that changes what it was, what it is, and why", async () => {
    const cwd = folderWith({ "mesh.json": asked })
    const serve = serving(["--load", "mesh.json", "--follow"], cwd)
    await serve.seen("put mesh-provisioner_plans n2.postgres ready\n")
    expect(serve.said()).not.toContain("before:")
    written(cwd, provided)
    await serve.seen("plan  n1.shop  waiting -> ready\n")
    const { exitCode, stderr, stdout } = await serve.stop()
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(stdout).toContain(`provision  n1.shop.bound.database  asked -> provided
    before: ${why(asked)}
    now:    ${why(provided)}
plan  n1.shop  waiting -> ready
`)
    expect(linesOf(stdout)).toContain("INFO  put mesh-provisioner_provisions n1.shop.bound.database provided provided")
  })

  test("an edit that cannot be taken is told once, and taken when it is mended", async () => {
    const cwd = folderWith({ "mesh.json": asked })
    const serve = serving(["--load", "mesh.json", "--follow"], cwd)
    await serve.seen("put mesh-provisioner_plans n2.postgres ready\n")
    writeFileSync(join(cwd, "mesh.json"), "{ \"buckets\": {\n  \"postgres_bound\": hunter2")
    await serve.seen("WARN  ")
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    // An editor that writes beside the file, and puts that in its place.
    writeFileSync(join(cwd, "mesh.json.new"), JSON.stringify(provided))
    renameSync(join(cwd, "mesh.json.new"), join(cwd, "mesh.json"))
    await serve.seen("asked -> provided\n")
    const { stdout } = await serve.stop()
    expect(linesOf(stdout).filter((line) => line.startsWith("WARN"))).toEqual([
      expect.stringMatching(/^WARN {2}mesh\.json:2:21: .*What the file held before stands until it is mended\.$/)
    ])
    expect(stdout).not.toContain("hunter2")
  })

  test("an answer of `retire` is such an edit", async () => {
    const cwd = folderWith({ "mesh.json": unneeded })
    const serve = serving(["--load", "mesh.json", "--follow"], cwd)
    await serve.seen(`put mesh-provisioner_asks ${askKey} unneeded\n`)
    expect(await run(["retire", askKey, "--answer", "retire", "--by", "ann", "--from", "mesh.json"], { cwd }))
      .toMatchObject({ exitCode: 0 })
    await serve.seen(`ask  ${askKey}  unneeded -> retire\n`)
    expect((await serve.stop()).stdout).toContain("    now:    ann answered retire")
  })
})

describe("serve at a terminal", () => {
  test("shows how much there is in each state, and keeps it up", async () => {
    const cwd = folderWith({ "mesh.json": asked })
    const terminal = atTerminal(["serve", "--load", "mesh.json", "--follow"], cwd, { NO_COLOR: "1" })
    await terminal.seen(
      "needs     1: 1 asked\r\nplans     2: 1 ready, 1 waiting\r\nasks      1: 1 wanted\r\nregistry  13 kinds\r\n"
    )
    await terminal.seen("Every bucket is read, and what is decided is written.\r\nCtrl-C ends this. Edit mesh.json: ")
    expect(terminal.screen()).not.toContain("INFO")
    written(cwd, provided)
    await terminal.seen("provision  n1.shop.bound.database  asked -> provided\r\n")
    await terminal.seen("needs     1: 1 provided\r\nplans     2: 2 ready\r\n")
    terminal.press("\u0003")
    const { exitCode, stdout } = await terminal.ended
    expect(exitCode).toBe(0)
    // What stands for the present is drawn over: six lines and the empty one above them.
    expect(stdout).toContain("\u001b[7A\u001b[J")
  })

  test("tells of troubles above it", async () => {
    const cwd = folderWith({ "mesh.json": asked })
    const terminal = atTerminal(["serve", "--load", "mesh.json", "--follow"], cwd, { NO_COLOR: "1" })
    await terminal.seen("registry  13 kinds\r\n")
    writeFileSync(join(cwd, "mesh.json"), "{")
    await terminal.seen("WARN  mesh.json:1:")
    terminal.press("\u0003")
    expect((await terminal.ended).exitCode).toBe(0)
  })
})
