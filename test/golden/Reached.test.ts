/**
 * Goal: no sentence of the core, no reason and no state is without a story.
 *
 * Method: all stories are played while the engine of JavaScript counts what of the core runs, and it is counted what no story
 * reached.
 */
import type { AskState, CandidateReason, Decisions, PlanState, ProvisionState, Reason } from "mesh-provisioner/core"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { countFromNow, type Source } from "./Reached.ts"
import { readStory, storyPaths } from "./Story.ts"

const endCounting = await countFromNow()
const { tell } = await import("./StoryRun.ts")
const { factBuckets } = await import("mesh-provisioner/core")

const stories = storyPaths().map(({ path }) => tell(readStory(readFileSync(path, "utf8"))))

/** Every reason, and the state that has it (protocol §5.1 to §5.3). */
const reasons: { readonly [Code in Reason]: ProvisionState } = {
  "shape": "refused",
  "unassigned": "asked",
  "no-domain": "refused",
  "conflict": "refused",
  "too-long": "refused",
  "entry": "provided",
  "default": "provided",
  "no-entry": "asked",
  "collection": "provided",
  "placed": "provided",
  "not-placed": "asked",
  "no-holder": "asked",
  "two-holders": "asked",
  "bound-shape": "asked",
  "holder-gone": "asked",
  "own": "provided",
  "nobody": "refused",
  "no-candidate": "refused",
  "unmet": "refused",
  "not-bound": "asked",
  "bound-elsewhere": "asked",
  "earlier-instance": "asked",
  "provider-failed": "failed",
  "making": "asked",
  "secret-in-bucket": "failed",
  "field-missing": "asked",
  "credential": "asked",
  "credential-failed": "failed",
  "provided": "provided",
  "lost": "asked",
  "no-have": "asked",
  "other-build": "asked",
  "unhealthy": "asked",
  "healthy": "provided"
}

const candidateReasons: { readonly [Code in CandidateReason]: true } = {
  seat: true,
  pin: true,
  contract: true,
  field: true,
  draining: true
}

const askStates: { readonly [State in AskState]: true } = {
  wanted: true,
  held: true,
  unneeded: true,
  kept: true,
  retire: true
}

const planStates: { readonly [State in PlanState]: true } = {
  ready: true,
  waiting: true,
  failed: true,
  refused: true,
  degraded: true
}

describe("the stories together tell of", () => {
  const all = <A>(pick: (decisions: Decisions) => Iterable<A>): ReadonlyArray<A> =>
    [...new Set(stories.flatMap(({ decisions }) => decisions.flatMap((found) => [...pick(found)])))].sort()

  it("every reason, each with its state", () => {
    const told = all(({ provisions }) => [...provisions.values()].map(({ reason, state }) => `${state} ${reason}`))
    expect(told).toEqual(Object.entries(reasons).map(([reason, state]) => `${state} ${reason}`).sort())
  })

  it("every reason why a candidate does not serve", () => {
    const candidates = all(({ provisions }) => [...provisions.values()].flatMap(({ candidates = [] }) => candidates))
    expect([...new Set(candidates.map(({ reason }) => reason))].sort()).toEqual(Object.keys(candidateReasons).sort())
  })

  it("every state of an ask", () => {
    expect(all(({ asks }) => [...asks.values()].map(({ state }) => state))).toEqual(Object.keys(askStates).sort())
  })

  it("every state of a plan", () => {
    expect(all(({ plans }) => [...plans.values()].map(({ state }) => state))).toEqual(Object.keys(planStates).sort())
  })
})

describe("the stories together say", () => {
  /** Where a branch not taken is a sentence not said. */
  const speaking = /^src\/core\/(?:words\/\w+|Check)\.ts$/

  let sources: ReadonlyArray<Source> = []
  beforeAll(async () => {
    sources = (await endCounting()).filter(({ path }) => speaking.test(path))
  })

  it("every sentence of the core, in each of its forms", () => {
    expect(sources.map(({ path }) => path).sort()).toEqual([
      "src/core/Check.ts",
      ...readdirSync(join(core, "words")).map((name) => `src/core/words/${name}`).sort()
    ])
    expect(sources.flatMap(({ neverRun, path }) => neverRun.map((piece) => `${path}: ${piece}`))).toEqual([])
  })

  const said = stories.flatMap(({ says }) => says).join("")

  it("everything that a fact is expected to be", () => {
    const files = [...readdirSync(join(core, "fact")).map((name) => join("fact", name)), "words/Facts.ts"]
    const expected = files.flatMap((name) => expectationsIn(readFileSync(join(core, name), "utf8")))
    expect(expected.length).toBeGreaterThan(15)
    expect(expected.filter((text) => !said.includes(text))).toEqual([])
  })

  it("everyone who writes a fact", () => {
    const writers = [...new Set(Object.values(factBuckets).map(({ writer }) => writer))].sort()
    expect(
      writers.filter((writer) =>
        !said.includes(writer === "provider" ? "postgres is to write" : `${writer} is to write`)
      )
    )
      .toEqual(["provisioner"])
  })
})

const core = join(import.meta.dirname, "../../src/core")

/** The texts in a source that say what is expected; of one with something put into it, what stands before that. */
const expectationsIn = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/["`](?:[Ee]xpected )?((?:an?|another|no|either|tokens|<provision>) [^"`$\\]{8,})/g)].map((
    [, text = ""]
  ) => text)
