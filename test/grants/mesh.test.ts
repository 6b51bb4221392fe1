/**
 * Goal: what `grants` prints is enough for a mesh to live by: the provisioner, `setup`, and every command work with the user
 * that they are meant for, and with no more.
 *
 * Method: the bin, from nothing: keys and configuration made by `grants`, a server started from them, the buckets made by
 * `setup`, the provisioner served; then each party by its own key.
 */
import { connect, nkeyAuthenticator } from "@nats-io/transport-node"
import { Effect, Exit, Scope } from "effect"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, onTestFinished, test } from "vitest"
import { folderWith, run, start } from "../cli/Bin.ts"
import { natsServer } from "../nats/Server.ts"

const parties = ["--nodes", "n1,n2", "--providers", "postgres@n2", "--operators", "ann", "--readers", "board"]

const scopes: Array<Scope.Closeable> = []

afterAll(async () => {
  for (const scope of scopes) {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
})

const started = async (config: string) => {
  const scope = Effect.runSync(Scope.make())
  scopes.push(scope)
  return await Effect.runPromise(Scope.provide(natsServer({ config }), scope))
}

/** A mesh of a kind, made from nothing, with its provisioner running. */
const mesh = async (kind: ReadonlyArray<string>) => {
  const folder = folderWith({})
  const seeds = join(folder, "keys")
  const out = join(folder, "mesh.conf")
  const made = await run(["grants", ...parties, ...kind, "--seeds", seeds, "--out", out])
  expect(made.exitCode).toBe(0)
  const server = await started(readFileSync(out, "utf8"))
  const as = (user: string) => [
    "--bus",
    server.url,
    "--nkey",
    join(seeds, `${user.replace(":", ".")}.nk`),
    "--inbox-prefix",
    `_INBOX.${user}`
  ]
  const raw = async (user: string) => {
    const client = await connect({
      servers: server.url,
      inboxPrefix: `_INBOX.${user}`,
      authenticator: nkeyAuthenticator(readFileSync(join(seeds, `${user.replace(":", ".")}.nk`)).subarray(0, 58))
    })
    onTestFinished(() => client.close())
    return client
  }
  return { folder, seeds, out, server, as, raw, made }
}

const put = async (mesh: Mesh, user: string, facts: { readonly [subject: string]: unknown }) => {
  const client = await mesh.raw(user)
  for (const [subject, value] of Object.entries(facts)) {
    const answer = await client.request(`$KV.${subject}`, JSON.stringify(value))
    expect(answer.string()).toMatch(/"seq":/)
  }
}

type Mesh = Awaited<ReturnType<typeof mesh>>

describe.each([["accounts", []], ["single-account", ["--single-account"]]])("%s", (kind, flags) => {
  test("a mesh lives by it", async () => {
    const made = await mesh(flags)
    expect(made.made.stderr).toMatch(kind === "accounts" ? /^$/ : /with one account for all, this is not closed/)
    expect(statSync(join(made.seeds, "provisioner.nk")).mode & 0o777).toBe(0o600)

    const looked = await run(["setup", ...made.as("setup"), "--providers", "postgres"])
    expect(looked.exitCode).toBe(1)
    const applied = await run(["setup", ...made.as("setup"), "--providers", "postgres", "--apply"])
    expect(applied).toMatchObject({ exitCode: 0, stderr: "" })

    await put(made, "controller", {
      "mesh-controller_modules.postgres": { provides: { database: { credential: "consumer" } } },
      "mesh-controller_assignments.n1.shop": { build: "s1" },
      "mesh-controller_assignments.n2.postgres": { build: "p1" }
    })
    await put(made, "client:n1", { "mesh-provisioner_needs.n1.shop.bound.database": {} })
    await put(made, "host:n2", { "mesh-host_haves.n2.postgres": { build: "p1", health: "healthy" } })

    const daemon = start(["serve", ...made.as("provisioner")])
    const said = { text: "" }
    for (const stream of [daemon.stdout, daemon.stderr]) {
      stream.on("data", (text: Buffer) => {
        said.text += text.toString()
      })
    }
    const client = await made.raw("client:n1")
    const prefix = kind === "accounts" ? "$JS.mesh.API" : "$JS.API"
    const provision = `${prefix}.DIRECT.GET.KV_mesh-provisioner_provisions.` +
      "$KV.mesh-provisioner_provisions.n1.shop.bound.database"
    const stateIs = async (state: string) => {
      for (let looks = 0; looks < 200; looks++) {
        const got = await client.request(provision)
        if (got.headers?.code !== 404 && got.json<{ state: string }>().state === state) {
          return state
        }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return `not ${state}:\n${said.text}`
    }
    expect(await stateIs("asked")).toBe("asked")

    const provider = await made.raw("provider:postgres@n2")
    const ask = await provider.request(
      `${prefix}.DIRECT.GET.KV_mesh-provisioner_asks.$KV.mesh-provisioner_asks.n2.postgres.n1.shop.database`
    )
    expect(ask.json()).toMatchObject({ state: "wanted" })
    await put(made, "provider:postgres@n2", {
      "postgres_bound.n1.shop.database": { state: "provided", by: "n2", values: {} }
    })
    expect(await stateIs("provided")).toBe("provided")

    const explained = await run(["explain", "n1.shop", ...made.as("operator:ann")])
    expect(explained).toMatchObject({ exitCode: 0, stderr: "" })
    const shown = await run(["show", "provisions", "--json", ...made.as("reader:board")])
    expect(shown).toMatchObject({ exitCode: 0, stderr: "" })
    const seen = await client.request("mesh-provisioner.provisioning", JSON.stringify({ what: "asks" }))
    // Of asks, a node sees those of its own providers: n1 has none. In one account nobody knows who asks.
    expect(seen.json<{ entries: ReadonlyArray<unknown> }>().entries.length).toBe(kind === "accounts" ? 0 : 1)

    for (const user of ["provisioner", "setup", "controller", "client:n1", "host:n2", "operator:ann", "reader:board"]) {
      const looked = await run(["doctor", ...made.as(user), "--as", user, "--providers", "postgres@n2"])
      expect(looked).toMatchObject({ exitCode: 0, stderr: "" })
      expect(looked.stdout).toMatch(/^server +nats-server \d+\.\d+\.\d+ at [^]*\nAll is as it should be\.\n$/)
    }

    const verified = await run(["verify", ...made.as("provisioner")])
    expect(verified).toMatchObject({ exitCode: 0 })
    const taken = await run(["snapshot", ...made.as("provisioner")])
    expect(taken).toMatchObject({ exitCode: 0 })

    const ended = new Promise((resolve) => daemon.on("close", resolve))
    daemon.kill("SIGTERM")
    expect(await ended).toBe(0)
    expect(said.text).not.toMatch(/may not|refused|permission/i)
  }, 60_000)
})

describe("doctor", () => {
  test("says what is wrong and what to do, and exits 1", async () => {
    const made = await mesh([])
    const { exitCode, stderr, stdout } = await run(["doctor", ...made.as("reader:board"), "--as", "reader:board"])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" })
    expect(stdout).toMatch(/\nwrong\nreader:board cannot read key \S+ of mesh-provisioner_registry: /)
    expect(stdout).toContain("  Make the bucket, mesh-provisioner setup --apply.")
    const json = await run(["doctor", ...made.as("reader:board"), "--as", "reader:board", "--json"])
    expect(json.exitCode).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      as: "reader:board",
      inboxPrefix: "_INBOX.reader:board",
      tries: expect.arrayContaining([
        { act: "ask", of: "retire", should: false, outcome: expect.stringMatching(/^(?:denied|nobody)$/) }
      ]),
      wrong: expect.arrayContaining([{ what: expect.any(String), todo: expect.any(String) }])
    })
  })

  test.each([
    [["--as", "nobody"], 2, "--as: nobody is no user's name"],
    [["--as", "operator:ann"], 2, "and not operator:ann|is not operator:ann"],
    [["--providers", "postgres"], 2, "MODULE@NODE"],
    [["--bus", "nats://127.0.0.1:1"], 1, "No NATS server answers at 127.0.0.1:1"]
  ])("%j", async (flags, code, words) => {
    const made = await mesh([])
    const asked = flags[0] === "--bus" ? flags : [...made.as("reader:board").slice(0, 4), ...flags]
    const { exitCode, stderr } = await run(["doctor", ...asked])
    expect(exitCode).toBe(code)
    expect(stderr).toMatch(new RegExp(words))
  })
})

describe("keys", () => {
  test("a seed that is there stays, and one that is new is made", async () => {
    const folder = folderWith({})
    const grants = async (nodes: string) =>
      (await run(["grants", "--nodes", nodes, "--seeds", join(folder, "keys")])).stdout
    const first = await grants("n1")
    const second = await grants("n1,n2")
    const keyIn = (text: string, user: string) => new RegExp(`# ${user},[^]*?nkey: (U\\w+)`).exec(text)?.[1]
    expect(keyIn(first, "client:n1")).toMatch(/^U[A-Z2-7]{55}$/)
    expect(keyIn(second, "client:n1")).toBe(keyIn(first, "client:n1"))
    expect(keyIn(second, "client:n2")).not.toBe(keyIn(second, "client:n1"))
    expect(second).not.toMatch(/\bSU[A-Z2-7]{56}/)
  })

  test("a file that holds no seed is said, and nothing of what it holds", async () => {
    const own = folderWith({ "provisioner.nk": "not-a-seed" })
    const { exitCode, stderr, stdout } = await run(["grants", "--seeds", own])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" })
    expect(stderr).toMatch(/provisioner\.nk holds no seed of a user's nkey/)
    expect(stderr).not.toContain("not-a-seed")
  })

  test("without seeds, a server that is not told the keys does not start", async () => {
    const { stdout } = await run(["grants", "--nodes", "n1,N1"])
    expect([...stdout.matchAll(/nkey: \$(\w+)/g)].map(([, variable]) => variable)).toEqual([
      "PROVISIONER_NKEY",
      "SETUP_NKEY",
      "CONTROLLER_NKEY",
      "CLIENT_N1_NKEY",
      "HOST_N1_NKEY",
      "CLIENT_N1_2_NKEY",
      "HOST_N1_2_NKEY"
    ])
    await expect(started(stdout)).rejects.toThrow(/variable reference for 'PROVISIONER_NKEY'/)
  })

  test.each([
    [["--providers", "postgres"], "MODULE@NODE"],
    [["--providers", "post gres@n1"], "no module's name"],
    [["--buckets", "postgres_bound@postgres"], "no bucket of postgres's own"],
    [["--buckets", "dns_zones@postgres"], "no bucket of postgres's own"],
    [["--nodes", "n".repeat(201)], "too long"]
  ])("%j is written wrong", async (flags, words) => {
    const { exitCode, stderr } = await run(["grants", ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(words)
  })
})
