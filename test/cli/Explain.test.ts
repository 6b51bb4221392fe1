/**
 * Goal: `explain` draws the tree of causes so that a person can follow each to the fact that all waits for.
 *
 * Method: the drawing is pinned on small meshes, its words taken from the core; the JSON is the core's.
 */
import { decide, explain, Facts, type Snapshot, type Step } from "mesh-provisioner/core"
import { describe, expect, test } from "vitest"
import { run } from "./Bin.ts"
import { asked } from "./Mesh.ts"

const treeOf = (mesh: Snapshot, request: unknown): Step => {
  const facts = Facts.fromSnapshot(mesh)
  const reply = explain({ facts, decisions: decide(facts) }, request)
  if (reply._tag === "Failure") {
    throw new Error(reply.failure.message)
  }
  return reply.success.tree
}

const explained = async (key: string, mesh: Snapshot, ...more: ReadonlyArray<string>) => {
  const { exitCode, stderr, stdout } = await run(["explain", key, "--from", "-", ...more], {
    input: JSON.stringify(mesh)
  })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  return stdout
}

/** Two modules, each of which waits for the other to make something. */
const circle: Snapshot = {
  buckets: {
    "mesh-controller_modules": {
      egg: { provides: { egg: { credential: "consumer" } } },
      hen: { provides: { hen: { credential: "consumer" } } }
    },
    "mesh-controller_assignments": { "n1.egg": { build: "e" }, "n1.hen": { build: "h" } },
    "mesh-provisioner_needs": { "n1.egg.bound.hen": {}, "n1.hen.bound.egg": {}, "n1.hen.config.feed": {} },
    egg_bound: {},
    hen_bound: {}
  }
}

describe("explain", () => {
  test("draws a plan down to the fact that it waits for", async () => {
    const tree = treeOf(asked, { node: "n1", module: "shop" })
    const [need] = tree.causes
    const [fact] = need?.causes ?? []
    expect(await explained("n1.shop", asked)).toBe(`plan  n1.shop  waiting
└─ need  n1.shop.bound.database  asked (not-bound)
   │  ${need?.why}
   └─ postgres_bound  n1.shop.database
         ${fact?.why}
`)
  })

  test("draws one need alone", async () => {
    const drawn = await explained("n1.shop.bound.database", asked)
    expect(drawn).toMatch(/^need {2}n1\.shop\.bound\.database {2}asked \(not-bound\)\n│ {2}.*\n└─ postgres_bound {2}/)
  })

  test("says that a circle is one, and draws several causes apart", async () => {
    const drawn = await explained("n1.hen", circle)
    expect(drawn).toContain("├─ need  n1.hen.bound.egg  asked (not-bound)\n│  │  ")
    expect(drawn).toContain("└─ need  n1.hen.config.feed  asked (no-entry)\n   │  ")
    expect(drawn).toMatch(
      /plan {2}n1\.hen {2}waiting {2}a circle\n.*n1\.egg waits for n1\.hen, which waits for n1\.egg\n/
    )
  })

  test("--json is the verb's reply", async () => {
    expect(JSON.parse(await explained("n1.hen", circle, "--json"))).toEqual({
      node: "n1",
      module: "hen",
      tree: treeOf(circle, { node: "n1", module: "hen" })
    })
    expect(JSON.parse(await explained("n1.shop.bound.database", asked, "--json"))).toMatchObject({
      node: "n1",
      module: "shop",
      kind: "bound",
      name: "database",
      tree: { state: "asked", reason: "not-bound" }
    })
  })

  test("reads names as keys are written", async () => {
    const mesh = {
      buckets: {
        "mesh-controller_assignments": { "n1.zsh": { build: "z" } },
        "mesh-provisioner_needs": { "n1.zsh.shell.zsh=3Anormal": {} }
      }
    }
    expect(await explained("n1.zsh.shell.zsh=3Anormal", mesh)).toContain("provided (collection)")
  })

  test.each([
    ["n1.none", "plans", { node: "n1", module: "none" }],
    ["n1.shop.bound.none", "provisions", { node: "n1", module: "shop", kind: "bound", name: "none" }]
  ])("%s: says that there is none, and where to look", async (key, what, request) => {
    const facts = Facts.fromSnapshot(asked)
    const reply = explain({ facts, decisions: decide(facts) }, request)
    const message = reply._tag === "Failure" ? reply.failure.message : ""
    const { exitCode, stderr, stdout } = await run(["explain", key, "--from", "-"], { input: JSON.stringify(asked) })
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" })
    expect(stderr.toLowerCase()).toBe(
      `mesh-provisioner: ${message}. mesh-provisioner show ${what} --from - lists what is there.\n`.toLowerCase()
    )
  })
})
