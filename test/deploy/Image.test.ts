/**
 * Goal: the image of `deploy/Dockerfile` holds what the daemon needs and nothing else, and runs as nobody, on a disk that cannot
 * be written.
 *
 * Method: no image is made: the Dockerfile is read, and what it does is done in folders: its sources are built where only they
 * are, and what it copies is run where only that is, by a command and a surrounding as it says, in a folder that cannot be written.
 */
import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import manifest from "../../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..", "..")
const file = readFileSync(join(root, "deploy", "Dockerfile"), "utf8")

/** The instructions of each stage, in order. */
const [build = [], final = []] = file.replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n/g, "").split(/^(?=FROM )/m)
  .filter((stage) => stage.startsWith("FROM ")).map((stage) => stage.trim().split(/\n+/))

const all = (stage: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  stage.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1).trim())

const one = (name: string): string => {
  const found = all(final, name)
  expect(found.length, name).toBe(1)
  return found[0] ?? ""
}

const words = (json: string): ReadonlyArray<string> => JSON.parse(json)

/** What the build copies from the project, and what the image has of the build: from where, to where. */
const sources = all(build, "COPY").flatMap((line) => line.split(" ").slice(0, -1))
const kept = all(final, "COPY").map((line) => {
  const [, from = "", to = ""] = line.split(" ")
  return { from: from.replace(/^\/build\//, ""), to }
})

const environment = Object.fromEntries(
  one("ENV").split(/\s+/).map((pair): [string, string] => [
    pair.slice(0, pair.indexOf("=")),
    pair.slice(pair.indexOf("=") + 1)
  ])
)

describe("the Dockerfile", () => {
  test("begins each stage with an image of Node by its tag", () => {
    expect(all([...build, ...final], "FROM").map((line) => line.replace(/ AS .*/, ""))).toEqual([
      expect.stringMatching(/^node:\d+-[\w.-]+$/),
      expect.stringMatching(/^node:\d+-alpine$/)
    ])
  })

  test("ends as a user by number who is not root", () => expect(one("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/))

  test("begins the daemon by itself, with no shell between it and a signal", () => {
    const [program, path] = words(one("ENTRYPOINT"))
    expect([program, path]).toEqual(["node", `${one("WORKDIR")}/${manifest.bin["mesh-provisioner"]}`])
    expect(words(one("CMD"))).toEqual(["serve"])
  })

  test("goes to a server whatever is set: never to the bus within the process", () => {
    expect(environment["NATS_URL"]).toMatch(/^nats:/)
  })

  test("copies what is there, and .dockerignore lets just that through", () => {
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const lines = readFileSync(join(root, ".dockerignore"), "utf8").split("\n").filter((line) => /^[^#]/.test(line))
    expect(lines[0]).toBe("*")
    expect(lines.slice(1).sort()).toEqual(sources.map((path) => `!${path}`).sort())
  })
})

describe("what it makes", () => {
  let folder = ""
  let image = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-image-"))
    const built = join(folder, "build")
    image = join(folder, "image")
    for (const path of sources) cpSync(join(root, path), join(built, path), { recursive: true })
    // What `npm ci` brings.
    symlinkSync(join(root, "node_modules"), join(built, "node_modules"))
    const command = all(build, "RUN").at(-1) ?? ""
    const { status, stderr } = spawnSync("sh", ["-c", command], {
      cwd: built,
      encoding: "utf8",
      env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` }
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    for (const { from, to } of kept) {
      const place = to === "./" ? join(image, from) : join(image, to)
      mkdirSync(dirname(place), { recursive: true })
      cpSync(join(built, from), place, { recursive: true })
    }
    forAll(image, (path, isFolder) => chmodSync(path, isFolder ? 0o555 : 0o444))
  })
  afterAll(() => {
    forAll(image, (path, isFolder) => chmodSync(path, isFolder ? 0o755 : 0o644))
    rmSync(folder, { recursive: true, force: true })
  })

  /** Where nobody can make a folder, root neither. */
  const nowhere = "/proc"
  const entry = () => join(image, manifest.bin["mesh-provisioner"])

  test("is a few megabytes of JavaScript that needs no package", () => {
    const paths: Array<string> = []
    forAll(image, (path, isFolder) => isFolder || paths.push(path))
    expect(paths.filter((path) => !/\.js$|\/package\.json$/.test(path))).toEqual([])
    expect(paths.reduce((bytes, path) => bytes + readFileSync(path).length, 0)).toBeLessThan(5_000_000)
  })

  test("runs where nothing can be written, and says nothing of it", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [entry(), "--version"], {
      encoding: "utf8",
      cwd: image,
      env: { HOME: "/nonexistent", XDG_CACHE_HOME: nowhere }
    })
    expect({ status, stderr, stdout }).toEqual({
      status: 0,
      stderr: "",
      stdout: `mesh-provisioner ${manifest.version}\n`
    })
  })

  test("is asked for its health by its own Node: yes while it runs, no where nothing answers", async () => {
    const [, command = "[]"] = / CMD (\[.*\])$/.exec(one("HEALTHCHECK")) ?? []
    const [program, ...options] = words(command)
    expect(program).toBe("node")
    const listening = {
      ...environment,
      HOME: "/nonexistent",
      XDG_CACHE_HOME: nowhere,
      MESH_PROVISIONER_LISTEN: "127.0.0.1:0"
    }
    const daemon = spawn(process.execPath, [entry(), "serve", "--bus", "nats://127.0.0.1:1"], { env: listening })
    onTestFinished(() => {
      daemon.kill("SIGKILL")
    })
    const port = await new Promise<string>((resolve) => {
      daemon.on("close", () => resolve("1"))
      let said = ""
      daemon.stdout.on("data", (text: Buffer) => {
        said += text.toString()
        const [, port] = /http:\/\/127\.0\.0\.1:(\d+)\/healthz/.exec(said) ?? []
        if (port !== undefined) resolve(port)
      })
    })
    const healthAt = (address: string) =>
      spawnSync(process.execPath, options, { env: { MESH_PROVISIONER_LISTEN: address }, timeout: 10_000 }).status
    expect(healthAt(`0.0.0.0:${port}`)).toBe(0)
    daemon.kill("SIGTERM")
    await new Promise((resolve) => daemon.on("close", resolve))
    expect(healthAt(`127.0.0.1:${port}`)).toBe(1)
  })
})

/** All that is in a folder, what is deepest first, and the folder itself. */
const forAll = (folder: string, act: (path: string, isFolder: boolean) => void): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) forAll(path, act)
    else act(path, false)
  }
  act(folder, true)
}
