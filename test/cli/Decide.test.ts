/**
 * Goal: `decide` gives what the core decides, whole and in the shape of docs/cli.md; a person reads what is not well first;
 * and many snapshots are answered one by one, however many there are.
 *
 * Method: the bin's answers are held against the core's on the example mesh and the golden cases' shapes; texts are pinned.
 */
import { decide, diff, parseSnapshot, storedIn } from "mesh-provisioner/core"
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { ended, folderWith, homelab, run, start } from "./Bin.ts"
import { asked, askKey, provided, unneeded } from "./Mesh.ts"

/** What `decide --json` is to answer, by the core. */
const answerOf = (text: string): unknown => {
  const snapshot = parseSnapshot(text)
  if (snapshot._tag === "Failure") {
    throw new Error(snapshot.failure.message)
  }
  const decisions = decide(snapshot.success)
  return {
    decisions: {
      "mesh-provisioner_registry": Object.fromEntries(decisions.registry),
      "mesh-provisioner_provisions": Object.fromEntries(decisions.provisions),
      "mesh-provisioner_asks": Object.fromEntries(decisions.asks),
      "mesh-provisioner_plans": Object.fromEntries(decisions.plans)
    },
    writes: diff(storedIn(snapshot.success), decisions),
    outOfShape: decisions.outOfShape,
    conflicts: decisions.conflicts
  }
}

const answersIn = (stdout: string): ReadonlyArray<unknown> =>
  stdout.trimEnd().split("\n").map((line) => JSON.parse(line))

describe("decide --json", () => {
  test("gives exactly what the core decides of the example mesh", async () => {
    const { exitCode, stderr, stdout } = await run(["decide", homelab, "--json"])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(JSON.parse(stdout)).toEqual(answerOf(readFileSync(homelab, "utf8")))
  })

  test("has all four buckets and all four lists of an empty snapshot", async () => {
    const { stdout } = await run(["decide", "-", "--json"], { input: "{\"buckets\":{}}" })
    const answer = JSON.parse(stdout)
    expect(Object.keys(answer)).toEqual(["decisions", "writes", "outOfShape", "conflicts"])
    expect(answer.decisions).toMatchObject({
      "mesh-provisioner_provisions": {},
      "mesh-provisioner_asks": {},
      "mesh-provisioner_plans": {}
    })
    expect(answer.writes).toHaveLength(13)
  })

  test("writes nothing where the snapshot holds the decisions, and deletes what is decided no more", async () => {
    const first = await run(["decide", "-", "--json"], { input: JSON.stringify(provided) })
    const { decisions } = JSON.parse(first.stdout)
    const stored = { buckets: { ...provided.buckets, ...decisions } }
    const again = await run(["decide", "-", "--json"], { input: JSON.stringify(stored) })
    expect(JSON.parse(again.stdout)).toMatchObject({ decisions, writes: [] })

    const answers = { [askKey]: { answer: "retire", entry: "0".repeat(32), by: "ann" } }
    const stale = {
      buckets: { ...stored.buckets, "mesh-provisioner_answers": answers, "mesh-provisioner_plans": { "n9.x": {} } }
    }
    const { stdout } = await run(["decide", "-", "--json"], { input: JSON.stringify(stale) })
    expect(JSON.parse(stdout).writes).toEqual(expect.arrayContaining([
      { op: "delete", bucket: "mesh-provisioner_plans", key: "n9.x" },
      { op: "delete", bucket: "mesh-provisioner_answers", key: askKey }
    ]))
  })

  test("names like __proto__ and constructor are names like any other", async () => {
    const input = "{\"buckets\":{\"mesh-controller_assignments\":{\"__proto__.constructor\":{\"build\":\"b\"}}," +
      "\"mesh-provisioner_needs\":{\"__proto__.constructor.port.toString\":{}}}}"
    const { stdout } = await run(["decide", "-", "--json"], { input })
    expect(JSON.parse(stdout)).toEqual(answerOf(input))
    expect(stdout).toContain("\"__proto__.constructor.port.toString\"")
  })

  test("raw bytes are read as bytes", async () => {
    const input = JSON.stringify({ buckets: {}, raw: { "mesh-host_haves": { "n1.shop": "/w==" } } })
    const { stdout } = await run(["decide", "-", "--json"], { input })
    expect(JSON.parse(stdout).outOfShape).toEqual([{
      bucket: "mesh-host_haves",
      key: "n1.shop",
      why: expect.stringContaining("UTF-8")
    }])
  })
})

describe("decide, for a person", () => {
  test("counts the states, then says what is not well and why, then how much would be written", async () => {
    const { exitCode, stderr, stdout } = await run(["decide", "-"], { input: JSON.stringify(asked) })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(stdout).toBe(`needs     1: 1 asked
plans     2: 1 ready, 1 waiting
asks      1: 1 wanted
registry  13 kinds

Not as it should be
waiting   n1.shop
    asked     bound.database
        ${whyAsked}

Against the decisions that the snapshot holds: 17 puts, 0 deletes.
`)
  })

  test("says that all is well, and that nothing would be written", async () => {
    const first = await run(["decide", "-", "--json"], { input: JSON.stringify(provided) })
    const stored = { buckets: { ...provided.buckets, ...JSON.parse(first.stdout).decisions } }
    const { stdout } = await run(["decide", "-"], { input: JSON.stringify(stored) })
    expect(stdout).toBe(`needs     1: 1 provided
plans     2: 2 ready
asks      1: 1 wanted
registry  13 kinds

All is well.

The snapshot holds these decisions already: nothing would be written.
`)
  })

  test("says which questions are open, which kinds are contested and what is out of shape", async () => {
    const answers = { zones: { seat: "dns", verb: "dns.zones" } }
    const mesh = {
      buckets: {
        ...unneeded.buckets,
        "mesh-controller_modules": {
          ...unneeded.buckets["mesh-controller_modules"],
          dns: { answers },
          bind: { answers }
        },
        "mesh-host_haves": { "n1.shop": {} }
      }
    }
    const { asks, conflicts, outOfShape } = decide(mesh)
    const { stdout } = await run(["decide", "-"], { input: JSON.stringify(mesh) })
    expect(stdout).toContain(
      `\nWhat was made and is not needed, or not known to be\nunneeded  ${askKey}\n    ${asks.get(askKey)?.why}\n`
    )
    expect(stdout).toContain(`\nKinds that more than one module would answer\nzones  bind  ${conflicts[0]?.why}\n`)
    expect(stdout).toContain(`\nFacts out of shape\nmesh-host_haves  n1.shop  ${outOfShape[0]?.why}\n`)
  })
})

/** Why the shop's database is asked, as the core says it. */
const whyAsked = decide(asked).provisions.get("n1.shop.bound.database")?.why ?? "none"

describe("decide --lines", () => {
  const [one, two] = [asked, provided].map((mesh) => JSON.stringify(mesh))

  test("answers each line on a line, and passes over empty ones", async () => {
    const { exitCode, stderr, stdout } = await run(["decide", "--lines", "-"], {
      input: `${one}\n\n  \r\n${two}\r\n${one}`
    })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(answersIn(stdout)).toEqual([one, two, one].map((text) => answerOf(text ?? "")))
  })

  test("reads a file as it reads standard input", async () => {
    const cwd = folderWith({ "meshes.jsonl": `${one}\n${two}\n` })
    const { stdout } = await run(["decide", "meshes.jsonl", "--lines"], { cwd })
    expect(answersIn(stdout)).toHaveLength(2)
  })

  test("answers a line before the next one comes", async () => {
    const child = start(["decide", "--lines", "-"])
    for (let count = 0; count < 3; count++) {
      const answer = new Promise<string>((resolve) => child.stdout.setEncoding("utf8").once("data", resolve))
      child.stdin.write(`${one}\n`)
      expect(answersIn(await answer)).toHaveLength(1)
    }
    child.stdin.end()
    expect((await ended(child)).exitCode).toBe(0)
  })

  test("at a line that is no snapshot it stops, and says where; the lines before it are answered", async () => {
    const { exitCode, stderr, stdout } = await run(["decide", "--lines", "-"], {
      input: `${one}\n{ "buckets": { "a": 7 } }\n${two}\n`
    })
    expect(exitCode).toBe(1)
    expect(answersIn(stdout)).toEqual([answerOf(one ?? "")])
    expect(stderr).toBe(
      "mesh-provisioner: standard input, line 2, column 21: expected bucket a to be an object of keys. Mend it there and " +
        "try again.\n"
    )
  })

  test("holds one line at a time", async () => {
    const line = `${JSON.stringify({ ...asked, padding: "x".repeat(1_000_000) })}\n`
    const child = start(["decide", "--lines", "-"])
    const answers = ended(child)
    for (let count = 0; count < 200; count++) {
      if (!child.stdin.write(line)) {
        await new Promise((resolve) => child.stdin.once("drain", resolve))
      }
    }
    const kilobytesMax = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1])
    child.stdin.end()
    expect(answersIn((await answers).stdout)).toHaveLength(200)
    expect(kilobytesMax).toBeLessThan(200_000)
  })
})
