/**
 * Goal: the tests find a server in the order that is promised, say which, and fail with what to do where there is none.
 *
 * Method: programs of the test's own, that say a version and no more, and a Go and an apt-get that lay such a program down.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { findOtherServer, findServer } from "./findServer.ts"

let folder = ""

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-find-"))
})

afterEach(() => rmSync(folder, { recursive: true }))

const program = (path: string, text: string): string => {
  const whole = join(folder, path)
  mkdirSync(join(whole, ".."), { recursive: true })
  writeFileSync(whole, `#!/bin/sh\n${text}\n`)
  chmodSync(whole, 0o755)
  return whole
}

const server = (path: string, version: string): string => program(path, `echo nats-server: v${version}`)

const find = (environment: { readonly [name: string]: string } = {}) =>
  findServer({
    environment: { PATH: `${join(folder, "bin")}:/bin:/usr/bin`, ...environment },
    cache: join(folder, "cache")
  })

const makesServer = (place: string, version: string): string =>
  `mkdir -p ${place} && printf '#!/bin/sh\\necho nats-server: v${version}\\n' > ${place}/nats-server && ` +
  `chmod 755 ${place}/nats-server`

const goThatBuilds = () =>
  program("bin/go", `echo build >> ${join(folder, "built")}\n${makesServer("$GOBIN", "4.0.0")}`)

const aptThatDownloads = () => {
  program("bin/apt-get", "touch nats-server_5.deb")
  program("bin/dpkg-deb", makesServer("usr/sbin", "5.0.0"))
}

describe("a server is found", () => {
  test("by $NATS_SERVER before all else", async () => {
    server("bin/nats-server", "2.0.0")
    const named = server("own", "1.0.0")
    expect(await find({ NATS_SERVER: named })).toEqual({ path: named, version: "1.0.0", from: "by $NATS_SERVER" })
  })

  test("on the PATH before the cache", async () => {
    server("cache/2.15.2/nats-server", "3.0.0")
    const onPath = server("bin/nats-server", "2.0.0")
    expect(await find()).toEqual({ path: onPath, version: "2.0.0", from: "on the PATH" })
  })

  test("in the cache before it is built", async () => {
    goThatBuilds()
    server("cache/2.15.2/nats-server", "3.0.0")
    expect(await find()).toMatchObject({ version: "3.0.0", from: "from the cache" })
  })

  test("by Go, once for all who ask at once, and kept", async () => {
    goThatBuilds()
    const found = await Promise.all([find(), find(), find()])
    expect(found.map(({ version }) => version)).toEqual(["4.0.0", "4.0.0", "4.0.0"])
    expect(await find()).toMatchObject({ from: "from the cache" })
    expect(readdirSync(join(folder, "cache"))).toEqual(["2.15.2"])
  })

  test("by apt-get where Go does not build it", async () => {
    program("bin/go", "echo no network >&2; exit 1")
    aptThatDownloads()
    expect(await find()).toMatchObject({ version: "5.0.0", from: "had by apt-get" })
  })

  test("though one who built it died with the lock", async () => {
    goThatBuilds()
    mkdirSync(join(folder, "cache"))
    writeFileSync(join(folder, "cache", "lock"), "2147483646")
    expect(await find()).toMatchObject({ version: "4.0.0" })
    expect(existsSync(join(folder, "cache", "lock"))).toBe(false)
  })
})

describe("no server is found", () => {
  test("where none can be had: what was tried, and what to do", async () => {
    program("bin/go", "echo no network >&2; exit 1")
    program("bin/apt-get", "echo no package >&2; exit 100")
    await expect(find()).rejects.toThrow(
      /need a nats-server, and there is none\. Put one on the PATH, or name it by \$NATS_SERVER.*Go: no network; apt-get: no package/
    )
  })

  test("where what is named is none", async () => {
    const named = program("own", "echo hello")
    await expect(find({ NATS_SERVER: named })).rejects.toThrow(`${named} is no nats-server`)
    await expect(find({ NATS_SERVER: "/nowhere" })).rejects.toThrow("/nowhere is no nats-server")
  })
})

describe("a second server, of another version", () => {
  const find = (version: string) =>
    findOtherServer({ path: "first", version, from: "somewhere" }, {
      environment: { PATH: `${join(folder, "bin")}:/bin:/usr/bin` },
      cache: join(folder, "cache")
    })

  test("is Debian's, had by apt-get and kept", async () => {
    goThatBuilds()
    aptThatDownloads()
    expect(await find("4.0.0")).toMatchObject({ version: "5.0.0", from: "had by apt-get" })
    expect(await find("4.0.0")).toMatchObject({ version: "5.0.0", from: "from the cache" })
  })

  test("is the one that Go builds, where the first is Debian's", async () => {
    goThatBuilds()
    aptThatDownloads()
    expect(await find("5.0.0")).toMatchObject({ version: "4.0.0", from: "had by Go" })
  })

  test("is none, with the reason, where no other can be had", async () => {
    program("bin/go", "echo no network >&2; exit 1")
    aptThatDownloads()
    expect(await find("5.0.0")).toEqual({ troubles: ["apt-get: it gives 5.0.0 too", "Go: no network"] })
  })
})
