/**
 * Goal: the bin starts at once, and wherever it is started.
 *
 * Method: the built bin is run as a process, in homes of several kinds.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import manifest from "../package.json" with { type: "json" }

const bin = join(import.meta.dirname, "..", manifest.bin["mesh-provisioner"])
const startsOfNodeMax = 5

describe("the bin", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-launcher-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const version = (environment: Record<string, string>) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [bin, "--version"], {
      env: environment,
      encoding: "utf8",
      timeout: 10_000
    })
    return { status, stderr, stdout }
  }
  const said = { status: 0, stderr: "", stdout: `mesh-provisioner ${manifest.version}\n` }

  test("keeps its compiled code in the user's own cache, where nobody else may write", () => {
    const home = mkdtempSync(join(folder, "home-"))
    expect(version({ HOME: home })).toEqual(said)
    const cache = join(home, ".cache", "mesh-provisioner")
    expect(statSync(cache).mode & 0o777).toBe(0o700)
    expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(1)
    expect(version({ HOME: home })).toEqual(said)
  })

  test("keeps it where XDG_CACHE_HOME says", () => {
    const cache = mkdtempSync(join(folder, "cache-"))
    expect(version({ HOME: join(folder, "none"), XDG_CACHE_HOME: cache })).toEqual(said)
    expect(readdirSync(cache)).toEqual(["mesh-provisioner"])
  })

  test("starts without a cache where none can be kept, and says nothing of it", () => {
    const file = join(folder, "file")
    writeFileSync(file, "")
    for (const home of [join(folder, "none"), join(file, "home"), "/proc"]) {
      expect(version({ HOME: home }), home).toEqual(said)
    }
  })

  // Node alone takes 26 ms where the bin is to take well under 200. What is compared is the time of the processor, and the
  // best of several, as the machine may be doing other things too.
  test(`takes less than ${startsOfNodeMax} times what Node by itself takes to start`, () => {
    const home = mkdtempSync(join(folder, "home-"))
    const script = `process.on("exit", () => process.stderr.write(JSON.stringify(process.cpuUsage())))`
    const telling = `data:text/javascript,${encodeURIComponent(script)}`
    const micros = (...options: ReadonlyArray<string>): number => {
      const { stderr } = spawnSync(process.execPath, ["--import", telling, ...options], { env: { HOME: home } })
      const { system, user }: NodeJS.CpuUsage = JSON.parse(stderr.toString())
      return system + user
    }
    const best = (...options: ReadonlyArray<string>): number =>
      Math.min(...Array.from({ length: 10 }, () => micros(...options)))
    const ofNode = best("-e", "0")
    const ofBin = best(bin, "--version")
    expect(ofBin / ofNode, `${ofBin} µs, of which Node takes ${ofNode}`).toBeLessThan(startsOfNodeMax)
  })
})
