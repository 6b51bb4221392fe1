/**
 * Runs the tests of the NATS adapter on a server of another version than the one that `npm test` finds. Where two cannot be
 * had, it says so, and that is no failure. Arguments are handed to vitest.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { findOtherServer, findServer } from "../test/nats/findServer.ts"

const root = join(import.meta.dirname, "..")

const first = await findServer()
const other = await findOtherServer(first)
if ("troubles" in other) {
  console.log(
    `NOT TRIED ON A SECOND SERVER: the tests of the NATS adapter ran on ${first.version} alone, for no other version of ` +
      `nats-server can be had here (${other.troubles.join("; ")}).`
  )
} else {
  console.log(`The tests of the NATS adapter, on nats-server ${other.version} beside ${first.version}:`)
  const { status } = spawnSync(
    join(root, "node_modules", ".bin", "vitest"),
    [
      "run",
      "test/contract/NatsBus.test.ts",
      "test/adapters/nats",
      "test/grants",
      "test/daemon",
      ...process.argv.slice(2)
    ],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, NATS_SERVER: other.path, TEST_REPORT: "report-other-server.json" }
    }
  )
  process.exitCode = status ?? 1
}
