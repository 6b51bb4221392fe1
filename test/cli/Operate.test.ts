/**
 * Goal: an operator sees of a running `serve` what docs/operating.md says: health and metrics at the address that is set, the log
 * as JSON, traces and logs at the collector; and what is set wrongly is said.
 *
 * Method: the bin on its bus in memory, asked by HTTP while it runs, with a collector on the loopback; its facts hold a canary.
 */
import { describe, expect, onTestFinished, test } from "vitest"
import { parseScrape, sampled } from "../provisioner/Scrape.ts"
import { ended, folderWith, run, start } from "./Bin.ts"
import { startCollector } from "./Collecting.ts"
import { asked } from "./Mesh.ts"

const canary = "xyzzy"

const mesh = {
  buckets: {
    ...asked.buckets,
    "mesh-config_values": { "n1.shop.title": { value: canary } },
    "mesh-provisioner_applied": { "n1.shop": { plan: canary } }
  }
}

/** A collector of the test's own. */
const collector = async () => {
  const collector = await startCollector()
  onTestFinished(collector.close)
  return collector
}

describe("a serve that an operator looks at", () => {
  test("answers at its address, logs JSON, and sends traces and logs, none with a fact's value", async () => {
    const { got, textOf, url } = await collector()
    const cwd = folderWith({ "mesh.json": mesh })
    const child = start(
      [
        "serve",
        "--load",
        "mesh.json",
        "--listen",
        "127.0.0.1:0",
        "--log",
        "json",
        "--otlp",
        url
      ],
      cwd
    )
    const done = ended(child)
    let said = ""
    child.stdout.on("data", (text: string) => said += text)
    const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said.match(/Health and metrics: \S+/)?.[0] ?? "")?.[0]
    for (let tries = 0; tries < 200 && !said.includes("what is decided is written"); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const [ready, alive, metrics] = await Promise.all(
      ["readyz", "healthz", "metrics"].map((path) => fetch(`${address() ?? ""}/${path}`))
    )
    expect([ready?.status, alive?.status, metrics?.status]).toEqual([200, 200, 200])
    const scrape = await metrics?.text() ?? ""
    const lines = said.trimEnd().split("\n").map((line): { message: string; op?: string; level: string } =>
      JSON.parse(line)
    )
    const puts = lines.filter(({ op }) => op === "put").length
    const writes = parseScrape(scrape).get("mesh_provisioner_writes_total")?.samples
      .filter(({ labels }) => labels["outcome"] === "written").reduce((sum, { value }) => sum + value, 0)
    expect(puts).toBeGreaterThan(10)
    expect(writes).toBe(puts)
    expect(sampled(parseScrape(scrape), "mesh_provisioner_seat", { state: "held" })).toBe(1)
    child.kill("SIGTERM")
    expect(await done).toMatchObject({ exitCode: 0, stderr: "" })
    expect(textOf("/v1/traces")).toContain(`"name":"turn"`)
    expect(textOf("/v1/logs")).toContain("put mesh-provisioner_plans")
    for (const shown of [said, scrape, await ready?.text(), ...got.map(({ text }) => text)]) {
      expect(shown).not.toContain(canary)
    }
  })

  test("says where another program listens at its address, and ends with 1", async () => {
    const { port } = await collector()
    expect(await run(["serve", "--bus", "memory", "--listen", `127.0.0.1:${port}`])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr:
        `mesh-provisioner: Another program listens at 127.0.0.1:${port}. Give --listen another port, or end that program.\n`
    })
  })

  test.each([
    [["--listen", "9464"], /--listen takes HOST:PORT/],
    [["--otlp", "127.0.0.1:4318"], /--otlp takes the URL of a collector/],
    [["--log", "xml"], /--log .*json/]
  ])("says what is written wrong in %j, and ends with 2", async (flags, sentence) => {
    const { exitCode, stderr } = await run(["serve", "--bus", "memory", ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(sentence)
  })
})
