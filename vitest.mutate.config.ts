/**
 * The tests that mutation testing runs again for each mutant of the core (`npm run mutate`): those of the core alone, with few
 * inputs for each law. `scripts/mutate.ts` says the rest.
 */
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import everyTest from "./vitest.config.ts"

/** Which of them tell a mutant soonest, by folder: the first test that fails ends a mutant's run. */
const soonest = ["/test/golden/", "/test/property/Twin", "/test/property/", "/test/engine/"]

const rank = ({ moduleId }: TestSpecification): number => soonest.findIndex((part) => moduleId.includes(part))

class SoonestFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return Promise.resolve(
      files.toSorted((one, other) => rank(one) - rank(other) || (one.moduleId < other.moduleId ? -1 : 1))
    )
  }
}

// Read by test/property/Law.ts in the tests' own process.
process.env["PROPERTY_TIMES"] ??= "0.02"

export default defineConfig({
  ...everyTest,
  test: {
    include: ["test/golden/**/*.test.ts", "test/property/**/*.test.ts", "test/engine/**/*.test.ts"],
    exclude: [
      // It counts which branches of the sources ran, and a mutated source has others.
      "test/golden/Reached.test.ts",
      // Slow beside the others, for what is about memory, about many at once and about large replies.
      "test/engine/forget.test.ts",
      "test/engine/pages.test.ts",
      "test/engine/slices.test.ts",
      "test/engine/verbs.test.ts"
    ],
    // A worker for all files: what a module holds is the same for each of them.
    isolate: false,
    sequence: { sequencer: SoonestFirst },
    testTimeout: 120_000
  }
})
