import { availableParallelism } from "node:os"
import { configDefaults, defineConfig } from "vitest/config"

const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname

/** What hurts real servers takes minutes, and is run by itself: `npm run test:faults`. */
const isOfFaults = process.env["TEST_FAULTS"] === "true"

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
    include: [isOfFaults ? "test/faults/**/*.test.ts" : "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...isOfFaults ? [] : ["test/faults/**"]],
    // .ci/run counts the tests by the reports.
    reporters: process.env["CI"] === "true"
      ? ["default", ["json", {
        outputFile: `node_modules/.cache/vitest/${process.env["TEST_REPORT"] ?? "report.json"}`
      }]]
      : ["default"],
    globalSetup: ["scripts/buildForTests.ts"],
    // Many tests wait for a server more than they compute; by default a core is left free, and of two only one would be used.
    // What hurts servers says how long they took to heal: one file at a time.
    maxWorkers: isOfFaults ? 1 : Math.max(2, availableParallelism() - 1),
    // Only against a test that never ends: how long one takes depends on what else the machine does.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
