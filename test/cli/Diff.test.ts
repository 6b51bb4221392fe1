/**
 * Goal: `diff` says before a change is made what it comes to: what appears, goes or changes state, why, and who would have to read
 * again.
 *
 * Method: the bin compares small meshes; texts are pinned, the JSON is held against what the core decides of each.
 */
import { decide } from "mesh-provisioner/core"
import { describe, expect, test } from "vitest"
import { folderWith, run } from "./Bin.ts"
import { asked, askKey, provided, unneeded } from "./Mesh.ts"

const meshes = { "asked.json": asked, "provided.json": provided, "unneeded.json": unneeded }

const why = (mesh: typeof asked) => decide(mesh).provisions.get("n1.shop.bound.database")?.why ?? "none"

const diffOf = async (before: unknown, after: unknown) => {
  const cwd = folderWith({ "before.json": before, "after.json": after })
  const { exitCode, stderr, stdout } = await run(["diff", "before.json", "after.json", "--json"], { cwd })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  return JSON.parse(stdout)
}

describe("diff, for a person", () => {
  test("says each decision that changes state, before and after, and who reads again", async () => {
    const { exitCode, stderr, stdout } = await run(["diff", "asked.json", "provided.json"], { cwd: folderWith(meshes) })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(stdout).toBe(`provision  n1.shop.bound.database  asked -> provided
    before: ${why(asked)}
    now:    ${why(provided)}
plan  n1.shop  waiting -> ready
    before: ${decide(asked).plans.get("n1.shop")?.why}

Would have to read their values again
n1.shop  bound.database

2 decisions appear, go or change state; 1 module reads its values again.
`)
  })

  test("says what goes and what appears, each with its why", async () => {
    const { stdout } = await run(["diff", "provided.json", "unneeded.json"], { cwd: folderWith(meshes) })
    expect(stdout).toContain(`provision  n1.shop.bound.database  goes, was provided\n    before: ${why(provided)}\n`)
    expect(stdout).toContain(`ask  ${askKey}  wanted -> unneeded\n`)
    const back = await run(["diff", "unneeded.json", "provided.json"], { cwd: folderWith(meshes) })
    expect(back.stdout).toContain(`provision  n1.shop.bound.database  appears as provided\n    ${why(provided)}\n`)
  })

  test("says that nothing changes", async () => {
    const { exitCode, stdout } = await run(["diff", "asked.json", "-"], {
      cwd: folderWith(meshes),
      input: JSON.stringify(asked)
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "No decision changes.\n" })
  })
})

describe("diff --json", () => {
  test("has each decision that is another one, with its whole value before and after", async () => {
    const [before, after] = [decide(provided), decide(unneeded)]
    expect(await diffOf(provided, unneeded)).toEqual({
      decisions: [
        {
          bucket: "mesh-provisioner_provisions",
          key: "n1.shop.bound.database",
          change: "goes",
          before: before.provisions.get("n1.shop.bound.database")
        },
        {
          bucket: "mesh-provisioner_asks",
          key: askKey,
          change: "state",
          before: before.asks.get(askKey),
          after: after.asks.get(askKey)
        },
        {
          bucket: "mesh-provisioner_plans",
          key: "n1.shop",
          change: "value",
          before: before.plans.get("n1.shop"),
          after: after.plans.get("n1.shop")
        }
      ],
      rereads: [{ key: "n1.shop", build: false, needs: ["bound.database"] }],
      answersToDelete: [],
      outOfShape: { appears: [], goes: [] },
      conflicts: { appears: [], goes: [] }
    })
  })

  test("a provider that fails changes states, and nobody reads again", async () => {
    const failing = structuredClone(provided)
    failing.buckets.postgres_bound["n1.shop.database"].state = "failed"
    const { decisions, rereads } = await diffOf(provided, failing)
    expect(decisions.map(({ change }: { change: string }) => change)).toEqual(["state", "state"])
    expect(rereads).toEqual([])
  })

  test("a new build is read again for itself", async () => {
    const built = structuredClone(provided)
    built.buckets["mesh-controller_assignments"]["n1.shop"].build = "s2"
    expect((await diffOf(provided, built)).rereads).toEqual([{ key: "n1.shop", build: true, needs: [] }])
  })

  test("kinds, facts out of shape, conflicts and answers that no longer count are in it", async () => {
    const answers = { zones: { seat: "dns", verb: "dns.zones" } }
    const changed = {
      buckets: {
        ...unneeded.buckets,
        "mesh-controller_modules": {
          ...unneeded.buckets["mesh-controller_modules"],
          dns: { answers },
          bind: { answers }
        },
        "mesh-host_haves": { "n1.shop": {} },
        "mesh-provisioner_answers": {
          "n2.postgres.n1.shop.queue": { answer: "keep", entry: "0".repeat(32), by: "ann" }
        }
      }
    }
    const there = await diffOf(unneeded, changed)
    expect(there.conflicts.appears.map(({ module }: { module: string }) => module)).toEqual(["bind", "dns"])
    expect(there.outOfShape.appears).toEqual([expect.objectContaining({ bucket: "mesh-host_haves", key: "n1.shop" })])
    const back = await diffOf(changed, unneeded)
    expect(back.conflicts.goes).toHaveLength(2)
    expect(back.outOfShape.goes).toEqual(there.outOfShape.appears)

    const one = structuredClone(unneeded)
    Object.assign(one.buckets["mesh-controller_modules"], { dns: { answers } })
    expect((await diffOf(unneeded, one)).decisions).toContainEqual(
      expect.objectContaining({ bucket: "mesh-provisioner_registry", key: "zones", change: "appears" })
    )
  })

  test("an answer to something else no longer counts", async () => {
    const answered = {
      buckets: {
        ...unneeded.buckets,
        "mesh-provisioner_answers": { [askKey]: { answer: "retire", entry: "0".repeat(32), by: "ann" } }
      }
    }
    expect((await diffOf(unneeded, answered)).answersToDelete).toEqual([askKey])
  })
})
