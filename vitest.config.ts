import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its name, as its users do, and run from source.
    alias: [
      { find: /^mesh-provisioner$/, replacement: source("index.ts") },
      { find: /^mesh-provisioner\/core$/, replacement: source("core/index.ts") },
      { find: /^mesh-provisioner\/adapters\/memory$/, replacement: source("adapters/memory/index.ts") },
      { find: /^mesh-provisioner\/adapters\/nats$/, replacement: source("adapters/nats/index.ts") },
      { find: /^mesh-provisioner\/simulator$/, replacement: source("simulator/index.ts") },
      { find: /^mesh-provisioner\/testing$/, replacement: source("testing/index.ts") }
    ]
  },
  test: {
    include: ["test/**/*.test.ts"],
    // .ci/run counts the tests by the reports.
    reporters: process.env["CI"] === "true"
      ? ["default", ["json", {
        outputFile: `node_modules/.cache/vitest/${process.env["TEST_REPORT"] ?? "report.json"}`
      }]]
      : ["default"],
    globalSetup: ["scripts/buildForTests.ts"],
    // Many tests wait for a server more than they compute; by default a core is left free, and of two only one would be used.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only against a test that never ends: how long one takes depends on what else the machine does.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
