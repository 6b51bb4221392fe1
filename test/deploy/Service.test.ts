/**
 * Goal: the unit of `deploy/` is one that systemd takes, keeps the daemon from all that it does not need, and gives it what it does.
 *
 * Method: the unit is read as text; where `systemd-analyze` is there (a line on standard error says whether), it is asked too.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { busFlagTable } from "../../src/cli/command/BusFlags.ts"
import { serveFlagTable } from "../../src/cli/command/Serve.ts"
import { bin } from "../cli/Bin.ts"
import { onPath } from "../nats/Tools.ts"

const root = join(import.meta.dirname, "..", "..")
const read = (name: string): string => readFileSync(join(root, "deploy", name), "utf8")

const unit = read("mesh-provisioner.service")

/** What the unit sets, each name with all that it is set to. */
const settings = new Map<string, Array<string>>()
for (const [, name = "", value = ""] of unit.matchAll(/^(\w+)=(.*)$/gm)) {
  settings.set(name, [...settings.get(name) ?? [], value])
}

describe("the unit, as it is read", () => {
  test.each(Object.entries({
    DynamicUser: "yes",
    CapabilityBoundingSet: "",
    AmbientCapabilities: "",
    NoNewPrivileges: "yes",
    ProtectSystem: "strict",
    ProtectHome: "yes",
    PrivateTmp: "yes",
    PrivateDevices: "yes",
    PrivateUsers: "yes",
    ProtectKernelModules: "yes",
    ProtectKernelTunables: "yes",
    ProtectControlGroups: "yes",
    RestrictNamespaces: "yes",
    RestrictAddressFamilies: "AF_INET AF_INET6 AF_UNIX",
    SystemCallArchitectures: "native",
    LimitCORE: "0"
  }))("%s is %s", (name, value) => expect(settings.get(name)).toEqual([value]))

  test("the calls that it may make are those of a service, without those of whoever is privileged", () => {
    expect(settings.get("SystemCallFilter")).toEqual(["@system-service", "~@privileged @resources"])
  })

  test("Node may make code while it runs", () => expect(settings.has("MemoryDenyWriteExecute")).toBe(false))

  test("the seed is handed over as a credential, and no other way", () => {
    expect(settings.get("LoadCredential")).toEqual(["nkey:/etc/mesh-provisioner/nkey"])
    expect(settings.get("ExecStart")).toEqual(["mesh-provisioner serve --nkey %d/nkey"])
    expect(settings.get("Environment")).toEqual(["XDG_CACHE_HOME=%S/mesh-provisioner"])
  })

  test("what it writes is in its own folder of state", () => {
    expect(settings.get("StateDirectory")).toEqual(["mesh-provisioner"])
    expect(settings.has("ReadWritePaths")).toBe(false)
  })

  test("it is started again where that may help, and has the time that it needs to end", () => {
    expect(settings.get("Restart")).toEqual(["on-failure"])
    expect(settings.get("RestartPreventExitStatus")).toEqual(["2"])
    expect(settings.get("TimeoutStopSec")).toEqual(["6"])
  })
})

test("each setting of the environment's file is one of the daemon's, or Node's own, and none is a secret", () => {
  const names = [...read("mesh-provisioner.environment").matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name)
  const ours = [...Object.values(busFlagTable), ...Object.values(serveFlagTable)].map(({ variable }) => variable)
  const known = [...ours, "NODE_OPTIONS"]
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !known.some((variable) => variable === name))).toEqual([])
})

const analyze = onPath(process.env, "systemd-analyze")
process.stderr.write(`systemd-analyze: ${analyze ?? "not on the PATH; the unit is only read"}\n`)

if (analyze !== undefined) {
  describe("the unit, as systemd takes it", () => {
    const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-unit-"))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, "mesh-provisioner.service")
    // The program is not installed here.
    writeFileSync(path, unit.replace("ExecStart=mesh-provisioner ", `ExecStart=${bin} `))
    const ask = (...options: ReadonlyArray<string>) => spawnSync(analyze, [...options, path], { encoding: "utf8" })

    // The back-off is known from 254 on, and passed over before.
    const isOfNewer = (line: string) => /Unknown key (?:name )?'(?:RestartSteps|RestartMaxDelaySec)'/.test(line)

    test("nothing is wrong with it", () => {
      const { status, stderr, stdout } = ask("verify", "--man=no")
      const said = `${stdout}${stderr}`.split("\n").filter((line) => line.includes(path) && !isOfNewer(line))
      expect({ status, said }).toEqual({ status: 0, said: [] })
    })

    test("it is exposed to little: 1.5 of 10 at most", () => {
      const { status, stdout } = ask("security", "--no-pager", "--offline=true", "--threshold=15")
      expect(stdout).toMatch(/Overall exposure level/)
      expect(status).toBe(0)
    })
  })
}
