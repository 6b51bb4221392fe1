/**
 * Goal: whoever follows `deploy/three-nodes.md` comes from nothing to a mesh of three nodes, and sees at each step what the page
 * shows.
 *
 * Method: the page's own commands, in order, in one shell, with the bin as it was built and a real server; only the ports are others.
 * What only looks is looked at again until it prints what the page says, as a person would. `vitest -u` writes down
 * what is printed now.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findServer } from "../nats/findServer.ts"
import { isThere, onPath } from "../nats/Tools.ts"
import { Shell, stepsIn, withPrinted } from "./Page.ts"

const root = join(import.meta.dirname, "..", "..")
const path = join(root, "deploy", "three-nodes.md")
const page = readFileSync(path, "utf8")
const steps = stepsIn(page)

/** The ports of the page. */
const pagePorts = ["4222", "9464", "9465"]

let folder = ""
let shell: Shell
let printed: ReadonlyArray<string> = []

beforeAll(async () => {
  const server = await findServer()
  folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-page-"))
  const clone = join(folder, "clone")
  const programs = join(folder, "programs")
  mkdirSync(clone)
  mkdirSync(programs)
  for (const name of ["node_modules", "dist"]) {
    symlinkSync(join(root, name), join(clone, name))
  }
  symlinkSync(server.path, join(programs, "nats-server"))
  if (onPath(process.env, "curl") === undefined) {
    writeFileSync(join(programs, "curl"), curl, { mode: 0o755 })
  }
  shell = new Shell(clone, folder, {
    PATH: `${programs}${delimiter}${process.env["PATH"] ?? ""}`,
    XDG_CACHE_HOME: join(root, "node_modules", ".cache")
  })
  printed = await follow(await freePorts(pagePorts.length))
}, 300_000)

afterAll(() => {
  shell.end()
  rmSync(folder, { recursive: true, force: true })
})

/** Where there is no curl: what the page asks of it. */
const curl = `#!${process.execPath}
fetch(process.argv.at(-1)).then((answer) => answer.text()).then((text) => process.stdout.write(text))
`

/** Follows the page; gives what each step printed. */
const follow = async (ports: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const replaced = (text: string, from: ReadonlyArray<string>, to: ReadonlyArray<string>) =>
    from.reduce((text, port, index) => text.replaceAll(`:${port}`, `:${to[index]}`), text)
  const said: Array<string> = []
  for (const step of steps) {
    const run = async () => replaced(await shell.run(replaced(step.commands, pagePorts, ports)), ports, pagePorts)
    let now = await run()
    const until = Date.now() + patienceMillis
    while (step.printed !== undefined && now !== step.printed && mayRepeat(step.commands) && Date.now() < until) {
      await sleep(200)
      now = await run()
    }
    said.push(now)
  }
  return said
}

/** The seat's time to live, one beat, and what a busy machine needs. */
const patienceMillis = 30_000

const mayRepeat = (commands: string): boolean =>
  /^(?:mesh-provisioner (?:show|explain|verify) .*\n|curl .*\n)$/.test(commands)

const freePorts = async (count: number): Promise<ReadonlyArray<string>> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"))
  const ports: Array<string> = []
  for (const server of servers) {
    if (!server.listening) {
      await new Promise((resolve) => server.once("listening", resolve))
    }
    const address = server.address()
    ports.push(`${typeof address === "object" ? address?.port : undefined}`)
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

describe("deploy/three-nodes.md", () => {
  test("each step prints what the page shows", async () => {
    await expect(withPrinted(page, printed)).toMatchFileSnapshot(path)
  })

  test("no step fails, and none prints what the page does not show", () => {
    const faults = steps.flatMap(({ commands, printed: shown }, index) => {
      const now = printed[index] ?? ""
      return /\(exit code/.test(now) || (shown === undefined && now !== "") ? [`${commands}${now}`] : []
    })
    expect(faults).toEqual([])
  })

  test.each([
    ["asks", "bound.database  asked (not-bound)"],
    ["refuses what is another's", "Permissions Violation"],
    ["provides", "provided  provided"],
    ["stands by", "Stands by: one holds the seat."],
    ["takes over", "Stands by: two holds the seat."],
    ["asks before it undoes", "unneeded"],
    ["is clean in the end", "is what it should be"]
  ])("the mesh %s", (_, words) => expect(printed.join("")).toContain(words))

  test("nothing is left of it", () => {
    expect(isThere(join(folder, "clone", ".cache", "three-nodes"))).toBe(false)
  })

  test("what is not run are the ways to have the programs, and they are the project's own", () => {
    const others = [...page.matchAll(/^```(\w+)\n/gm)].map(([, language = ""]) => language)
      .filter((language) => !["sh", "text"].includes(language))
    expect(others).toEqual(["bash", "bash"])
    expect(readFileSync(join(dirname(path), "..", "package.json"), "utf8")).toContain(`"build": "`)
  })
})
