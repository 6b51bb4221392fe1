/**
 * Goal: a law that was broken is told by the few things that matter, and what is told plays again.
 *
 * Method: judges that call an ordinary thing wrong: what leads to it is known, and the story is held against that.
 */
import { expect, test } from "vitest"
import { type Held, sentenceOf, shrink, simulate, tell } from "../../src/simulator/index.ts"
import { snapshotOf } from "./Judge.ts"

/** Calls it wrong that the controller has assigned shop anywhere, at its second build. */
const judge = (held: Held): string | undefined => {
  const assignments = Object.entries(snapshotOf(held).buckets["mesh-controller_assignments"] ?? {})
  const found = assignments.find(([key, value]) => key.endsWith(".shop") && JSON.stringify(value).includes(`"b2"`))
  return found && `${found[0]} is at its second build`
}

const failed = () => {
  for (let seed = 1; seed < 50; seed++) {
    const { chapters, failure, setting } = simulate({ seed, steps: 10_000, judge })
    if (failure !== undefined) {
      return { chapters, failure, setting }
    }
  }
  return expect.fail("no mesh has what is judged")
}

test("a story is shortened to the one thing that matters, and is broken by the same law", () => {
  const { chapters, failure, setting } = failed()
  const story = shrink(setting, chapters, failure, { judge })
  const happenings = story.chapters.flatMap(({ plot }) => plot)
  expect(chapters.flatMap(({ plot }) => plot).length).toBeGreaterThan(50)
  expect(happenings.map(({ deed }) => deed)).toEqual(["assign"])
  expect(story.failure.law).toBe(failure.law)
  expect(story.plays).toBeGreaterThan(3)
})

test("it is told by what happened, in its order, and what was written last", () => {
  const { chapters, failure, setting } = failed()
  const story = shrink(setting, chapters, failure, { judge })
  const told = tell(setting, story, judge)
  expect(told.filter(({ isFromOutside }) => isFromOutside).map(({ what }) => what.split(" {")[0])).toEqual([
    expect.stringMatching(/^the controller assigns \S+\.shop$/),
    expect.stringMatching(/^the faults stop/)
  ])
  expect(told.map(({ step }) => step)).toEqual(told.map(({ step }) => step).sort((one, other) => one - other))
  expect(told.some(({ isFromOutside, what }) => !isFromOutside && what.startsWith("controller writes"))).toBe(true)
})

test("no more is played than may be", () => {
  const { chapters, failure, setting } = failed()
  expect(shrink(setting, chapters, failure, { judge, playsMax: 5 }).plays).toBe(5)
  expect(shrink(setting, chapters, failure, { judge, stepsMax: 1 }).plays).toBe(1)
})

test("a broken law is a sentence, with its paragraph and its step", () => {
  expect(sentenceOf({ law: "one provider", what: "", step: 7, atMillis: 1 }))
    .toBe("At step 7 a law is broken (protocol §6): No claim is wanted of two providers at once.")
})
