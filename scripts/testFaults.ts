/**
 * Hurts real servers and daemons (test/faults), on the server that `npm test` finds and on one of another version. Where two
 * cannot be had, it says so, and that is no failure. Arguments are handed to vitest.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { findOtherServer, findServer } from "../test/nats/findServer.ts"

const root = join(import.meta.dirname, "..")

const hurt = (path: string, report: string): number =>
  spawnSync(join(root, "node_modules", ".bin", "vitest"), ["run", ...process.argv.slice(2)], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, NATS_SERVER: path, TEST_FAULTS: "true", TEST_REPORT: report }
  }).status ?? 1

const first = await findServer()
console.log(`Faults, on nats-server ${first.version}:`)
const status = hurt(first.path, "report-faults.json")

const other = await findOtherServer(first)
if ("troubles" in other) {
  console.log(
    `NO FAULTS TRIED ON A SECOND SERVER: they were tried on ${first.version} alone, for no other version of ` +
      `nats-server can be had here (${other.troubles.join("; ")}).`
  )
  process.exitCode = status
} else {
  console.log(`Faults, on nats-server ${other.version}:`)
  process.exitCode = Math.max(status, hurt(other.path, "report-faults-other-server.json"))
}
